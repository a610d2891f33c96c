import { keptPer } from "../base/memo.ts";
import type { RoundingMode } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledExpression } from "./evaluation.ts";

/** A filter or a term of an order: it has an expression and lives as long as its shape. */
export interface Clause {
  readonly expression: Expression;
}

const COMPILE: Readonly<Record<RoundingMode, (clause: Clause) => CompiledExpression>> = {
  "spec-compliant": keptPer(({ expression }: Clause) => compileExpression(expression, "spec-compliant")),
  BankersRounding: keptPer(({ expression }: Clause) => compileExpression(expression, "BankersRounding")),
};

/** Returns the closure of an expression. It is compiled on first use, so later requests of the shape compile nothing. */
export function compiledFor(clause: Clause, roundingMode: RoundingMode): CompiledExpression {
  return COMPILE[roundingMode](clause);
}
