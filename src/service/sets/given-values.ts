import { parseJson } from "../../base/json/parse-json.ts";
import type { JsonObject, JsonValue } from "../../base/json/write-json.ts";
import { keptPer } from "../../base/memo.ts";
import type { WriteOptions } from "../../definition/context.ts";
import { canonicalValue } from "../../definition/model/canonical-value.ts";
import { adviseName } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntityType, StructuralProperty, ComplexType, NavigationProperty } from "../../edm/model.ts";
import { isSameValue } from "../../edm/same-value.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { canonicalMember } from "../../engine/entities/canonical-entity.ts";
import { fieldOf, declaredFieldOf } from "../../engine/memory/compile-property.ts";
import { isEntity } from "../../engine/memory/evaluation.ts";
import { declaredProperties } from "../../engine/plan/properties-to-read.ts";
import type { BodyObject } from "../../payload/body-members.ts";

/**
 * The values that an entity must still have, by field, in canonical form. Those of an ETag of all properties may be complex
 * values and collections.
 */
export type ExpectedValues = Readonly<Record<string, unknown>>;

/**
 * Reads the options of a write.
 * @returns the expected values; undefined without the option
 * @throws TypeError for an unknown option, and for values that cannot be compared
 */
export function expectedOption(
  entityType: EntityType,
  options: WriteOptions<EntityTypeDeclaration>,
  call: string,
): ExpectedValues | undefined {
  const { expected, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`${call} has no option \`${unknown}\`: it takes \`expected\`.`);
  if (expected === undefined) return undefined;
  if (!isEntity(expected)) throw new TypeError(`\`expected\` of ${call} must be an object of values.`);
  return Object.fromEntries(
    Object.keys(expected).map((field) => [field, expectedValue(entityType, field, fieldOf(expected, field), call)]),
  );
}

function expectedValue(entityType: EntityType, field: string, value: unknown, call: string): unknown {
  const property = declaredProperties(entityType).find((each) => each.property.field === field)?.property;
  if (property === undefined) {
    throw new TypeError(`\`expected\` of ${call} names \`${field}\`, which is not a property of ${entityType.name}.`);
  }
  const must = `\`expected\` of ${call}: \`${field}\` must be`;
  if (value === null) return null;
  if (!property.isCollection && property.type.kind !== "ComplexType") return canonical(property, value, must);
  try {
    return canonicalMember(property, value, entityType.name);
  } catch (cause) {
    const { name } = property.type;
    throw new TypeError(`${must} a ${property.isCollection ? `collection of ${name}` : `value of ${name}`}.`, {
      cause,
    });
  }
}

/** Returns whether an entity in canonical form has the expected values, to the last digit. */
export function checkExpected(entityType: EntityType, entity: object, expected: ExpectedValues): boolean {
  return declaredProperties(entityType).every(
    ({ property }) =>
      !Object.hasOwn(expected, property.field) ||
      isSameValue(property, expected[property.field] ?? null, fieldOf(entity, property.field)),
  );
}

/**
 * Returns a key in canonical form, as handlers receive it from a URL.
 * @param key the value of a single key property, or an object with the values of several
 * @throws TypeError for a value that is not a key of the type
 */
export function toKey({ key: properties, name }: EntityType, key: unknown, call: string): unknown {
  const [single] = properties;
  if (properties.length === 1 && single !== undefined) return valueOf(single, key, call);
  if (!isEntity(key)) throw new TypeError(`${call}: the key of ${name} must be an object of ${fieldsOf(properties)}.`);
  return Object.freeze(
    Object.fromEntries(
      properties.map((property) => [property.field, valueOf(property, fieldOf(key, property.field), call)]),
    ),
  );
}

function valueOf(property: StructuralProperty, value: unknown, call: string): PrimitiveValue {
  const { field } = property;
  if (value === null || value === undefined) throw new TypeError(`${call}: the key has no value for \`${field}\`.`);
  return canonical(property, value, `${call}: the key \`${field}\` must be`);
}

