import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { GraphShape, TargetOf } from "../plan/graph-clause.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { ExpandedEntity, Related } from "../query/expanded-entity.ts";
import { isIterable } from "./handler-answer.ts";

/** More levels than any body has: a handler may return objects that go on for ever. */
const MAX_DEPTH = 64;
/** More entities than any body has: a handler may return objects that are made anew each time they are looked at. */
const MAX_ENTITIES = 4_000_000;
/** Entities after which none is entered twice: objects that all hold each other lead along very many ways. */
const ENTERED_AGAIN = 10_000;

/** One entity of a graph, with what its navigation properties hold. */
export interface GraphNode {
  readonly entity: object;
  readonly related: ReadonlyMap<NavigationProperty, GraphNode | readonly GraphNode[]>;
}

/** What the reading of a graph knows: where it is, and what it has found. */
interface Reading {
  readonly targetOf: TargetOf;
  /** The entities around the one that is read: none of them is entered again, so circles end. */
  readonly around: Set<object>;
  /** All entities that were entered. */
  readonly entered: Set<object>;
  /** Entities that were read. */
  total: number;
}

/**
 * Reads the graph that the handler of a deep insert returned: each entity with what the navigation properties of its
 * set hold, at whatever depth. What leads back to an entity around it is left out, as is what holds no entity; in a very
 * large one also what an entity holds that was met before.
 * @throws Error for a graph without end
 * @see specification, Deep insert, 2
 */
export function readGraph(entity: object, entitySet: EntitySet, targetOf: TargetOf): GraphNode {
  return readNode(entity, entitySet, { targetOf, around: new Set(), entered: new Set(), total: 0 });
}

/**
 * Finds which navigation properties are populated anywhere in graphs. The order is that of the model.
 * @param graphs what the answer shows: members that hidden entities alone have must not show that there are any
 * @param entitySet of their first entities; null: they belong to none, and have no navigation properties
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
 * The graph as the writer of its clause takes it.
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
    const value: unknown = Object.hasOwn(entity, property.field) ? Reflect.get(entity, property.field) : null;
    const items = entitiesOf(property.isCollection ? value : [value]);
    if (items === null) continue;
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

/** The entities of a collection; null for what is none, which counts as not populated. */
function entitiesOf(value: unknown): readonly object[] | null {
  if (!isIterable(value)) return null;
  const items: readonly unknown[] = Array.isArray(value) ? value : [...value];
  return items.every(isEntity) ? items : null;
}

function isEntity(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNodes(found: GraphNode | readonly GraphNode[]): found is readonly GraphNode[] {
  return Array.isArray(found);
}

function withoutEnd(): Error {
  return new Error(
    `The create handler returned an entity with more than ${String(MAX_ENTITIES)} others nested in it: return what was saved, and nothing that is loaded when it is looked at.`,
  );
}
