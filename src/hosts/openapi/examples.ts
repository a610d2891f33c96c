import { propertiesOfType } from "../../edm/hierarchy.ts";
import { keyHolderOf, keyPairsOf } from "../../edm/key-holder.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { Facets, PrimitiveTypeName } from "../../edm/primitive-type.ts";
import type { DocumentObject, DocumentValue } from "./open-api-document.ts";
import { textMatching } from "./pattern-example.ts";
import { defaultOf, isRequired, type Valued } from "./value-schemas.ts";

/** Octets in base64url, by their number. */
const OCTETS = ["", "Tw", "T0Q", "T0Rh", "T0RhdA", "T0RhdGE"] as const;

/** Returns a value of each primitive type that satisfies its facets, as JSON. @see OData JSON Format 4.0, section 7.1 */
const PRIMITIVE_EXAMPLES: Readonly<Record<PrimitiveTypeName, (facets: Facets) => DocumentValue>> = {
  "Edm.Boolean": () => true,
  "Edm.Byte": (facets) => within(1, facets),
  "Edm.SByte": (facets) => within(1, facets),
  "Edm.Int16": (facets) => within(1, facets),
  "Edm.Int32": (facets) => within(1, facets),
  "Edm.Int64": (facets) => within(1, facets),
  "Edm.Single": (facets) => within(1.5, facets),
  "Edm.Double": (facets) => within(1.5, facets),
  "Edm.Decimal": (facets) => within(decimalExample(facets), facets),
  "Edm.String": textExample,
  "Edm.Guid": () => "01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": ({ maxLength = OCTETS.length }) => OCTETS[Math.min(maxLength, OCTETS.length - 1)],
  "Edm.Date": () => "2024-02-29",
  "Edm.TimeOfDay": () => "13:20:00",
  "Edm.DateTimeOffset": () => "2024-02-29T13:20:00Z",
  "Edm.Duration": () => "P1DT2H",
};

/** Returns a text that satisfies its facets; undefined if none is found for its pattern. */
function textExample({ minLength = 0, maxLength, pattern }: Facets): string | undefined {
  const text = "text".slice(0, maxLength).padEnd(minLength, ".");
  return pattern?.matches(text) === false ? textMatching(pattern, minLength, maxLength) : text;
}

/** Example of a key that clients choose: existing entities are often numbered from 1. */
const NEW_KEYS: Partial<Readonly<Record<PrimitiveTypeName, DocumentValue>>> = {
  "Edm.Byte": 101,
  "Edm.SByte": 101,
  "Edm.Int16": 1001,
  "Edm.Int32": 1001,
  "Edm.Int64": 1001,
  "Edm.Guid": "fedcba98-7654-3210-fedc-ba9876543210",
};

/** Returns the number itself, or the bound that it exceeds. */
function within(number: number, { minimum, maximum }: Facets): number {
  if (minimum !== undefined && number < Number(minimum)) return Number(minimum);
  return maximum !== undefined && number > Number(maximum) ? Number(maximum) : number;
}

/** Returns a number with one digit before and one after the decimal point, if the facets allow it. */
function decimalExample({ precision = Infinity, scale }: Facets): number {
  if (typeof scale !== "number") return precision > 1 ? 1.5 : 1;
  if (scale === 0) return 1;
  return precision > scale ? 1.5 : 0.5;
}

/**
 * Returns a value for a request body; undefined if none can be made.
 * @param around the enclosing complex types: a recursive type ends with null or an empty collection
 */
export function exampleOf({ type, isCollection, facets }: Valued, around: readonly ComplexType[] = []): DocumentValue {
  if (type.kind === "ComplexType") {
    if (isCollection && around.includes(type)) return [];
    const value = membersExample(ownOf(type.properties), (each) => complexMember(each, [...around, type]));
    return isCollection ? itemsOf(value, facets) : value;
  }
  const value = type.kind === "EnumType" ? [...type.members.keys()][0] : PRIMITIVE_EXAMPLES[type.name](facets);
  return isCollection ? itemsOf(value, facets) : value;
}

function itemsOf(value: DocumentValue, { minItems = 1 }: Facets): DocumentValue {
  if (value === undefined) return minItems === 0 ? [] : undefined;
  return Array.from({ length: Math.max(minItems, 1) }, () => value);
}

