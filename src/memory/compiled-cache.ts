import type { RoundingMode } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledExpression } from "./compiled-expression.ts";

/** Kept as long as the shape that the expression belongs to. */
const caches: Readonly<Record<RoundingMode, WeakMap<Expression, CompiledExpression>>> = {
  "spec-compliant": new WeakMap(),
  BankersRounding: new WeakMap(),
};

/** The closure of an expression, compiled on first use: the second request of a shape compiles nothing. */
export function compiledFor(expression: Expression, roundingMode: RoundingMode): CompiledExpression {
  const cache = caches[roundingMode];
  const known = cache.get(expression);
  if (known !== undefined) return known;
  const compiled = compileExpression(expression, roundingMode);
  cache.set(expression, compiled);
  return compiled;
}
