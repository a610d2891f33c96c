import { keptPer } from "../base/memo.ts";
import type { RoundingMode } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledExpression } from "./compiled-expression.ts";

/** A filter, a term of an order: what holds an expression and lives as long as its shape. */
export interface Clause {
  readonly expression: Expression;
}

const COMPILE: Readonly<Record<RoundingMode, (clause: Clause) => CompiledExpression>> = {
  "spec-compliant": keptPer(({ expression }: Clause) => compileExpression(expression, "spec-compliant")),
  BankersRounding: keptPer(({ expression }: Clause) => compileExpression(expression, "BankersRounding")),
};

/** Returns the closure of an expression, compiled on first use: the second request of a shape compiles nothing. */
export function compiledFor(clause: Clause, roundingMode: RoundingMode): CompiledExpression {
  return COMPILE[roundingMode](clause);
}
