import { keptPer } from "../../base/memo.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { OrderByItem, QueryShape } from "../../language/query/clauses.ts";
import type { ItExpression } from "../../language/query/expression.ts";

/**
 * Makes an order total: appends the missing key properties in the direction of the last term, so that an index on that
 * term supports the order.
 * @param orderBy the order of the client; empty: by key
 * @see docs/reference/orderby.md
 */
export function totalOrder(orderBy: readonly OrderByItem[], entityType: EntityType): readonly OrderByItem[] {
  const descending = orderBy.at(-1)?.descending ?? false;
  const missing = entityType.key.filter((property) => !orderBy.some((item) => isOrderedBy(item, property)));
  return Object.freeze([...orderBy, ...missing.map((property) => keyItem(entityType, property, descending))]);
}

/** Makes the order of a shape total. */
export const totalOrderOf: (shape: QueryShape) => readonly OrderByItem[] = keptPer(({ orderBy, entityType, apply }) => {
  if (apply === undefined) return totalOrder(orderBy, entityType);
  const [{ orderBy: ofBranch }, ...others] = apply.branches;
  // The rows of several branches keep the order of their branches.
  return others.length > 0 ? orderBy : Object.freeze([...orderBy, ...ofBranch]);
});

function isOrderedBy(item: OrderByItem, property: StructuralProperty): boolean {
  const { expression } = item;
  return expression.kind === "property" && expression.property === property && expression.source.kind === "it";
}

function keyItem(entityType: EntityType, property: StructuralProperty, descending: boolean): OrderByItem {
  const source: ItExpression = { kind: "it", type: entityType };
  return { expression: { kind: "property", source, property, type: property.type }, descending };
}
