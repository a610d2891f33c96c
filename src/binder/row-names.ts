import type { Expression } from "../query/expression.ts";
import { childrenOf, mapChildren } from "../query/walk-expression.ts";
import type { MemberSyntax } from "../syntax/ast.ts";
import { type BindingContext, invalidOption, quotedName } from "./binding-scope.ts";
import type { BoundOperand } from "./operand.ts";

/**
 * Returns a copy of the computed value that a name stands for; undefined for any other name.
 * @throws ODataError `InvalidQueryOption` if the copies exceed `maxNodeCount`
 */
export function computedOperand(
  { name, position }: MemberSyntax,
  { rows, option, variables }: BindingContext & { readonly variables: readonly unknown[] },
): BoundOperand | undefined {
  const known = rows?.computed.get(name);
  if (rows === undefined || known === undefined) return undefined;
  const { copies } = rows;
  copies.nodes += known.nodes;
  if (copies.nodes > copies.most) {
    const message = `Each use of ${quotedName(name)} repeats its expression: together they have more than ${copies.most} operators, names and values. Use computed names less often.`;
    throw invalidOption(option, position, message);
  }
  const expression = deepened(known.expression, variables.length);
  const { type } = known.property;
  return { kind: "bound", expression, type, isCollection: false, position, growth: known.growth };
}

/** Moves the lambda operators of an expression below others. @param by the number of the operators around it */
function deepened(expression: Expression, by: number): Expression {
  if (by === 0) return expression;
  const inner = mapChildren(expression, (child) => deepened(child, by));
  return inner.kind === "lambda" || inner.kind === "variable" ? { ...inner, depth: inner.depth + by } : inner;
}

/** The number of nodes of an expression, and the height of its tree. */
export interface ExpressionSize {
  readonly nodes: number;
  readonly height: number;
}

/** Measures an expression, whose height is bounded. */
export function sizeOf(expression: Expression): ExpressionSize {
  let nodes = 1;
  let height = 0;
  for (const child of childrenOf(expression)) {
    const size = sizeOf(child);
    nodes += size.nodes;
    height = Math.max(height, size.height);
  }
  return { nodes, height: height + 1 };
}
