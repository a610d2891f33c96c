import {
  bindCollectionQuery,
  bindCountQuery,
  bindEntityQuery,
  type QueryTarget,
} from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/option-rules.ts";
import { ODataError } from "../errors/odata-error.ts";
import {
  authorizeExpansions,
  authorizeShape,
  pathGuardOf,
  type QueryReader,
  starAccessOf,
} from "../execution/rules/authorize-query.ts";
import type { BoundEntityQuery, BoundQuery, ShapeCache } from "../query/clauses.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";

/**
 * Binds the query options of a request for a collection, and checks the rules of the sets that they use.
 * @param rules the options that the resource accepts
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; `Unauthorized`, `Forbidden`
 */
export function bindCollection(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const bind: Bind<BoundQuery> = (of, shapes) => bindCollectionQuery(readOptions(exchange), of, shapes, rules);
  return guarded(exchange, readable(exchange, target), bind, authorizeQuery);
}

/** Binds the query options of a request for a count. @throws ODataError as for bindCollection */
export function bindCount(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const bind: Bind<BoundQuery> = (of, shapes) => bindCountQuery(readOptions(exchange), of, shapes, rules);
  return guarded(exchange, target, bind, authorizeQuery);
}

/**
 * Binds the query options of a request for one entity, or of a write that returns one.
 * @throws ODataError as for bindCollection
 */
export function bindEntity(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundEntityQuery {
  const bind: Bind<BoundEntityQuery> = (of, shapes) => bindEntityQuery(readOptions(exchange), of, shapes, rules);
  return guarded(exchange, readable(exchange, target), bind, (reader, { selectExpand }) => {
    authorizeExpansions(reader, selectExpand, target.entitySet);
  });
}

type Bind<Query> = (target: QueryTarget, shapes: ShapeCache) => Query;

const NO_SHAPES: ShapeCache = Object.freeze<ShapeCache>({ get: () => undefined, set: () => undefined });

function authorizeQuery(reader: QueryReader, { shape }: BoundQuery): void {
  authorizeShape(reader, shape);
}

/**
 * Binds options and checks their rules. After an error it binds them once more and refuses the first navigation that the
 * user may not follow: otherwise the error would tell which names exist behind it.
 */
function guarded<Query>(
  exchange: Exchange,
  target: QueryTarget,
  bind: Bind<Query>,
  authorize: (reader: QueryReader, query: Query) => void,
): Query {
  const { service } = exchange;
  if (!service.hasRules) return bind(target, service.shapes);
  const reader = queryReaderOf(exchange);
  try {
    const query = bind(target, service.shapes);
    authorize(reader, query);
    return query;
  } catch (error) {
    if (error instanceof ODataError) bind({ ...target, guard: pathGuardOf(reader, target.entitySet) }, NO_SHAPES);
    throw error;
  }
}

/**
 * Returns the target of options for entities that a handler returned: these may contain related entities that nothing else
 * loads.
 */
export function returnedBy(target: QueryTarget): QueryTarget {
  const { expansions } = target.capabilities;
  return expansions === undefined || expansions.unloaded.size === 0 ? target : { ...target, areObjects: true };
}

/** Limits stars in `$expand` to the navigations that the user may read. */
function readable(exchange: Exchange, target: QueryTarget): QueryTarget {
  if (!exchange.service.hasRules) return target;
  const { system } = readOptions(exchange);
  if (system.get("$expand")?.includes("*") !== true) return target;
  return { ...target, star: starAccessOf(queryReaderOf(exchange)) };
}

/** Returns the user and the service of a request, for rules of queries. */
export function queryReaderOf({ service, user, isTargetSkipped }: Exchange): QueryReader {
  return { definition: service.definition, user, isOwnSkipped: isTargetSkipped };
}
