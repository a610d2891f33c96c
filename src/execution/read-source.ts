import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { QueryableHandler } from "../definition/sets/handlers.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import { planMentions } from "../plan/plan-mentions.ts";
import { mentionsOf } from "../query/mentions.ts";
import type { Page, QueryableSource, SourceQuery } from "../query/source.ts";
import { applyInMemory } from "./apply-in-memory.ts";
import { refuseUnjoined } from "./choose-joins.ts";
import { orThrow } from "./handler-answer.ts";
import { resolveSource, resolveSources } from "./resolve-sources.ts";

/**
 * The source that a planned read of a set runs over. Where the query leads to other sets, it may lead to the same one
 * too: then the handler is still called but once.
 */
export function openSource(
  { form, query, expand }: CollectionPlan,
  queryable: QueryableHandler<Context>,
  context: Context,
): Maybe<QueryableSource> {
  if (form === "queryable" && (expand !== null || mentionsOf(query.shape) !== null)) {
    return resolveSource(query.shape.entitySet, queryable, context);
  }
  return chain(queryable(context), (source) => orThrow(source));
}

/**
 * Reads a page from a source, whatever the expressions of the query lead to: a source of a database answers them itself
 * where it can join what they mention; over a list in memory they are evaluated here.
 * @throws ODataError `UnsupportedQueryOption` where neither is so, naming the navigation
 */
export function readFrom(source: QueryableSource, query: SourceQuery, context: Context): Maybe<Page> {
  if (planMentions(query) === null) return source.read(query);
  if (source.entities !== undefined) return applyInMemory(source.entities(), query, context);
  const mentions = mentionsOf(query.shape);
  if (mentions === null) throw new Error("A clause mentions what its shape does not.");
  return chain(resolveSources(mentions.entitySets, context), (mentioned) => {
    const option = query.shape.filter === null ? "$orderby" : "$filter";
    refuseUnjoined({ mentions, relational: source.relational, sources: mentioned }, option, query.shape.entitySet.name);
    const sources = new Map([...(query.sources ?? []), ...mentioned]);
    return source.read({ ...query, sources });
  });
}
