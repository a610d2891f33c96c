import { nestedItems } from "../../definition/sets/judge-references.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import type { NavigationStep, StarAccess } from "../../language/query/capabilities.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import type { ExpandedEntity, Related } from "../../language/query/expanded-entity.ts";
import type { Reader } from "../entities/reader.ts";
import { fieldOf } from "../memory/compile-property.ts";
import type { GraphShape, TargetOf } from "../plan/graph-clause.ts";
import { visibilityOf } from "../reads/gate.ts";
import { loadedValue } from "../reads/load-relations.ts";

/** Deeper than any body can be: a handler may return an endless chain of objects. */
const MAX_DEPTH = 64;
/** More than any body can contain: a handler may return objects with getters that create new ones. */
const MAX_ENTITIES = 4_000_000;
/** The number of entities after which none is entered twice: densely linked objects have very many paths. */
const ENTERED_AGAIN = 10_000;

/** One entity of a graph, with the values of its navigation properties. */
interface GraphNode {
  readonly entity: object;
  readonly related: ReadonlyMap<NavigationProperty, GraphNode | readonly GraphNode[]>;
}

/** The state of reading a graph. */
interface Reading {
  readonly targetOf: TargetOf;
  /** The entities around the current one: none of them is entered again, so circles end. */
  readonly around: Set<object>;
  /** All entities that were entered. */
  readonly entered: Set<object>;
  /** The number of entities that were read. */
  total: number;
}

/**
 * Reads the graph that the handler of a deep insert returned: each entity with the values of its navigation properties,
 * at any depth. Links back to a surrounding entity and values that are not entities are left out. In a very large graph,
 * the navigation properties of an entity that was met before are left out too.
 * @throws Error for an endless graph
 * @see docs/reference/writing.md
 */
export function readGraph(entity: object, entitySet: EntitySet, targetOf: TargetOf): GraphNode {
  return readNode(entity, entitySet, { targetOf, around: new Set(), entered: new Set(), total: 0 });
}

/**
 * Finds which navigation properties are populated anywhere in graphs, in the order of the model.
 * @param graphs the graphs of the response, without hidden entities, whose members would reveal them
 * @param entitySet the set of their root entities; null: no set, and so no navigation properties
 */
export function shapeOf(graphs: readonly GraphNode[], entitySet: EntitySet | null, targetOf: TargetOf): GraphShape {
  const shape = new Map<NavigationProperty, GraphShape>();
  if (entitySet === null) return shape;
  for (const property of entitySet.navigationProperties.values()) {
    const populated = graphs.map(({ related }) => related.get(property)).filter((found) => found !== undefined);
    if (populated.length === 0) continue;
    shape.set(property, shapeOf(populated.flat(), targetOf(entitySet, property), targetOf));
  }
  return shape;
}

/** Knows the entities that the `after` hooks show instead of stored ones. */
interface ShowingResponse {
  readonly shown: (stored: unknown) => unknown;
}

/**
 * Converts a graph to the form that the writer of its clause reads.
 * @param clause made from the shape of the graph
 * @param response knows the entities that the `after` hooks show
 */
export function toExpanded(node: GraphNode, clause: SelectExpandClause, response: ShowingResponse): unknown {
  const entity = response.shown(node.entity);
  if (clause.expanded.length === 0) return entity;
  const related = clause.expanded.map(({ navigationProperty, selectExpand }): Related => {
    const found = node.related.get(navigationProperty);
    if (found === undefined) return null;
    if (!isNodes(found)) return { kind: "entity", entity: toExpanded(found, selectExpand, response) };
    const entities = found.map((item) => toExpanded(item, selectExpand, response));
    return { kind: "collection", entities, count: undefined, hasMore: false };
  });
  return { entity, related } satisfies ExpandedEntity;
}

