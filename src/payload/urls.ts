import { keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet, EntityType, Singleton, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import { compileFieldReader, compileRequiredReader, requireObject, requireRow } from "./property-reader.ts";

/** Writes the key predicate of an entity, such as `(5)` or `(A=1,B='x')`, percent-encoded. */
type KeyPredicateWriter = (entity: unknown) => string;

/**
 * Returns the writer of key predicates of a type, made once per type and layout.
 * @returns a writer that throws Error for an entity with a missing or invalid key value
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicateWriter(entityType: EntityType, rowShape?: RowShape): KeyPredicateWriter {
  return rowShape === undefined ? objectWriter(entityType) : rowWriter(rowShape, entityType);
}

const objectWriter = keptPer((entityType: EntityType) => compileKeyPredicate(entityType, undefined));
const rowWriter = keptPerPair((rowShape: RowShape, entityType: EntityType) =>
  compileKeyPredicate(entityType, rowShape),
);

/**
 * Returns the key predicate of an entity, percent-encoded for a path.
 * @param entity as a handler returned it
 * @throws Error for a missing or invalid key value
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicate(entityType: EntityType, entity: unknown, rowShape?: RowShape): string {
  return keyPredicateWriter(entityType, rowShape)(entity);
}

/**
 * Returns the key predicate of a key in the application's form, percent-encoded.
 * @param key the value of a single key, or an object with the values of a composite key
 * @throws Error for a missing or invalid value
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicateOf(entityType: EntityType, key: unknown): string {
  const [single, second] = entityType.key;
  const isSingle = single !== undefined && second === undefined;
  return keyPredicate(entityType, isSingle ? { [single.field]: key } : key);
}

/**
 * Returns the absolute URL of an entity, for `@odata.id`, `Location` and the edit link.
 * @param serviceRoot absolute, without a trailing slash, such as `https://example.com/odata`
 * @param entity as a handler returned it
 * @throws Error for a missing or invalid key value
 * @see OData URL Conventions 4.0, section 4.3
 */
export function entityUrl(serviceRoot: string, entitySet: EntitySet, entity: unknown, rowShape?: RowShape): string {
  const url = `${serviceRoot}/${encodeSegment(entitySet.castFrom ?? entitySet.name)}`;
  return entitySet.isOfSingleton === true ? url : url + keyPredicate(entitySet.entityType, entity, rowShape);
}

/**
 * Returns the absolute URL of an entity with a single key, up to the value of the key.
 * @param serviceRoot absolute, without a trailing slash
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function entityUrlStart(serviceRoot: string, { name, castFrom = name }: EntitySet): string {
  return `${serviceRoot}/${encodeSegment(castFrom)}(`;
}

/**
 * Makes the function that returns the absolute URL of an entity whose key was not requested. It returns null for a key that
 * is missing, null or cannot be read: the rest of the entity is still readable.
 * @see OData JSON Format 4.0, section 4.5.8
 */
export function knownUrlFinder(
  entitySet: EntitySet,
  rowShape: RowShape | undefined,
): (serviceRoot: string, entity: unknown) => string | null {
  // Handlers may return only the selected properties of each entity: they do not pay for an error each.
  const hasKey = rowShape === undefined ? keyFinder(entitySet.entityType) : () => true;
  return (serviceRoot, entity) => {
    try {
      return hasKey(entity) ? entityUrl(serviceRoot, entitySet, entity, rowShape) : null;
    } catch {
      return null;
    }
  };
}

function keyFinder({ key, qualifiedName }: EntityType): (entity: unknown) => boolean {
  const fields = key.map(({ field }) => compileFieldReader(field));
  return (entity) => {
    const source = requireObject(entity, qualifiedName);
    return fields.every((read) => (read(source) ?? null) !== null);
  };
}

/**
 * Returns the absolute URL of the entity with a key.
 * @param serviceRoot absolute, without a trailing slash
 * @param key in the application's form
 * @throws Error for a missing or invalid key value
 * @see OData URL Conventions 4.0, section 4.3
 */
export function entityUrlOf(
  serviceRoot: string,
  { name, castFrom = name, entityType }: EntitySet,
  key: unknown,
): string {
  return `${serviceRoot}/${encodeSegment(castFrom)}${keyPredicateOf(entityType, key)}`;
}

/**
 * Returns the key predicate of a key in the application's form as the text of a path without its parentheses, decoded.
 * @throws Error for a missing or invalid value
 */
export function keyTextOf(entityType: EntityType, key: unknown): string {
  return decodeURIComponent(keyPredicateOf(entityType, key).slice(1, -1));
}

function compileKeyPredicate(entityType: EntityType, rowShape: RowShape | undefined): KeyPredicateWriter {
  const { key, qualifiedName } = entityType;
  const isNamed = key.length > 1;
  const parts = key.map((property) => {
    const value = compileKeyValue(entityType, property, rowShape);
    const name = `${encodeSegment(property.name)}=`;
    return isNamed ? (source: object) => name + value(source) : value;
  });
  return (entity) => {
    const source = rowShape === undefined ? requireObject(entity, qualifiedName) : requireRow(entity, qualifiedName);
    return `(${parts.map((part) => part(source)).join(",")})`;
  };
}

function compileKeyValue(
  entityType: EntityType,
  property: StructuralProperty,
  rowShape: RowShape | undefined,
): (source: object) => string {
  const read = compileRequiredReader(entityType, property, rowShape);
  const codec = codecOf(property);
  return (source) => encodeSegment(codec.toLiteral(read(source)));
}

/** The characters that a path segment may contain and that have no meaning in a key predicate. */
const PLAIN = /^[\w.~!*'():@-]*$/;

/**
 * Percent-encodes text for one path segment. Quotes, parentheses, `:` and `@` are not encoded; `/`, `%`, `?`, `#`, `+`,
 * `=`, `,`, blanks, control characters and all characters beyond ASCII are. A lone surrogate, which UTF-8 cannot encode,
 * becomes U+FFFD.
 * @see RFC 3986, section 3.3
 */
export function encodeSegment(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(withoutLoneSurrogates(text)).replaceAll("%3A", ":").replaceAll("%40", "@");
}

/**
 * Percent-encodes a path of wire names, such as `ShipTo/City` or `*`, for the fragment of a URL. Names are identifiers, so
 * only characters beyond ASCII are encoded.
 * @see RFC 3986, section 3.5
 */
function encodeNames(text: string): string {
  return PLAIN.test(text) ? text : encodeURI(withoutLoneSurrogates(text));
}

function withoutLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

/**
 * Returns the URL of the metadata document, which is the context of the service document and the beginning of every
 * context URL.
 * @param serviceRoot absolute, without a trailing slash
 * @see OData Protocol 4.0, section 10.1
 */
export function metadataUrl(serviceRoot: string): string {
  return `${serviceRoot}/$metadata`;
}

/** An element of the container. */
type Named = Pick<EntitySet, "name"> & Partial<Pick<EntitySet, "castFrom" | "entityType">>;

/**
 * Returns the context of a collection of entities: `#Set`, or `#Set(a,b)` with `$select`.
 * @param contextSelect the entries of `$select`, in the order of the client; empty without `$select`
 * @see OData Protocol 4.0, sections 10.2 and 10.7
 */
export function collectionContext(serviceRoot: string, entitySet: Named, contextSelect: readonly string[]): string {
  return `${serviceRoot}/$metadata#${encodeNames(entitySet.name)}${selectList(contextSelect)}`;
}

/**
 * Returns the context of one entity: `#Set/$entity`, or `#Set(a,b)/$entity` with `$select`; of a singleton `#Me`, or `#Me(a,b)`.
 * @see OData Protocol 4.0, sections 10.3, 10.4, 10.8 and 10.9
 */
export function entityContext(
  serviceRoot: string,
  entitySet: EntitySet | Singleton,
  contextSelect: readonly string[],
): string {
  const context = collectionContext(serviceRoot, entitySet, contextSelect);
  return entitySet.kind === "Singleton" || entitySet.isOfSingleton === true ? context : `${context}/$entity`;
}

/**
 * Returns the context of a structural property: `#Set(key)/Property`, of a singleton `#Me/Property`.
 * @param key the key predicate with its parentheses, percent-encoded; empty for a singleton
 * @param path wire name of the property, or a path through complex ones
 * @see OData Protocol 4.0, section 10.14
 */
export function propertyContext(serviceRoot: string, entitySet: Named, key: string, path: string): string {
  const { name, castFrom, entityType } = entitySet;
  const type = castFrom === undefined ? "" : `/${encodeNames(entityType?.qualifiedName ?? "")}`;
  return `${serviceRoot}/$metadata#${encodeNames(castFrom ?? name)}${key}${type}/${encodeNames(path)}`;
}

/**
 * Returns the context of a collection-valued navigation: `#Set(key)/Nav`, with `$select` `#Set(key)/Nav(a,b)`.
 * @param key the key predicate of the parent with its parentheses, percent-encoded
 * @param navigation wire name of the navigation property
 * @see docs/reference/navigation.md
 */
export function collectionNavigationContext(
  serviceRoot: string,
  entitySet: Named,
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
  entitySet: Named,
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
