import {
  bindCollectionQuery,
  bindCountQuery,
  bindEntityQuery,
  type QueryTarget,
} from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/check-capabilities.ts";
import type { BoundEntityQuery, BoundQuery } from "../query/clauses.ts";
import { authorizeEntityRoots, authorizeRoots } from "./authorize-roots.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";

/**
 * Binds the query options of a request for a collection, and authorizes what they mention by name.
 * @param rules the options that the resource takes
 * @throws ODataError `UnsupportedQueryOption`, `InvalidQueryOption`; `Unauthorized`, `Forbidden`
 */
export function bindCollection(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCollectionQuery(readOptions(exchange), target, exchange.service.shapes, rules);
  authorizeRoots(exchange, query.shape);
  return query;
}

/** Binds the query options of a request for a number of entities. @throws ODataError as for a collection */
export function bindCount(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundQuery {
  const query = bindCountQuery(readOptions(exchange), target, exchange.service.shapes, rules);
  authorizeRoots(exchange, query.shape);
  return query;
}

/**
 * Binds the query options of a request whose answer shows one entity, writes included: they say what is shown of it.
 * @throws ODataError as for a collection
 */
export function bindEntity(exchange: Exchange, target: QueryTarget, rules?: OptionRules): BoundEntityQuery {
  const query = bindEntityQuery(readOptions(exchange), target, exchange.service.shapes, rules);
  authorizeEntityRoots(exchange, query.selectExpand);
  return query;
}
