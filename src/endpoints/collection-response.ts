import { bindCollectionQuery, type QueryTarget } from "../binder/bind-query-options.ts";
import type { OptionRules } from "../binder/check-capabilities.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/handlers.ts";
import { chain } from "../execution/chain.ts";
import { runCollection, type CollectionResult } from "../execution/run-collection.ts";
import { runExpand } from "../execution/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import { nextLink } from "../http/next-link.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { writeCollection } from "../payload/write-collection.ts";
import { nextPageOption, planCollection, type CollectionPlan, type ReadForm } from "../plan/plan-collection.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { readOptions } from "./read-options.ts";
import { jsonResponse } from "./response.ts";

/** Options that a next link of ours replaces: the new offset is absolute. */
const OFFSET_OPTIONS: readonly string[] = ["$skip", "$skiptoken"];

/** A collection that a request addresses: all in which the reads of collections differ, as data. */
export interface CollectionResource {
  readonly target: QueryTarget;
  /** The query options that it takes. */
  readonly rules: OptionRules;
  readonly form: ReadForm;
  readonly handlers: EntitySetHandlers<Context>;
  /** What the entities belong to. */
  readonly origin: EntityOrigin;
  readonly selectPushdownEnabled: boolean;
  /** Whether `$count` is taken after `$skip`. */
  readonly countsAfterSkip: boolean;
  /** @param contextSelect what `$select` lists */
  contextUrl(contextSelect: readonly string[]): string;
}

/** One page on its way into a response. */
interface PageToWrite {
  readonly plan: CollectionPlan;
  readonly result: CollectionResult;
  /** How many entities are written, those of expansions included; undefined where nothing is expanded. */
  readonly total?: number | undefined;
}

/**
 * Answers one page of a collection: binds the query options, plans, reads, expands and writes.
 * @throws ODataError for a query option, or what a handler answered
 * @see specification, Collection read; Navigation routes, rule 3
 */
export function collectionResponse(
  exchange: Exchange,
  format: JsonFormat,
  resource: CollectionResource,
): ODataResponse | PromiseLike<ODataResponse> {
  const { target, rules, form, handlers, selectPushdownEnabled, countsAfterSkip } = resource;
  const { definition, shapes } = exchange.service;
  const query = bindCollectionQuery(readOptions(exchange), target, shapes, rules);
  const { selectExpand, entityType } = query.shape;
  const expandPlan = planExpand(selectExpand, definition);
  const selected = propertiesToRead(target.entitySet, selectExpand, {
    // Links are made from the key, and expansions are found by it.
    key: format.metadata === "full" || expandPlan !== null,
    pushdown: selectPushdownEnabled,
  });
  const { maxPageSize } = exchange.preferences;
  const plan = planCollection(form, query, target.capabilities, { maxPageSize, selected, countsAfterSkip });
  const { maxResponseEntities: maxEntities } = definition.limits;
  const { context } = exchange;
  return chain(runCollection(plan, handlers, context, maxEntities), (result) => {
    if (expandPlan === null) return respond(exchange, format, resource, { plan, result });
    const page = { entities: result.entities, rowShape: result.rowShape, entityType };
    const expanded = runExpand(expandPlan, page, { values: query.values, context, maxEntities });
    return chain(expanded, ({ entities, total }) =>
      respond(exchange, format, resource, { plan, result: { ...result, entities }, total }),
    );
  });
}

function respond(
  exchange: Exchange,
  format: JsonFormat,
  resource: CollectionResource,
  { plan, result, total }: PageToWrite,
): ODataResponse {
  const { selectExpand } = plan.query.shape;
  const body = writeCollection({
    contextUrl: resource.contextUrl(selectExpand.contextSelect),
    count: result.count,
    nextLink: result.nextLink ?? (result.hasMore ? ownNextLink(exchange, plan) : undefined),
    entities: result.entities,
    total,
    writer: entityWriterFor(resource.origin, selectExpand, format, result.rowShape),
    serviceRoot: exchange.serviceRoot,
  });
  const applied = result.nextLink === undefined ? plan.page.appliedPageSize : undefined;
  const name = exchange.preferences.maxPageSizeName;
  return jsonResponse(
    exchange,
    format,
    typeof body === "string" ? body : startChunks(body),
    applied === undefined ? undefined : { "Preference-Applied": `${name}=${String(applied)}` },
  );
}

function ownNextLink(exchange: Exchange, plan: CollectionPlan): string {
  return nextLink(exchange.requestUrl, exchange.options.options.pairs, OFFSET_OPTIONS, nextPageOption(plan));
}

/**
 * Makes the first chunk at once: an entity that cannot be written is then still a proper error, for most pages that
 * have one.
 */
function startChunks(chunks: Iterable<string>): Iterable<string> {
  const iterator = chunks[Symbol.iterator]();
  const first = iterator.next();
  return (function* rest() {
    for (let next = first; next.done !== true; next = iterator.next()) yield next.value;
  })();
}