function complexMember(property: StructuralProperty, around: readonly ComplexType[]): DocumentValue {
  const { type, isCollection, nullable } = property;
  const endsHere = type.kind === "ComplexType" && around.includes(type) && nullable && !isCollection;
  return endsHere ? null : exampleOf(property, around);
}

function ownOf(properties: readonly StructuralProperty[]): readonly StructuralProperty[] {
  return properties.filter(({ computed }) => !computed);
}

/** Returns an object with an example for each property; undefined if one without an example is required. */
function membersExample(
  properties: readonly StructuralProperty[],
  valueOf: (property: StructuralProperty) => DocumentValue,
): DocumentObject | undefined {
  const members = properties.map((each) => [each, valueOf(each) ?? defaultOf(each)] as const);
  if (members.some(([each, value]) => value === undefined && isRequired(each))) return undefined;
  return Object.fromEntries(members.map(([{ name }, value]) => [name, value]));
}

/** The entities of an example: of a set, or of a type without a set. */
interface BodyTarget {
  readonly entityType: EntityType;
  readonly entitySet: EntitySet | null;
}

/**
 * Returns a valid body of a new entity, without nested entities; undefined if a pattern has no example. Optional links are omitted; required links refer to the
 * entity with the key of the examples.
 * @param given the properties that the entity in the URL determines
 */
export function createExample(target: BodyTarget, given: ReadonlySet<string>): DocumentObject | undefined {
  return bodyExample(target, (property) => !given.has(property.name) && !isFreeLink(target, property));
}

/** Returns a valid body of a PUT, with the key of the URL; undefined if a pattern has no example. */
export function replaceExample(target: BodyTarget): DocumentObject | undefined {
  return bodyExample(target, (property) => !property.isKey && !isFreeLink(target, property));
}

/** Returns a valid body of a PATCH that changes no link; undefined if a pattern has no example. */
export function patchExample(target: BodyTarget): DocumentObject | undefined {
  return bodyExample(target, (property) => !property.isKey && !property.immutable && !isLink(target, property));
}

function bodyExample(
  target: BodyTarget,
  isShown: (property: StructuralProperty) => boolean,
): DocumentObject | undefined {
  return membersExample(ownOf(propertiesOfType(target.entityType)).filter(isShown), (each) =>
    memberExample(target, each),
  );
}

function memberExample(target: BodyTarget, property: StructuralProperty): DocumentValue {
  const { type, isKey, facets } = property;
  const isNew = isKey && type.kind === "PrimitiveType" && !isLink(target, property);
  const value = (isNew ? NEW_KEYS[type.name] : undefined) ?? exampleOf(property);
  return typeof value === "number" ? within(value, facets) : value;
}

function isFreeLink(target: BodyTarget, property: StructuralProperty): boolean {
  return property.nullable && isLink(target, property);
}

/** Returns whether a property is part of a foreign key. */
function isLink({ entityType, entitySet }: BodyTarget, property: StructuralProperty): boolean {
  return entityType.navigationProperties.some((navigation) => {
    const ofSet = entitySet !== null && keyHolderOf(entitySet, navigation) === "parent";
    const pairs = ofSet ? keyPairsOf(entitySet, navigation) : navigation.referentialConstraints;
    return pairs.some((each) => each.property === property);
  });
}

/** Returns the URL of an entity with the key of the examples, relative to the service. */
export function referenceExample({ name, entityType: { key } }: EntitySet): string {
  const parts = key.map((property) => {
    const value = exampleOf(property);
    // In JSON, keys are strings, numbers and Booleans.
    const text = typeof value === "object" ? "" : String(value);
    const literal = literalOf(property.type.name, property.type.kind === "EnumType", text);
    return key.length > 1 ? `${encodeURIComponent(property.name)}=${literal}` : literal;
  });
  return `${encodeURIComponent(name)}(${parts.join(",")})`;
}

function literalOf(typeName: string, isQuoted: boolean, text: string): string {
  if (isQuoted || typeName === "Edm.String") return `'${encodeURIComponent(text)}'`;
  return typeName === "Edm.Duration" ? `duration'${text}'` : text;
}
