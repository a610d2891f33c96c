import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { TargetOf } from "../plan/graph-clause.ts";
import type { NavigationStep, StarAccess } from "../query/capabilities.ts";
import { nestedItems } from "./authorize-nested.ts";
import { startAll } from "./concurrency.ts";
import { visibilityOf } from "./gate.ts";
import type { GraphNode } from "./populated-graph.ts";
import type { Reader } from "./reader.ts";

/** The state that all levels of a graph share. */
interface Reading {
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
export function readableGraph(graph: GraphNode, place: GraphPlace, reading: Reading): GraphNode {
  if (graph.related.size === 0) return graph;
  const { entitySet, via, sent } = place;
  const { access, targetOf } = reading;
  const related = new Map<NavigationProperty, GraphNode | readonly GraphNode[]>();
  for (const [navigationProperty, found] of graph.related) {
    const step: NavigationStep = { entitySet, navigationProperty };
    const nested = sent.flatMap((entity) => nestedItems(entity, navigationProperty));
    if (nested.length === 0 && access.skips(step, via)) continue;
    const target = targetOf(entitySet, navigationProperty);
    const readable = (node: GraphNode): GraphNode =>
      target === null ? node : readableGraph(node, { entitySet: target, via: step, sent: nested }, reading);
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
export function visibleGraph(
  graph: GraphNode,
  entitySet: EntitySet,
  targetOf: TargetOf,
  reader: Reader,
): Maybe<GraphNode> {
  const { gate, context } = reader;
  if (gate === null || graph.related.size === 0) return graph;
  const tasks = Array.from(graph.related, ([property, found]) => (): Maybe<RelatedNodes | null> => {
    const target = targetOf(entitySet, property);
    // Entities without a set have neither navigations nor rules.
    if (target === null) return [property, found];
    const nodes = isNodes(found) ? found : [found];
    const visible = chain(
      visibilityOf(target, () => nodes.map(({ entity }) => entity), context),
      (sees) => {
        const seen = sees === null ? nodes : nodes.filter(({ entity }) => sees(entity));
        return startAll(seen.map((node) => () => visibleGraph(node, target, targetOf, reader)));
      },
    );
    return chain(visible, (seen) => {
      if (isNodes(found)) return [property, seen];
      const [single] = seen;
      return single === undefined ? null : [property, single];
    });
  });
  return chain(startAll(tasks), (related) => ({
    entity: graph.entity,
    related: new Map(related.filter((each) => each !== null)),
  }));
}

function isNodes(found: GraphNode | readonly GraphNode[]): found is readonly GraphNode[] {
  return Array.isArray(found);
}
