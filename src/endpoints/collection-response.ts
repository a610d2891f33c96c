import { chain } from "../base/maybe.ts";
import { ruleContextOf } from "../definition/context.ts";
import type { EntitySet } from "../edm/model.ts";
import { sizeOf } from "../execution/collection-result.ts";
import { CollectionStream } from "../execution/collection-stream.ts";
import { openCollection, runCollection } from "../execution/run-collection.ts";
import type { ExpandRequest } from "../execution/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { entityUrlStart } from "../payload/entity-url.ts";
import type { TokenScope } from "../plan/keyset-token.ts";
import { planCollection } from "../plan/plan-collection.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { keyProperties, propertiesToRead } from "../plan/properties-to-read.ts";
import { shapeKey } from "../query/clauses.ts";
import { bindCollection, returnedBy } from "./bind-query.ts";
import { type CollectionResource, hasNoReferences, type PageRequest, pageResponse } from "./collection-page.ts";
import { jsonMembers } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { mayOutgrowLinks } from "./sent-options.ts";
import { expandPart, streamResponse } from "./stream-response.ts";

/**
 * Makes the response with one page of a collection: binds the query options, plans, reads, expands and writes.
 * @throws ODataError for a query option, or the error of a handler
 * @see docs/reference/entity-sets.md
 */
export function collectionResponse(
  exchange: Exchange,
  format: JsonFormat,
  resource: CollectionResource,
): ODataResponse | PromiseLike<ODataResponse> {
  const { target, rules, form, rows, selectPushdownEnabled, countsAfterSkip } = resource;
  const { service } = exchange;
  const { definition } = service;
  const isReturned = form === "get-all" || form === "apply-query";
  const query = bindCollection(exchange, isReturned ? returnedBy(target) : target, rules);
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, definition);
  const needed = propertiesToRead(target.entitySet, selectExpand, {
    // Links contain the key, and handlers of expansions are called with it.
    key: format.metadata !== "none" || expandPlan?.needsKey === true,
    pushdown: selectPushdownEnabled,
    join: expandPlan?.joinProperties,
  });
  const selected = resource.referencesOnly === true ? keyProperties(entityType) : needed;
  const { maxPageSize } = exchange.preferences;
  const { origin } = resource;
  const members =
    resource.referencesOnly === true ? undefined : jsonMembers(service, origin, selectExpand, expandPlan, format);
  const json = resource.isUnnamed === true && members?.id !== undefined ? undefined : members;
  const plan = planCollection(form, query, target.capabilities, {
    maxPageSize,
    selected,
    expand: expandPlan,
    countsAfterSkip,
    json,
    idStart:
      json?.id === undefined || origin.kind !== "EntitySet" ? undefined : entityUrlStart(exchange.serviceRoot, origin),
    keyset: resource.keyset === true ? keysetTokenScope(exchange, target.entitySet) : undefined,
  });
  const { reader, maxEntities } = exchange;
  const request: PageRequest = { exchange, format, resource, plan };
  // A response that has begun could not become an error.
  const isWhole = hasNoReferences(resource) || mayOutgrowLinks(exchange);
  const open = isWhole ? runCollection : openCollection;
  return chain(open(plan, rows, reader, maxEntities), (result) => {
    const run: ExpandRequest = { ...reader, values: query.values, maxEntities };
    if (result instanceof CollectionStream) return streamResponse(request, result, run);
    return chain(expandPart(expandPlan, entityType, result, run), (part) => {
      exchange.countEntities(part.total ?? sizeOf(part));
      return pageResponse(request, { ...result, parts: [part] });
    });
  });
}

/** The options that decide which rows are returned, and their order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/**
 * Returns the scope of a request's keyset tokens: a token is valid for one service, set, user and query.
 * @throws Error for a user without an identity, when the service has no `tokenScope` either
 */
export function keysetTokenScope(exchange: Exchange, entitySet: EntitySet): TokenScope {
  const { definition, seal } = exchange.service;
  if (seal === null) throw new Error(`${entitySet.name} has keyset paging, but its service has no secret.`);
  const { system, aliases } = exchange.options.options;
  const context = shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    ownerOf(exchange, entitySet),
    ...ROW_OPTIONS.map((name) => system.get(name)),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
  return { seal, context };
}

/** Returns a string that identifies the owner of tokens; undefined for an anonymous request. */
function ownerOf(exchange: Exchange, { name }: EntitySet): string | undefined {
  const { tokenScope: scopeOf } = exchange.service.definition;
  if (scopeOf !== undefined) {
    // JavaScript may return anything, such as a promise, which would be the same string for all users.
    const scope: unknown = scopeOf(ruleContextOf(exchange.context));
    if (typeof scope === "string") return scope;
    throw new TypeError(
      "`tokenScope` of odataService did not return a string: return one that identifies the user or tenant.",
    );
  }
  const { user } = exchange;
  if (user === null) return undefined;
  const id: unknown = typeof user === "object" ? Reflect.get(user, "id") : user;
  if ((typeof id === "string" && id !== "") || typeof id === "bigint" || Number.isFinite(id)) {
    return `${typeof id} ${String(id)}`;
  }
  throw new Error(
    `${name} has keyset paging, but the user of the request has no \`id\` that its tokens could belong to: return one from \`authenticate\`, or give odataService a \`tokenScope\`.`,
  );
}
