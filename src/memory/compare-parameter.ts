import { assertNever } from "../base/assert-never.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ComparisonOperator } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

/**
 * Compiles the commonest comparison, an operand with a parameter by JavaScript's own operators, to one closure. It is
 * written out per operator: a test and a parameter behind closures of their own would cost as much again.
 * @param left the left operand
 * @param index the number of the parameter that is the right operand
 */
export function compareWithParameter(
  operator: ComparisonOperator,
  left: CompiledExpression,
  index: number,
): CompiledPredicate {
  const parameter = (values: readonly PrimitiveValue[]): PrimitiveValue => requireParameter(values[index], index);
  switch (operator) {
    case "eq":
      return (entity, values) => left(entity, values) === parameter(values);
    case "ne":
      return (entity, values) => left(entity, values) !== parameter(values);
    case "gt":
      return (entity, values) => {
        const value = left(entity, values);
        return value !== null && value > parameter(values);
      };
    case "ge":
      return (entity, values) => {
        const value = left(entity, values);
        return value !== null && value >= parameter(values);
      };
    case "lt":
      return (entity, values) => {
        const value = left(entity, values);
        return value !== null && value < parameter(values);
      };
    case "le":
      return (entity, values) => {
        const value = left(entity, values);
        return value !== null && value <= parameter(values);
      };
    default:
      return assertNever(operator);
  }
}

/** The value of a parameter. @throws Error when there is none: a fault of whoever bound the query */
export function requireParameter(value: PrimitiveValue | undefined, index: number): PrimitiveValue {
  if (value === undefined) throw new Error(`Parameter ${String(index)} of the query has no value.`);
  return value;
}
