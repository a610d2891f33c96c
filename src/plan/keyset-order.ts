import { keeper, keptPerPair } from "../base/memo.ts";
import type { StructuralProperty } from "../edm/model.ts";
import type { OrderByItem, SelectedProperty } from "../query/clauses.ts";
import type { Expression, PathSource, ScalarType } from "../query/expression.ts";
import { childrenOf, isPath } from "../query/walk-expression.ts";

/** One term of an order by which the rest of a collection is found. */
export interface KeysetTerm {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly type: ScalarType;
  readonly nullable: boolean;
}

/** An order whose terms, for one row, tell where the next page begins. */
export interface KeysetOrder {
  /** The last one is a property of the key; none stands behind the whole key, for there are no ties to break. */
  readonly terms: readonly KeysetTerm[];
  /** The properties of the entity that the terms are made from. */
  readonly properties: readonly StructuralProperty[];
}

/**
 * Most terms that are sought by: the condition nests two levels for each, and neither this process nor a database bears
 * any depth.
 */
const MAX_TERMS = 32;

/**
 * The order by whose values the rest of a collection can be found; null where a term is more than a value of the entity
 * itself: a path along a navigation, a count, a lambda operator, or `now()`, which differs between two requests.
 * @param orderBy a total order
 * @param key the properties of the key
 */
export const keysetOrder: (orderBy: readonly OrderByItem[], key: readonly StructuralProperty[]) => KeysetOrder | null =
  keptPerPair(findOrder);

/** Adds the properties that the terms of an order are made from to a selection. The same object for the same pair. */
export function withOrderProperties(
  selected: readonly SelectedProperty[],
  order: KeysetOrder,
): readonly SelectedProperty[] {
  return selectionFor(order, selected);
}

const selectionFor = keptPerPair((order: KeysetOrder, selected: readonly SelectedProperty[]) =>
  addProperties(selected, order.properties),
);

function addProperties(
  selected: readonly SelectedProperty[],
  properties: readonly StructuralProperty[],
): readonly SelectedProperty[] {
  const isWhole = (property: StructuralProperty): boolean =>
    selected.some((item) => item.property === property && item.nested === undefined);
  const missing = properties.filter((property) => !isWhole(property));
  if (missing.length === 0) return selected;
  const kept = selected.filter(({ property }) => !missing.includes(property));
  return Object.freeze([...kept, ...missing.map((property) => ({ property }))]);
}

function findOrder(orderBy: readonly OrderByItem[], key: readonly StructuralProperty[]): KeysetOrder | null {
  const open = new Set(key);
  const terms: KeysetTerm[] = [];
  const properties = new Set<StructuralProperty>();
  for (const { expression, descending } of orderBy) {
    if (open.size === 0) break;
    const type = scalarType(expression);
    if (type === null || terms.length === MAX_TERMS || !collectProperties(expression, properties)) return null;
    terms.push(Object.freeze(keeper({ expression, descending, type, nullable: isNullable(expression) })));
    if (expression.kind === "property" && expression.source.kind === "it") open.delete(expression.property);
  }
  return open.size > 0
    ? null
    : Object.freeze(keeper({ terms: Object.freeze(terms), properties: Object.freeze([...properties]) }));
}

function scalarType({ type }: Expression): ScalarType | null {
  return type?.kind === "PrimitiveType" || type?.kind === "EnumType" ? type : null;
}

/** What is computed may be null for many reasons. */
function isNullable(expression: Expression): boolean {
  if (expression.kind !== "property") return true;
  const { source, property } = expression;
  return property.nullable || (source.kind === "property" && isNullable(source));
}

/** Adds the properties that an expression is made from. @returns false where it is made from anything else */
function collectProperties(expression: Expression, found: Set<StructuralProperty>): boolean {
  if (expression.kind === "property") return collectRoot(expression, found);
  if (isPath(expression) || expression.kind === "count" || expression.kind === "lambda") return false;
  if (expression.kind === "call" && expression.name === "now") return false;
  return childrenOf(expression).every((child) => collectProperties(child, found));
}

function collectRoot(path: PathSource, found: Set<StructuralProperty>): boolean {
  if (path.kind !== "property") return false;
  if (path.source.kind !== "it") return collectRoot(path.source, found);
  found.add(path.property);
  return true;
}
