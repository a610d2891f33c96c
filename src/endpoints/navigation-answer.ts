import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { parentExists } from "../execution/read-navigation.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { collectionNavigationContext, entityNavigationContext, originContext } from "../payload/context-url.ts";
import { keyPredicateOf } from "../payload/entity-url.ts";
import type { Exchange } from "./exchange.ts";
import { noContentResponse } from "./response.ts";
import type { NavigationRuntime } from "./service-runtime.ts";

/** A navigation route: the set of the parent, the property, and its target. */
interface NavigationRoute {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
  readonly runtime: NavigationRuntime;
}

/**
 * Returns the context URL in the response of a navigation route. The profile decides whether it names the route or the
 * set of the related entities.
 * @param key the key of the parent in the application's form
 * @param isCollection whether the response is a collection
 * @param contextSelect the items of `$select`, in the order of the client; empty without `$select`
 * @see OData Protocol 4.0, section 10
 */
export function navigationContext(
  { service, serviceRoot }: Exchange,
  { entitySet, navigationProperty: { name }, runtime }: NavigationRoute,
  key: unknown,
  isCollection: boolean,
  contextSelect: readonly string[],
): string {
  if (service.definition.profile.relatedContextOfTarget) {
    return originContext(serviceRoot, runtime.origin, isCollection, contextSelect);
  }
  const predicate = keyPredicateOf(entitySet.entityType, key);
  const context = isCollection ? collectionNavigationContext : entityNavigationContext;
  return context(serviceRoot, entitySet, predicate, name, contextSelect);
}

/**
 * Makes the response of a navigation route without an entity: 404, or 204 where the profile distinguishes a null
 * single-valued navigation from a missing parent.
 * @param key the key of the parent in the application's form
 * @param missing makes the error
 * @throws ODataError that `missing` makes, or that the handler of the parent returned
 * @see OData Protocol 4.0, section 11.2.6
 */
export function noEntityResponse(
  exchange: Exchange,
  { navigationProperty, runtime }: NavigationRoute,
  key: unknown,
  missing: () => ODataError,
): Maybe<ODataResponse> {
  const { profile } = exchange.service.definition;
  if (navigationProperty.isCollection || !profile.nullEntityIsEmpty) throw missing();
  // A join reads the parent first.
  if (runtime.table !== null) return noContentResponse(exchange);
  return chain(parentExists(runtime.source, key, exchange.reader), (exists) => {
    if (exists) return noContentResponse(exchange);
    throw missing();
  });
}
