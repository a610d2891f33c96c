import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { ApplyClause, OrderByItem, QueryShape } from "../../language/query/clauses.ts";
import type { Expression, ScalarType } from "../../language/query/expression.ts";
import type { PlaceOrder, PlaceTerm } from "../../language/query/place.ts";
import { childrenOf, isPath, stepsOf } from "../../language/query/walk-expression.ts";
import { totalOrderOf } from "./total-order.ts";

/**
 * Maximum number of terms. The condition nests two levels per term, and neither this process nor a database supports
 * unlimited depth.
 */
const MAX_TERMS = 32;

/**
 * Returns the order for keyset paging; null if a term is not computed from the entity alone: a navigation, a count, a
 * lambda operator, or `now()`, which differs between requests. Terms after the whole key are dropped, because no ties remain.
 * @param orderBy a total order
 * @param key the properties of the key
 */
export const keysetOrder: (orderBy: readonly OrderByItem[], key: readonly StructuralProperty[]) => PlaceOrder | null =
  keptPerPair((orderBy: readonly OrderByItem[], key: readonly StructuralProperty[]) => findOrder(orderBy, key));

/** Returns the property that each term of an order names; null if a term is computed, or a member of a complex value. */
export const orderedProperties: (order: PlaceOrder) => readonly StructuralProperty[] | null = keptPer(({ terms }) => {
  const named = terms.map(({ expression }) =>
    expression.kind === "property" && expression.source.kind === "it" ? expression.property : null,
  );
  const properties = named.filter((property) => property !== null);
  return properties.length < named.length ? null : Object.freeze(properties);
});

/** Returns the order by which pages of a query go on after a row; null if they go on at an offset. */
export function placeOrderOf(shape: QueryShape): PlaceOrder | null {
  const orderBy = totalOrderOf(shape);
  return shape.apply === undefined ? keysetOrder(orderBy, shape.entityType.key) : groupOrder(orderBy, shape.apply);
}

/**
 * Returns the order of groups if their keys alone decide it: a database then groups only the rows of the following groups.
 * Null for rows that a later step limits.
 */
const groupOrder = keptPerPair((orderBy: readonly OrderByItem[], apply: ApplyClause): PlaceOrder | null => {
  const [{ steps }, ...others] = apply.branches;
  const last = steps.findLast(({ kind }) => kind !== "filter");
  if (others.length > 0 || last?.kind !== "group" || last.keys.length === 0) return null;
  const keys = new Set(last.keys.map(({ property }) => property));
  const order = findOrder(orderBy, null);
  return order?.terms.every(({ expression }) => isOfKeys(expression, keys)) === true ? order : null;
});

/** Whether all properties of an expression are keys of groups, or members of them. */
function isOfKeys(expression: Expression, keys: ReadonlySet<StructuralProperty>): boolean {
  if (expression.kind !== "property") return childrenOf(expression).every((child) => isOfKeys(child, keys));
  return expression.source.kind === "property" ? isOfKeys(expression.source, keys) : keys.has(expression.property);
}

/** @param key null: all terms are needed */
function findOrder(orderBy: readonly OrderByItem[], key: readonly StructuralProperty[] | null): PlaceOrder | null {
  const open = key && new Set(key);
  const terms: PlaceTerm[] = [];
  for (const { expression, descending } of orderBy) {
    if (open?.size === 0) break;
    const type = scalarType(expression);
    if (type === null || terms.length === MAX_TERMS || !isOfEntity(expression)) return null;
    terms.push(Object.freeze({ expression, descending, type }));
    if (expression.kind === "property" && expression.source.kind === "it") open?.delete(expression.property);
  }
  return Object.freeze({ terms: Object.freeze(terms) });
}

function scalarType({ type }: Expression): ScalarType | null {
  return type?.kind === "PrimitiveType" || type?.kind === "EnumType" ? type : null;
}

/** Whether an expression is computed from properties of the entity alone. */
function isOfEntity(expression: Expression): boolean {
  if (expression.kind === "property") {
    const { start, steps } = stepsOf(expression);
    return start.kind === "it" && steps.every(({ kind }) => kind === "property");
  }
  if (isPath(expression) || expression.kind === "count" || expression.kind === "lambda") return false;
  if (expression.kind === "call" && expression.name === "now") return false;
  return childrenOf(expression).every(isOfEntity);
}
