import { chain, type Maybe } from "../../base/maybe.ts";
import type { ExpandedNavigation } from "../../language/query/clauses.ts";
import type { Related } from "../../language/query/expanded-entity.ts";
import { computedIn } from "../../language/query/mentions.ts";
import { mapEach } from "../entities/concurrency.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import { objectsOf } from "./read-input.ts";
import type { RelatedFound } from "./read-related.ts";
import { Application } from "./read-source.ts";
import type { ExpandRun } from "./relate.ts";
import { withComputed } from "./with-computed.ts";

/**
 * Adds the computed values of an expansion to its related entities, which become objects.
 * @returns the same value if the expansion computes nothing
 * @throws as for withComputed
 */
export function computeRelated(
  { selectExpand, navigationProperty, roundingMode }: ExpandedNavigation,
  related: RelatedFound<Related>,
  run: ExpandRun,
): Maybe<RelatedFound<Related>> {
  if (computedIn(selectExpand) === null) return related;
  const { entityType } = navigationProperty;
  const application = new Application(run.evaluation, run);
  const { turn } = application;
  const toObjects = (each: Related): Maybe<readonly unknown[]> => {
    if (each === null) return [];
    const entities = each.kind === "collection" ? each.entities : [each.entity].filter((entity) => entity !== null);
    return objectsOf({ entities, rowShape: each.rowShape }, turn);
  };
  const objects = mapEach(related.found, toObjects, () => run.context.signal, turn);
  return chain(objects, (lists) =>
    chain(withComputed(lists.flat(), { selectExpand, entityType, roundingMode }, application, "$expand"), (all) => {
      let start = 0;
      const found = related.found.map((each, index): Related => {
        const entities = all.slice(start, start + (lists[index]?.length ?? 0));
        start += entities.length;
        if (each === null) return each;
        return each.kind === "collection"
          ? { ...each, entities, rowShape: undefined }
          : { ...each, entity: entities[0] ?? null, rowShape: undefined };
      });
      return { ...related, found, rowShape: undefined, joined: NO_JOINS };
    }),
  );
}
