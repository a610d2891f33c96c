import type { EntitySet } from "../../edm/model.ts";
import { runCount } from "../../engine/reads/run-collection.ts";
import { COLLECTION_OPTIONS } from "../../language/binder/option-rules.ts";
import type { ResourcePath } from "../../language/query/resource-path.ts";
import { collectionContext } from "../../payload/urls.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindCount, readJsonFormat, readTextFormat } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { readsCollection } from "./collection-response.ts";
import { runtimeOf } from "./service-runtime.ts";
import { okResponse, type Endpoint, inStages, routed } from "./stages.ts";

/**
 * `GET /Set`: one page of a collection, through the form that the set declares.
 * @throws ODataError for negotiation, a query option; the error of the handler
 * @see docs/reference/entity-sets.md
 */
export const readCollection: Endpoint = readsCollection((request) => ({
  format: readJsonFormat(request),
  resource: collectionAt(request),
}));

/** Returns the set that a path addresses as a collection. */
export function collectionAt(request: AuthorizedRequest): CollectionResource {
  const entitySet = entitySetOf(request.path);
  const { target, form, handlers, settings } = runtimeOf(request.service, entitySet);
  return {
    target,
    rules: COLLECTION_OPTIONS,
    form: routed(form, `GET ${entitySet.name}`),
    rows: () => ({ handlers, entitySet }),
    origin: entitySet,
    selectPushdownEnabled: settings.selectPushdownEnabled,
    countsAfterSkip: false,
    paging: settings.paging,
    contextUrl: (contextSelect) => collectionContext(request.serviceRoot, entitySet, contextSelect),
  };
}

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
export const readCount: Endpoint = inStages({
  bind: (request) => {
    const entitySet = entitySetOf(request.path);
    const { target, form, handlers } = runtimeOf(request.service, entitySet);
    const contentType = readTextFormat(request);
    const query = bindCount(request, target);
    return { contentType, form: routed(form, `GET ${entitySet.name}/$count`), query, rows: { handlers, entitySet } };
  },
  execute: ({ form, query, rows }, { reader }) => runCount(form, query, rows, reader),
  write: (count, { contentType }, request) => okResponse(request, contentType, String(count)),
});
