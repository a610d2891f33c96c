import type { KeyContinuation } from "../query/source.ts";
import { seekBehind, type SeekScope } from "./keyset-filter.ts";
import { type KeysetOrder, keysetOrder } from "./keyset-order.ts";
import type { CollectionPlan } from "./plan-collection.ts";

/** A continuation, and its order. */
export interface PlannedContinuation extends KeyContinuation {
  readonly order: KeysetOrder;
}

/**
 * Returns how a query in the order of the key goes on after a row: every database has an index for that order.
 * @param scope the filter of the query, with its values
 * @returns null for any other order
 */
export function planContinuation(
  { orderBy, query }: Pick<CollectionPlan, "orderBy" | "query">,
  scope: Pick<SeekScope, "filter" | "values">,
): PlannedContinuation | null {
  const { key } = query.shape.entityType;
  const order = keysetOrder(orderBy, key);
  if (order === null || order.terms.length !== key.length) return null;
  const isOfKey = order.terms.every(({ expression, descending }, index) => {
    const isProperty = expression.kind === "property" && expression.source.kind === "it";
    return isProperty && expression.property === key[index] && descending === order.terms[0]?.descending;
  });
  if (!isOfKey) return null;
  return { order, key, after: (values) => seekBehind(order, values, { ...scope, isRow: true }) };
}
