import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { TargetOf } from "../plan/graph-clause.ts";
import { startAll } from "./concurrency.ts";
import type { GraphNode } from "./populated-graph.ts";
import { guardedServiceOf } from "./trusted-context.ts";
import { visibilityOf } from "./visible-entities.ts";

/** What a navigation property of a node holds. */
type RelatedNodes = readonly [NavigationProperty, GraphNode | readonly GraphNode[]];

/**
 * A graph without the entities below its first that the user of a request does not see, nor what is below them.
 * @param entitySet of the first entity
 * @returns the graph itself where the service keeps no rows back
 * @throws as for visibleEntities
 */
export function visibleGraph(
  graph: GraphNode,
  entitySet: EntitySet,
  targetOf: TargetOf,
  context: Context,
): Maybe<GraphNode> {
  if (guardedServiceOf(context) === null || graph.related.size === 0) return graph;
  const tasks = Array.from(graph.related, ([property, found]) => (): Maybe<RelatedNodes | null> => {
    const target = targetOf(entitySet, property);
    // What belongs to no set has no navigations, and no rule.
    if (target === null) return [property, found];
    const nodes = isNodes(found) ? found : [found];
    const visible = chain(
      visibilityOf(target, () => nodes.map(({ entity }) => entity), context),
      (sees) => {
        const seen = sees === null ? nodes : nodes.filter(({ entity }) => sees(entity));
        return startAll(seen.map((node) => () => visibleGraph(node, target, targetOf, context)));
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
