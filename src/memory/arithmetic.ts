import { isInteger, type PrimitiveType } from "../edm/primitive-type.ts";
import {
  computeDecimals,
  computeNumbers,
  fromScaledDecimal,
  negateScaledDecimal,
  toScaledDecimal,
  type LooseInteger,
  type ScaledDecimal,
} from "../edm/scaled-decimal.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ArithmeticExpression, Expression, NegateExpression } from "../query/expression.ts";
import { toDouble, toLooseInteger } from "./convert.ts";
import type { CompiledExpression, Evaluation } from "./evaluation.ts";
import { computeIntegers, negateInteger } from "./integer-arithmetic.ts";
import { compileTemporalArithmetic, compileTemporalNegation } from "./temporal-arithmetic.ts";

/** Compiles an operand of another kind of expression. */
export type CompileOperand = (expression: Expression) => CompiledExpression;

/** Evaluates to an intermediate value of one arithmetic expression. */
type Evaluate<T> = (entity: object, evaluation: Evaluation) => T | null;

/**
 * Compiles arithmetic. Null when an operand is null. By the type of the result:
 * - integers are computed as Edm.Int64: `div` truncates, `mod` has the sign of the left operand, a result beyond Int64
 *   and a division by zero are null;
 * - Decimal is exact. A quotient is rounded half away from zero to at least 12 fraction digits, without trailing zeros.
 *   Division by zero, and a result of more than 1000 digits, are null;
 * - Double is IEEE 754: division by zero gives INF, -INF or NaN. Single is computed as Double;
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
  return binary(left, right, (first, second) => computeNumbers(operator, first, second));
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
