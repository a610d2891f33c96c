import { assertNever } from "../base/assert-never.ts";
import { keptPer } from "../base/memo.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { FilterClause, OrderByItem } from "./clauses.ts";
import type { CollectionPath, Expression, NavigationExpression, PathSource, RootExpression } from "./expression.ts";
import { childrenOf, isPath } from "./walk-expression.ts";

/** What of a query has expressions: a shape, an expansion and the shape of a related read are each one. */
export interface QueryClauses {
  readonly filter: FilterClause | null;
  readonly orderBy: readonly OrderByItem[];
}

/** A navigation that expressions go along, and those that they go along from there. Each stands once below its parent. */
export interface NavigationMention {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The set that the related entities belong to; null where none is declared. */
  readonly target: EntitySet | null;
  readonly below: readonly NavigationMention[];
}

/** An entity that expressions begin with, and the navigations that they go along from there. */
export interface RootMention {
  readonly expression: RootExpression;
  readonly below: readonly NavigationMention[];
}

/** What the expressions of a query mention beside the entity that they are evaluated for. */
export interface Mentions {
  /** Those that start from the entity itself. */
  readonly navigations: readonly NavigationMention[];
  readonly roots: readonly RootMention[];
  /** Every navigation, wherever it starts. */
  readonly allNavigations: readonly NavigationMention[];
  /** The sets that are mentioned, each once: targets of navigations and sets of roots. */
  readonly entitySets: readonly EntitySet[];
}

/** A node of the tree while it grows. */
interface Place {
  readonly mention: Omit<NavigationMention, "below"> | null;
  readonly below: Map<NavigationProperty, Place>;
}

/** One walk over the expressions of a query. */
interface Walk {
  readonly it: Place;
  readonly roots: Map<RootExpression, Place>;
}

/**
 * Finds what the expressions of a query mention beside the entity itself, once per shape, expansion or other keeper.
 * @returns null where they mention nothing, as most do
 */
export const mentionsOf: (query: QueryClauses) => Mentions | null = keptPer(({ filter, orderBy }) => {
  const walk: Walk = { it: newPlace(null), roots: new Map() };
  if (filter !== null) visit(filter.expression, [], walk);
  for (const { expression } of orderBy) visit(expression, [], walk);
  if (walk.it.below.size === 0 && walk.roots.size === 0) return null;
  const navigations = mentionsBelow(walk.it);
  const roots = Array.from(walk.roots, ([expression, place]) =>
    Object.freeze({ expression, below: mentionsBelow(place) }),
  );
  const allNavigations = flatten([...navigations, ...roots.flatMap(({ below }) => below)]);
  const targets = allNavigations.flatMap(({ target }) => (target === null ? [] : [target]));
  const entitySets = [...new Set([...targets, ...roots.map(({ expression }) => expression.entitySet)])];
  return Object.freeze({ navigations, roots, allNavigations, entitySets });
});

/** Looks for paths in all parts of an expression. `variables`: the places that the range variables stand for. */
function visit(expression: Expression, variables: readonly (Place | null)[], walk: Walk): void {
  if (isPath(expression)) {
    placeOf(expression, variables, walk);
  } else if (expression.kind === "lambda") {
    const items = itemsOf(expression.collection, variables, walk);
    if (expression.predicate !== null) visit(expression.predicate, [...variables, items], walk);
  } else {
    for (const child of childrenOf(expression)) visit(child, variables, walk);
  }
}

/** The place of the items of a collection; null for values, which lead nowhere. */
function itemsOf(collection: CollectionPath, variables: readonly (Place | null)[], walk: Walk): Place | null {
  const place = placeOf(collection, variables, walk);
  return collection.kind === "navigation" ? place : null;
}

/** The place that a path ends at, or (a path to values) that the values belong to; it is noted with all before it. */
function placeOf(path: PathSource, variables: readonly (Place | null)[], walk: Walk): Place | null {
  switch (path.kind) {
    case "it":
      return walk.it;
    case "variable":
      return variables[path.depth] ?? null;
    case "root": {
      const place = walk.roots.get(path) ?? newPlace(null);
      walk.roots.set(path, place);
      return place;
    }
    case "property":
      return placeOf(path.source, variables, walk);
    case "navigation":
      return placeBelow(path, placeOf(path.source, variables, walk));
    default:
      return assertNever(path);
  }
}

function placeBelow({ navigationProperty, entitySet, target }: NavigationExpression, owner: Place | null): Place {
  if (owner === null) throw new Error(`${navigationProperty.name} starts from a value.`);
  const place = owner.below.get(navigationProperty) ?? newPlace({ navigationProperty, entitySet, target });
  owner.below.set(navigationProperty, place);
  return place;
}

function newPlace(mention: Place["mention"]): Place {
  return { mention, below: new Map() };
}

function mentionsBelow({ below }: Place): readonly NavigationMention[] {
  return [...below.values()].flatMap((place) => {
    return place.mention === null ? [] : [Object.freeze({ ...place.mention, below: mentionsBelow(place) })];
  });
}

function flatten(mentions: readonly NavigationMention[]): readonly NavigationMention[] {
  return mentions.flatMap((mention) => [mention, ...flatten(mention.below)]);
}
