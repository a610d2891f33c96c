import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { type BodyKey, keyValues } from "./body-key.ts";
import {
  type BodyObject,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  missingMember,
} from "./body-members.ts";
import { type BodyPlace, bodyRoot, placeWithin } from "./body-place.ts";
import { notAnEntity } from "./read-entity.ts";
import type { ValueReaders } from "./read-value.ts";
import { refuseBindings } from "./refuse-binding.ts";

/** What the body of a PUT says. */
export interface ReplacementBody {
  /** Every member that a client may send; key members have the values of the URL. */
  readonly entity: BodyObject;
  readonly key: BodyKey;
  /**
   * The first immutable member that the body lacks, though a new entity needs one. An entity that exists keeps the
   * one it has. Null: none.
   */
  readonly missing: string | null;
}

/** What the body of a PATCH says. */
export interface DeltaBody {
  /** The members that are present, by field, but for the key and those that no client changes. */
  readonly delta: BodyObject;
  readonly key: BodyKey;
}

/** Reads one member into the entity or delta that is made. */
type MemberStep = (body: JsonObject, place: BodyPlace, made: BodyObject) => void;

/**
 * Makes the reader of bodies that replace an entity: absent members become their default, null or no items; nested
 * values of navigation properties are passed over.
 * @param ignoresKeys whether key members are passed over, too
 * @returns a reader, to which the key of the URL is given in the application's form
 * @see specification, Read by key, create, replace, patch, delete; decisions, Writing
 */
export function compileReplacementReader(
  entityType: EntityType,
  values: ValueReaders,
  ignoresKeys: boolean,
): (body: JsonValue, place: BodyPlace, key: unknown) => ReplacementBody {
  const checkBody = compileBodyCheck(entityType, values);
  const readKey = ignoresKeys ? noKey : compileKeyReader(entityType, values);
  const fillKey = entityType.key.map(({ field, computed }) => (computed ? null : compileFieldWriter(field)));
  const own = entityType.properties.filter(({ isKey, computed }) => !isKey && !computed);
  const steps = own.map((property) => replacedMember(property, values));
  const needed = own.filter(isNeeded).map(({ name }) => name);
  return (body, place, key) => {
    const object = checkBody(body, place);
    const bodyKey = readKey(object, place);
    const entity: BodyObject = {};
    for (const [index, value] of keyValues(entityType, key).entries()) fillKey[index]?.(entity, value);
    for (const step of steps) step(object, place, entity);
    return { entity, key: bodyKey, missing: needed.find((name) => object[name] === undefined) ?? null };
  };
}

/**
 * The entity of a body that replaces none: one that is created, so it lacks nothing.
 * @throws ODataError `InvalidBody` when an immutable member is missing
 */
export function requireWhole({ entity, missing }: ReplacementBody): BodyObject {
  if (missing === null) return entity;
  throw missingMember(bodyRoot(false), missing);
}

/**
 * Makes the reader of bodies that change an entity: absent members stay absent, at every depth of complex values. Null is
 * a value, and a collection is given whole.
 * @param ignoresKeys whether key members are passed over
 * @see OData Protocol 4.0, section 11.4.3
 */
export function compileDeltaReader(
  entityType: EntityType,
  values: ValueReaders,
  ignoresKeys: boolean,
): (body: JsonValue, place: BodyPlace) => DeltaBody {
  const checkBody = compileBodyCheck(entityType, values);
  const readKey = ignoresKeys ? noKey : compileKeyReader(entityType, values);
  const steps = entityType.properties
    .filter(({ isKey, computed, immutable }) => !isKey && !computed && !immutable)
    .map((property): MemberStep => {
      const { name } = property;
      const read = values.ofChange(property);
      const put = compileFieldWriter(property.field);
      return (body, place, delta) => {
        const value = body[name];
        if (value !== undefined) put(delta, read(value, place, name));
      };
    });
  return (body, place) => {
    const object = checkBody(body, place);
    const key = readKey(object, place);
    const delta: BodyObject = {};
    for (const step of steps) step(object, place, delta);
    return { delta, key };
  };
}

function replacedMember(property: StructuralProperty, values: ValueReaders): MemberStep {
  const { name } = property;
  const read = values.ofProperty(property);
  const put = compileFieldWriter(property.field);
  const absent = isNeeded(property) ? null : compileAbsentValue(property);
  return (body, place, entity) => {
    const value = body[name];
    if (value !== undefined) put(entity, read(value, place, name));
    else if (absent !== null) put(entity, absent(place));
  };
}

/** An immutable member that nothing stands for: an update may leave it out, a new entity may not. */
function isNeeded({ immutable, nullable, isCollection, defaultValue }: StructuralProperty): boolean {
  return immutable && !nullable && !isCollection && defaultValue === undefined;
}

/** Checks that a body is an object of known names; links in what is passed over would be lost without a word. */
function compileBodyCheck(
  { qualifiedName, members, properties, navigationProperties }: EntityType,
  values: ValueReaders,
): (body: JsonValue, place: BodyPlace) => JsonObject {
  const checkNames = compileNameCheck(qualifiedName, members, values.unknownMembers);
  const passedOver = [
    ...properties.filter(({ computed, immutable, isKey }) => !isKey && (computed || immutable)),
    ...navigationProperties,
  ].map(({ name }) => name);
  return (body, place) => {
    if (!isJsonObject(body)) throw notAnEntity(body, qualifiedName, place, "");
    checkNames(body, place);
    for (const name of passedOver) refuseBindings(body[name] ?? null, placeWithin(place, name));
    return body;
  };
}

function compileKeyReader({ key }: EntityType, values: ValueReaders): (body: JsonObject, place: BodyPlace) => BodyKey {
  const parts = key.map((property) => ({ name: property.name, read: values.ofProperty(property) }));
  return (body, place) =>
    parts.map(({ name, read }) => {
      const value = body[name];
      // Key properties are neither complex nor collections nor null: their readers give single values.
      return value === undefined ? undefined : (read(value, place, name) as PrimitiveValue);
    });
}

/** The key of a body whose key members are passed over, whatever they hold. @see OData Protocol 4.0, section 11.4.3 */
function noKey(): BodyKey {
  return [];
}
