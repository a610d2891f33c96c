import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { encodeSegment } from "./percent-encoding.ts";
import { compileRequiredReader, requireObject } from "./property-reader.ts";

/** Writes the key predicate of an entity, such as `(5)` or `(A=1,B='x')`, percent-encoded. */
export type KeyPredicateWriter = (entity: unknown) => string;

const writers = new WeakMap<EntityType, KeyPredicateWriter>();

/**
 * The writer of key predicates of a type; made once per type.
 * @returns a writer that throws Error when the entity lacks a key value or has one of another type
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicateWriter(entityType: EntityType): KeyPredicateWriter {
  const known = writers.get(entityType);
  if (known !== undefined) return known;
  const writer = compileKeyPredicate(entityType);
  writers.set(entityType, writer);
  return writer;
}

/**
 * The key predicate of an entity, percent-encoded so that it can stand in a path as it is.
 * @param entity what a handler returned
 * @throws Error when the entity lacks a key value or has one of another type
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicate(entityType: EntityType, entity: unknown): string {
  return keyPredicateWriter(entityType)(entity);
}

/**
 * The absolute URL of an entity: its `@odata.id`, `Location` and edit link.
 * @param serviceRoot absolute, without a trailing slash, such as `https://example.com/odata`
 * @param entity what a handler returned
 * @throws Error when the entity lacks a key value or has one of another type
 * @see OData URL Conventions 4.0, section 4.3
 */
export function entityUrl(serviceRoot: string, entitySet: EntitySet, entity: unknown): string {
  return `${serviceRoot}/${encodeSegment(entitySet.name)}${keyPredicate(entitySet.entityType, entity)}`;
}

function compileKeyPredicate(entityType: EntityType): KeyPredicateWriter {
  const { key, qualifiedName } = entityType;
  const isNamed = key.length > 1;
  const parts = key.map((property) => {
    const value = compileKeyValue(entityType, property);
    const name = `${encodeSegment(property.name)}=`;
    return isNamed ? (source: object) => name + value(source) : value;
  });
  return (entity) => {
    const source = requireObject(entity, qualifiedName);
    return `(${parts.map((part) => part(source)).join(",")})`;
  };
}

function compileKeyValue(entityType: EntityType, property: StructuralProperty): (source: object) => string {
  const read = compileRequiredReader(entityType, property);
  const codec = codecOf(property);
  return (source) => encodeSegment(codec.toLiteral(read(source)));
}
