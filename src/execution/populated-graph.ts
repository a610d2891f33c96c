import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { fieldOf } from "../memory/compile-property.ts";
import type { GraphShape, TargetOf } from "../plan/graph-clause.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { ExpandedEntity, Related } from "../query/expanded-entity.ts";
import { loadedValue } from "./loaded-values.ts";

/** Deeper than any body can be: a handler may return an endless chain of objects. */
const MAX_DEPTH = 64;
/** More than any body can contain: a handler may return objects with getters that create new ones. */
const MAX_ENTITIES = 4_000_000;
/** The number of entities after which none is entered twice: densely linked objects have very many paths. */
const ENTERED_AGAIN = 10_000;

/** One entity of a graph, with the values of its navigation properties. */
export interface GraphNode {
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

/**
 * Converts a graph to the form that the writer of its clause reads.
 * @param clause made from the shape of the graph
 */
export function toExpanded(node: GraphNode, clause: SelectExpandClause): unknown {
  if (clause.expanded.length === 0) return node.entity;
  const related = clause.expanded.map(({ navigationProperty, selectExpand }): Related => {
    const found = node.related.get(navigationProperty);
    if (found === undefined) return null;
    if (!isNodes(found)) return { kind: "entity", entity: toExpanded(found, selectExpand) };
    const entities = found.map((item) => toExpanded(item, selectExpand));
    return { kind: "collection", entities, count: undefined, hasMore: false };
  });
  return { entity: node.entity, related } satisfies ExpandedEntity;
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

function isNodes(found: GraphNode | readonly GraphNode[]): found is readonly GraphNode[] {
  return Array.isArray(found);
}

function withoutEnd(): Error {
  return new Error(
    `The create handler returned an entity with more than ${String(MAX_ENTITIES)} others nested in it: return the saved entities, without getters that load more.`,
  );
}
