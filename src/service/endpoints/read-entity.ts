import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { NO_JOINS } from "../../engine/plan/join-expansions.ts";
import { planExpand } from "../../engine/plan/plan-expand.ts";
import { propertiesToRead } from "../../engine/plan/properties-to-read.ts";
import { expandFitting } from "../../engine/reads/expand-fitting.ts";
import { readExpandedByKey, type FoundEntity } from "../../engine/reads/read-by-key.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import { computeEntity } from "../../engine/reads/with-computed.ts";
import { matchesEntityTag } from "../../http/conditional.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import type { BoundEntityQuery, RoundingMode, SelectExpandClause } from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import { computedIn, mentionsOf, namedIn } from "../../language/query/mentions.ts";
import type { EntityAddress, EntityPath, ResourcePath } from "../../language/query/resource-path.ts";
import { childrenOf } from "../../language/query/walk-expression.ts";
import { etagCovers, etagOf } from "../../payload/etag.ts";
import { entityContext } from "../../payload/urls.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindEntity, readJsonFormat } from "./bind-query.ts";
import { variesByHeaders } from "./cache-headers.ts";
import { addressEntity, entityNotFound, checkMissingMatch, checkReadMatch } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { fittingText } from "./response-bytes.ts";
import { entityWriterFor, type EntityOrigin, runtimeOf } from "./service-runtime.ts";
import { addressedEtag } from "./singleton-key.ts";
import { jsonResponse, notModifiedResponse, type Endpoint, inPlannedStages } from "./stages.ts";

/**
 * `GET /Set(key)`: one entity; 304 when the client has it, 404 when it is missing.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, a rule; the error of the handler
 * @see OData Protocol 4.0, section 11.2.2; docs/reference/etags.md
 */
export const readEntity: Endpoint = inPlannedStages({
  bind: (request) => {
    const address = entityPathOf(request.path);
    const { entitySet, key: keyText } = address;
    const { target, settings } = runtimeOf(request.service, entitySet);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, entitySet.entityType, request.options.options.aliases, entitySet.name);
    return { origin: entitySet, address, keyText, key, format, query: bindEntity(request, target), settings };
  },
  plan: (bound, { service }) => ({ ...bound, plan: planExpand(bound.query.selectExpand, service.definition) }),
  execute: (entityPlan, execution) => {
    const { origin, keyText, key, query, plan, settings } = entityPlan;
    const selected = (): ReturnType<typeof propertiesToRead> =>
      // The links in the response contain the key, even if it is not selected.
      propertiesToRead(origin, query.selectExpand, {
        key: true,
        pushdown: settings.selectPushdownEnabled,
        join: plan?.joinProperties,
      });
    const found = chain(addressEntity(execution, { entitySet: origin, key }), (addressed) => {
      // An entity that was loaded whole for a rule is read again only for expansions.
      if (addressed === null || (addressed !== undefined && plan === null)) return addressed;
      const isComputed = computedIn(query.selectExpand) !== null;
      // Computed values are those of objects, which contain no joined expansions.
      return readExpandedByKey(origin, key, execution.reader, selected, {
        plan: isComputed ? null : plan,
        values: query.values,
      });
    });
    return chain(found, (entity) => {
      if (entity !== null) return expandUnlessKnown(execution, entityPlan, entity);
      if (isOfOneEntity(query.selectExpand)) checkMissingMatch(execution, origin);
      throw entityNotFound(origin, keyText);
    });
  },
  write: (result, { format, origin, address, query }, request, execution) => {
    const contextUrl = entityContext(
      request.serviceRoot,
      address.singleton ?? origin,
      query.selectExpand.contextSelect,
    );
    return entityResponse(request, { format, origin, query, contextUrl }, result, execution);
  },
});

/** Returns the entity that a path addresses; the route table passes no other path. */
export function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity" || path.kind === "entityReference") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}

