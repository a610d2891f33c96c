import type { KeyContinuation } from "../../language/query/source.ts";
import { keysetOrder } from "./keyset-order.ts";
import type { CollectionPlan } from "./plan-collection.ts";

/**
 * Returns how a query in the order of the key goes on after a row: every database has an index for that order.
 * @returns null for any other order
 */
export function planContinuation({
  orderBy,
  query,
}: Pick<CollectionPlan, "orderBy" | "query">): KeyContinuation | null {
  const { key } = query.shape.entityType;
  const order = keysetOrder(orderBy, key);
  if (order === null || order.terms.length !== key.length) return null;
  const isOfKey = order.terms.every(({ expression, descending }, index) => {
    const isProperty = expression.kind === "property" && expression.source.kind === "it";
    return isProperty && expression.property === key[index] && descending === order.terms[0]?.descending;
  });
  return isOfKey ? { order, key } : null;
}
