import {
  bindCollectionQuery,
  bindCountQuery,
  bindEntityQuery,
  type QueryTarget,
} from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/check-capabilities.ts";
import { authorizeExpansions, authorizeShape, type QueryReader, starAccessOf } from "../execution/authorize-query.ts";
import type { BoundEntityQuery, BoundQuery } from "../query/clauses.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";

/**
 * Binds the query options of a request for a collection, and checks the rules of the sets that they use.
 * @param rules the options that the resource accepts
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; `Unauthorized`, `Forbidden`
 */
export function bindCollection(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCollectionQuery(readOptions(exchange), readable(exchange, target), exchange.service.shapes, rules);
  return authorized(exchange, query);
}

/** Binds the query options of a request for a count. @throws ODataError as for bindCollection */
export function bindCount(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCountQuery(readOptions(exchange), target, exchange.service.shapes, rules);
  return authorized(exchange, query);
}

/**
 * Binds the query options of a request for one entity, or of a write that returns one.
 * @throws ODataError as for bindCollection
 */
export function bindEntity(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundEntityQuery {
  const query = bindEntityQuery(readOptions(exchange), readable(exchange, target), exchange.service.shapes, rules);
  if (exchange.service.hasRules) authorizeExpansions(queryReaderOf(exchange), query.selectExpand, target.entitySet);
  return query;
}

function authorized(exchange: Exchange, query: BoundQuery): BoundQuery {
  if (exchange.service.hasRules) authorizeShape(queryReaderOf(exchange), query.shape);
  return query;
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