/** @param must the start of the message of an error */
function canonical(property: StructuralProperty, value: unknown, must: string): PrimitiveValue {
  try {
    return codecOf(property).fromHandler(value);
  } catch (cause) {
    throw new TypeError(`${must} a value of ${property.type.name}.`, { cause });
  }
}

function fieldsOf(properties: readonly StructuralProperty[]): string {
  return properties.map(({ field }) => `\`${field}\``).join(", ");
}

/** The use of a body. */
interface BodyUse {
  readonly kind: "create" | "patch";
  /** The name of the call in errors, such as `ctx.sets(Orders).create`. */
  readonly call: string;
  /** Whether the call accepts nested entities. */
  readonly takesNested: boolean;
  /** Whether the call is trusted: it may give values that the server sets or computes. */
  readonly isTrusted: boolean;
}

/**
 * Converts an entity, or the changes of an entity, to the body of an equivalent request. The readers of bodies then check
 * it and fill in defaults.
 * @param given the members by field
 * @throws TypeError for an unknown member, a member that cannot be written, and a value of a wrong type
 */
export function toBody(entityType: EntityType, given: unknown, use: BodyUse): JsonObject {
  return entityBody(entityType, given, use, "");
}

/** Returns the properties of a type by their fields. */
const byField = keptPer(
  ({ properties }: EntityType): ReadonlyMap<string, StructuralProperty> =>
    new Map(properties.map((property) => [property.field, property])),
);

/** Writes numbers beyond doubles as strings, which the readers of bodies accept. */
const IEEE754_COMPATIBLE = true;

function entityBody(entityType: EntityType, given: unknown, use: BodyUse, place: string): JsonObject {
  const { properties, navigationProperties, name } = entityType;
  const declared = byField(entityType);
  return objectBody(name, given, { use, place }, (field, value) => {
    if (use.isTrusted && setProperty(entityType, field) !== undefined) return null;
    const property = declared.get(field);
    if (property !== undefined) {
      refuseUnwritable(property, use, place);
      return [property.name, propertyBody(property, value, use, `${place}${field}`)];
    }
    const navigation = navigationProperties.find((each) => each.field === field);
    if (navigation !== undefined) return [navigation.name, nestedBody(navigation, value, use, `${place}${field}`)];
    throw unknownMember(use, `${place}${field}`, name, [...properties, ...navigationProperties]);
  });
}

/**
 * Returns an entity or delta that was read from the body of a trusted call, with the values that the call gives for properties
 * that the server sets or computes, at every depth.
 * @throws TypeError for a value of a wrong type, and for a change of a key or immutable property
 */
export function withTrustedValues(entityType: EntityType, read: BodyObject, given: unknown, use: BodyUse): BodyObject {
  return use.isTrusted && isEntity(given) ? trusted(entityType, read, given, use, "") : read;
}

function trusted(entityType: EntityType, read: BodyObject, given: object, use: BodyUse, place: string): BodyObject {
  const own = Object.keys(given).flatMap((field) => {
    const property = setProperty(entityType, field);
    const value = property === undefined ? undefined : declaredFieldOf(given, field);
    if (property === undefined || value === undefined) return [];
    if (use.kind === "patch") refuseUnwritable({ ...property, computed: false }, use, place);
    return [[field, trustedValue(property, value, use, `${place}${field}`)] as const];
  });
  const nested = entityType.navigationProperties.flatMap(({ field, entityType: type, isCollection }) => {
    const [items, sent] = [declaredFieldOf(read, field), declaredFieldOf(given, field)];
    if (!isEntity(items) && !Array.isArray(items)) return [];
    const sentItems = (isCollection ? sent : [sent]) as readonly object[];
    const made = ([items].flat() as readonly BodyObject[]).map((item, index) => {
      const within = `${place}${field}${isCollection ? `[${String(index)}]` : ""}.`;
      return trusted(type, item, sentItems[index] ?? {}, use, within);
    });
    return [[field, isCollection ? made : made[0]] as const];
  });
  return own.length + nested.length === 0 ? read : { ...read, ...Object.fromEntries([...own, ...nested]) };
}

