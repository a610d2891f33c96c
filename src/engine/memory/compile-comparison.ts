import { assertNever } from "../../base/required.ts";
import { fractionOf, toEpochSeconds } from "../../edm/date-time-offset.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { type PrimitiveValue, asText } from "../../edm/value-codec.ts";
import type {
  ComparisonExpression,
  ComparisonOperator,
  Expression,
  ScalarType,
  InExpression,
} from "../../language/query/expression.ts";
import { comparisonFamily, valueComparison, type CompareValues } from "./compare.ts";
import { compileRawProperty, compileRawSource, type RawAccessor, type VariableSlots } from "./compile-property.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";

type CompileOperand = (operand: Expression) => CompiledExpression;

/** The equivalent operator with exchanged operands. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "eq",
  ne: "ne",
  gt: "lt",
  ge: "le",
  lt: "gt",
  le: "ge",
};

/**
 * Compiles a comparison. Its value is never null: `eq` and `ne` treat null as a value (`null eq null` and `null ne 5`
 * are true), the others are false when an operand is null. NaN equals nothing, not even itself.
 * @param slots the range variables of the operands
 * @param compile compiles an operand
 * @see OData URL Conventions 4.0, section 5.1.1.1; docs/reference/filter.md
 */
export function compileComparison(
  expression: ComparisonExpression,
  slots: VariableSlots,
  compile: CompileOperand,
): CompiledPredicate {
  const { operator, left, right, operandType } = expression;
  if (left.kind === "null" || right.kind === "null") {
    return compileNullTest(operator, left.kind === "null" ? right : left, slots, compile);
  }
  if (operandType === null || operandType.kind === "ComplexType" || operandType.kind === "EntityType") {
    throw new Error(`Values without a primitive type cannot be compared with ${operator}.`);
  }
  if (left.kind === "parameter" && right.kind !== "parameter") {
    return compileOperands(
      { ...expression, operator: MIRRORED[operator], left: right, right: left },
      operandType,
      slots,
      compile,
    );
  }
  return compileOperands(expression, operandType, slots, compile);
}

function compileOperands(
  { operator, left, right }: ComparisonExpression,
  type: ScalarType,
  slots: VariableSlots,
  compile: CompileOperand,
): CompiledPredicate {
  const family = comparisonFamily(type);
  const isNative = family === "native" || (family !== "coded" && (operator === "eq" || operator === "ne"));
  if (isNative && right.kind === "parameter") return compareWithParameter(operator, compile(left), right.index);
  if (isNative) return compareNatively(operator, compile(left), compile(right));
  const comparison = compareByFunction(operator, compile(left), compile(right), valueComparison(type));
  const isInstant = left.kind === "property" && left.type === PRIMITIVE_TYPES["Edm.DateTimeOffset"];
  if (!isInstant || right.kind !== "parameter") return comparison;
  return compareDateObject(operator, compileRawProperty(left, slots), right.index, comparison);
}

function compileNullTest(
  operator: ComparisonOperator,
  operand: Expression,
  slots: VariableSlots,
  compile: CompileOperand,
): CompiledPredicate {
  if (operator !== "eq" && operator !== "ne") return () => false;
  const read = compileNullable(operand, slots) ?? compile(operand);
  if (operator === "eq") return (entity, evaluation) => read(entity, evaluation) === null;
  return (entity, evaluation) => read(entity, evaluation) !== null;
}

/** Compiles an operand that can only be compared with null: a complex value, or the entity of a path. */
function compileNullable(operand: Expression, slots: VariableSlots): RawAccessor | null {
  if (operand.kind === "navigation" || operand.kind === "root") return compileRawSource(operand, slots);
  if (operand.kind !== "property" && operand.kind !== "variable") return null;
  return operand.type.kind === "ComplexType" ? compileRawSource(operand, slots) : null;
}

