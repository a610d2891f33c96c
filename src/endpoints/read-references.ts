import type { ODataError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import type { MaybeResult } from "../execution/handler-answer.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { referenceCollectionContext, referenceContext } from "../payload/context-url.ts";
import { compileReferenceWriter } from "../payload/write-entity-reference.ts";
import { authorizeRelated } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { collectionResponse } from "./collection-response.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { noEntityResponse } from "./navigation-answer.ts";
import {
  bindParentKey,
  collectionOf,
  type Navigation,
  navigationOf,
  noRelatedEntity,
  optionsOf,
  readOne,
} from "./read-navigation.ts";
import { readJsonFormat } from "./read-options.ts";
import { jsonResponse } from "./response.ts";

/**
 * `GET /Set(key)/Nav/$ref`: references to the related entities of one entity, or to its one related entity; none where
 * the navigation has no target set, since its entities have no URLs.
 * @throws ODataError as for the related entities themselves
 * @see specification, Navigation routes, rule 5
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
    ...collectionOf(exchange, navigation, key),
    origin,
    referencesOnly: true,
    countsAfterSkip: !profile.navigationCountsBeforeSkip,
    contextUrl: () => referenceCollectionContext(exchange.serviceRoot),
  });
};

function readReference(
  exchange: Exchange,
  format: JsonFormat,
  navigation: Navigation,
  key: unknown,
): MaybeResult<ODataResponse> {
  const { origin, target } = navigation.runtime;
  bindEntity(exchange, target, optionsOf(exchange).reference);
  const missing = (): ODataError => noRelatedEntity(navigation);
  return chain(readOne(exchange, navigation, key, null), (found) => {
    if (found === null) return noEntityResponse(exchange, navigation, key, missing);
    return chain(authorizeRelated(exchange, origin, found, missing), () => {
      const contextUrl = referenceContext(exchange.serviceRoot);
      const writer = compileReferenceWriter(origin.kind === "EntitySet" ? origin : null, format, found.rowShape);
      return jsonResponse(exchange, format, writer.writeEntity(found.entity, exchange.serviceRoot, contextUrl));
    });
  });
}
