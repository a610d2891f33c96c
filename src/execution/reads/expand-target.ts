import { chain, type Maybe } from "../../base/maybe.ts";
import { stepShape } from "../../plan/join-expansions.ts";
import type { ExpandStep } from "../../plan/plan-expand.ts";
import type { TargetWay } from "../../plan/plan-related.ts";
import type { Related } from "../../query/expanded-entity.ts";
import { mentionsOf } from "../../query/mentions.ts";
import type { QueryableSource, RelatedPage, RelationalSource } from "../../query/source.ts";
import { readScope, timeoutOf } from "../entities/reader.ts";
import { chooseJoins, type ChosenJoins, refuseUnjoined } from "./choose-joins.ts";
import type { ReadRun } from "./load-run.ts";
import type { JoinKey, KeyGroup } from "./parent-keys.ts";
import { readJoined } from "./read-joined.ts";
import type { ReadTarget } from "./read-related.ts";
import { countWritten, cutToPage } from "./relate.ts";
import { resolveSources } from "./resolve-sources.ts";
import { searchedSource } from "./search-related.ts";

/**
 * Opens the target set of an expansion. It is then read for all parents of a level in one statement, with the nested
 * options and the expansions of the next level that can be joined.
 * @returns null where the source of the target set cannot read along navigations
 * @throws ODataError `InvalidQueryOption` above the limits; `UnsupportedQueryOption` for an expression that the source
 *   cannot join, and for a nested `$search` with results from outside the database
 * @see docs/reference/expand.md
 */
export function openExpandedTarget(
  step: ExpandStep,
  { join, target }: TargetWay,
  run: ReadRun,
): Maybe<ReadTarget<Related> | null> {
  return chain(relationalSource(step, target, run), (source) => {
    const relational = source?.relational;
    if (source === null || relational === undefined) return null;
    return (groups) =>
      chain(chooseJoins(step.below, source, run, join), (chosen) => {
        const page = chain(withMentioned(step, relational, chosen, run), (sources) =>
          readLists(step, relational, { ...chosen, sources }, groups, run),
        );
        return chain(page, (answer) => ({
          found: toLists(step, run, groups, answer),
          rowShape: answer.rowShape,
          joined: chosen.joined,
        }));
      });
  });
}

function relationalSource(
  { search, place }: ExpandStep,
  target: TargetWay["target"],
  run: ReadRun,
): Maybe<QueryableSource | null> {
  return chain(resolveSources([target], run), (sources) => {
    const source = sources.get(target);
    if (source?.relational === undefined) return null;
    if (search === null) return source;
    const refusal = { option: "$expand", where: `in the expansion '${place}'`, what: "its search" };
    return searchedSource(search, target, refusal, run);
  });
}

/** Adds the sources that the expressions of the expansion itself mention. */
function withMentioned(
  { expansion, place }: ExpandStep,
  relational: RelationalSource,
  chosen: ChosenJoins,
  run: ReadRun,
): Maybe<ChosenJoins["sources"]> {
  const mentions = mentionsOf(expansion);
  if (mentions === null) return chosen.sources;
  return chain(resolveSources(mentions.entitySets, run), (mentioned) => {
    const sources = new Map([...chosen.sources, ...mentioned]);
    refuseUnjoined({ mentions, relational, sources }, "$expand", place);
    return sources;
  });
}

function readLists(
  step: ExpandStep,
  relational: RelationalSource,
  { joined, sources }: ChosenJoins,
  groups: readonly KeyGroup<JoinKey>[],
  run: ReadRun,
): Maybe<RelatedPage> {
  const { expansion, page } = step;
  const { evaluation, maxEntities, counted } = run;
  return readJoined(
    relational,
    {
      shape: stepShape(step, joined),
      values: evaluation.values,
      keys: groups.map(({ key }) => key.values),
      skip: expansion.skip,
      top: page.readSize,
      count: expansion.count,
      // Each parent may have one extra row, which shows that more rows follow. One row above all of these exceeds the limit.
      maxRows: maxEntities === null ? undefined : Math.max(maxEntities - counted.total, 0) + groups.length + 1,
      sources,
      timeout: timeoutOf(run.context),
    },
    readScope(run),
  );
}

function toLists(
  step: ExpandStep,
  run: ReadRun,
  groups: readonly KeyGroup<JoinKey>[],
  { related, counts, rowShape }: RelatedPage,
): readonly Related[] {
  return groups.map(({ weight }, index): Related => {
    const entities = related[index] ?? [];
    if (step.expansion.navigationProperty.isCollection) {
      return { ...cutToPage(step, { entities, count: counts?.[index] ?? 0 }, weight, run), rowShape };
    }
    const entity = entities[0] ?? null;
    if (entity !== null) countWritten(step, weight, run);
    return { kind: "entity", entity, rowShape };
  });
}