function compareNatively(
  operator: ComparisonOperator,
  left: CompiledExpression,
  right: CompiledExpression,
): CompiledPredicate {
  switch (operator) {
    case "eq":
      return (entity, evaluation) => left(entity, evaluation) === right(entity, evaluation);
    case "ne":
      return (entity, evaluation) => left(entity, evaluation) !== right(entity, evaluation);
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
      return (entity, evaluation) => !isEqual(entity, evaluation);
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

/** Compiles a comparison that is false unless both operands have a value. */
function both(
  left: CompiledExpression,
  right: CompiledExpression,
  test: (left: PrimitiveValue, right: PrimitiveValue) => boolean,
): CompiledPredicate {
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    if (first === null) return false;
    const second = right(entity, evaluation);
    return second !== null && test(first, second);
  };
}

function equal(left: CompiledExpression, right: CompiledExpression, compare: CompareValues): CompiledPredicate {
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    const second = right(entity, evaluation);
    if (first === null || second === null) return first === second;
    return compare(first, second) === 0;
  };
}

/** Returns the equality of two canonical values of a type, neither of them null. */
function valueEquality(type: ScalarType): (left: PrimitiveValue, right: PrimitiveValue) => boolean {
  if (equalsNatively(type)) return (left, right) => left === right;
  const compare = valueComparison(type);
  return (left, right) => compare(left, right) === 0;
}

type Contains = (value: PrimitiveValue) => boolean;

/** The entity for expressions that do not use the entity. */
const NO_ENTITY: object = Object.freeze({});

/**
 * Compiles `operand in (…)`: true when the operand equals an item, like a chain of `eq`; a null operand equals a null
 * item. Never null. A list of constants becomes a Set, so a long list costs little per row.
 * @param compile compiles an operand
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function compileIn(
  expression: InExpression,
  compile: (operand: Expression) => CompiledExpression,
): CompiledPredicate {
  const operand = compile(expression.operand);
  const items = expression.items.filter((item) => item.kind !== "null").map(compile);
  const hasNull = items.length < expression.items.length;
  const type = expression.operand.type;
  if (type === null || expression.operand.kind === "null") return anyNull(hasNull, items);
  if (type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error("Structured values cannot be looked up in a list.");
  }
  const isConstant = expression.items.every(
    ({ kind }) => kind === "parameter" || kind === "literal" || kind === "null",
  );
  return isConstant
    ? lookUp(operand, hasNull, items, (evaluation) => makeLookup(items, evaluation, type))
    : walk(operand, hasNull, items, valueEquality(type));
}

function anyNull(hasNull: boolean, items: readonly CompiledExpression[]): CompiledPredicate {
  if (hasNull) return () => true;
  return (entity, evaluation) => items.some((item) => item(entity, evaluation) === null);
}

function lookUp(
  operand: CompiledExpression,
  hasNull: boolean,
  items: readonly CompiledExpression[],
  prepare: (evaluation: Evaluation) => Contains,
): CompiledPredicate {
  if (items.length === 0) return (entity, evaluation) => hasNull && operand(entity, evaluation) === null;
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? hasNull : evaluation.prepared(prepare)(value);
  };
}

function makeLookup(items: readonly CompiledExpression[], evaluation: Evaluation, type: ScalarType): Contains {
  const constants = items.map((item) => item(NO_ENTITY, evaluation)).filter((value) => value !== null);
  if (!equalsNatively(type)) return makeBinarySearch(constants, valueComparison(type));
  // In a Set, NaN equals itself; for `eq` it does not.
  const set = new Set(constants.filter((value) => !Number.isNaN(value)));
  return (value) => set.has(value);
}

function makeBinarySearch(constants: readonly PrimitiveValue[], compare: CompareValues): Contains {
  const sorted = constants.toSorted(compare);
  return (value) => {
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const candidate = sorted[middle];
      const order = candidate === undefined ? 0 : compare(value, candidate);
      if (order === 0) return true;
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return false;
  };
}

function walk(
  operand: CompiledExpression,
  hasNull: boolean,
  items: readonly CompiledExpression[],
  isEqual: (left: PrimitiveValue, right: PrimitiveValue) => boolean,
): CompiledPredicate {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    if (value === null) return hasNull || items.some((item) => item(entity, evaluation) === null);
    return items.some((item) => {
      const candidate = item(entity, evaluation);
      return candidate !== null && isEqual(value, candidate);
    });
  };
}

/**
 * Compiles the most common comparison, of an operand with a parameter by JavaScript's own operators, to one closure.
 * There is one closure per operator, because nested closures for operator and parameter would double the cost.
 * @param left the left operand
 * @param index the number of the parameter that is the right operand
 */
