import { assertNever } from "../base/assert-never.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ComparisonOperator } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";

/**
 * Compiles the most common comparison, of an operand with a parameter by JavaScript's own operators, to one closure.
 * There is one closure per operator, because nested closures for operator and parameter would double the cost.
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

/** Returns the value of a parameter. @throws Error for a missing parameter: a fault of the code that bound the query */
export function requireParameter({ values }: Evaluation, index: number): PrimitiveValue {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} of the query has no value.`);
  return value;
}