function trustedValue(property: StructuralProperty, value: unknown, { call }: BodyUse, place: string): unknown {
  try {
    return canonicalValue(property, value);
  } catch (cause) {
    throw new TypeError(`${call}: \`${place}\` must be a value of ${property.type.name}.`, { cause });
  }
}

/** Returns the property with a key whose value the server sets or computes; undefined for any other key. */
function setProperty({ properties, ignoredProperties }: EntityType, field: string): StructuralProperty | undefined {
  const own = properties.find((each) => each.field === field);
  // `set` names no complex values, and no body contains computed ones.
  if (own !== undefined) return own.computed && own.type.kind !== "ComplexType" ? own : undefined;
  return ignoredProperties.find((each) => each.field === field && each.serverSet === true);
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
  throw new TypeError(`${use.call}: \`${place}${field}\` is ${why} and cannot be written. Omit it.`);
}

function nestedBody(navigation: NavigationProperty, value: unknown, use: BodyUse, place: string): JsonValue {
  if (use.kind === "patch" || !use.takesNested) {
    const advice =
      use.kind === "patch"
        ? "Write related entities through their own set."
        : "Set `allowDeepInsert: true` on the set.";
    throw new TypeError(`${use.call}: \`${place}\` is a navigation and accepts no entities here. ${advice}`);
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
  if (isOwnJson(type, value)) return value;
  if (type.kind === "ComplexType") return complexBody(type, value, use, `${place}.`);
  const { fromHandler, toJson } = codecOf(property);
  try {
    const canonical = fromHandler(value);
    // JSON has no negative zero.
    const isJson = typeof canonical === "string" || (Number.isSafeInteger(canonical) && !Object.is(canonical, -0));
    return isJson ? (canonical as string | number) : parseJson(toJson(canonical, IEEE754_COMPATIBLE), { maxDepth: 1 });
  } catch (cause) {
    throw new TypeError(`${use.call}: \`${place}\` must be a value of ${type.name}.`, { cause });
  }
}

/** Whether a value is written to JSON as it is, whatever the facets of its property: their check follows. */
function isOwnJson({ name }: StructuralProperty["type"], value: unknown): value is string | boolean {
  return (name === "Edm.String" && typeof value === "string") || (name === "Edm.Boolean" && typeof value === "boolean");
}

function complexBody(type: ComplexType, given: unknown, use: BodyUse, place: string): JsonObject {
  return objectBody(type.name, given, { use, place }, (field, value) => {
    const property = type.properties.find((each) => each.field === field);
    if (property === undefined) throw unknownMember(use, `${place}${field}`, type.name, type.properties);
    return [property.name, propertyBody(property, value, use, `${place}${field}`)];
  });
}

/** The path of an object, for errors. */
interface ObjectPlace {
  readonly use: BodyUse;
  readonly place: string;
}

/** @param write returns the wire name and the JSON value of a member; null: the body does not contain it */
function objectBody(
  typeName: string,
  given: unknown,
  { use, place }: ObjectPlace,
  write: (field: string, value: unknown) => readonly [string, JsonValue] | null,
): JsonObject {
  if (!isEntity(given)) {
    const where = place === "" ? "" : ` at \`${place.slice(0, -1)}\``;
    throw new TypeError(`${use.call}: pass an object of ${typeName}${where}.`);
  }
  const body: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  for (const field of Object.keys(given)) {
    const value = declaredFieldOf(given, field);
    // An undefined member counts as absent, as in every object of the application.
    if (value === undefined) continue;
    const written = write(field, value);
    if (written !== null) body[written[0]] = written[1];
  }
  return body;
}

function itemsOf(value: unknown, use: BodyUse, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${use.call}: \`${place}\` is a collection. Pass an array.`);
}

function unknownMember(
  { call }: BodyUse,
  place: string,
  typeName: string,
  members: ReadonlyArray<{ readonly field: string }>,
): TypeError {
  const field = place.slice(place.lastIndexOf(".") + 1);
  const advice = adviseName(
    field,
    members.map((each) => each.field),
  );
  return new TypeError(`${call}: ${typeName} has no property \`${place}\`. ${advice}`);
}