/** An entity that a request addresses. */
interface EntityResource {
  /** The set or type of the entity. */
  readonly origin: EntityOrigin;
  /** The path of the entity itself; absent for any other path. */
  readonly address?: EntityAddress | undefined;
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

/** Reads an entity, unless the client has it. @throws ODataError `PreconditionFailed`, or as for `withETag` */
function expandUnlessKnown(execution: Execution, resource: EntityResource, found: FoundEntity): Maybe<EntityResult> {
  const { selectExpand } = resource.query;
  if (isOfOneEntity(selectExpand)) {
    const etag = etagFor(execution, resource, found);
    checkReadMatch(execution, etag);
    const shown = selectExpand.selected.map(({ property }) => property);
    if (isUnchanged(execution, resource.origin, etag, shown)) return { etag, expanded: null };
  }
  return withETag(execution, resource, found);
}

/**
 * Reads the expansions of an entity whose ETag the response has, whatever the client has.
 * @throws ODataError that a handler of an expansion returned or threw
 */
export function withETag(execution: Execution, resource: EntityResource, found: FoundEntity): Maybe<EntityResult> {
  const etag = etagFor(execution, resource, found);
  return chain(expandEntity(execution, resource, found), (expanded) =>
    chain(showEntity(execution, resource, expanded), (shown) => ({ etag, expanded: shown })),
  );
}

/** Gives an entity with its expansions the values of the virtual properties. @throws ODataError that `read` returned or threw */
export function showEntity(
  execution: Execution,
  { origin, query: { selectExpand } }: EntityResource,
  { entity, rowShape }: ExpandedEntity,
): Maybe<ExpandedEntity> {
  const entityType = origin.kind === "EntitySet" ? origin.entityType : origin;
  const page = { entities: [entity], rowShape };
  return chain(showEntities(page, selectExpand, entityType, execution.reader), (shown) => {
    return { entity: shown.entities[0], rowShape: shown.rowShape };
  });
}

function etagFor({ access }: Execution, { origin, address }: EntityResource, found: FoundEntity): string | undefined {
  const { entity, rowShape } = found;
  if (origin.kind !== "EntitySet") return undefined;
  return addressedEtag(etagOf(origin, entity, rowShape, access.properties), address);
}

/**
 * Whether a response depends on nothing but its entity, so that preconditions about the ETag of the entity are about the response.
 * @see docs/reference/etags.md
 */
const isOfOneEntity = keptPer((clause: SelectExpandClause): boolean => {
  const { expanded, computed = [] } = clause;
  if (expanded.length > 0 || mentionsOf(namedIn(clause)) !== null) return false;
  return !computed.some(({ expression }) => readsClock(expression));
});

function readsClock(expression: Expression): boolean {
  return (expression.kind === "call" && expression.name === "now") || childrenOf(expression).some(readsClock);
}

/**
 * Whether the client has an entity as the response would show it.
 * @param shown the properties of the response: the ETag does not show whether a virtual or left-out one has changed
 */
export function isUnchanged(
  execution: Execution,
  origin: EntityOrigin,
  etag: string | undefined,
  shown: readonly StructuralProperty[],
): boolean {
  if (!isKnown(execution, etag) || shown.some(({ virtual }) => virtual !== undefined)) return false;
  if (origin.kind !== "EntitySet") return true;
  // The control information of a media entity tells when its bytes change.
  return origin.entityType.media === undefined && etagCovers(origin, shown) && !variesByHeaders(execution, origin);
}

/** Whether the client has the representation with an ETag. */
export function isKnown({ arrival }: Pick<Execution, "arrival">, etag: string | undefined): boolean {
  const condition = etag === undefined ? undefined : arrival.odata.header("if-none-match");
  return etag !== undefined && condition !== undefined && matchesEntityTag(condition, etag);
}

/**
 * Makes the response with one entity: with its ETag where its set has ETags, and 304 when the client has it.
 * @throws ODataError `InvalidQueryOption` if it is too large
 * @see docs/reference/etags.md
 */
export function entityResponse(
  request: AuthorizedRequest,
  { format, origin, query, contextUrl }: EntityPayload,
  { etag, expanded }: EntityResult,
  execution: Execution,
): ODataResponse {
  if (expanded === null) return notModifiedResponse(request, etag ?? "");
  const { service, serviceRoot } = request;
  const writer = entityWriterFor(service, origin, query.selectExpand, format, expanded.rowShape);
  const body = fittingText(execution, () => writer.writeEntity(expanded.entity, serviceRoot, contextUrl));
  return jsonResponse(request, format, body, etag === undefined ? undefined : { ETag: etag });
}

/**
 * Computes the values of an entity, and reads its expansions.
 * @throws ODataError that a handler of an expansion, or of a path in a computed value, returned or threw
 */
export function expandEntity(
  execution: Execution,
  { origin, query: { selectExpand, values, links } }: EntityResource,
  found: FoundEntity,
): Maybe<ExpandedEntity> {
  const plan = planExpand(selectExpand, execution.service.definition);
  const entityType = origin.kind === "EntitySet" ? origin.entityType : origin;
  const rows = { selectExpand, entityType, roundingMode: roundingOf(execution, origin) };
  return chain(computeEntity(found, rows, values, execution.reader), ({ entity, rowShape, joined = NO_JOINS }) => {
    if (plan === null) {
      execution.countEntities(1);
      return { entity, rowShape };
    }
    const { maxEntities } = execution;
    const page = { entities: [entity], rowShape, entityType, joined };
    const expanded = expandFitting(plan, page, { ...execution.reader, values, maxEntities, links });
    return chain(expanded, ({ entities, total }) => {
      execution.countEntities(total);
      return { entity: entities[0], rowShape };
    });
  });
}

/** Returns how values are rounded in computed values of a set; without a set, as the standard says. */
function roundingOf({ service }: Execution, origin: EntityOrigin): RoundingMode {
  return origin.kind === "EntitySet" ? runtimeOf(service, origin).capabilities.roundingMode : "spec-compliant";
}
