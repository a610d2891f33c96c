import { assertNever } from "../../base/required.ts";
import {
  computeDecimals,
  computeNumbers,
  fromScaledDecimal,
  negateScaledDecimal,
  toScaledDecimal,
  type LooseInteger,
  type ScaledDecimal,
} from "../../edm/decimal-arithmetic.ts";
import { negateDuration } from "../../edm/duration.ts";
import { isInteger, type PrimitiveType } from "../../edm/primitive-type.ts";
import {
  addDurations,
  addDurationToDate,
  addDurationToDateTimeOffset,
  divideDuration,
  multiplyDuration,
  subtractDates,
  subtractDateTimeOffsets,
  subtractDurations,
} from "../../edm/temporal-arithmetic.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { toSingle } from "../../edm/value-codecs.ts";
import type {
  ArithmeticExpression,
  Expression,
  NegateExpression,
  ArithmeticOperator,
} from "../../language/query/expression.ts";
import { toDouble, toLooseInteger } from "./convert.ts";
import type { CompiledExpression, Evaluation } from "./evaluation.ts";

/** Compiles an operand of another kind of expression. */
type CompileOperand = (expression: Expression) => CompiledExpression;

/** Evaluates to an intermediate value of one arithmetic expression. */
type Evaluate<T> = (entity: object, evaluation: Evaluation) => T | null;

/**
 * Compiles arithmetic. Null when an operand is null. By the type of the result:
 * - integers are computed as Edm.Int64: `div` truncates, `mod` has the sign of the left operand, a result beyond Int64
 *   and a division by zero are null;
 * - Decimal is exact. A quotient is rounded half away from zero to at least 12 fraction digits, without trailing zeros.
 *   Division by zero, and a result of more than 1000 digits, are null;
 * - Double is IEEE 754: division by zero gives INF, -INF or NaN. Single is computed as Double, and is infinite beyond its range;
 * - temporal values: see `compileTemporalArithmetic`.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function compileArithmetic(expression: ArithmeticExpression, compile: CompileOperand): CompiledExpression {
  switch (numericKind(expression.type)) {
    case "integer":
      return canonicalInteger(compileInteger(expression, compile), expression.type);
    case "decimal":
      return canonicalDecimal(compileDecimal(expression, compile));
    case "double":
      return compileDouble(expression, compile);
    default:
      return compileTemporalArithmetic(expression, compile(expression.left), compile(expression.right));
  }
}

/** Compiles `-x`. Null for null, and for the least Int64, whose negation is beyond Int64. */
export function compileNegation(expression: NegateExpression, compile: CompileOperand): CompiledExpression {
  switch (numericKind(expression.type)) {
    case "integer":
      return canonicalInteger(compileInteger(expression, compile), expression.type);
    case "decimal":
      return canonicalDecimal(compileDecimal(expression, compile));
    case "double": {
      const operand = compile(expression.operand);
      return (entity, evaluation) => {
        const value = operand(entity, evaluation);
        return value === null ? null : -toDouble(value);
      };
    }
    default:
      return compileTemporalNegation(compile(expression.operand));
  }
}

function numericKind(type: PrimitiveType): "integer" | "decimal" | "double" | "temporal" {
  if (isInteger(type)) return "integer";
  if (isDecimal(type)) return "decimal";
  return type.name === "Edm.Double" || type.name === "Edm.Single" ? "double" : "temporal";
}

/** Compiles nested integer arithmetic, which uses numbers where possible and skips conversions to Int64. */
function compileInteger(expression: Expression, compile: CompileOperand): Evaluate<LooseInteger> {
  if (expression.kind === "arithmetic" && isInteger(expression.type)) {
    const { operator } = expression;
    const left = compileInteger(expression.left, compile);
    const right = compileInteger(expression.right, compile);
    return binary(left, right, (first, second) => computeIntegers(operator, first, second));
  }
  if (expression.kind === "negate" && isInteger(expression.type)) {
    return unary(compileInteger(expression.operand, compile), negateInteger);
  }
  if (expression.kind === "convert" && isInteger(expression.type)) return compileInteger(expression.operand, compile);
  return unary(compile(expression), toLooseInteger);
}

