import { keeper, keptPer, keptPerPair } from "../base/memo.ts";
import type { StructuralProperty } from "../edm/model.ts";
import type { OrderByItem, SelectedProperty } from "../query/clauses.ts";
import type { Expression, ScalarType } from "../query/expression.ts";
import { childrenOf, isPath, stepsOf } from "../query/walk-expression.ts";

/** One term of an order for keyset paging. */
export interface KeysetTerm {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly type: ScalarType;
  readonly nullable: boolean;
}

/** An order whose values in a row determine where the next page begins. */
export interface KeysetOrder {
  /** The last term is a key property. Terms after the whole key are dropped, because no ties remain. */
  readonly terms: readonly KeysetTerm[];
  /** The properties of the entity in the terms. */
  readonly properties: readonly StructuralProperty[];
}

/**
 * Maximum number of terms. The condition nests two levels per term, and neither this process nor a database supports
 * unlimited depth.
 */
const MAX_TERMS = 32;

/**
 * Returns the order for keyset paging; null if a term is not computed from the entity alone: a navigation, a count, a
 * lambda operator, or `now()`, which differs between requests.
 * @param orderBy a total order
 * @param key the properties of the key
 */
export const keysetOrder: (orderBy: readonly OrderByItem[], key: readonly StructuralProperty[]) => KeysetOrder | null =
  keptPerPair(findOrder);

/** Adds the properties in the terms of an order to a selection. Returns the same object for the same pair. */
export function withOrderProperties(
  selected: readonly SelectedProperty[],
  order: KeysetOrder,
): readonly SelectedProperty[] {
  return selectionFor(order, selected);
}

const selectionFor = keptPerPair((order: KeysetOrder, selected: readonly SelectedProperty[]) =>
  addProperties(selected, order.properties),
);

/** Returns the property that each term of an order names; null if a term is computed, or a member of a complex value. */
export const orderedProperties: (order: KeysetOrder) => readonly StructuralProperty[] | null = keptPer(({ terms }) => {
  const named = terms.map(({ expression }) =>
    expression.kind === "property" && expression.source.kind === "it" ? expression.property : null,
  );
  const properties = named.filter((property) => property !== null);
  return properties.length < named.length ? null : Object.freeze(properties);
});

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
  return Object.freeze(keeper({ terms: Object.freeze(terms), properties: Object.freeze([...properties]) }));
}

function scalarType({ type }: Expression): ScalarType | null {
  return type?.kind === "PrimitiveType" || type?.kind === "EnumType" ? type : null;
}

/** Any expression other than a property is considered nullable. */
function isNullable(expression: Expression): boolean {
  if (expression.kind !== "property") return true;
  const { source, property } = expression;
  return property.nullable || (source.kind === "property" && isNullable(source));
}

/** Adds the properties in an expression. @returns false if it has other operands */
function collectProperties(expression: Expression, found: Set<StructuralProperty>): boolean {
  if (expression.kind === "property") {
    const { start, steps } = stepsOf(expression);
    const [first] = steps;
    if (start.kind !== "it" || first?.kind !== "property") return false;
    if (steps.some(({ kind }) => kind === "navigation")) return false;
    found.add(first.property);
    return true;
  }
  if (isPath(expression) || expression.kind === "count" || expression.kind === "lambda") return false;
  if (expression.kind === "call" && expression.name === "now") return false;
  return childrenOf(expression).every((child) => collectProperties(child, found));
}
