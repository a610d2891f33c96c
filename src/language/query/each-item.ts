import type { Expression, LambdaExpression, NavigationExpression } from "./expression.ts";

/** The operand of an aggregate along a collection-valued navigation. */
export interface EachExpression extends LambdaExpression {
  readonly operator: "each";
  readonly collection: NavigationExpression;
}

/** Whether an aggregate takes the items of a collection, and not a value of each row. */
export function isEach(expression: Expression | null): expression is EachExpression {
  return expression?.kind === "lambda" && expression.operator === "each";
}

/** Returns the value that an aggregate takes of each row, or of each item; null for the items themselves. */
export function itemOperand(expression: Expression | null): Expression | null {
  return isEach(expression) ? itemOperand(expression.predicate) : expression;
}

/**
 * Whether different rows never lead to the same item: each collection begins at the row, or at an item, and its items have
 * the key of that entity.
 */
export function areOwned({ collection, predicate }: EachExpression): boolean {
  const { source, entitySet, navigationProperty } = collection;
  if (source.kind !== "it" && source.kind !== "variable") return false;
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join?.kind !== "direct") return false;
  const fields = new Set(join.pairs.map(({ property }) => property.field));
  const isOwned = entitySet.entityType.key.every(({ field }) => fields.has(field));
  return isOwned && (!isEach(predicate) || areOwned(predicate));
}
