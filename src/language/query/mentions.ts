import { keptPer } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { EntityOwner } from "./capabilities.ts";
import type { ApplyBranch, ApplyClause, FilterClause, JoinStep, OrderByItem, SelectExpandClause } from "./clauses.ts";
import type { CollectionPath, Expression, NavigationExpression, PathSource, RootExpression } from "./expression.ts";
import { mapApply, mapComputed, mapFilter, mapOrder } from "./map-clauses.ts";
import { childrenOf, isPath } from "./walk-expression.ts";

/** The clauses of a query that contain expressions: part of shapes, expansions and related reads. */
export interface QueryClauses {
  readonly filter: FilterClause | null;
  readonly orderBy: readonly OrderByItem[];
  /** Absent: the query has no `$apply`. */
  readonly apply?: ApplyClause | undefined;
  /** Its computed values have expressions; absent: it has none. */
  readonly selectExpand?: Pick<SelectExpandClause, "selected"> | undefined;
}

/** Returns the computed values of a level as a query; null if it has none. */
export const computedIn: (clause: SelectExpandClause) => QueryClauses | null = keptPer((clause) =>
  clause.selected.some(({ computed }) => computed !== undefined)
    ? { filter: null, orderBy: [], selectExpand: clause }
    : null,
);

/**
 * Returns all values that a level names as a query, also values that it neither selects nor uses: rules judge all names of
 * a request.
 */
export const namedIn: (clause: SelectExpandClause) => QueryClauses = keptPer(({ computed = [] }) => {
  const selected = computed.map(({ property, expression }) => ({ property, computed: expression }));
  return { filter: null, orderBy: [], selectExpand: { selected } };
});

/** Returns the expressions of a query in the order of their evaluation. Only those of entities contain navigations. */
function expressionsOf({ filter, orderBy, apply, selectExpand }: QueryClauses): readonly Expression[] {
  const found: Expression[] = [];
  const note = (expression: Expression): Expression => {
    found.push(expression);
    return expression;
  };
  if (apply !== undefined) mapApply(apply, note);
  mapFilter(filter, note);
  mapOrder(orderBy, note);
  if (selectExpand !== undefined) mapComputed(selectExpand, note);
  return found;
}

/** A navigation in expressions, with the navigations that continue it. Each appears once below its parent. */
export interface NavigationMention {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The set of the related entities; null if none is declared. */
  readonly target: EntitySet | null;
  /** The ignored properties of the related entities that the expressions use: only code of the application names them. */
  readonly ignored: readonly StructuralProperty[];
  readonly below: readonly NavigationMention[];
}

/** A `$root` entity in expressions, with the navigations that start from it. */
export interface RootMention {
  readonly expression: RootExpression;
  readonly below: readonly NavigationMention[];
}

/** The other entities that the expressions of a query mention. */
export interface Mentions {
  /** The navigations that start from the entity itself. */
  readonly navigations: readonly NavigationMention[];
  readonly roots: readonly RootMention[];
  /** All navigations, wherever they start. */
  readonly allNavigations: readonly NavigationMention[];
  /** The mentioned sets, each once: targets of navigations and sets of roots. */
  readonly entitySets: readonly EntitySet[];
}

/** A place of the tree under construction: an entity, with the navigations that start from it. */
interface Place {
  /** The set or type of the entity; null for the entity itself that the expressions are evaluated for. */
  readonly owner: EntityOwner | null;
  readonly below: Map<NavigationProperty, NavigationPlace>;
}

interface NavigationPlace extends Place {
  readonly mention: Omit<NavigationMention, "below" | "ignored">;
  readonly ignored: Set<StructuralProperty>;
}

/** The state of one walk over the expressions of a query. */
interface Walk {
  readonly it: Place;
  readonly roots: Map<RootExpression, Place>;
  readonly properties: PropertyMention[];
}

/** A property of an entity in expressions. */
export interface PropertyMention extends Pick<Place, "owner"> {
  readonly property: StructuralProperty;
}

const foundIn = keptPer((query: QueryClauses) => {
  const walk: Walk = { it: { owner: null, below: new Map() }, roots: new Map(), properties: [] };
  visitAll(query, walk);
  return { mentions: mentionsIn(walk), properties: Object.freeze(walk.properties) };
});

