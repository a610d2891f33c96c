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
 * Binds the query options of a request for a collection, and authorizes the sets that they lead to.
 * @param rules the options that the resource takes
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; `Unauthorized`, `Forbidden`
 */
export function bindCollection(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCollectionQuery(readOptions(exchange), readable(exchange, target), exchange.service.shapes, rules);
  return authorized(exchange, query);
}

/** Binds the query options of a request for a number of entities. @throws ODataError as for a collection */
export function bindCount(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCountQuery(readOptions(exchange), target, exchange.service.shapes, rules);
  return authorized(exchange, query);
}

/**
 * Binds the query options of a request whose answer shows one entity, writes included: they say what is shown of it.
 * @throws ODataError as for a collection
 */
export function bindEntity(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundEntityQuery {
  const query = bindEntityQuery(readOptions(exchange), readable(exchange, target), exchange.service.shapes, rules);
  if (exchange.service.hasRules) authorizeExpansions(readerOf(exchange), query.selectExpand, target.entitySet);
  return query;
}

function authorized(exchange: Exchange, query: BoundQuery): BoundQuery {
  if (exchange.service.hasRules) authorizeShape(readerOf(exchange), query.shape);
  return query;
}

/** Where a star expands, it stands for what the user may read. */
function readable(exchange: Exchange, target: QueryTarget): QueryTarget {
  if (!exchange.service.hasRules) return target;
  const { system } = readOptions(exchange);
  if (system.get("$expand")?.includes("*") !== true) return target;
  return { ...target, star: starAccessOf(readerOf(exchange)) };
}

/** Whose query a request is. */
export function readerOf({ service, user, isTargetSkipped }: Exchange): QueryReader {
  return { definition: service.definition, user, isOwnSkipped: isTargetSkipped };
}
