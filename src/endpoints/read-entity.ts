import { bindEntityKey } from "../binder/bind-key.ts";
import { bindEntityQuery } from "../binder/bind-query-options.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import { readByKey, type FoundEntity } from "../execution/read-by-key.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { entityContext } from "../payload/context-url.ts";
import { etagWriter } from "../payload/etag.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { EntityPath, ResourcePath } from "../query/resource-path.ts";
import { entityWriterFor } from "./entity-writer-for.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { jsonResponse, notModifiedResponse } from "./response.ts";

/**
 * `GET /Set(key)`: one entity; 304 when the client has it, 404 when there is none.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, or what the handler answered
 * @see specification, Read by key; Conditional requests and ETags, 6
 */
export const readEntity: Endpoint = (exchange, path) => {
  const { entitySet, key } = entityPathOf(path);
  const { target, handlers, settings } = exchange.entitySet(entitySet);
  const format = readJsonFormat(exchange);
  const value = bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
  const selectExpand = bindEntityQuery(readOptions(exchange), target, exchange.service.shapes);
  const { getByKey } = handlers;
  if (getByKey === undefined) throw new Error(`${entitySet.name} has a route for reading by key, but no handler.`);
  const found = readByKey(getByKey, value, exchange.context, () =>
    // The links of the answer are made from the key, whatever is selected.
    propertiesToRead(entitySet, selectExpand, { key: true, pushdown: settings.selectPushdownEnabled }),
  );
  return chain(found, (entity) => {
    if (entity === null) throw protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
    return respond(exchange, entitySet, entity, selectExpand, format);
  });
};

function respond(
  exchange: Exchange,
  entitySet: EntitySet,
  { entity, rowShape }: FoundEntity,
  selectExpand: SelectExpandClause,
  format: JsonFormat,
): ODataResponse {
  const etag = etagWriter(entitySet, rowShape)?.(entity);
  const condition = etag === undefined ? undefined : exchange.odata.header("if-none-match");
  const extra = etag === undefined ? undefined : { ETag: etag };
  if (etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag)) {
    return notModifiedResponse(exchange, etag);
  }
  const { serviceRoot } = exchange;
  const contextUrl = entityContext(serviceRoot, entitySet, selectExpand.contextSelect);
  const body = entityWriterFor(entitySet, selectExpand, format, rowShape).writeEntity(entity, serviceRoot, contextUrl);
  return jsonResponse(exchange, format, body, extra);
}

function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}
