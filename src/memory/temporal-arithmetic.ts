import { asText } from "../edm/canonical-form.ts";
import { negateDuration } from "../edm/duration.ts";
import {
  addDurations,
  addDurationToDate,
  addDurationToDateTimeOffset,
  divideDuration,
  multiplyDuration,
  subtractDates,
  subtractDateTimeOffsets,
  subtractDurations,
} from "../edm/temporal-arithmetic.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ArithmeticExpression, Expression } from "../query/expression.ts";
import type { CompiledExpression } from "./evaluation.ts";

type Compute = (left: PrimitiveValue, right: PrimitiveValue) => string | null;

/**
 * Compiles arithmetic on dates and durations; null when an operand is null or the result is out of range:
 * - DateTimeOffset `add` and `sub` Duration, in the timestamp's own offset; Date `add` and `sub` Duration, which gives
 *   the date of the resulting instant, counted from the date's midnight: `2024-01-02 sub duration'PT1H'` is 2024-01-01;
 * - DateTimeOffset `sub` DateTimeOffset, Date `sub` Date: a Duration;
 * - Duration `add` and `sub` Duration, Duration `mul` and `div` a number; a division by zero is null.
 * @throws Error for any other operation, which the binder has rejected before
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function compileTemporalArithmetic(
  expression: ArithmeticExpression,
  left: CompiledExpression,
  right: CompiledExpression,
): CompiledExpression {
  const compute = computation(expression);
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    const second = right(entity, evaluation);
    return first === null || second === null ? null : compute(first, second);
  };
}

/** Compiles `-x` of a Duration. */
export function compileTemporalNegation(operand: CompiledExpression): CompiledExpression {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : negateDuration(asText(value));
  };
}

function computation({ operator, left, right }: ArithmeticExpression): Compute {
  const leftType = nameOfType(left);
  const rightType = nameOfType(right);
  if (leftType === "null" || rightType === "null") return () => null;
  const key = `${leftType} ${operator} ${rightType}`;
  const compute = COMPUTATIONS.get(key);
  if (compute !== undefined) return compute;
  if (leftType === "Edm.Duration" && operator === "mul") {
    return (first, second) => scale(multiplyDuration, first, second);
  }
  if (leftType === "Edm.Duration" && operator === "div") {
    return (first, second) => scale(divideDuration, first, second);
  }
  if (rightType === "Edm.Duration" && operator === "mul") {
    return (first, second) => scale(multiplyDuration, second, first);
  }
  throw new Error(`Unknown arithmetic operation "${key}".`);
}

function nameOfType(expression: Expression): string {
  if (expression.type === null || expression.kind === "null") return "null";
  return expression.type.name;
}

const COMPUTATIONS: ReadonlyMap<string, Compute> = new Map<string, Compute>([
  ["Edm.DateTimeOffset add Edm.Duration", texts(addDurationToDateTimeOffset)],
  ["Edm.Duration add Edm.DateTimeOffset", texts((left, right) => addDurationToDateTimeOffset(right, left))],
  [
    "Edm.DateTimeOffset sub Edm.Duration",
    texts((left, right) => addDurationToDateTimeOffset(left, negateDuration(right))),
  ],
  ["Edm.DateTimeOffset sub Edm.DateTimeOffset", texts(subtractDateTimeOffsets)],
  ["Edm.Date add Edm.Duration", texts(addDurationToDate)],
  ["Edm.Duration add Edm.Date", texts((left, right) => addDurationToDate(right, left))],
  ["Edm.Date sub Edm.Duration", texts((left, right) => addDurationToDate(left, negateDuration(right)))],
  ["Edm.Date sub Edm.Date", texts(subtractDates)],
  ["Edm.Duration add Edm.Duration", texts(addDurations)],
  ["Edm.Duration sub Edm.Duration", texts(subtractDurations)],
]);

function texts(compute: (left: string, right: string) => string | null): Compute {
  return (left, right) => compute(asText(left), asText(right));
}

function scale(
  compute: (duration: string, number: number | bigint | string) => string | null,
  duration: PrimitiveValue,
  number: PrimitiveValue,
): string | null {
  if (typeof number === "boolean" || typeof number === "object") throw new TypeError("A number was expected.");
  return compute(asText(duration), number);
}
