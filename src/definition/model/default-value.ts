import type { EnumType } from "../../edm/model.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { describe, isObject } from "../option-table.ts";
import type { ComplexTypeDeclaration, EnumTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { entriesOf, namesOf } from "./declared-service.ts";

/** Resolves a declared enumeration. */
export type ResolveEnumType = (type: EnumTypeDeclaration) => EnumType;

/**
 * Returns a declared default in canonical form.
 * @throws InvalidValueError for an invalid value, or a value that violates a facet
 */
export function toDefaultValue(declared: PropertyDeclaration, value: unknown, resolve: ResolveEnumType): unknown {
  const { item, type, facets } = declared;
  if (item !== undefined) return collectionOf(item, value, resolve);
  if (value === null) {
    if (declared.nullable) return null;
    throw new InvalidValueError("null is not a value of a property that is not nullable.");
  }
  if (type.kind === "ComplexTypeDeclaration") return complexOf(type, value, resolve);
  const codec = valueCodec(type.kind === "EnumTypeDeclaration" ? resolve(type) : type, isObject(facets) ? facets : {});
  const canonical = codec.fromHandler(value);
  // Facets limit the values that clients send: a default must be a value that a client could send.
  codec.fromJson(JSON.parse(codec.toJson(canonical, true)) as JsonValue, true);
  return canonical;
}

function collectionOf(item: PropertyDeclaration, value: unknown, resolve: ResolveEnumType): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidValueError(`${describe(value)} is not an array.`);
  return value.map((each: unknown) => toDefaultValue(item, each, resolve));
}

function complexOf(type: ComplexTypeDeclaration, value: unknown, resolve: ResolveEnumType): object {
  if (!isObject(value)) throw new InvalidValueError(`${describe(value)} is not an object of ${type.name}.`);
  const members = entriesOf(type.properties).flatMap(([field, property]) =>
    isDeclaration(property, "Property") ? [[field, memberOf(field, property.declared, value, resolve)] as const] : [],
  );
  const unknown = Object.keys(value).find((field) => !namesOf(type.properties).includes(field));
  if (unknown !== undefined) throw new InvalidValueError(`${type.name} has no property \`${unknown}\`.`);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Returns undefined for an absent ignored member. */
function memberOf(
  field: string,
  declared: PropertyDeclaration,
  value: Readonly<Record<string, unknown>>,
  resolve: ResolveEnumType,
): unknown {
  const given = Object.hasOwn(value, field) ? value[field] : declared.defaultValue?.value;
  if (given !== undefined) return toDefaultValue(declared, given, resolve);
  if (declared.ignored) return undefined;
  if (declared.nullable) return null;
  throw new InvalidValueError(`The property \`${field}\` is missing.`);
}