function canonicalInteger(evaluate: Evaluate<LooseInteger>, type: PrimitiveType): CompiledExpression {
  return unary<LooseInteger, PrimitiveValue>(evaluate, type.name === "Edm.Int64" ? BigInt : Number);
}

/** Compiles nested Decimal arithmetic, which keeps values in parts; integers are converted without strings. */
function compileDecimal(expression: Expression, compile: CompileOperand): Evaluate<ScaledDecimal> {
  if (expression.kind === "arithmetic" && isDecimal(expression.type)) {
    const { operator } = expression;
    const left = compileDecimal(expression.left, compile);
    const right = compileDecimal(expression.right, compile);
    return binary(left, right, (first, second) => computeDecimals(operator, first, second));
  }
  if (expression.kind === "negate" && isDecimal(expression.type)) {
    return unary(compileDecimal(expression.operand, compile), negateScaledDecimal);
  }
  if (expression.kind === "convert" && isInteger(expression.operand.type)) {
    return unary(compileInteger(expression.operand, compile), (value) => ({ scaled: value, scale: 0 }));
  }
  return unary(compile(expression), (value) => toScaledDecimal(String(value)));
}

function isDecimal(type: PrimitiveType): boolean {
  return type.name === "Edm.Decimal";
}

function canonicalDecimal(evaluate: Evaluate<ScaledDecimal>): CompiledExpression {
  return unary(evaluate, fromScaledDecimal);
}

function compileDouble(expression: ArithmeticExpression, compile: CompileOperand): CompiledExpression {
  const { operator } = expression;
  const left = unary(compile(expression.left), toDouble);
  const right = unary(compile(expression.right), toDouble);
  const compute = (first: number, second: number): number => computeNumbers(operator, first, second);
  if (expression.type.name !== "Edm.Single") return binary(left, right, compute);
  return binary(left, right, (first, second) => toSingle(compute(first, second)));
}

function unary<A, R>(operand: Evaluate<A>, compute: (value: A) => R | null): Evaluate<R> {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : compute(value);
  };
}

function binary<A, R>(left: Evaluate<A>, right: Evaluate<A>, compute: (left: A, right: A) => R | null): Evaluate<R> {
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    if (first === null) return null;
    const second = right(entity, evaluation);
    return second === null ? null : compute(first, second);
  };
}

const INT64_BITS = 64;

/**
 * Computes with two integers as Edm.Int64. A result beyond Edm.Int64 and a division by zero are null. `div` truncates
 * toward zero, `mod` has the sign of the left operand.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeIntegers(
  operator: ArithmeticOperator,
  left: LooseInteger,
  right: LooseInteger,
): LooseInteger | null {
  if (typeof left === "number" && typeof right === "number") {
    const result = computeSafely(operator, left, right);
    if (result !== undefined) return result;
  }
  return computeExactly(operator, BigInt(left), BigInt(right));
}

/** Computes with numbers; undefined where the result may have been rounded, because it is not a safe integer. */
function computeSafely(operator: ArithmeticOperator, left: number, right: number): number | null | undefined {
  if (right === 0 && (operator === "div" || operator === "mod")) return null;
  // Subtracting the remainder first keeps the quotient exact: a rounded one could reach the next integer.
  const result = operator === "div" ? (left - (left % right)) / right : computeNumbers(operator, left, right);
  return Number.isSafeInteger(result) ? result : undefined;
}

function computeExactly(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | null {
  switch (operator) {
    case "add":
      return withinInt64(left + right);
    case "sub":
      return withinInt64(left - right);
    case "mul":
      return withinInt64(left * right);
    case "div":
      return right === 0n ? null : withinInt64(left / right);
    case "mod":
      return right === 0n ? null : left % right;
    default:
      return assertNever(operator);
  }
}

/** Returns `-x`; null for the one value whose negation is beyond Edm.Int64. */
function negateInteger(value: LooseInteger): LooseInteger | null {
  return typeof value === "number" ? 0 - value : withinInt64(-value);
}

function withinInt64(value: bigint): bigint | null {
  return BigInt.asIntN(INT64_BITS, value) === value ? value : null;
}

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
function compileTemporalArithmetic(
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
function compileTemporalNegation(operand: CompiledExpression): CompiledExpression {
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
