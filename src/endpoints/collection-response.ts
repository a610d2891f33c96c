import { chain } from "../base/maybe.ts";
import type { QueryTarget } from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/check-capabilities.ts";
import { ruleContextOf } from "../definition/context.ts";
import type { EntitySet } from "../edm/model.ts";
import { type CollectionResult, type CollectionRows, runCollection, sizeOf } from "../execution/run-collection.ts";
import { runExpand } from "../execution/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import { nextLink } from "../http/next-link.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { writeCollection } from "../payload/write-collection.ts";
import { compileReferenceWriter } from "../payload/write-entity-reference.ts";
import type { EntityWriter } from "../payload/write-entity.ts";
import type { TokenScope } from "../plan/keyset-token.ts";
import { nextPageOption, planCollection, type CollectionPlan, type ReadForm } from "../plan/plan-collection.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { keyProperties, propertiesToRead } from "../plan/properties-to-read.ts";
import { shapeKey } from "../query/clauses.ts";
import { bindCollection } from "./bind-query.ts";
import { entityWriterFor, type EntityOrigin, plainMembers } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { jsonResponse } from "./response.ts";

/** Options that a generated next link replaces: its offset is absolute. */
const OFFSET_OPTIONS: readonly string[] = ["$skip", "$skiptoken"];

/** A collection that a request addresses: everything that differs between the reads of collections, as data. */
export interface CollectionResource {
  readonly target: QueryTarget;
  /** The query options that the collection accepts. */
  readonly rules: OptionRules;
  readonly form: ReadForm;
  readonly rows: CollectionRows;
  /** The set or type of the entities. */
  readonly origin: EntityOrigin;
  readonly selectPushdownEnabled: boolean;
  /** Whether the response contains references instead of entities: none for entities without a set. */
  readonly referencesOnly?: boolean | undefined;
  /** Whether `$count` excludes skipped entities. */
  readonly countsAfterSkip: boolean;
  /** Whether next links contain the last row instead of an offset. */
  readonly keyset?: boolean | undefined;
  /** @param contextSelect the items of `$select` */
  contextUrl(contextSelect: readonly string[]): string;
}

/** One page before it is written. */
interface PageToWrite {
  readonly plan: CollectionPlan;
  readonly result: CollectionResult;
  /** The number of entities, expansions included; undefined without expansions. */
  readonly total?: number | undefined;
}

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
  const { definition } = exchange.service;
  const query = bindCollection(exchange, target, rules);
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, definition);
  const needed = propertiesToRead(target.entitySet, selectExpand, {
    // Links contain the key, and handlers of expansions are called with it.
    key: format.metadata === "full" || expandPlan?.needsKey === true,
    pushdown: selectPushdownEnabled,
    join: expandPlan?.joinProperties,
  });
  const selected = resource.referencesOnly === true ? keyProperties(entityType) : needed;
  const { maxPageSize } = exchange.preferences;
  const plan = planCollection(form, query, target.capabilities, {
    maxPageSize,
    selected,
    expand: expandPlan,
    countsAfterSkip,
    json: resource.referencesOnly === true ? undefined : plainMembers(resource.origin, selectExpand, format),
    keyset: resource.keyset === true ? keysetTokenScope(exchange, target.entitySet) : undefined,
  });
  const { maxResponseEntities: maxEntities } = definition.limits;
  const { reader } = exchange;
  return chain(runCollection(plan, rows, reader, maxEntities), (result) => {
    if (expandPlan === null) return respond(exchange, format, resource, { plan, result });
    const { entities: parents, rowShape, joined } = result;
    const page = { entities: parents, rowShape, entityType, joined };
    const expanded = runExpand(expandPlan, page, { ...reader, values: query.values, maxEntities });
    return chain(expanded, ({ entities, total }) =>
      respond(exchange, format, resource, { plan, result: { ...result, entities }, total }),
    );
  });
}

function respond(
  exchange: Exchange,
  format: JsonFormat,
  resource: CollectionResource,
  page: PageToWrite,
): ODataResponse {
  const { plan, total } = page;
  const result = hasNoReferences(resource) ? withoutEntities(page.result) : page.result;
  const { selectExpand } = plan.query.shape;
  const body = writeCollection({
    contextUrl: resource.contextUrl(selectExpand.contextSelect),
    count: result.count,
    nextLink: result.nextLink ?? (result.hasMore ? ownNextLink(exchange, plan, result) : undefined),
    entities: result.entities,
    json: result.json,
    total,
    writer: writerOf(exchange, format, resource, { plan, result }),
    serviceRoot: exchange.serviceRoot,
  });
  const applied = result.nextLink === undefined ? plan.page.appliedPageSize : undefined;
  const name = exchange.preferences.maxPageSizeName;
  return jsonResponse(
    exchange,
    format,
    startBody(body),
    applied === undefined ? undefined : { "Preference-Applied": `${name}=${String(applied)}` },
  );
}

/** Whether the entities have no URLs, because their navigation has no target set. @see docs/reference/navigation.md */
function hasNoReferences({ referencesOnly, origin }: CollectionResource): boolean {
  return referencesOnly === true && origin.kind !== "EntitySet";
}

function withoutEntities(result: CollectionResult): CollectionResult {
  const count = result.count === undefined ? undefined : 0;
  return { ...result, entities: [], count, hasMore: false, nextLink: undefined };
}

function writerOf(
  exchange: Exchange,
  format: JsonFormat,
  { origin, referencesOnly }: CollectionResource,
  { plan, result }: PageToWrite,
): EntityWriter {
  if (referencesOnly !== true) {
    return entityWriterFor(exchange.service, origin, plan.query.shape.selectExpand, format, result.rowShape);
  }
  return compileReferenceWriter(origin.kind === "EntitySet" ? origin : null, format, result.rowShape);
}

/** Makes the next link, with an offset if the values of the last row would make the link too long. */
function ownNextLink(exchange: Exchange, plan: CollectionPlan, result: CollectionResult): string {
  const { last } = result;
  const { pairs } = exchange.options.options;
  const length = sizeOf(result);
  const link = nextLink(exchange.requestUrl, pairs, OFFSET_OPTIONS, nextPageOption(plan, length, last));
  const { maxUrlLength } = exchange.service.definition.limits;
  if (last === undefined || maxUrlLength === null || link.length <= maxUrlLength) return link;
  return nextLink(exchange.requestUrl, pairs, OFFSET_OPTIONS, nextPageOption(plan, length));
}

/**
 * Makes the first chunk of a body at once, so that an entity that cannot be written still leads to an error response, unless
 * it is in a later chunk.
 */
export function startBody(body: ReturnType<typeof writeCollection>): ReturnType<typeof writeCollection> {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  const iterator = body[Symbol.iterator]();
  const first = iterator.next();
  return (function* rest() {
    for (let next = first; next.done !== true; next = iterator.next()) yield next.value;
  })();
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
