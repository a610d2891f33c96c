import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { QueryableHandler, WrappingHandler } from "../definition/sets/handlers.ts";
import { applyQuery } from "../memory/apply-query.ts";
import { mentionsOf } from "../query/mentions.ts";
import type { QueryableSource, RowRestriction } from "../query/source.ts";
import { findUnjoined } from "./choose-joins.ts";
import { resolveSource } from "./resolve-sources.ts";
import { clausesOf, conditionOf, restrictionOf } from "./row-restriction.ts";
import { visibleEntities } from "./visible-entities.ts";

/** A set with a row rule, as it was declared. */
export type GuardedSet = Pick<EntitySetDefinition, "entitySet" | "rows" | "handlers">;

/** The `queryable` handler of a set without the rows that the user of a request does not see. */
export function restrictQueryable(set: GuardedSet, queryable: QueryableHandler<Context>): QueryableHandler<Context> {
  const restricted = (context: Context): Maybe<QueryableSource> =>
    chain(resolveSource(set.entitySet, queryable, context), (source) => restrictSource(set, source, context));
  return Object.assign(restricted, wrapping(queryable, queryable.source));
}

/** What a handler that obeys a row rule carries beside. @param source the one that the wrapped handler carries */
export function wrapping(
  wrapped: unknown,
  source: QueryableSource | undefined,
): WrappingHandler & { readonly source?: QueryableSource } {
  return source === undefined ? { wrapped } : { wrapped, source: probeOf(source) };
}

/**
 * The rows of a source that the user of a request sees.
 * @throws what the rule threw; TypeError for a source that nothing can be kept back of, or that cannot join what the rule
 *   leads to
 */
export function restrictSource(set: GuardedSet, source: QueryableSource, context: Context): Maybe<QueryableSource> {
  const condition = conditionOf(set, context);
  if (condition === "all") return source;
  const { restrict, entities } = source;
  if (restrict !== undefined) {
    return chain(restrictionOf(set, context), (restriction) => {
      if (restriction === null) return source;
      checkJoined(set, source, restriction);
      return restrict(restriction);
    });
  }
  if (source.relational !== undefined || entities === undefined) throw cannotRestrict(set);
  if (condition === "none") return listSource([]);
  return chain(visibleEntities(set.entitySet, entities(), context), listSource);
}

/** @param rows may be run over any number of times */
function listSource(rows: Iterable<unknown>): QueryableSource {
  return { kind: "EntitySource", entities: () => rows, read: (query) => applyQuery(rows, query) };
}

function checkJoined({ entitySet }: GuardedSet, source: QueryableSource, { filter, sources }: RowRestriction): void {
  const mentions = mentionsOf(clausesOf(filter));
  if (mentions === null) return;
  const unjoined = findUnjoined({ mentions, relational: source.relational, sources });
  if (unjoined === null) return;
  throw new TypeError(
    `The row rule of ${entitySet.name} goes along '${unjoined.path}', but its data source cannot join ${unjoined.what}.`,
  );
}

function cannotRestrict({ entitySet: { name } }: GuardedSet): TypeError {
  return new TypeError(
    `${name} has a row rule, but its source cannot keep rows back: return arraySource(…) or a source of a database.`,
  );
}

/** What tells at startup what a source can do: nothing can be read from it. */
function probeOf({ kind, relational }: QueryableSource): QueryableSource {
  const read = (): never => {
    throw new Error("A source that keeps rows back is made for each request: read from that one.");
  };
  if (relational === undefined) return Object.freeze({ kind, read });
  const { joinsExpansions } = relational;
  return Object.freeze({
    kind,
    read,
    relational: Object.freeze({
      joins: (other: QueryableSource) => relational.joins(other),
      joinsExpansions,
      readRow: read,
      readRelated: read,
    }),
  });
}
