import { bindEntityKey } from "../binder/bind-key.ts";
import { bindEntityQuery } from "../binder/bind-query-options.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import { readByKey, type FoundEntity } from "../execution/read-by-key.ts";
import type { MaybeResult } from "../execution/run-collection.ts";
import { runExpand } from "../execution/run-expand.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { entityContext } from "../payload/context-url.ts";
import { etagWriter } from "../payload/etag.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { BoundEntityQuery } from "../query/clauses.ts";
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
  const query = bindEntityQuery(readOptions(exchange), target, exchange.service.shapes);
  const { getByKey } = handlers;
  if (getByKey === undefined) throw new Error(`${entitySet.name} has a route for reading by key, but no handler.`);
  const found = readByKey(getByKey, value, exchange.context, () =>
    // The links of the answer are made from the key, whatever is selected.
    propertiesToRead(entitySet, query.selectExpand, { key: true, pushdown: settings.selectPushdownEnabled }),
  );
  return chain(found, (entity) => {
    if (entity === null) throw protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
    return respond(exchange, entitySet, entity, query, format);
  });
};

function respond(
  exchange: Exchange,
  entitySet: EntitySet,
  found: FoundEntity,
  query: BoundEntityQuery,
  format: JsonFormat,
): ODataResponse | PromiseLike<ODataResponse> {
  const { selectExpand } = query;
  const { rowShape } = found;
  const etag = etagWriter(entitySet, rowShape)?.(found.entity);
  const condition = etag === undefined ? undefined : exchange.odata.header("if-none-match");
  const extra = etag === undefined ? undefined : { ETag: etag };
  if (etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag)) {
    return notModifiedResponse(exchange, etag);
  }
  const { serviceRoot } = exchange;
  const contextUrl = entityContext(serviceRoot, entitySet, selectExpand.contextSelect);
  return chain(expand(exchange, entitySet, found, query), ({ entity }) => {
    const writer = entityWriterFor(entitySet, selectExpand, format, rowShape);
    return jsonResponse(exchange, format, writer.writeEntity(entity, serviceRoot, contextUrl), extra);
  });
}

/** The entity as its writer takes it: with its expansions where the query has any. */
function expand(
  exchange: Exchange,
  { entityType }: EntitySet,
  { entity, rowShape }: FoundEntity,
  { selectExpand, values }: BoundEntityQuery,
): MaybeResult<{ readonly entity: unknown }> {
  const { definition } = exchange.service;
  const plan = planExpand(selectExpand, definition);
  if (plan === null) return { entity };
  const { maxResponseEntities: maxEntities } = definition.limits;
  const page = { entities: [entity], rowShape, entityType };
  const expanded = runExpand(plan, page, { values, context: exchange.context, maxEntities });
  return chain(expanded, ({ entities }) => ({ entity: entities[0] }));
}

function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}
