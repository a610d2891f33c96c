import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, InExpression, ScalarType } from "../query/expression.ts";
import { equalsNatively, valueComparison, type CompareValues } from "./compare.ts";
import { valueEquality } from "./compile-comparison.ts";
import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

type Contains = (value: PrimitiveValue) => boolean;

/** Stands for the entity where an expression does not look at it. */
const NO_ENTITY: object = Object.freeze({});

/**
 * Compiles `operand in (…)`: true when the operand equals an item, as a chain of `eq` would be; a null operand equals a
 * null item. Never null. A list of constants is looked up, not walked, so a long list costs little per row.
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
    ? lookUp(operand, hasNull, items, (values) => makeLookup(items, values, type))
    : walk(operand, hasNull, items, valueEquality(type));
}

function anyNull(hasNull: boolean, items: readonly CompiledExpression[]): CompiledPredicate {
  if (hasNull) return () => true;
  return (entity, values) => items.some((item) => item(entity, values) === null);
}

function lookUp(
  operand: CompiledExpression,
  hasNull: boolean,
  items: readonly CompiledExpression[],
  prepare: (values: readonly PrimitiveValue[]) => Contains,
): CompiledPredicate {
  if (items.length === 0) return (entity, values) => hasNull && operand(entity, values) === null;
  // One array of values per execution: the lookup made for it serves all of its rows.
  let preparedFor: readonly PrimitiveValue[] | null = null;
  let contains: Contains = () => false;
  return (entity, values) => {
    const value = operand(entity, values);
    if (value === null) return hasNull;
    if (values !== preparedFor) {
      contains = prepare(values);
      preparedFor = values;
    }
    return contains(value);
  };
}

function makeLookup(
  items: readonly CompiledExpression[],
  values: readonly PrimitiveValue[],
  type: ScalarType,
): Contains {
  const constants = items.map((item) => item(NO_ENTITY, values)).filter((value) => value !== null);
  if (!equalsNatively(type)) return makeBinarySearch(constants, valueComparison(type));
  // A Set holds NaN equal to itself; `eq` does not.
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
  return (entity, values) => {
    const value = operand(entity, values);
    if (value === null) return hasNull || items.some((item) => item(entity, values) === null);
    return items.some((item) => {
      const candidate = item(entity, values);
      return candidate !== null && isEqual(value, candidate);
    });
  };
}
