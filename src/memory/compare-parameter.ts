import { assertNever } from "../base/assert-never.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ComparisonOperator } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";

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

/** The value of a parameter. @throws Error when there is none: a fault of whoever bound the query */
export function requireParameter({ values }: Evaluation, index: number): PrimitiveValue {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} of the query has no value.`);
  return value;
}
