import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { protocolError } from "../errors/odata-error.ts";
import { type JoinedSteps, stepShape } from "../plan/join-expansions.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import type { RelatedLoad } from "../plan/plan-related.ts";
import type { Related } from "../query/expanded-entity.ts";
import { mentionsOf } from "../query/mentions.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { QueryableSource, RelatedPage, RelatedQuery, RelationalSource } from "../query/source.ts";
import { chooseJoins, type ChosenJoins, refuseUnjoined } from "./choose-joins.ts";
import type { ExpandLevel } from "./expand-level.ts";
import { groupByKey, type KeyGroups } from "./group-by-key.ts";
import { isSource, orThrow } from "./handler-answer.ts";
import { type JoinKey, joinKeyReader } from "./join-key.ts";
import { countEntities, type ExpandRun, tooManyRelated } from "./relate.ts";
import { resolveSource, resolveSources } from "./resolve-sources.ts";

/** What a step of kind `related` brought for distinct join keys. */
export interface RelatedLists {
  readonly lists: readonly Related[];
  /** How often each of them will be written. */
  readonly weights: readonly number[];
  /** For each parent which list is its own; undefined where nothing is related to it. */
  readonly positions: readonly (number | undefined)[];
  /** The layout of the related entities; undefined where none were read. */
  readonly rowShape: RowShape | undefined;
  /** What of the next level stands in the same rows. */
  readonly joined: JoinedSteps;
}

/**
 * The source of the target set, where it can read along navigations.
 * @returns null where it cannot: what the handler of the parents put into them is what there is
 * @throws ODataError that a handler returned or threw, and `UnsupportedQueryOption` for a nested `$search` that is
 *   answered by anything but rows of a database
 */
export function relationalSource(
  { search, place }: ExpandStep,
  { target, queryable }: RelatedLoad,
  context: Context,
): Maybe<QueryableSource | null> {
  return chain(resolveSource(target, queryable, context), (source) => {
    if (source.relational === undefined) return null;
    if (search === null) return source;
    return chain(search.search(search.clause, context), (answer) => {
      const found = orThrow(answer);
      if (isSource(found) && found.relational !== undefined) return found;
      throw protocolError(
        "UnsupportedQueryOption",
        `$search is not offered in the expansion '${place}': what its search finds cannot be joined with other entities.`,
        { target: "$expand" },
      );
    });
  });
}

/**
 * Reads what one expansion brings for all parents of a level: one read of the target set by the distinct join keys,
 * whatever their number, with the nested options and all that can be joined of the level below.
 * @throws ODataError `InvalidQueryOption` above the limits, `UnsupportedQueryOption` for an expression that leads to
 *   where the source cannot go
 * @see specification, $expand, rule 2
 */
export function readRelatedLists(
  step: ExpandStep,
  load: RelatedLoad,
  source: QueryableSource,
  level: ExpandLevel,
  run: ExpandRun,
): Maybe<RelatedLists> {
  const { relational } = source;
  if (relational === undefined) throw new Error(`The source of ${step.place} cannot read along navigations.`);
  const readKey = joinKeyReader(load.join, level.entityType, level.rowShape);
  const grouped = groupByKey(level.entities, readKey, level.weights);
  return chain(chooseJoins(step.below, source, run.context), (chosen) => {
    if (grouped.groups.length === 0) {
      return { lists: [], weights: [], positions: grouped.positions, rowShape: undefined, joined: chosen.joined };
    }
    const keys = grouped.groups.map(({ key }) => key.values);
    const query = chain(withMentioned(step, relational, chosen, run.context), ({ joined, sources }) =>
      relational.readRelated(toRelatedQuery(step, run, { joined, sources }, keys)),
    );
    return chain(query, (answer) => toLists(step, run, grouped, answer, chosen.joined));
  });
}

/** Adds the sources that the expressions of the step itself mention. */
function withMentioned(
  { expansion, place }: ExpandStep,
  relational: RelationalSource,
  chosen: ChosenJoins,
  context: Context,
): Maybe<ChosenJoins> {
  const mentions = mentionsOf(expansion);
  if (mentions === null) return chosen;
  return chain(resolveSources(mentions.entitySets, context), (mentioned) => {
    const sources = new Map([...chosen.sources, ...mentioned]);
    refuseUnjoined({ mentions, relational, sources }, "$expand", place);
    return { joined: chosen.joined, sources };
  });
}

function toRelatedQuery(
  step: ExpandStep,
  run: ExpandRun,
  { joined, sources }: ChosenJoins,
  keys: RelatedQuery["keys"],
): RelatedQuery {
  const { expansion, page } = step;
  const { context, maxEntities } = run;
  // One row per parent may tell only that there are more; one more than all of these is one too many.
  const maxRows = maxEntities === null ? undefined : Math.max(maxEntities - run.total, 0) + keys.length + 1;
  return {
    shape: stepShape(step, joined),
    values: run.evaluation.values,
    keys,
    skip: expansion.skip,
    top: page.readSize,
    count: expansion.count,
    maxRows,
    sources,
    transaction: context.transaction,
    // A getter, because a signal is dear to make and many sources never look at it.
    get signal(): AbortSignal {
      return context.signal;
    },
  };
}

function toLists(
  step: ExpandStep,
  run: ExpandRun,
  { groups, positions }: KeyGroups<JoinKey>,
  { related, counts, rowShape }: RelatedPage,
  joined: JoinedSteps,
): RelatedLists {
  const { expansion, page } = step;
  const lists = groups.map(({ weight }, index): Related => {
    const rows = related[index] ?? [];
    if (!expansion.navigationProperty.isCollection) {
      const entity = rows[0] ?? null;
      if (entity !== null) countEntities(step, weight, run);
      return { kind: "entity", entity, rowShape };
    }
    const isLonger = page.size !== undefined && rows.length > page.size;
    if (isLonger && page.beyond === "refuse") throw tooManyRelated(step, page.size ?? 0);
    const entities = isLonger ? rows.slice(0, page.size) : rows;
    countEntities(step, entities.length * weight, run);
    return {
      kind: "collection",
      entities,
      rowShape,
      count: expansion.count ? (counts?.[index] ?? 0) : undefined,
      hasMore: isLonger && page.beyond === "link",
    };
  });
  return { lists, weights: groups.map(({ weight }) => weight), positions, rowShape, joined };
}
