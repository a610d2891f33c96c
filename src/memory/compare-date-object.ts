import { assertNever } from "../base/required.ts";
import { fractionOf, toEpochSeconds } from "../edm/date-time-offset.ts";
import { asText, type PrimitiveValue } from "../edm/value-codec.ts";
import type { ComparisonOperator } from "../query/expression.ts";
import type { RawAccessor } from "./compile-property.ts";
import type { CompiledPredicate, CompiledExpression, Evaluation } from "./evaluation.ts";

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
export function compareDateObject(
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
