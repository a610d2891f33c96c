import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { ruleContextOf } from "../../definition/context.ts";
import type { EntitySet, EntityType } from "../../edm/model.ts";
import { startAll } from "../../engine/entities/concurrency.ts";
import { sizeOf, type CollectionPart } from "../../engine/entities/handler-answer.ts";
import { definitionIn, type Reader } from "../../engine/entities/reader.ts";
import { isShaped, isTransformed } from "../../engine/plan/apply-shapes.ts";
import { planCollection, type RowTokens } from "../../engine/plan/plan-collection.ts";
import { planExpand, type ExpandPlan } from "../../engine/plan/plan-expand.ts";
import { planNamedJson, planJson } from "../../engine/plan/plan-json.ts";
import { keyProperties, propertiesToRead } from "../../engine/plan/properties-to-read.ts";
import { expandFitting } from "../../engine/reads/expand-fitting.ts";
import { runCollection } from "../../engine/reads/run-collection.ts";
import type { ExpandRequest } from "../../engine/reads/run-expand.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import {
  type BoundQuery,
  type QueryShape,
  shapeKey,
  type SelectExpandClause,
  selectsKey,
} from "../../language/query/clauses.ts";
import type { JsonMembers } from "../../language/query/source.ts";
import { showsVirtual } from "../../language/query/virtual-values.ts";
import type { PayloadFormat } from "../../payload/payload-format.ts";
import { entityUrlStart } from "../../payload/urls.ts";
import type { EntityRoutes } from "../../payload/write-entity.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindCollection, returnedBy } from "./bind-query.ts";
import {
  type CollectionResource,
  type PageToWrite,
  type PlannedPage,
  pageResponse,
  type PagePart,
} from "./collection-page.ts";
import type { Execution } from "./execution.ts";
import type { EntityOrigin } from "./service-runtime.ts";
import { noContentResponse, type Endpoint, inPlannedStages } from "./stages.ts";

/** A collection that a request addresses, and the format of the response. */
interface CollectionRequest {
  readonly format: JsonFormat;
  readonly resource: CollectionResource;
}

interface BoundCollection extends CollectionRequest {
  readonly query: BoundQuery;
}

/**
 * Makes an endpoint for one page of a collection: binds the query options, plans, reads, expands and writes.
 * @param address returns the collection. @throws ODataError for negotiation, a key
 * @throws ODataError for a query option, or the error of a handler
 * @see docs/reference/entity-sets.md
 */
export function readsCollection(address: (request: AuthorizedRequest) => CollectionRequest): Endpoint {
  return inPlannedStages({
    bind: (request): BoundCollection => {
      const { format, resource } = address(request);
      const { target, rules, form } = resource;
      const isReturned = form === "get-all" || form === "apply-query";
      const query = bindCollection(request, isReturned ? returnedBy(target) : target, rules);
      return { format, resource, query };
    },
    plan: planPage,
    execute: readPage,
    write: (page, planned, request) => {
      if (planned.resource.isNull?.() === true) return noContentResponse(request);
      return pageResponse(planned, page);
    },
  });
}

function planPage(
  { format, resource, query }: BoundCollection,
  request: AuthorizedRequest,
  execution: Execution,
): PlannedPage {
  const { target, form, selectPushdownEnabled, countsAfterSkip, origin } = resource;
  const { service } = request;
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, service.definition);
  const needed = propertiesToRead(target.entitySet, selectExpand, {
    // Links contain the key, and handlers of expansions are called with it.
    key: format.metadata !== "none" || expandPlan?.needsKey === true,
    pushdown: selectPushdownEnabled,
    join: expandPlan?.joinProperties,
  });
  const own = isTransformed(query.shape) ? selectExpand.selected : needed;
  const selected = resource.referencesOnly === true ? keyProperties(entityType) : own;
  const isPlain = resource.referencesOnly !== true && !isShaped(query.shape);
  const members = !isPlain ? undefined : jsonMembers(service, origin, selectExpand, expandPlan, format);
  const json = resource.isUnnamed === true && members?.id !== undefined ? undefined : members;
  const plan = planCollection(form, query, target.capabilities, {
    preferred: request.preferences.maxPageSize,
    maxPageSize: service.definition.limits.maxPageSize,
    selected,
    expand: expandPlan,
    countsAfterSkip,
    json,
    idStart: json === undefined ? undefined : (entitySet) => entityUrlStart(request.serviceRoot, entitySet),
    tokens: resource.paging === undefined ? undefined : rowTokens(request, execution, resource),
  });
  return { request, format, resource, plan, execution };
}

function readPage(planned: PlannedPage, execution: Execution): Maybe<PageToWrite> {
  const { resource, plan } = planned;
  const { reader, maxEntities } = execution;
  return chain(runCollection(plan, resource.rows(execution), reader, maxEntities), (result): Maybe<PageToWrite> => {
    const { query, expand } = plan;
    const run: ExpandRequest = { ...reader, values: query.values, maxEntities, links: query.links };
    return chain(expandPart(expand, query.shape.entityType, result, run), (part): Maybe<PageToWrite> => {
      const parts: PageToWrite["parts"] = [part, ...(result.further ?? [])];
      for (const each of parts) execution.countEntities(each.total ?? sizeOf(each));
      if (part.isCut === true && result.nextLink !== undefined) throw tooManyBytes("The page");
      const page = { ...result, hasMore: result.hasMore || part.isCut === true };
      if (resource.referencesOnly === true) return { ...page, parts };
      return chain(startAll(parts.map((each) => () => showPart(each, query.shape, reader))), (shown) => {
        const [first = part, ...further] = shown;
        return { ...page, parts: [first, ...further] };
      });
    });
  });
}

