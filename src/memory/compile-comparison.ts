import type { PrimitiveValue } from "../edm/value-codec.ts";
import { assertNever } from "../errors/assert-never.ts";
import type { ComparisonExpression, ComparisonOperator, Expression, ScalarType } from "../query/expression.ts";
import { compilePropertyComparison } from "./compare-property.ts";
import { comparisonFamily, valueComparison, type CompareValues } from "./compare.ts";
import { compileRawProperty } from "./compile-property.ts";
import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

/**
 * Compiles a comparison. Its value is never null: `eq` and `ne` treat null as a value of its own (`null eq null` and
 * `null ne 5` are true), the others are false when an operand is null. NaN equals nothing, itself included.
 * @param compile compiles an operand
 * @see OData URL Conventions 4.0, section 5.1.1.1; decisions, Reading
 */
export function compileComparison(
  expression: ComparisonExpression,
  compile: (operand: Expression) => CompiledExpression,
): CompiledPredicate {
  const { operator, left, right, operandType } = expression;
  if (left.kind === "null" || right.kind === "null") {
    return compileNullTest(operator, left.kind === "null" ? right : left, compile);
  }
  if (operandType === null || operandType.kind === "ComplexType") {
    throw new Error(`Values without a primitive type cannot be compared with ${operator}.`);
  }
  const fused = compilePropertyComparison(operator, left, right, operandType);
  if (fused !== null) return fused;
  const first = compile(left);
  const second = compile(right);
  const family = comparisonFamily(operandType);
  if (family === "native" || (family === "text" && (operator === "eq" || operator === "ne"))) {
    return compareNatively(operator, first, second);
  }
  return compareByFunction(operator, first, second, valueComparison(operandType));
}

function compileNullTest(
  operator: ComparisonOperator,
  operand: Expression,
  compile: (operand: Expression) => CompiledExpression,
): CompiledPredicate {
  if (operator !== "eq" && operator !== "ne") return () => false;
  const isComplex = operand.kind === "property" && operand.type.kind === "ComplexType";
  const read = isComplex ? compileRawProperty(operand) : compile(operand);
  if (operator === "eq") return (entity, values) => read(entity, values) === null;
  return (entity, values) => read(entity, values) !== null;
}

function compareNatively(
  operator: ComparisonOperator,
  left: CompiledExpression,
  right: CompiledExpression,
): CompiledPredicate {
  switch (operator) {
    case "eq":
      return (entity, values) => left(entity, values) === right(entity, values);
    case "ne":
      return (entity, values) => left(entity, values) !== right(entity, values);
    case "gt":
      return both(left, right, (first, second) => first > second);
    case "ge":
      return both(left, right, (first, second) => first >= second);
    case "lt":
      return both(left, right, (first, second) => first < second);
    case "le":
      return both(left, right, (first, second) => first <= second);
    default:
      return assertNever(operator);
  }
}

function compareByFunction(
  operator: ComparisonOperator,
  left: CompiledExpression,
  right: CompiledExpression,
  compare: CompareValues,
): CompiledPredicate {
  switch (operator) {
    case "eq":
      return equal(left, right, compare);
    case "ne": {
      const isEqual = equal(left, right, compare);
      return (entity, values) => !isEqual(entity, values);
    }
    case "gt":
      return both(left, right, (first, second) => compare(first, second) > 0);
    case "ge":
      return both(left, right, (first, second) => compare(first, second) >= 0);
    case "lt":
      return both(left, right, (first, second) => compare(first, second) < 0);
    case "le":
      return both(left, right, (first, second) => compare(first, second) <= 0);
    default:
      return assertNever(operator);
  }
}

/** False unless both operands have a value. */
function both(
  left: CompiledExpression,
  right: CompiledExpression,
  test: (left: PrimitiveValue, right: PrimitiveValue) => boolean,
): CompiledPredicate {
  return (entity, values) => {
    const first = left(entity, values);
    if (first === null) return false;
    const second = right(entity, values);
    return second !== null && test(first, second);
  };
}

function equal(left: CompiledExpression, right: CompiledExpression, compare: CompareValues): CompiledPredicate {
  return (entity, values) => {
    const first = left(entity, values);
    const second = right(entity, values);
    if (first === null || second === null) return first === second;
    return compare(first, second) === 0;
  };
}

/** The equality of two canonical values of a type, neither of them null. */
export function valueEquality(type: ScalarType): (left: PrimitiveValue, right: PrimitiveValue) => boolean {
  if (comparisonFamily(type) !== "coded") return (left, right) => left === right;
  const compare = valueComparison(type);
  return (left, right) => compare(left, right) === 0;
}
