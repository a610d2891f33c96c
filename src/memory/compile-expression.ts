import { assertNever } from "../base/assert-never.ts";
import { keptPer } from "../base/memo.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { RoundingMode } from "../query/clauses.ts";
import type { CountExpression, Expression } from "../query/expression.ts";
import { childrenOf } from "../query/walk-expression.ts";
import { compileArithmetic, compileNegation } from "./arithmetic.ts";
import { requireParameter } from "./compare-date-object.ts";
import { compileComparison } from "./compile-comparison.ts";
import { compileIn } from "./compile-in.ts";
import { compileLambda } from "./compile-lambda.ts";
import { compileHas, compileAnd, compileNot, compileOr } from "./compile-logical.ts";
import { compileCount, compileIt, compileProperty, compileVariable, type VariableSlots } from "./compile-property.ts";
import { conversion } from "./convert.ts";
import type { CompiledExpression } from "./evaluation.ts";
import { FUNCTION_LIBRARY } from "./function-library.ts";
import { cheapestFirst, type Clause } from "./operand-cost.ts";

/**
 * Compiles a bound expression to a closure that evaluates it for one entity. Compile once per shape: the closure
 * depends only on the expression, and serves all requests of the shape.
 * @param expression a bound expression of a primitive or enum type; its depth is limited by the parser
 * @param roundingMode how `round()` rounds a midpoint
 * @returns the closure, which throws a TypeError for a value of another type than its property
 * @see OData URL Conventions 4.0, section 5.1.1
 */
export function compileExpression(expression: Expression, roundingMode: RoundingMode): CompiledExpression {
  return compileWithin(expression, roundingMode, []);
}

/** Compiles an expression within lambda operators. */
function compileWithin(expression: Expression, roundingMode: RoundingMode, slots: VariableSlots): CompiledExpression {
  const compile = (operand: Expression): CompiledExpression => compileWithin(operand, roundingMode, slots);
  switch (expression.kind) {
    case "parameter":
      return compileParameter(expression.index);
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "null":
      return () => null;
    case "root":
    case "navigation":
      throw new Error("An entity has no value that could be compared.");
    case "it":
      return compileIt(expression);
    case "variable":
      return compileVariable(expression, slots);
    case "property":
      return compileProperty(expression, slots);
    case "count":
      return compileItemCount(expression, slots);
    case "lambda":
      return compileLambda(expression, slots, (predicate, inner) => compileWithin(predicate, roundingMode, inner));
    case "comparison":
      return compileComparison(expression, slots, compile);
    case "logical": {
      const operands = cheapestFirst(expression.operands).map(compile);
      return expression.operator === "and" ? compileAnd(operands) : compileOr(operands);
    }
    case "not":
      return compileNot(compile(expression.operand));
    case "arithmetic":
      return compileArithmetic(expression, compile);
    case "negate":
      return compileNegation(expression, compile);
    case "call": {
      const arguments_ = expression.arguments.map(compile);
      const operands = slots.length === 0 ? arguments_ : arguments_.map(spendText);
      return FUNCTION_LIBRARY[expression.name]({ expression, operands, roundingMode });
    }
    case "in":
      return compileIn(expression, compile);
    case "has":
      return compileHas(expression, compile);
    case "convert":
      return compileConversion(compile(expression.operand), conversion(expression.type));
    default:
      return assertNever(expression);
  }
}

function compileParameter(index: number): CompiledExpression {
  return (_entity, evaluation) => requireParameter(evaluation, index);
}

/** The characters of a text that a function reads in the time of one item. */
const CHARACTERS_PER_ITEM = 256;

/** Spends items for long texts that a function reads within a lambda operator. */
function spendText(operand: CompiledExpression): CompiledExpression {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    if (typeof value === "string" && value.length >= CHARACTERS_PER_ITEM) {
      evaluation.spendRowItems(Math.floor(value.length / CHARACTERS_PER_ITEM));
    }
    return value;
  };
}

function compileItemCount(expression: CountExpression, slots: VariableSlots): CompiledExpression {
  const count = compileCount(expression.collection, slots);
  if (expression.type.name !== "Edm.Int64") return count;
  return (entity, evaluation) => {
    const items = count(entity, evaluation);
    return items === null ? null : BigInt(items);
  };
}

function compileConversion(
  operand: CompiledExpression,
  convert: (value: PrimitiveValue) => PrimitiveValue | null,
): CompiledExpression {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : convert(value);
  };
}

const COMPILE: Readonly<Record<RoundingMode, (clause: Clause) => CompiledExpression>> = {
  "spec-compliant": keptPer((clause: Clause) => compileClause(clause, "spec-compliant")),
  BankersRounding: keptPer((clause: Clause) => compileClause(clause, "BankersRounding")),
};

function compileClause(clause: Clause, roundingMode: RoundingMode): CompiledExpression {
  const evaluate = compileExpression(clause.expression, roundingMode);
  if (!hasLambda(clause)) return evaluate;
  return (entity, evaluation) => {
    evaluation.beginRow();
    return evaluate(entity, evaluation);
  };
}

/** Returns the closure of an expression. It is compiled on first use, so later requests of the shape compile nothing. */
export function compiledFor(clause: Clause, roundingMode: RoundingMode): CompiledExpression {
  return COMPILE[roundingMode](clause);
}

/** Whether an expression has `any` or `all`, whose evaluation may take long for a single entity. */
export const hasLambda: (clause: Clause) => boolean = keptPer(({ expression }: Clause) => containsLambda(expression));

function containsLambda(expression: Expression): boolean {
  return expression.kind === "lambda" || childrenOf(expression).some(containsLambda);
}
