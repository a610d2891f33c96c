import type { EntitySet, EntityType } from "../edm/model.ts";
import { encodeNames } from "./percent-encoding.ts";

/**
 * Returns the URL of the metadata document, which is the context of the service document and the beginning of every
 * context URL.
 * @param serviceRoot absolute, without a trailing slash
 * @see OData Protocol 4.0, section 10.1
 */
export function metadataUrl(serviceRoot: string): string {
  return `${serviceRoot}/$metadata`;
}

/**
 * Returns the context of a collection of entities: `#Set`, or `#Set(a,b)` with `$select`.
 * @param contextSelect the entries of `$select`, in the order of the client; empty without `$select`
 * @see OData Protocol 4.0, sections 10.2 and 10.7
 */
export function collectionContext(serviceRoot: string, entitySet: EntitySet, contextSelect: readonly string[]): string {
  return `${serviceRoot}/$metadata#${encodeNames(entitySet.name)}${selectList(contextSelect)}`;
}

/**
 * Returns the context of one entity: `#Set/$entity`, or `#Set(a,b)/$entity` with `$select`.
 * @see OData Protocol 4.0, sections 10.3 and 10.8
 */
export function entityContext(serviceRoot: string, entitySet: EntitySet, contextSelect: readonly string[]): string {
  return `${collectionContext(serviceRoot, entitySet, contextSelect)}/$entity`;
}

/**
 * Returns the context of a structural property: `#Set(key)/Property`.
 * @param key the key predicate with its parentheses, percent-encoded
 * @param path wire name of the property, or a path through complex ones
 * @see OData Protocol 4.0, section 10.14
 */
export function propertyContext(serviceRoot: string, entitySet: EntitySet, key: string, path: string): string {
  return `${serviceRoot}/$metadata#${encodeNames(entitySet.name)}${key}/${encodeNames(path)}`;
}

/**
 * Returns the context of a collection-valued navigation: `#Set(key)/Nav`, with `$select` `#Set(key)/Nav(a,b)`.
 * @param key the key predicate of the parent with its parentheses, percent-encoded
 * @param navigation wire name of the navigation property
 * @see docs/reference/navigation.md
 */
export function collectionNavigationContext(
  serviceRoot: string,
  entitySet: EntitySet,
  key: string,
  navigation: string,
  contextSelect: readonly string[],
): string {
  return `${propertyContext(serviceRoot, entitySet, key, navigation)}${selectList(contextSelect)}`;
}

/**
 * Returns the context of a single-valued navigation: `#Set(key)/Nav/$entity`, with `$select` `#Set(key)/Nav(a,b)/$entity`.
 * @param key the key predicate of the parent with its parentheses, percent-encoded
 * @param navigation wire name of the navigation property
 * @see docs/reference/navigation.md
 */
export function entityNavigationContext(
  serviceRoot: string,
  entitySet: EntitySet,
  key: string,
  navigation: string,
  contextSelect: readonly string[],
): string {
  return `${collectionNavigationContext(serviceRoot, entitySet, key, navigation, contextSelect)}/$entity`;
}

/**
 * Returns the context of an entity reference: `#$ref`.
 * @see OData Protocol 4.0, section 10.12
 */
export function referenceContext(serviceRoot: string): string {
  return `${serviceRoot}/$metadata#$ref`;
}

/**
 * Returns the context of a collection of entity references: `#Collection($ref)`.
 * @see OData Protocol 4.0, section 10.11
 */
export function referenceCollectionContext(serviceRoot: string): string {
  return `${serviceRoot}/$metadata#Collection($ref)`;
}

/**
 * Returns the context of the result of an operation: `#Edm.String`, `#Shop.Status`, or `#Collection(Edm.String)`.
 * @param typeName qualified name of the type
 * @see OData Protocol 4.0, sections 10.15 and 10.16
 */
export function typeContext(serviceRoot: string, typeName: string, isCollection: boolean): string {
  const name = encodeNames(typeName);
  return `${serviceRoot}/$metadata#${isCollection ? `Collection(${name})` : name}`;
}

/**
 * Returns the context of entities by their set, or by their type if they have no set: `#Shop.Order` for one of them,
 * `#Collection(Shop.Order)(a,b)` for several with `$select`.
 * @see OData Protocol 4.0, sections 10.2, 10.3, 10.7 and 10.8
 */
export function originContext(
  serviceRoot: string,
  origin: EntitySet | EntityType,
  isCollection: boolean,
  contextSelect: readonly string[],
): string {
  if (origin.kind === "EntitySet") {
    return (isCollection ? collectionContext : entityContext)(serviceRoot, origin, contextSelect);
  }
  return `${typeContext(serviceRoot, origin.qualifiedName, isCollection)}${selectList(contextSelect)}`;
}

function selectList(contextSelect: readonly string[]): string {
  return contextSelect.length === 0 ? "" : `(${contextSelect.map(encodeNames).join(",")})`;
}