function readNode(entity: object, entitySet: EntitySet | null, reading: Reading): GraphNode {
  const related = new Map<NavigationProperty, GraphNode | readonly GraphNode[]>();
  const { around, entered, targetOf } = reading;
  reading.total += 1;
  if (reading.total > MAX_ENTITIES) throw withoutEnd();
  const isDone = reading.total > ENTERED_AGAIN && entered.has(entity);
  if (entitySet === null || around.size >= MAX_DEPTH || isDone) return { entity, related };
  around.add(entity);
  entered.add(entity);
  for (const property of entitySet.navigationProperties.values()) {
    const { value } = loadedValue(
      property,
      Object.hasOwn(entity, property.field) ? fieldOf(entity, property.field) : null,
    );
    if (value === null || value === undefined) continue;
    const items = [value].flat();
    const fresh = items.filter((item) => !around.has(item));
    if (fresh.length < items.length && fresh.length === 0) continue;
    const target = targetOf(entitySet, property);
    const nodes = fresh.map((item) => readNode(item, target, reading));
    const [single] = nodes;
    if (property.isCollection) related.set(property, nodes);
    else if (single !== undefined) related.set(property, single);
  }
  around.delete(entity);
  return { entity, related };
}

/** The state that all levels of a graph share. */
interface Rules {
  readonly targetOf: TargetOf;
  readonly access: StarAccess;
}

/** A place in a graph. */
interface GraphPlace {
  readonly entitySet: EntitySet;
  /** The navigation that leads there; null for the root entity. */
  readonly via: NavigationStep | null;
  /** The entities that the client sent at this place: the rules for `create` allow them. */
  readonly sent: readonly object[];
}

/**
 * Removes the navigation properties that the user may not read, by the rules for a star in `$expand`. The entities that
 * the client sent are kept.
 * @see docs/guides/authorization.md
 */
export function readableGraph(graph: GraphNode, place: GraphPlace, rules: Rules): GraphNode {
  if (graph.related.size === 0) return graph;
  const { entitySet, via, sent } = place;
  const { access, targetOf } = rules;
  const related = new Map<NavigationProperty, GraphNode | readonly GraphNode[]>();
  for (const [navigationProperty, found] of graph.related) {
    const step: NavigationStep = { entitySet, navigationProperty };
    const nested = sent.flatMap((entity) => nestedItems(entity, navigationProperty));
    if (nested.length === 0 && access.skips(step, via)) continue;
    const target = targetOf(entitySet, navigationProperty);
    const readable = (node: GraphNode): GraphNode =>
      target === null ? node : readableGraph(node, { entitySet: target, via: step, sent: nested }, rules);
    related.set(navigationProperty, isNodes(found) ? found.map(readable) : readable(found));
  }
  return { entity: graph.entity, related };
}

/** A navigation property of a node, and its value. */
type RelatedNodes = readonly [NavigationProperty, GraphNode | readonly GraphNode[]];

/**
 * Removes the nested entities that the user does not see, with everything below them.
 * @param entitySet the set of the root entity
 * @returns the graph itself where the service has no row rules
 * @throws as for visibleEntities
 */
export async function visibleGraph(
  graph: GraphNode,
  entitySet: EntitySet,
  targetOf: TargetOf,
  reader: Reader,
): Promise<GraphNode> {
  const { gate, context } = reader;
  if (gate === null || graph.related.size === 0) return graph;
  const tasks = Array.from(graph.related, async ([property, found]): Promise<RelatedNodes | null> => {
    const target = targetOf(entitySet, property);
    // Entities without a set have neither navigations nor rules.
    if (target === null) return [property, found];
    const nodes = isNodes(found) ? found : [found];
    const sees = await visibilityOf(target, () => nodes.map(({ entity }) => entity), context);
    const visible = sees === null ? nodes : nodes.filter(({ entity }) => sees(entity));
    const seen = await Promise.all(visible.map((node) => visibleGraph(node, target, targetOf, reader)));
    if (isNodes(found)) return [property, seen];
    const [single] = seen;
    return single === undefined ? null : [property, single];
  });
  const related = (await Promise.all(tasks)).filter((each) => each !== null);
  return { entity: graph.entity, related: new Map(related) };
}

function isNodes(found: GraphNode | readonly GraphNode[]): found is readonly GraphNode[] {
  return Array.isArray(found);
}

function withoutEnd(): Error {
  return new Error(
    `The create handler returned an entity with more than ${String(MAX_ENTITIES)} others nested in it: return the saved entities, without getters that load more.`,
  );
}