/** Visits the expressions of a query, and those of the related entities in its joins. */
function visitAll(query: QueryClauses, walk: Walk): void {
  for (const expression of expressionsOf(query)) visit(expression, [], walk);
  for (const { path, steps } of joinsIn(query.apply?.branches ?? [])) {
    const it = placeOf(path, [], walk) ?? walk.it;
    const branch = { steps, entityType: path.type, isTransformed: false, computed: [], orderBy: [] };
    visitAll({ filter: null, orderBy: [], apply: { branches: [branch], entityType: path.type } }, { ...walk, it });
  }
}

function joinsIn(branches: readonly ApplyBranch[]): readonly JoinStep[] {
  return branches.flatMap(({ steps }) =>
    steps.flatMap((step) => {
      if (step.kind === "join") return [step];
      return step.kind === "concat" ? joinsIn(step.branches) : [];
    }),
  );
}

function mentionsIn({ it, roots: walked }: Walk): Mentions | null {
  if (it.below.size === 0 && walked.size === 0) return null;
  const navigations = mentionsBelow(it);
  const roots = Array.from(walked, ([expression, place]) => Object.freeze({ expression, below: mentionsBelow(place) }));
  const allNavigations = flatten([...navigations, ...roots.flatMap(({ below }) => below)]);
  const targets = allNavigations.flatMap(({ target }) => (target === null ? [] : [target]));
  const entitySets = [...new Set([...targets, ...roots.map(({ expression }) => expression.entitySet)])];
  return Object.freeze({ navigations, roots, allNavigations, entitySets });
}

/**
 * Finds the other entities that the expressions of a query mention, once per shape, expansion or other object.
 * @returns null if they mention none, as most do
 */
export const mentionsOf = (query: QueryClauses): Mentions | null => foundIn(query).mentions;

/**
 * Finds the properties of entities that the expressions of a query mention, in the order in which they are written. Members of
 * complex values are not among them.
 */
export const propertiesIn = (query: QueryClauses): readonly PropertyMention[] => foundIn(query).properties;

/** Visits the paths in all parts of an expression. `variables` contains the places of the range variables. */
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

/** Returns the place of the items of a collection; null for values, which have no navigations. */
function itemsOf(collection: CollectionPath, variables: readonly (Place | null)[], walk: Walk): Place | null {
  const place = placeOf(collection, variables, walk);
  return collection.kind === "navigation" ? place : null;
}

/** Adds the places of a path, and returns the last one; for a path to a value, the place of its entity. */
function placeOf(path: PathSource, variables: readonly (Place | null)[], walk: Walk): Place | null {
  switch (path.kind) {
    case "it":
      return walk.it;
    case "variable":
      return variables[path.depth] ?? null;
    case "root": {
      const place = walk.roots.get(path) ?? { owner: path.entitySet, below: new Map() };
      walk.roots.set(path, place);
      return place;
    }
    case "property": {
      const owner = placeOf(path.source, variables, walk);
      if (path.source.kind === "navigation") noteIgnored(path.property, path.source, owner);
      if (path.source.kind !== "property" && owner !== null) {
        walk.properties.push({ property: path.property, owner: owner.owner });
      }
      return owner;
    }
    case "navigation":
      return placeBelow(path, placeOf(path.source, variables, walk));
  }
}

function noteIgnored(
  property: StructuralProperty,
  { navigationProperty: { entityType } }: NavigationExpression,
  owner: Place | NavigationPlace | null,
): void {
  if (owner !== null && "ignored" in owner && entityType.ignoredProperties.includes(property)) {
    owner.ignored.add(property);
  }
}

function placeBelow({ navigationProperty, entitySet, target }: NavigationExpression, start: Place | null): Place {
  const owner = required(start, `${navigationProperty.name} starts from a value.`);
  const mention = { navigationProperty, entitySet, target };
  const place = owner.below.get(navigationProperty) ?? {
    owner: target ?? navigationProperty.entityType,
    mention,
    ignored: new Set(),
    below: new Map(),
  };
  owner.below.set(navigationProperty, place);
  return place;
}

function mentionsBelow({ below }: Pick<Place, "below">): readonly NavigationMention[] {
  return Array.from(below.values(), ({ mention, ignored, below: next }) =>
    Object.freeze({
      ...mention,
      ignored: Object.freeze([...ignored]),
      below: mentionsBelow({ below: next }),
    }),
  );
}

function flatten(mentions: readonly NavigationMention[]): readonly NavigationMention[] {
  return mentions.flatMap((mention) => [mention, ...flatten(mention.below)]);
}
