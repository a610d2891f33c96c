import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { OrderByItem } from "../query/clauses.ts";

/** Kept per list, so that a source meets the same objects for one shape again and again. */
const totalOrders = new WeakMap<readonly OrderByItem[], WeakMap<EntityType, readonly OrderByItem[]>>();

/**
 * Makes an order total: the key properties that are not yet in it are appended, in the direction of the last term, so
 * that an index on that term serves the order.
 * @param orderBy the order that the client asked for; empty: by key
 * @see decisions, Reading
 */
export function totalOrder(orderBy: readonly OrderByItem[], entityType: EntityType): readonly OrderByItem[] {
  const known = totalOrders.get(orderBy)?.get(entityType);
  if (known !== undefined) return known;
  const descending = orderBy.at(-1)?.descending ?? false;
  const missing = entityType.key.filter((property) => !orderBy.some((item) => isOrderedBy(item, property)));
  const total = Object.freeze([...orderBy, ...missing.map((property) => keyItem(entityType, property, descending))]);
  const perType = totalOrders.get(orderBy) ?? new WeakMap<EntityType, readonly OrderByItem[]>();
  totalOrders.set(orderBy, perType.set(entityType, total));
  return total;
}

function isOrderedBy(item: OrderByItem, property: StructuralProperty): boolean {
  const { expression } = item;
  return expression.kind === "property" && expression.property === property && expression.source.kind === "it";
}

function keyItem(entityType: EntityType, property: StructuralProperty, descending: boolean): OrderByItem {
  return {
    expression: { kind: "property", source: { kind: "it", type: entityType }, property, type: property.type },
    descending,
  };
}
