import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, InExpression, ScalarType } from "../query/expression.ts";
import { equalsNatively, valueComparison, type CompareValues } from "./compare.ts";
import { valueEquality } from "./compile-comparison.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";

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
