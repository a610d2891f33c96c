import { bindCollectionQuery } from "../binder/bind-query-options.ts";
import type { EntitySet } from "../edm/model.ts";
import { chain } from "../execution/chain.ts";
import { runCollection, type CollectionResult } from "../execution/run-collection.ts";
import { runExpand } from "../execution/run-expand.ts";
import type { JsonFormat } from "../http/media-type.ts";
import { nextLink } from "../http/next-link.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { collectionContext } from "../payload/context-url.ts";
import { writeCollection } from "../payload/write-collection.ts";
import { nextPageOption, planCollection, type CollectionPlan } from "../plan/plan-collection.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { entityWriterFor } from "./entity-writer-for.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { jsonResponse } from "./response.ts";

/** Options that a next link of ours replaces: the new offset is absolute. */
const OFFSET_OPTIONS: readonly string[] = ["$skip", "$skiptoken"];

/**
 * `GET /Set`: one page of a collection, through whichever form the set declares.
 * @throws ODataError for negotiation, a query option, or what the handler answered
 * @see specification, Collection read
 */
export const readCollection: Endpoint = (exchange, path) => {
  const entitySet = entitySetOf(path);
  const { target, form, handlers, capabilities, settings } = exchange.entitySet(entitySet);
  const { definition } = exchange.service;
  const format = readJsonFormat(exchange);
  const query = bindCollectionQuery(readOptions(exchange), target, exchange.service.shapes);
  if (form === undefined) throw new Error(`${entitySet.name} has a route for reading, but no handler.`);
  const { selectExpand } = query.shape;
  const expandPlan = planExpand(selectExpand, definition);
  const selected = propertiesToRead(entitySet, selectExpand, {
    // Links are made from the key, and expansions are found by it.
    key: format.metadata === "full" || expandPlan !== null,
    pushdown: settings.selectPushdownEnabled,
  });
  const { maxPageSize } = exchange.preferences;
  const plan = planCollection(form, query, capabilities, { maxPageSize, selected });
  const { maxResponseEntities: maxEntities } = definition.limits;
  const { context } = exchange;
  return chain(runCollection(plan, handlers, context, maxEntities), (result) => {
    if (expandPlan === null) return respond(exchange, plan, result, format);
    const page = { entities: result.entities, rowShape: result.rowShape, entityType: entitySet.entityType };
    const expanded = runExpand(expandPlan, page, { values: query.values, context, maxEntities });
    return chain(expanded, ({ entities, total }) => respond(exchange, plan, { ...result, entities }, format, total));
  });
};

function respond(
  exchange: Exchange,
  plan: CollectionPlan,
  result: CollectionResult,
  format: JsonFormat,
  total?: number,
): ODataResponse {
  const { entitySet, selectExpand } = plan.query.shape;
  const body = writeCollection({
    contextUrl: collectionContext(exchange.serviceRoot, entitySet, selectExpand.contextSelect),
    count: result.count,
    nextLink: result.nextLink ?? (result.hasMore ? ownNextLink(exchange, plan) : undefined),
    entities: result.entities,
    total,
    writer: entityWriterFor(entitySet, selectExpand, format, result.rowShape),
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

/** The set that a path addresses; the route table hands over no other kind. */
export function entitySetOf(path: ResourcePath): EntitySet {
  if ("entitySet" in path) return path.entitySet;
  throw new Error(`A path of kind ${path.kind} addresses no entity set.`);
}
