import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { QueryableHandler } from "../definition/sets/handlers.ts";
import type { EntitySet } from "../edm/model.ts";
import type { QueryableSource, SourcesBySet } from "../query/source.ts";
import { startAll } from "./concurrency.ts";
import { isSource, orThrow } from "./handler-answer.ts";
import { originOf } from "./trusted-context.ts";

/** By request, and there by `queryable` handler: what it answered, or will answer. */
const resolved = new WeakMap<Context, Map<QueryableHandler<Context>, Maybe<QueryableSource>>>();

/**
 * The sources of entity sets as they are for one request: each `queryable` handler is called once per request.
 * @returns the sources by set; a set without a `queryable` handler is left out
 * @throws ODataError that a handler returned or threw; TypeError for an answer that is no source
 */
export function resolveSources(sets: readonly EntitySet[], context: Context): Maybe<SourcesBySet> {
  const { entitySets } = serviceOf(context);
  const tasks = sets.flatMap((entitySet) => {
    const { queryable } = entitySets.get(entitySet.name)?.handlers ?? {};
    if (queryable === undefined) return [];
    return [() => chain(resolveSource(entitySet, queryable, context), (source) => [entitySet, source] as const)];
  });
  return chain(startAll(tasks), (pairs) => new Map(pairs));
}

/**
 * The source of one entity set as it is for one request.
 * @throws as for resolveSources
 */
export function resolveSource(
  entitySet: EntitySet,
  queryable: QueryableHandler<Context>,
  context: Context,
): Maybe<QueryableSource> {
  // What a handler answers is the same whoever asks for it: the client, or the row rule of another set.
  const origin = originOf(context);
  let byHandler = resolved.get(origin);
  if (byHandler === undefined) {
    byHandler = new Map<QueryableHandler<Context>, Maybe<QueryableSource>>();
    resolved.set(origin, byHandler);
  }
  const known = byHandler.get(queryable);
  if (known !== undefined) return known;
  const source = chain(queryable(origin), (answer) => checkSource(orThrow(answer), entitySet));
  byHandler.set(queryable, source);
  return source;
}

/**
 * The service that a request came to, with all that handlers do not see of it.
 * @throws Error for a context that is none of a request
 */
export function serviceOf({ service }: Context): ServiceDefinition {
  if (!("entitySets" in service)) throw new Error("The context does not come from a service.");
  // What a request carries is the definition itself; handlers are shown less of it.
  return service as ServiceDefinition;
}

function checkSource(source: QueryableSource, { name }: EntitySet): QueryableSource {
  if (isSource(source)) return source;
  throw new TypeError(
    `The queryable handler of ${name} did not return a source: return arraySource(…) or another one.`,
  );
}