/** Gives the entities of a part the values of their virtual properties. */
function showPart(part: PagePart, shape: QueryShape, reader: Reader): Maybe<PagePart> {
  const { selectExpand, entityType } = part.shape ?? shape;
  if (!showsVirtual(selectExpand)) return part;
  return chain(showEntities(part, selectExpand, entityType, reader), (shown) => ({ ...part, ...shown }));
}

/** The options that decide which rows are returned, and their order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/**
 * Returns the tokens of a set whose pages go on after a row: all pages with keyset paging, otherwise the pages that the service
 * divides.
 * @throws Error when they are used, for a user without an identity, if keyset paging has no `tokenScope` either; with paging by
 * offset its links have the offset alone
 */
function rowTokens(
  request: AuthorizedRequest,
  execution: Execution,
  { paging, target }: Pick<CollectionResource, "paging" | "target">,
): RowTokens {
  const { entitySet } = target;
  const isKeyset = paging === "keyset";
  return {
    isKeyset,
    scope: () => {
      const { seal, ownSeal } = request.service;
      if (isKeyset && seal === null) {
        throw new Error(`${entitySet.name} has keyset paging, but its service has no secret.`);
      }
      const owner = isKeyset ? ownerOf(execution) : knownOwnerOf(execution);
      if (owner === null && isKeyset) throw new Error(withoutOwner(entitySet));
      if (owner === null) return null;
      const context = tokenContext(request, execution, entitySet, owner.id);
      return { seal: seal ?? ownSeal(), context, hasOffset: !isKeyset };
    },
  };
}

/** Returns the text that a request's tokens belong to: a token is valid for one service, set, user and query. */
function tokenContext(
  request: AuthorizedRequest,
  execution: Execution,
  entitySet: EntitySet,
  owner: string | undefined,
): string {
  const { definition } = request.service;
  const { system, aliases } = request.options.options;
  return shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    owner,
    ...tenantOf(execution, entitySet),
    ...ROW_OPTIONS.map((name) => system.get(name)),
    // Names that $compute defines may be in the order.
    ...(system.has("$compute") ? [system.get("$compute")] : []),
    ...(system.has("$apply") ? ["$apply", system.get("$apply")] : []),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
}

/** Returns the name of the tenant whose rows a token continues; nothing if all tenants share a database. */
function tenantOf({ service, context }: Execution, entitySet: EntitySet): readonly string[] {
  const tenant = definitionIn(service.definition, entitySet).database?.tenantOf?.(context);
  return tenant === undefined ? [] : [tenant];
}

interface TokenOwner {
  /** Undefined for anonymous requests. */
  readonly id: string | undefined;
}

/**
 * Returns the owner of tokens; null for a user who has no identity.
 * @throws the error of `tokenScope`; TypeError if it returns no string
 */
function ownerOf(execution: Execution): TokenOwner | null {
  const { tokenScope: scopeOf } = execution.service.definition;
  if (scopeOf !== undefined) {
    // JavaScript may return anything, such as a promise, which would be the same string for all users.
    const scope: unknown = scopeOf(ruleContextOf(execution.context));
    if (typeof scope === "string") return { id: scope };
    throw new TypeError(
      "`tokenScope` of odataService did not return a string: return a string that identifies the user or tenant.",
    );
  }
  const { user } = execution.access;
  if (user === null) return { id: undefined };
  const id: unknown = typeof user === "object" ? Reflect.get(user, "id") : user;
  const isIdentity = (typeof id === "string" && id !== "") || typeof id === "bigint" || Number.isFinite(id);
  return isIdentity ? { id: `${typeof id} ${String(id)}` } : null;
}

/** Returns the owner of tokens; null if it is unknown, which no request of a set with paging by offset needs. */
function knownOwnerOf(execution: Execution): TokenOwner | null {
  try {
    return ownerOf(execution);
  } catch {
    return null;
  }
}

function withoutOwner({ name }: EntitySet): string {
  return `${name} has keyset paging, but the user of the request has no \`id\` that its tokens could belong to: return one from \`authenticate\`, or give odataService a \`tokenScope\`.`;
}

/** Reads the related entities of a part of a page, unless they are in its JSON. */
function expandPart(
  plan: ExpandPlan | null,
  entityType: EntityType,
  part: CollectionPart,
  run: ExpandRequest,
): Maybe<ExpandedPart> {
  if (plan === null) return part;
  if (part.json !== undefined) return { ...part, total: part.json.total };
  const { entities, rowShape, joined, lastAt: findLast } = part;
  const expanded = expandFitting(plan, { entities, rowShape, entityType, joined }, run);
  return chain(expanded, (page) => ({ ...page, rowShape, lastAt: findLast }));
}

interface ExpandedPart extends PagePart {
  /** Whether the page ends here, because the expansions of the next entity do not fit. */
  readonly isCut?: boolean;
}

/**
 * Returns the members of entities that are written with nothing but values, and the ids of entities without expansions, at all
 * levels of the expansions; undefined if there is other control information.
 */
function jsonMembers(
  { routes }: { readonly routes: EntityRoutes },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  expand: ExpandPlan | null,
  { metadata, ieee754Compatible }: PayloadFormat,
): JsonMembers | undefined {
  if (metadata === "full" || ieee754Compatible) return undefined;
  const hasControl = metadata !== "none";
  const entitySet = origin.kind === "EntitySet" ? origin : null;
  const isWithId = hasControl && entitySet !== null && routes.isReadByKey(entitySet);
  if (isWithId && !selectsKey(clause, entitySet.entityType)) {
    const isPlain = expand === null && entitySet.etag.length === 0;
    return isPlain ? (planNamedJson(clause, entitySet) ?? undefined) : undefined;
  }
  return planJson(clause, entitySet, expand, hasControl) ?? undefined;
}
