import { countTexts } from "../query/computed-text.ts";
import type { Expression } from "../query/expression.ts";
import { mentionsOf, propertiesIn } from "../query/mentions.ts";
import { childrenOf, mapChildren } from "../query/walk-expression.ts";
import type { MemberSyntax } from "../syntax/ast.ts";
import { allowedOf, type BindingContext, invalidOption, quotedName } from "./binding-scope.ts";
import type { BoundOperand } from "./operand.ts";

/**
 * Returns a copy of the computed value with a name; undefined for any other name.
 * @throws ODataError `InvalidQueryOption` if the copies exceed `maxNodeCount`, and for a value of properties that the clause
 *   may not use; `UnsupportedQueryOption` for one of entities whose set disables the clause
 */
export function computedOperand(
  { name, position }: MemberSyntax,
  context: BindingContext & { readonly variables: readonly unknown[] },
): BoundOperand | undefined {
  const { rows, option, variables, texts } = context;
  const known = rows?.computed.get(name);
  if (rows === undefined || known === undefined) return undefined;
  const { copies } = rows;
  copies.nodes += known.nodes;
  if (copies.nodes > copies.most) {
    const message = `Each use of ${quotedName(name)} repeats its expression: together they have more than ${copies.most} operators, names and values. Use computed names less often.`;
    throw invalidOption(option, position, message);
  }
  texts.count += countTexts(known.expression);
  requireAllowed(known.expression, context, position);
  const expression = deepened(known.expression, variables.length);
  const { type } = known.property;
  return { kind: "bound", expression, type, isCollection: false, position };
}

/** Requires that a clause may use the properties of a value as if the clause contained its expression instead of its name. */
function requireAllowed(expression: Expression, context: BindingContext, position: number): void {
  // The value has been bound by the rules of this clause.
  if (context.clause === "compute") return;
  const clauses = { filter: { expression }, orderBy: [] };
  const require = (name: string, allowed: BindingContext["allowed"]): void => {
    if (allowed === null || allowed.has(name)) return;
    throw invalidOption(context.option, position, `The property '${name}' is not allowed in ${context.option}.`);
  };
  for (const { property, owner } of propertiesIn(clauses)) {
    // A total is free of allowlists, as an alias of `aggregate` is.
    if (property.name.startsWith("$")) continue;
    const entitySet = owner?.kind === "EntitySet" ? owner : null;
    require(property.name, owner === null ? context.allowed : allowedOf(entitySet, context, position));
  }
  const mentions = mentionsOf(clauses);
  for (const mention of mentions?.allNavigations ?? []) {
    const { navigationProperty, entitySet } = mention;
    const isOwn = mentions?.navigations.includes(mention) === true;
    require(navigationProperty.name, isOwn ? context.allowed : allowedOf(entitySet, context, position));
  }
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
