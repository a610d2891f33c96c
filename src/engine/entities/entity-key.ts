import { keptPer, keptPerPair } from "../../base/memo.ts";
import { fractionOf, toEpochSeconds } from "../../edm/date-time-offset.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue, ValueCodec } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import { compileProperty } from "../memory/compile-property.ts";
import { asEntity, Evaluation } from "../memory/evaluation.ts";
import { toRow } from "./canonical-entity.ts";

/** The key of an entity. */
export interface EntityKey {
  /** The application's form: the value of a single key, or a frozen object by field for a composite key. */
  readonly value: unknown;
  /** The same string for keys with equal values. */
  readonly identity: string;
}

/** Reads the key of an entity. */
type EntityKeyReader = (entity: unknown) => EntityKey;

/** Reads one value of a key. */
type PartReader = (entity: unknown) => PrimitiveValue;

const objectKeys = keptPer((entityType: EntityType) => compileKey(entityType, undefined));
const rowKeys = keptPerPair((rowShape: RowShape, entityType: EntityType) => compileKey(entityType, rowShape));

/**
 * Returns the reader of entity keys, made once per type and layout.
 * @param rowShape the layout of rows; undefined for the application's objects
 * @returns a reader that throws TypeError for an entity that lacks a value of its key
 */
export function entityKeyReader(entityType: EntityType, rowShape: RowShape | undefined): EntityKeyReader {
  return rowShape === undefined ? objectKeys(entityType) : rowKeys(rowShape, entityType);
}

/**
 * Returns the identity of a key in the application's form, such as a handler returns it. `Date` objects, numbers for
 * Int64 and similar forms have the identity of the value that they express.
 * @throws InvalidValueError for a value that is not a key of the type
 */
export function identityOfKey(entityType: EntityType, key: unknown): string {
  const { key: properties } = entityType;
  const isSingle = properties.length === 1;
  return identityOf(
    properties.map((property) => {
      const value: unknown = isSingle ? key : memberOf(key, property.field);
      return [property, codecOf(property).fromHandler(value)];
    }),
  );
}

/**
 * Returns the entity with a key among entities; null if none has it.
 * @param key in the application's form
 * @throws TypeError for an entity that does not match the type
 */
export function findByKey(entities: Iterable<unknown>, entityType: EntityType, key: unknown): unknown {
  const identity = identityOfKey(entityType, key);
  const readKey = entityKeyReader(entityType, undefined);
  for (const entity of entities) {
    if (readKey(entity).identity === identity) return entity;
  }
  return null;
}

function compileKey(entityType: EntityType, rowShape: RowShape | undefined): EntityKeyReader {
  const parts = entityType.key.map((property) => {
    const readValue = compileValueReader(entityType, property, rowShape);
    const read: PartReader = (entity) => readValue(entity) ?? missing(entityType, property);
    return [property, read] as const;
  });
  const isSingle = parts.length === 1;
  return (entity) => {
    const values = parts.map(([property, read]) => [property, read(entity)] as const);
    const value: unknown = isSingle
      ? values[0]?.[1]
      : Object.freeze(Object.fromEntries(values.map(([{ field }, part]) => [field, part])));
    return { value, identity: identityOf(values) };
  };
}

/** Reads a primitive or enumeration property of an entity in canonical form. */
export type ValueGetter = (entity: unknown) => PrimitiveValue | null;

/**
 * Makes the reader of a property with a single value.
 * @param rowShape the layout of rows; undefined for the application's objects
 * @returns a reader that throws TypeError for a value that does not match the type of the property
 */
export function compileValueReader(
  entityType: EntityType,
  property: StructuralProperty,
  rowShape: RowShape | undefined,
): ValueGetter {
  if (rowShape !== undefined) return cellReader(property, rowShape);
  const { type } = property;
  const read = compileProperty({ kind: "property", source: { kind: "it", type: entityType }, property, type }, []);
  const evaluation = new Evaluation([]);
  return (entity) => read(asEntity(entity, entityType), evaluation);
}

/** Makes the reader of a single-valued property in rows. */
export function cellReader(property: StructuralProperty, { columns }: RowShape): ValueGetter {
  const column = columns.get(property);
  if (column?.kind !== "scalar") {
    throw new Error(`The source read no column for ${property.name}.`);
  }
  const { index, toValue } = column;
  return (entity) => toValue(toRow(entity)[index]);
}

function missing({ name }: EntityType, property: StructuralProperty): never {
  throw new TypeError(`A handler returned an entity of type ${name} without its key ${property.name}.`);
}

/** Returns one string for equal values; several values are each preceded by their length. */
export function identityOf(values: readonly (readonly [StructuralProperty, PrimitiveValue])[]): string {
  const texts = values.map(([property, value]) => identityOfValue(codecOf(property), value));
  const [single] = texts;
  if (texts.length === 1 && single !== undefined) return single;
  return texts.map((text) => `${String(text.length)}:${text}`).join("");
}

/** Returns one string for equal values. In a few types they have several canonical forms: scales, offsets, units. */
export function identityOfValue(codec: ValueCodec, value: PrimitiveValue): string {
  if (typeof value !== "string") return value instanceof Uint8Array ? codec.toText(value) : String(value);
  switch (codec.type.name) {
    case "Edm.Decimal":
    case "Edm.TimeOfDay":
      return withoutTrailingZeros(value);
    case "Edm.Duration":
      return withoutTrailingZeros(totalSecondsOf(value));
    case "Edm.DateTimeOffset": {
      const { text, start, end } = fractionOf(value);
      return withoutTrailingZeros(`${String(toEpochSeconds(value))}.${text.slice(start, end)}`);
    }
    default:
      return value;
  }
}

function withoutTrailingZeros(text: string): string {
  if (!text.includes(".")) return text;
  let end = text.length;
  while (text.charAt(end - 1) === "0") end -= 1;
  return text.slice(0, text.charAt(end - 1) === "." ? end - 1 : end);
}

function memberOf(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  // The codec checks the values that are read.
  return (value as Readonly<Record<string, unknown>>)[field];
}
