import type { ComplexType, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { InvalidValueError } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { nearestName } from "../errors/nearest-name.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";

/** What a body is for, and how errors name it. */
export interface BodyUse {
  readonly kind: "create" | "patch";
  /** Such as `ctx.sets(Orders).create`. */
  readonly call: string;
  /** Whether nested entities are taken. */
  readonly takesNested: boolean;
}

/**
 * Writes an entity, or changes of one, as the body of a request that says the same: the readers of bodies then check it
 * and fill in what is absent.
 * @param given by the application's fields
 * @throws TypeError for a member that the type does not have or that no client may write, and for a value of another type
 */
export function toBody(entityType: EntityType, given: unknown, use: BodyUse): JsonObject {
  return entityBody(entityType, given, use, "");
}

/** How numbers beyond doubles are written: as text, which the readers take back. */
const IEEE754_COMPATIBLE = true;

function entityBody(entityType: EntityType, given: unknown, use: BodyUse, place: string): JsonObject {
  const { properties, navigationProperties, name } = entityType;
  return objectBody(name, given, { use, place }, (field, value) => {
    const property = properties.find((each) => each.field === field);
    if (property !== undefined) {
      refuseUnwritable(property, use, place);
      return [property.name, propertyBody(property, value, use, `${place}${field}`)];
    }
    const navigation = navigationProperties.find((each) => each.field === field);
    if (navigation !== undefined) return [navigation.name, nestedBody(navigation, value, use, `${place}${field}`)];
    throw unknownMember(use, `${place}${field}`, name, [...properties, ...navigationProperties]);
  });
}

function refuseUnwritable(
  { field, computed, isKey, immutable }: StructuralProperty,
  use: BodyUse,
  place: string,
): void {
  const isFixed = use.kind === "patch" && (isKey || immutable);
  if (!computed && !isFixed) return;
  const fixed = isKey ? "part of the key" : "immutable";
  const why = computed ? "computed by the service" : fixed;
  throw new TypeError(`${use.call}: \`${place}${field}\` is ${why}, and cannot be written: leave it out.`);
}

function nestedBody(navigation: NavigationProperty, value: unknown, use: BodyUse, place: string): JsonValue {
  if (use.kind === "patch" || !use.takesNested) {
    const advice = use.kind === "patch" ? "write it through its own set" : "give the set `allowDeepInsert: true`";
    throw new TypeError(`${use.call}: \`${place}\` is a navigation, and takes no entities here: ${advice}.`);
  }
  const { entityType, isCollection } = navigation;
  if (value === null) return null;
  if (!isCollection) return entityBody(entityType, value, use, `${place}.`);
  return itemsOf(value, use, place).map((item, index) =>
    entityBody(entityType, item, use, `${place}[${String(index)}].`),
  );
}

function propertyBody(property: StructuralProperty, value: unknown, use: BodyUse, place: string): JsonValue {
  if (value === null) return null;
  if (!property.isCollection) return valueBody(property, value, use, place);
  return itemsOf(value, use, place).map((item, index) =>
    item === null ? null : valueBody(property, item, use, `${place}[${String(index)}]`),
  );
}

function valueBody(property: StructuralProperty, value: unknown, use: BodyUse, place: string): JsonValue {
  const { type } = property;
  if (type.kind === "ComplexType") return complexBody(type, value, use, `${place}.`);
  const { fromHandler, toJson } = codecOf(property);
  try {
    return parseJson(toJson(fromHandler(value), IEEE754_COMPATIBLE), { maxDepth: 1 });
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new TypeError(`${use.call}: \`${place}\` is no value of ${type.name}.`, { cause: error });
  }
}

function complexBody(type: ComplexType, given: unknown, use: BodyUse, place: string): JsonObject {
  return objectBody(type.name, given, { use, place }, (field, value) => {
    const property = type.properties.find((each) => each.field === field);
    if (property === undefined) throw unknownMember(use, `${place}${field}`, type.name, type.properties);
    return [property.name, propertyBody(property, value, use, `${place}${field}`)];
  });
}

/** Where an object stands. */
interface ObjectPlace {
  readonly use: BodyUse;
  readonly place: string;
}

/** @param write gives the wire name and the JSON value of a member */
function objectBody(
  typeName: string,
  given: unknown,
  { use, place }: ObjectPlace,
  write: (field: string, value: unknown) => readonly [string, JsonValue],
): JsonObject {
  if (!isEntity(given)) {
    const where = place === "" ? "" : ` at \`${place.slice(0, -1)}\``;
    throw new TypeError(`${use.call} takes an object of ${typeName}${where}: give its members.`);
  }
  const body: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  for (const field of Object.keys(given)) {
    const value = declaredFieldOf(given, field);
    // What is undefined is absent, as in every object of the application.
    if (value === undefined) continue;
    const [name, json] = write(field, value);
    body[name] = json;
  }
  return body;
}

function itemsOf(value: unknown, use: BodyUse, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${use.call}: \`${place}\` is a collection: give an array.`);
}

function unknownMember(
  { call }: BodyUse,
  place: string,
  typeName: string,
  members: ReadonlyArray<{ readonly field: string }>,
): TypeError {
  const field = place.slice(place.lastIndexOf(".") + 1);
  const nearest = nearestName(
    field,
    members.map((each) => each.field),
  );
  const advice = nearest === null ? "leave it out" : `did you mean \`${nearest}\``;
  return new TypeError(`${call}: \`${place}\` is no property of ${typeName}: ${advice}${nearest === null ? "." : "?"}`);
}
