import { chain, type Maybe } from "../base/maybe.ts";
import type { FoundEntity } from "../execution/reads/read-by-key.ts";
import { runExpand } from "../execution/reads/run-expand.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { EntityText } from "../payload/entity-text.ts";
import { etagOf } from "../payload/etag.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import { planExpand } from "../plan/plan-expand.ts";
import type { BoundEntityQuery } from "../query/clauses.ts";
import { checkReadMatch } from "./current-entity.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { jsonResponse, notModifiedResponse } from "./response.ts";

/** An entity that a request addresses. */
interface EntityResource {
  /** The set or type of the entity. */
  readonly origin: EntityOrigin;
  readonly query: BoundEntityQuery;
  readonly contextUrl: string;
}

/**
 * Makes the response with one entity: with its ETag where its set has ETags, and 304 when the client has it.
 * @throws ODataError `PreconditionFailed`, or that a handler of an expansion returned or threw
 * @see docs/reference/etags.md
 */
export function entityResponse(
  exchange: Exchange,
  format: JsonFormat,
  resource: EntityResource,
  found: FoundEntity,
): Maybe<ODataResponse> {
  const { origin } = resource;
  const { rowShape } = found;
  const etag = origin.kind === "EntitySet" ? etagOf(origin, found.entity, rowShape) : undefined;
  checkReadMatch(exchange, etag);
  const condition = etag === undefined ? undefined : exchange.odata.header("if-none-match");
  const extra = etag === undefined ? undefined : { ETag: etag };
  if (etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag)) {
    return notModifiedResponse(exchange, etag);
  }
  return chain(entityBody(exchange, format, resource, found), (body) => jsonResponse(exchange, format, body, extra));
}

/**
 * Returns the body with one entity and its expansions.
 * @throws ODataError that a handler of an expansion returned or threw
 */
export function entityBody(
  exchange: Exchange,
  format: PayloadFormat,
  { origin, query, contextUrl }: EntityResource,
  found: FoundEntity,
): Maybe<EntityText> {
  return chain(expand(exchange, origin, found, query), ({ entity }) => {
    const writer = entityWriterFor(exchange.service, origin, query.selectExpand, format, found.rowShape);
    return writer.writeEntity(entity, exchange.serviceRoot, contextUrl);
  });
}

/** Returns the entity with its expansions, as its writer reads it. */
function expand(
  exchange: Exchange,
  origin: EntityOrigin,
  { entity, rowShape, joined = NO_JOINS }: FoundEntity,
  { selectExpand, values }: BoundEntityQuery,
): Maybe<{ readonly entity: unknown }> {
  const { definition } = exchange.service;
  const plan = planExpand(selectExpand, definition);
  if (plan === null) {
    exchange.countEntities(1);
    return { entity };
  }
  const { maxEntities } = exchange;
  const entityType = origin.kind === "EntitySet" ? origin.entityType : origin;
  const page = { entities: [entity], rowShape, entityType, joined };
  const expanded = runExpand(plan, page, { ...exchange.reader, values, maxEntities });
  return chain(expanded, ({ entities, total }) => {
    exchange.countEntities(total);
    return { entity: entities[0] };
  });
}
