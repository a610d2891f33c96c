import { chain, type Maybe } from "../base/maybe.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { parentExists } from "../execution/reads/read-navigation.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { referenceCollectionContext, referenceContext } from "../payload/context-url.ts";
import { compileReferenceWriter } from "../payload/write-entity-reference.ts";
import { authorizeRelated, requireEntity } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import type { CollectionResource } from "./collection-page.ts";
import { collectionResponse } from "./collection-response.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import {
  noEntityResponse,
  bindParentKey,
  collectionOf,
  type AddressedNavigation,
  navigationOf,
  noParent,
  noRelatedEntity,
  optionsOf,
  readOne,
} from "./read-navigation.ts";
import { readJsonFormat } from "./read-options.ts";
import { jsonResponse } from "./response.ts";

/**
 * `GET /Set(key)/Nav/$ref`: references to the related entities of one entity, or to its single related entity. The
 * response is empty where the navigation has no target set, since its entities have no URLs, and where nothing reads it.
 * @throws ODataError as for readNavigation
 * @see docs/reference/navigation.md
 */
export const readReferences: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  if (!navigation.navigationProperty.isCollection) return readReference(exchange, format, navigation, key);
  const { target, origin } = navigation.runtime;
  const { profile } = exchange.service.definition;
  return collectionResponse(exchange, format, {
    target,
    rules: optionsOf(exchange).references,
    ...(isRead(navigation) ? collectionOf(exchange, navigation, key) : emptyCollection(exchange, navigation, key)),
    origin,
    referencesOnly: true,
    countsAfterSkip: !profile.navigationCountsBeforeSkip,
    contextUrl: () => referenceCollectionContext(exchange.serviceRoot),
  });
};

function readReference(
  exchange: Exchange,
  format: JsonFormat,
  navigation: AddressedNavigation,
  key: unknown,
): Maybe<ODataResponse> {
  const { origin, target } = navigation.runtime;
  bindEntity(exchange, target, optionsOf(exchange).reference);
  const contextUrl = referenceContext(exchange.serviceRoot);
  if (!isRead(navigation)) {
    const writer = compileReferenceWriter(null, format, undefined);
    return chain(requireParent(exchange, navigation, key), () =>
      jsonResponse(exchange, format, writer.writeEntity({}, exchange.serviceRoot, contextUrl)),
    );
  }
  const missing = (): ODataError => noRelatedEntity(navigation);
  return chain(readOne(exchange, navigation, key, null), (found) => {
    if (found === null) return noEntityResponse(exchange, navigation, key, missing);
    return chain(authorizeRelated(exchange, origin, found, missing), () => {
      const writer = compileReferenceWriter(origin.kind === "EntitySet" ? origin : null, format, found.rowShape);
      return jsonResponse(exchange, format, writer.writeEntity(found.entity, exchange.serviceRoot, contextUrl));
    });
  });
}

/** Whether a handler or the table of the target set reads a navigation. Handlers of links do not. */
function isRead({ runtime: { source } }: AddressedNavigation): boolean {
  return source.ways.length > 0;
}

/** Returns the empty collection of a navigation that has only handlers of links. */
function emptyCollection(
  exchange: Exchange,
  navigation: AddressedNavigation,
  key: unknown,
): Pick<CollectionResource, "form" | "rows" | "selectPushdownEnabled"> {
  const getAll = (): Maybe<Iterable<unknown>> => chain(requireParent(exchange, navigation, key), () => []);
  return { form: "get-all", rows: { handlers: { getAll }, entitySet: null }, selectPushdownEnabled: false };
}

/** Loads the parent, if its set can read by key. @throws ODataError for a missing or refused parent */
function requireParent(exchange: Exchange, navigation: AddressedNavigation, key: unknown): Maybe<undefined> {
  const { entitySet, runtime } = navigation;
  const missing = (): ODataError => noParent(navigation);
  return chain(requireEntity(exchange, { entitySet, key }, missing), () =>
    chain(parentExists(runtime.source, key, exchange.reader), (exists): undefined => {
      if (!exists) throw missing();
    }),
  );
}
