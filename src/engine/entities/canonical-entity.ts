import { keptPer } from "../../base/memo.ts";
import {
  type ComplexType,
  type EntityType,
  shownProperties,
  type StructuralProperty,
  type EntitySet,
} from "../../edm/model.ts";
import type { ValueCodec } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { ComplexColumn, Row, RowColumn, RowShape } from "../../language/query/row-shape.ts";
import { declaredFieldOf, invalidHandlerValue } from "../memory/compile-property.ts";
import { givenFieldOf } from "../memory/missing-value.ts";
import { parentProperties } from "../plan/properties-to-read.ts";

/**
 * Returns an entity in the form in which the application uses it: every property by its field, in canonical form, null
 * where it is absent. Handlers may omit ignored properties, also those of complex values, which then stay absent. Null in
 * place of an ignored value that may not be null makes it absent too, so that rules do not take it for a value.
 * @param entity as a handler returned it
 * @throws TypeError for a value that does not match the type of its property
 */
export function canonicalEntity(
  entityType: Pick<EntityType, "name" | "properties" | "ignoredProperties">,
  entity: object,
): object {
  return canonicalMembers(entityType, entity, entityType.name);
}

function canonicalMembers(
  type: Pick<ComplexType, "properties" | "ignoredProperties">,
  owner: object,
  path: string,
): object {
  const { ignoredProperties } = type;
  const made: Record<string, unknown> = {};
  for (const { property, codec } of scalarsOf(type)) {
    const value = declaredFieldOf(owner, property.field) ?? null;
    if (codec === null) setMember(made, property.field, canonicalMember(property, value, path));
    else setMember(made, property.field, value === null ? null : canonicalScalar(property, codec, value, path));
  }
  for (const property of ignoredProperties) {
    const { field, nullable, isCollection } = property;
    const value = givenFieldOf(owner, field);
    const isReturned = value !== undefined && (value !== null || nullable || isCollection);
    if (isReturned) setMember(made, field, canonicalMember(property, declaredFieldOf(owner, field) ?? null, path));
  }
  return made;
}

/** Sets an own member of an object. Assigning to `__proto__` would not create one. */
function setMember(object: Record<string, unknown>, field: string, value: unknown): void {
  if (field === "__proto__") Object.defineProperty(object, field, { value, ...ORDINARY });
  else object[field] = value;
}

const ORDINARY = Object.freeze({ configurable: true, enumerable: true, writable: true });

/** Returns the properties of a type, with the codecs of those with one primitive value. */
const scalarsOf = keptPer(({ properties }: Pick<ComplexType, "properties">) =>
  properties.map((property) => {
    const isScalar = property.type.kind !== "ComplexType" && !property.isCollection;
    return { property, codec: isScalar ? codecOf(property) : null };
  }),
);

/**
 * Returns the value of a property in canonical form, with those of its members and items.
 * @param path that of the owner of the property
 * @throws TypeError for a value that does not match the type of the property
 */
export function canonicalMember(property: StructuralProperty, value: unknown, path: string): unknown {
  if (!property.isCollection || value === null) return canonicalValue(property, value, path);
  if (!Array.isArray(value)) throw invalidHandlerValue(`${path}.${property.name}`, "a collection", value);
  const items: readonly unknown[] = value;
  return items.map((item) => canonicalValue(property, item, path));
}

/** @param path that of the owner of the property */
function canonicalValue(property: StructuralProperty, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null;
  const { type, name } = property;
  if (type.kind === "ComplexType") {
    const place = `${path}.${name}`;
    if (typeof value !== "object") throw invalidHandlerValue(place, type.name, value);
    return canonicalMembers(type, value, place);
  }
  return canonicalScalar(property, codecOf(property), value, path);
}

function canonicalScalar({ name, type }: StructuralProperty, codec: ValueCodec, value: unknown, path: string): unknown {
  try {
    return codec.fromHandler(value);
  } catch (error) {
    throw invalidHandlerValue(`${path}.${name}`, type.name, value, error);
  }
}

/** Converts a row to the application's object. */
export type RowConversion = (row: Row) => object;

/**
 * Returns the converter of rows to the application's objects, made once per layout. The objects have the properties that
 * the source read.
 */
export const rowReader: (rowShape: RowShape) => RowConversion = keptPer(({ columns }) => toObject(columns));

function toObject(columns: ReadonlyMap<StructuralProperty, RowColumn>): RowConversion {
  const readValues = Array.from(
    columns,
    ([property, column]) => [property.field, valueReader(property, column)] as const,
  );
  return (row) => Object.fromEntries(readValues.map(([field, read]) => [field, read(row)]));
}

function valueReader({ nullable, isCollection }: StructuralProperty, column: RowColumn): (row: Row) => unknown {
  if (column.kind !== "complex") {
    const read = (row: Row): unknown => column.toValue(row[column.index]);
    return isCollection ? (row) => read(row) ?? [] : read;
  }
  const members = toObject(allMembers(column));
  // Without its own cell, a complex value that may be null is null if all cells that clients see are null.
  return nullable ? (row) => (isNull(row, column) ? null : members(row)) : members;
}

function allMembers({ members, ignored }: ComplexColumn): ReadonlyMap<StructuralProperty, RowColumn> {
  return ignored === undefined ? members : new Map([...members, ...ignored]);
}

function isNull(row: Row, column: RowColumn): boolean {
  const index = column.kind === "complex" ? column.presence : column.index;
  if (index !== undefined) return row[index] === null;
  if (column.kind !== "complex") return false;
  return [...column.members.values()].every((member) => isNull(row, member));
}

/** Returns an entity of a source as a row. @throws TypeError for any other value */
export function toRow(entity: unknown): Row {
  if (Array.isArray(entity)) return entity;
  throw new TypeError("A source returned a row shape and an entity that is not a row.");
}

/** Returns the properties to read for entities in expressions: all, and the ignored ones that navigations join by. */
export const wholeEntity: (entitySet: EntitySet) => readonly SelectedProperty[] = keptPer(
  ({ navigationJoins, entityType }) => {
    const joins = [...navigationJoins.values()].flatMap(parentProperties);
    const shown = [...shownProperties(entityType), ...(entityType.media === undefined ? [] : [entityType.media])];
    const needs = new Set(shown.flatMap(({ virtual }) => virtual?.needs ?? []));
    const needed = entityType.ignoredProperties.filter(({ field }) => needs.has(field));
    const properties = new Set([...entityType.properties, ...joins, ...needed]);
    return Object.freeze(Array.from(properties, (property) => ({ property })));
  },
);
