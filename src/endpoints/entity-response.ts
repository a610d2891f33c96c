import { chain, type Maybe } from "../base/maybe.ts";
import type { FoundEntity } from "../execution/reads/read-by-key.ts";
import { runExpand } from "../execution/reads/run-expand.ts";
import { matchesEntityTag } from "../http/conditional.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { etagOf } from "../payload/etag.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import { planExpand } from "../plan/plan-expand.ts";
import type { BoundEntityQuery } from "../query/clauses.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { checkReadMatch } from "./current-entity.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Execution } from "./execution.ts";
import { jsonResponse, notModifiedResponse } from "./response.ts";

/** An entity that a request addresses. */
interface EntityResource {
  /** The set or type of the entity. */
  readonly origin: EntityOrigin;
  readonly query: BoundEntityQuery;
}

/** How an entity is written. */
interface EntityPayload extends EntityResource {
  readonly format: JsonFormat;
  readonly contextUrl: string;
}

/** An entity that was read with its expansions. */
interface EntityResult {
  /** Absent for a set without ETags. */
  readonly etag: string | undefined;
  /** Null where the client has the entity. */
  readonly expanded: ExpandedEntity | null;
}

/** An entity with its expansions, as its writer reads it. */
type ExpandedEntity = Pick<FoundEntity, "entity" | "rowShape">;

/**
 * Reads the expansions of an entity, unless the client has the entity.
 * @throws ODataError `PreconditionFailed`, or that a handler of an expansion returned or threw
 * @see docs/reference/etags.md
 */
export function expandUnlessKnown(
  execution: Execution,
  resource: EntityResource,
  found: FoundEntity,
): Maybe<EntityResult> {
  const { origin } = resource;
  const etag = origin.kind === "EntitySet" ? etagOf(origin, found.entity, found.rowShape) : undefined;
  checkReadMatch(execution, etag);
  if (isKnown(execution, etag)) return { etag, expanded: null };
  return chain(expandEntity(execution, resource, found), (expanded) => ({ etag, expanded }));
}

/** Whether the client has the representation with an ETag. */
export function isKnown({ arrival }: Pick<Execution, "arrival">, etag: string | undefined): boolean {
  const condition = etag === undefined ? undefined : arrival.odata.header("if-none-match");
  return etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag);
}

/**
 * Makes the response with one entity: with its ETag where its set has ETags, and 304 when the client has it.
 * @see docs/reference/etags.md
 */
export function entityResponse(
  request: AuthorizedRequest,
  { format, origin, query, contextUrl }: EntityPayload,
  { etag, expanded }: EntityResult,
): ODataResponse {
  if (expanded === null) return notModifiedResponse(request, etag ?? "");
  const { service, serviceRoot } = request;
  const writer = entityWriterFor(service, origin, query.selectExpand, format, expanded.rowShape);
  const body = writer.writeEntity(expanded.entity, serviceRoot, contextUrl);
  return jsonResponse(request, format, body, etag === undefined ? undefined : { ETag: etag });
}

/** Reads the expansions of an entity. @throws ODataError that a handler of an expansion returned or threw */
export function expandEntity(
  execution: Execution,
  { origin, query: { selectExpand, values } }: EntityResource,
  { entity, rowShape, joined = NO_JOINS }: FoundEntity,
): Maybe<ExpandedEntity> {
  const plan = planExpand(selectExpand, execution.service.definition);
  if (plan === null) {
    execution.countEntities(1);
    return { entity, rowShape };
  }
  const { maxEntities } = execution;
  const entityType = origin.kind === "EntitySet" ? origin.entityType : origin;
  const page = { entities: [entity], rowShape, entityType, joined };
  const expanded = runExpand(plan, page, { ...execution.reader, values, maxEntities });
  return chain(expanded, ({ entities, total }) => {
    execution.countEntities(total);
    return { entity: entities[0], rowShape };
  });
}
