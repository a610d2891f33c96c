import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { Expression } from "../query/expression.ts";

/** The facts of a property that a step of `$apply` makes. */
export type MadeProperty = Pick<StructuralProperty, "name" | "type" | "nullable" | "isCollection" | "facets">;

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * Makes the type of the rows that a step of `$apply` makes. Its properties have the same names on the wire and in objects.
 * @param of the type of the set, for messages
 */
export function madeEntityType(
  { name, qualifiedName }: EntityType,
  properties: readonly StructuralProperty[],
): EntityType {
  const made = { kind: "EntityType", name, qualifiedName, ...membersOf(properties) } as const;
  return Object.freeze({ ...made, key: NOTHING, navigationProperties: NOTHING });
}

/** Makes the type of a value that contains the values of an entity or of a complex value. */
export function madeComplexType(
  { name, qualifiedName }: EntityType | ComplexType,
  properties: readonly StructuralProperty[],
): ComplexType {
  return Object.freeze({ kind: "ComplexType", name, qualifiedName, ...membersOf(properties) });
}

function membersOf(
  properties: readonly StructuralProperty[],
): Pick<EntityType, "properties" | "ignoredProperties" | "members" | "membersIgnoringCase"> {
  return {
    properties: Object.freeze(properties),
    ignoredProperties: NOTHING,
    members: new Map(properties.map((property) => [property.name, property])),
    membersIgnoringCase: new Map(properties.map((property) => [property.name.toLowerCase(), property])),
  };
}

/**
 * Makes a property that no type declares.
 * @param index its position in the made type
 * @param field the key of its values in objects
 */
export function madeProperty(
  { name, type, nullable, isCollection, facets }: MadeProperty,
  index: number,
  field: string = name,
): StructuralProperty {
  const made = { kind: "StructuralProperty", name, field, type, isCollection, nullable, facets, index } as const;
  return Object.freeze({ ...made, isKey: false, computed: true, immutable: false });
}

/** Returns the facets of the values of an expression, as far as they are declared. */
export function facetsOf(expression: Expression): MadeProperty["facets"] {
  if (expression.kind !== "property") return {};
  const { maxLength, precision, scale } = expression.property.facets;
  return { maxLength, precision, scale };
}

/** Returns the property of a type that a step has made. */
export function madeMember(type: EntityType | ComplexType, name: string): StructuralProperty {
  const member = type.members.get(name);
  if (member?.kind === "StructuralProperty") return member;
  throw new Error(`No step has made ${name}.`);
}
