import { chain } from "../base/maybe.ts";
import { COLLECTION_OPTIONS } from "../binder/option-rules.ts";
import type { EntitySet } from "../edm/model.ts";
import { runCount } from "../execution/reads/run-collection.ts";
import { collectionContext } from "../payload/context-url.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { bindCount } from "./bind-query.ts";
import { collectionResponse } from "./collection-response.ts";
import { type Endpoint, routed } from "./exchange.ts";
import { readJsonFormat, readTextFormat } from "./read-options.ts";
import { okResponse } from "./response.ts";

/**
 * `GET /Set`: one page of a collection, through the form that the set declares.
 * @throws ODataError for negotiation, a query option; the error of the handler
 * @see docs/reference/entity-sets.md
 */
export const readCollection: Endpoint = (exchange, path) => {
  const entitySet = entitySetOf(path);
  const { target, form, handlers, settings } = exchange.entitySet(entitySet);
  const format = readJsonFormat(exchange);
  return collectionResponse(exchange, format, {
    target,
    rules: COLLECTION_OPTIONS,
    form: routed(form, `GET ${entitySet.name}`),
    rows: { handlers, entitySet },
    origin: entitySet,
    selectPushdownEnabled: settings.selectPushdownEnabled,
    countsAfterSkip: false,
    keyset: settings.paging === "keyset",
    contextUrl: (contextSelect) => collectionContext(exchange.serviceRoot, entitySet, contextSelect),
  });
};

/** Returns the set that a path addresses; the route table passes no other path. */
export function entitySetOf(path: ResourcePath): EntitySet {
  if ("entitySet" in path) return path.entitySet;
  throw new Error(`A path of kind ${path.kind} addresses no entity set.`);
}

/**
 * `GET /Set/$count`: the number of entities that match `$filter` and `$search`, as plain text.
 * @throws ODataError for negotiation, a query option; the error of the handler
 * @see docs/reference/count.md
 */
export const readCount: Endpoint = (exchange, path) => {
  const entitySet = entitySetOf(path);
  const { target, form, handlers } = exchange.entitySet(entitySet);
  const contentType = readTextFormat(exchange);
  const query = bindCount(exchange, target);
  return chain(
    runCount(routed(form, `GET ${entitySet.name}/$count`), query, { handlers, entitySet }, exchange.reader),
    (count) => okResponse(exchange, contentType, String(count)),
  );
};
