import { keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { RowShape } from "../query/row-shape.ts";
import { encodeSegment } from "./percent-encoding.ts";
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
  return `${serviceRoot}/${encodeSegment(entitySet.name)}${keyPredicate(entitySet.entityType, entity, rowShape)}`;
}

/**
 * Returns the absolute URL of an entity with a single key, up to the value of the key.
 * @param serviceRoot absolute, without a trailing slash
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function entityUrlStart(serviceRoot: string, { name }: EntitySet): string {
  return `${serviceRoot}/${encodeSegment(name)}(`;
}

/**
 * Makes the function that returns the absolute URL of an entity whose key no client asked for. It returns null for a key that
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
export function entityUrlOf(serviceRoot: string, { name, entityType }: EntitySet, key: unknown): string {
  return `${serviceRoot}/${encodeSegment(name)}${keyPredicateOf(entityType, key)}`;
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