function compareWithParameter(
  operator: ComparisonOperator,
  left: CompiledExpression,
  index: number,
): CompiledPredicate {
  switch (operator) {
    case "eq":
      return (entity, evaluation) => left(entity, evaluation) === requireParameter(evaluation, index);
    case "ne":
      return (entity, evaluation) => left(entity, evaluation) !== requireParameter(evaluation, index);
    case "gt":
      return (entity, evaluation) => {
        const value = left(entity, evaluation);
        return value !== null && value > requireParameter(evaluation, index);
      };
    case "ge":
      return (entity, evaluation) => {
        const value = left(entity, evaluation);
        return value !== null && value >= requireParameter(evaluation, index);
      };
    case "lt":
      return (entity, evaluation) => {
        const value = left(entity, evaluation);
        return value !== null && value < requireParameter(evaluation, index);
      };
    case "le":
      return (entity, evaluation) => {
        const value = left(entity, evaluation);
        return value !== null && value <= requireParameter(evaluation, index);
      };
    default:
      return assertNever(operator);
  }
}

/** Returns the value of a parameter. @throws Error for a missing parameter: a fault of the code that bound the query */
export function requireParameter({ values }: Evaluation, index: number): PrimitiveValue {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} of the query has no value.`);
  return value;
}

/** A timestamp in whole milliseconds, rounded down, and whether it has a remainder. */
interface Milliseconds {
  readonly text: string;
  readonly milliseconds: number;
  readonly hasMore: boolean;
}

/**
 * Compiles the comparison of a timestamp property with a parameter so that a JavaScript `Date` is compared as a number:
 * converting it to a string would take ten times as long. Other values are passed to `compareTexts`.
 * @param raw reads the property as the application stores it
 * @param index the number of the parameter
 */
function compareDateObject(
  operator: ComparisonOperator,
  raw: RawAccessor,
  index: number,
  compareTexts: CompiledPredicate,
): CompiledPredicate {
  // All rows of a request have the same parameter.
  let known: Milliseconds | null = null;
  return (entity, evaluation) => {
    const value = raw(entity, evaluation);
    const time = value instanceof Date ? value.getTime() : Number.NaN;
    if (Number.isNaN(time)) return compareTexts(entity, evaluation);
    const text = asText(requireParameter(evaluation, index));
    if (known?.text !== text) known = toMilliseconds(text);
    return holds(operator, orderOf(time, known));
  };
}

function toMilliseconds(text: string): Milliseconds {
  const { start, end } = fractionOf(text);
  const fraction = end > start ? text.slice(start, end) : "";
  const milliseconds = toEpochSeconds(text) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return { text, milliseconds, hasMore: /[1-9]/.test(fraction.slice(3)) };
}

function orderOf(time: number, { milliseconds, hasMore }: Milliseconds): number {
  return time === milliseconds && hasMore ? -1 : time - milliseconds;
}

function holds(operator: ComparisonOperator, order: number): boolean {
  switch (operator) {
    case "eq":
      return order === 0;
    case "ne":
      return order !== 0;
    case "gt":
      return order > 0;
    case "ge":
      return order >= 0;
    case "lt":
      return order < 0;
    case "le":
      return order <= 0;
    default:
      return assertNever(operator);
  }
}

/** Whether `===` compares canonical values of a type for equality. */
function equalsNatively(type: ScalarType): boolean {
  return comparisonFamily(type) !== "coded";
}
