import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { TargetOf } from "../plan/graph-clause.ts";
import type { ExpandStep, StarAccess } from "../query/star-access.ts";
import { nestedItems } from "./authorize-nested.ts";
import type { GraphNode } from "./populated-graph.ts";

/** What does not change on the way down a graph. */
interface Reading {
  readonly targetOf: TargetOf;
  readonly access: StarAccess;
}

/** Where a graph is entered. */
interface GraphPlace {
  readonly entitySet: EntitySet;
  /** The step that leads there; null for the first entity. */
  readonly via: ExpandStep | null;
  /** The entities that the client nested at this place: the rules for `create` let them through. */
  readonly sent: readonly object[];
}

/**
 * Removes the navigation properties that the user may not read, by the rules that a star in `$expand` asks. What the
 * client nested in the body stays.
 * @see docs/authorization.md
 */
export function readableGraph(graph: GraphNode, place: GraphPlace, reading: Reading): GraphNode {
  if (graph.related.size === 0) return graph;
  const { entitySet, via, sent } = place;
  const { access, targetOf } = reading;
  const related = new Map<NavigationProperty, GraphNode | readonly GraphNode[]>();
  for (const [navigationProperty, found] of graph.related) {
    const step: ExpandStep = { entitySet, navigationProperty };
    const nested = sent.flatMap((entity) => nestedItems(entity, navigationProperty));
    if (nested.length === 0 && access.skips(step, via)) continue;
    const target = targetOf(entitySet, navigationProperty);
    const readable = (node: GraphNode): GraphNode =>
      target === null ? node : readableGraph(node, { entitySet: target, via: step, sent: nested }, reading);
    related.set(navigationProperty, isNodes(found) ? found.map(readable) : readable(found));
  }
  return { entity: graph.entity, related };
}

function isNodes(found: GraphNode | readonly GraphNode[]): found is readonly GraphNode[] {
  return Array.isArray(found);
}
