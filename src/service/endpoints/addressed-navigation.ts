import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { keyPairsOf } from "../../edm/key-holder.ts";
import { keyValues } from "../../edm/literal.ts";
import type { EntitySet, NavigationProperty, Singleton } from "../../edm/model.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import { bindEntityKey, type ImpliedValues } from "../../language/binder/bind-key.ts";
import { type NavigationOptions, navigationOptions } from "../../language/binder/option-rules.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { readJsonFormat } from "./bind-query.ts";
import { type NavigationRuntime, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";

/** A navigation in a path, and its target. */
export interface AddressedNavigation {
  readonly entitySet: EntitySet;
  readonly singleton?: Singleton | undefined;
  readonly navigationProperty: NavigationProperty;
  /** The key of the parent as written in the URL. */
  readonly key: string;
  readonly runtime: NavigationRuntime;
}

/** A navigation whose parent key is bound to the application's form. */
export interface BoundNavigation extends AddressedNavigation {
  readonly parentKey: unknown;
}

/** The key of one of the related entities in the application's form, and the error if there is no such entity. */
interface RelatedKey {
  readonly wanted: unknown;
  readonly missing: () => ODataError;
}

/**
 * Binds the key of one of the related entities. Values that follow from the parent may be absent where paths lead further.
 * @throws ODataError `InvalidKey`
 * @see OData URL Conventions 4.0, section 4.3
 */
export function bindRelated(request: AuthorizedRequest, navigation: BoundNavigation, relatedKey: string): RelatedKey {
  const { entityType, name } = navigation.navigationProperty;
  const { definition } = request.service;
  const implied = definition.profile.pathReach === "further" ? impliedValues(navigation) : undefined;
  const wanted = bindEntityKey(relatedKey, entityType, request.options.options.aliases, name, implied);
  return { wanted, missing: () => noSuchRelated(navigation, relatedKey) };
}

/** Returns the key values of a related entity that are values of the key of the parent. */
function impliedValues({ entitySet, navigationProperty, parentKey }: BoundNavigation): ImpliedValues {
  const { key } = entitySet.entityType;
  const values = keyValues(key, parentKey);
  const pairs = keyPairsOf(entitySet, navigationProperty).flatMap(({ property, related }) => {
    const value = values[key.indexOf(property)];
    const isImplied = related.isKey && value !== undefined && property.type === related.type;
    return isImplied ? [[related, value] as const] : [];
  });
  return new Map(pairs);
}

/** Chooses the format and binds the key of the parent. @throws ODataError for negotiation, `InvalidKey` */
export function openNavigation(request: AuthorizedRequest): {
  readonly navigation: BoundNavigation;
  readonly format: JsonFormat;
} {
  const addressed = navigationOf(request);
  const format = readJsonFormat(request);
  return { format, navigation: bindParent(request, addressed) };
}

/** Returns the query options of the routes below a navigation property, by the profile of the service. */
export function optionsOf({ service }: AuthorizedRequest): NavigationOptions {
  return navigationOptions(service.definition.profile.navigationTakesEveryOption);
}

/** Returns the navigation that a path addresses; the route table passes no other path. */
export function navigationOf({ service, path }: AuthorizedRequest): AddressedNavigation {
  if (!("navigationProperty" in path)) throw new Error(`A path of kind ${path.kind} addresses no navigation property.`);
  return navigationAt(service, path);
}

/** Adds what the service knows of a navigation. */
export function navigationAt(
  service: ServiceRuntime,
  { entitySet, singleton, navigationProperty, key }: Omit<AddressedNavigation, "runtime">,
): AddressedNavigation {
  const runtime = runtimeOf(service, entitySet).navigations.get(navigationProperty.name);
  if (runtime === undefined) throw new Error(`${entitySet.name}/${navigationProperty.name} has no definition.`);
  return { entitySet, singleton, navigationProperty, key, runtime };
}

/** Binds the key of the parent. @throws ODataError `InvalidKey` */
export function bindParent(request: AuthorizedRequest, navigation: AddressedNavigation): BoundNavigation {
  const { entitySet, key } = navigation;
  const parentKey = bindEntityKey(key, entitySet.entityType, request.options.options.aliases, entitySet.name);
  return { ...navigation, parentKey };
}

/** Makes the error for a missing parent. */
export function noParent({ entitySet, key }: AddressedNavigation): ODataError {
  return protocolError("NotFound", `${entitySet.name} has no entity with the key (${key}).`);
}

/** Makes the error for a single-valued navigation without a related entity. */
export function noRelatedEntity({ entitySet, navigationProperty, key }: AddressedNavigation): ODataError {
  const parent = `${entitySet.name}(${key})`;
  return protocolError("NotFound", `${parent} does not exist, or has no entity at '${navigationProperty.name}'.`);
}

/** Makes the error for a collection without the wanted entity. */
function noSuchRelated({ entitySet, navigationProperty, key }: AddressedNavigation, relatedKey: string): ODataError {
  const { name } = navigationProperty;
  return protocolError(
    "NotFound",
    `${entitySet.name}(${key}) has no entity with the key (${relatedKey}) at '${name}'.`,
  );
}
