import { bindEntityKey } from "../binder/bind-key.ts";
import { bindEntityQuery } from "../binder/bind-query-options.ts";
import { protocolError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import { orThrow } from "../execution/run-collection.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { entityContext } from "../payload/context-url.ts";
import { etagWriter } from "../payload/etag.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { EntityPath, ResourcePath } from "../query/resource-path.ts";
import { entityWriterFor } from "./entity-writer-for.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { emptyResponse, jsonResponse } from "./response.ts";

/**
 * `GET /Set(key)`: one entity; 304 when the client has it, 404 when there is none.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, or what the handler answered
 * @see specification, Read by key; Conditional requests and ETags, 6
 */
export const readEntity: Endpoint = (exchange, path) => {
  const { entitySet, key } = entityPathOf(path);
  const { target, handlers } = exchange.entitySet(entitySet);
  const format = readJsonFormat(exchange);
  const value = bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
  const selectExpand = bindEntityQuery(readOptions(exchange), target, exchange.service.shapes);
  const { getByKey } = handlers;
  if (getByKey === undefined) throw new Error(`${entitySet.name} has a route for reading by key, but no handler.`);
  return chain(getByKey(value, exchange.context), (answer) => {
    const entity = orThrow(answer);
    if (entity === null || entity === undefined) {
      throw protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
    }
    return respond(exchange, entityPathOf(path), entity, selectExpand, format);
  });
};

function respond(
  exchange: Exchange,
  { entitySet }: EntityPath,
  entity: unknown,
  selectExpand: SelectExpandClause,
  format: JsonFormat,
): ODataResponse {
  const etag = etagWriter(entitySet)?.(entity);
  const condition = etag === undefined ? undefined : exchange.odata.header("if-none-match");
  const extra = etag === undefined ? undefined : { ETag: etag };
  if (etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag))
    return emptyResponse(304, extra);
  const { serviceRoot } = exchange;
  const contextUrl = entityContext(serviceRoot, entitySet, selectExpand.contextSelect);
  const body = entityWriterFor(entitySet, selectExpand, format).writeEntity(entity, serviceRoot, contextUrl);
  return jsonResponse(exchange, format, body, extra);
}

function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}
