import { chain, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { QueryableHandler } from "../../definition/handlers.ts";
import type { RuledSet } from "../../definition/sets/authorization.ts";
import type { EntitySet } from "../../edm/model.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import { NO_ROW } from "../../language/query/no-row.ts";
import type { QueryableSource, RowRestriction, SourcesBySet } from "../../language/query/source.ts";
import { startAll } from "../entities/concurrency.ts";
import { isSource, answeredValue, openedSource } from "../entities/handler-answer.ts";
import { definitionOf, gateOf, type Reader } from "../entities/reader.ts";
import { applyQuery } from "../memory/apply-query.ts";
import { findUnjoined } from "../plan/join-expansions.ts";
import { clausesOf } from "../plan/row-rules.ts";
import { conditionFor, conditionOf, ServiceContext } from "../rules/row-access.ts";

/**
 * Returns the sources of entity sets for one call, with the rows that the reader sees.
 * @returns the sources by set, without the sets that have no `queryable` handler
 * @throws ODataError that a handler returned or threw; TypeError for a result that is not a source; as for
 *   restrictSource
 */
export function resolveSources(sets: readonly EntitySet[], reader: Reader): Maybe<SourcesBySet> {
  const tasks = sets.flatMap((entitySet) => {
    const { queryable } = definitionOf(entitySet, reader.context).handlers;
    if (queryable === undefined) return [];
    return [() => chain(resolveSource(entitySet, queryable, reader), (source) => [entitySet, source] as const)];
  });
  return chain(startAll(tasks), (pairs) => new Map(pairs));
}

/**
 * Returns the source of one entity set for one call, with the rows that the reader sees.
 * @throws as for resolveSources
 */
export function resolveSource(
  entitySet: EntitySet,
  queryable: QueryableHandler<Context>,
  reader: Reader,
): Maybe<QueryableSource> {
  const { whole, seen } = ServiceContext.accessOf(reader.context).sources;
  const known = whole.get(entitySet) ?? new Map<QueryableHandler<Context>, Maybe<QueryableSource>>();
  whole.set(entitySet, known);
  const source = known.get(queryable) ?? callQueryable(entitySet, queryable, reader);
  known.set(queryable, source);
  if (gateOf(entitySet, reader) === null) return source;
  let restricted = seen.get(entitySet);
  if (restricted === undefined) {
    restricted = chain(source, (all) => restrictSource(entitySet, all, reader));
    seen.set(entitySet, restricted);
  }
  return restricted;
}

function callQueryable(
  entitySet: EntitySet,
  queryable: QueryableHandler<Context>,
  reader: Reader,
): Maybe<QueryableSource> {
  const context = ServiceContext.ofSet(entitySet, reader.context);
  return chain(queryable(context), (answer) => openedSource(checkSource(answeredValue(answer), entitySet), context));
}

function checkSource(source: QueryableSource, { name }: EntitySet): QueryableSource {
  if (isSource(source)) return source;
  throw new TypeError(
    `The queryable handler of ${name} did not return a source: return arraySource(…) or another source.`,
  );
}

/**
 * Adds the row rule to a source as a predicate.
 * @throws the error of the rule; TypeError for a source that takes no predicate, or cannot join a set of the rule
 */
export function restrictSource(entitySet: EntitySet, source: QueryableSource, reader: Reader): Maybe<QueryableSource> {
  const { context, gate } = reader;
  const condition = conditionFor(entitySet, reader);
  if (gate === null || condition === "all") return source;
  const { restrict, entities, relational } = source;
  if (restrict !== undefined) {
    return chain(restrictionOf(definitionOf(entitySet, context), context), (restriction) => {
      if (restriction === null) return source;
      checkJoined(entitySet, source, restriction);
      return restrict(restriction);
    });
  }
  if (relational !== undefined || entities === undefined) throw cannotRestrict(entitySet);
  if (condition === "none") return listSource([]);
  return chain(gate.keep(entitySet, entities(), context), listSource);
}

const NO_ROW_SEEN: RowRestriction = Object.freeze({
  filter: NO_ROW,
  values: Object.freeze([]),
  sources: new Map(),
  hidesAll: true,
});

/**
 * Returns the row rule of a set as a predicate for the source of a database. The predicate sees all rows of other sets.
 * @returns null where the user sees all rows; the same object each time within a call
 * @throws the error of the rule, or of the `queryable` handler of a set that the rule uses
 */
export function restrictionOf(set: RuledSet, context: Context): Maybe<RowRestriction | null> {
  const condition = conditionOf(set, context);
  if (condition === "all") return null;
  if (condition === "none") return NO_ROW_SEEN;
  const { restrictions } = ServiceContext.accessOf(context).sources;
  const known = restrictions.get(set.entitySet);
  if (known !== undefined) return known;
  const { filter, values } = condition;
  const mentioned = mentionsOf(clausesOf(filter))?.entitySets ?? [];
  const restriction = chain(resolveSources(mentioned, { context, gate: null }), (sources): RowRestriction =>
    Object.freeze({ filter, values, sources }),
  );
  restrictions.set(set.entitySet, restriction);
  return restriction;
}

/** @param rows can be iterated any number of times */
function listSource(rows: Iterable<unknown>): QueryableSource {
  return { kind: "EntitySource", entities: () => rows, read: (query) => applyQuery(rows, query) };
}

function checkJoined({ name }: EntitySet, source: QueryableSource, { filter, sources }: RowRestriction): void {
  const mentions = mentionsOf(clausesOf(filter));
  if (mentions === null) return;
  const unjoined = findUnjoined({ mentions, relational: source.relational, sources });
  if (unjoined === null) return;
  throw new TypeError(
    `The row rule of ${name} follows '${unjoined.path}', but its data source cannot join ${unjoined.what}.`,
  );
}

function cannotRestrict({ name }: EntitySet): TypeError {
  return new TypeError(
    `${name} has a row rule, but its source cannot filter rows: return arraySource(…) or a source of a database.`,
  );
}
