import { type AnnotationRecord, textIn } from "./annotations.ts";
import type { EnumType, Navigation, Property, PropertyType, StructuredType } from "./model.ts";
import type { Schemas } from "./read-schemas.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

const CORE = "Org.OData.Core.V1";
const COMMON = "com.sap.vocabularies.Common.v1";
const UI = "com.sap.vocabularies.UI.v1";

/** The types of a service by qualified name. */
export interface Types {
  readonly schemas: Schemas;
  readonly structured: ReadonlyMap<string, StructuredType>;
  readonly enums: ReadonlyMap<string, EnumType>;
  /** Type definition → primitive type. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** A type whose members are still being read. */
interface OpenType extends Omit<StructuredType, "base" | "key"> {
  base: StructuredType | null;
  key: readonly Property[];
  readonly properties: Map<string, Property>;
  readonly navigations: Map<string, Navigation>;
}

/** Reads all types. Types may refer to one another, so that all exist before their members are read. */
export function readTypes(schemas: Schemas): Types {
  const enums = declared(schemas, "EnumType").map((each) => [each.name, readEnum(each, schemas)] as const);
  const definitions = declared(schemas, "TypeDefinition").map(
    ({ name, element }) => [name, element.attributes["UnderlyingType"] ?? "Edm.String"] as const,
  );
  const waiting = new Map(
    [...declared(schemas, "ComplexType"), ...declared(schemas, "EntityType")].map((each) => [each.name, each.element]),
  );
  const structured = new Map(Array.from(waiting, ([name, element]) => [name, openType(name, element, schemas)]));
  const types = { schemas, structured, enums: new Map(enums), definitions: new Map(definitions) };
  const fill = (type: OpenType): void => {
    const element = waiting.get(type.qualifiedName);
    if (element === undefined) return;
    waiting.delete(type.qualifiedName);
    const base = structured.get(element.attributes["BaseType"] ?? "");
    if (base !== undefined) fill(base);
    readMembers(type, element, base ?? null, types);
  };
  for (const type of structured.values()) fill(type);
  return types;
}

interface Declaration {
  /** With the namespace. */
  readonly name: string;
  readonly element: XmlElement;
}

/** Returns the elements of all schemas with a name, such as `EntityType`. */
export function declared({ elements }: Schemas, name: string): readonly Declaration[] {
  return elements.flatMap((schema) =>
    childrenOf(schema, name).map((element) => ({
      name: `${schema.attributes["Namespace"] ?? ""}.${element.attributes["Name"] ?? ""}`,
      element,
    })),
  );
}

/** Returns the description for people that annotations hold. */
export function descriptionOf(annotations: AnnotationRecord): string | null {
  return textIn(annotations, `${CORE}.Description`) ?? textIn(annotations, `${COMMON}.QuickInfo`);
}

/** Returns the name for people that annotations hold. */
export function labelOf(annotations: AnnotationRecord): string | null {
  return textIn(annotations, `${COMMON}.Label`);
}

function readEnum({ name, element }: Declaration, { annotationsOf }: Schemas): EnumType {
  return {
    name: element.attributes["Name"] ?? "",
    qualifiedName: name,
    isFlags: element.attributes["IsFlags"] === "true",
    members: childrenOf(element, "Member").map((member, index) => {
      const { Name: own = "", Value: value = String(index) } = member.attributes;
      return { name: own, value, description: descriptionOf(annotationsOf(member, `${name}/${own}`)) };
    }),
  };
}

function openType(qualifiedName: string, element: XmlElement, { annotationsOf }: Schemas): OpenType {
  return {
    kind: element.name === "EntityType" ? "entity" : "complex",
    name: element.attributes["Name"] ?? "",
    qualifiedName,
    base: null,
    key: [],
    properties: new Map(),
    navigations: new Map(),
    description: descriptionOf(annotationsOf(element, qualifiedName)),
  };
}

function readMembers(type: OpenType, element: XmlElement, base: StructuredType | null, types: Types): void {
  type.base = base;
  const { properties, navigations } = type;
  const own = childrenOf(element, "Property").map((each) => readProperty(each, type.qualifiedName, types));
  for (const each of [...(base?.properties.values() ?? []), ...own]) properties.set(each.name, each);
  const further = childrenOf(element, "NavigationProperty").flatMap(
    (each) => readNavigation(each, type.qualifiedName, types) ?? [],
  );
  for (const each of [...(base?.navigations.values() ?? []), ...further]) navigations.set(each.name, each);
  const references = childrenOf(element, "Key").flatMap((key) => childrenOf(key, "PropertyRef"));
  const key = references.flatMap(({ attributes }) => properties.get(attributes["Name"] ?? "") ?? []);
  type.key = key.length > 0 ? key : (base?.key ?? []);
}

function readProperty(element: XmlElement, owner: string, types: Types): Property {
  const { stated, ...typed } = readTyped(element, owner, types);
  const is = (term: string): boolean => stated[term] === "true";
  return {
    ...typed,
    computed: is(`${CORE}.Computed`),
    hasComputedDefault: is(`${CORE}.ComputedDefaultValue`),
    immutable: is(`${CORE}.Immutable`),
    readOnly: isReadOnly(textIn(stated, `${CORE}.Permissions`)),
    defaultValue: element.attributes["DefaultValue"] ?? null,
    isMultiLine: is(`${UI}.MultiLineText`),
    mediaType: textIn(stated, `${CORE}.MediaType`),
  };
}

/** Members of the flags are separated by spaces: `Org.OData.Core.V1.Permission/Read`. */
function isReadOnly(permissions: string | null): boolean {
  return permissions !== null && !/\/(?:Write|ReadWrite)\b|^[23]$/u.test(permissions);
}

type Typed = Pick<Property, "name" | "label" | "description" | "type" | "isCollection" | "isNullable" | "maxLength">;

/** Reads what properties and parameters have in common, with their annotations. */
export function readTyped(
  element: XmlElement,
  owner: string,
  types: Types,
): Typed & { readonly stated: AnnotationRecord } {
  const { Name: name = "", Nullable: nullable, MaxLength: maxLength = "none" } = element.attributes;
  const stated = types.schemas.annotationsOf(element, `${owner}/${name}`);
  return {
    name,
    label: labelOf(stated),
    description: descriptionOf(stated),
    ...readType(element, types),
    isNullable: nullable !== "false",
    maxLength: Number.isNaN(Number(maxLength)) ? null : Number(maxLength),
    stated,
  };
}

/** Returns the type that an element states, such as `Collection(Shop.Status)`. Unknown types are primitive. */
export function readType(element: XmlElement, types: Types): Pick<Property, "type" | "isCollection"> {
  const { Type: text = "Edm.String" } = element.attributes;
  const item = /^Collection\((?<item>.*)\)$/u.exec(text)?.groups?.["item"];
  return { type: typeNamed(item ?? text, types), isCollection: item !== undefined };
}

function typeNamed(name: string, { structured, enums, definitions }: Types): PropertyType {
  const enumType = enums.get(name);
  if (enumType !== undefined) return { kind: "enum", enum: enumType };
  const type = structured.get(name);
  return type === undefined ? { kind: "primitive", name: definitions.get(name) ?? name } : { kind: "complex", type };
}

function readNavigation(element: XmlElement, owner: string, types: Types): Navigation | null {
  const { Name: name = "", Partner: partner = null, Nullable: nullable } = element.attributes;
  const { type, isCollection } = readType(element, types);
  if (type.kind !== "complex") return null;
  const constraints = childrenOf(element, "ReferentialConstraint").map(
    ({ attributes }) => [attributes["Property"] ?? "", attributes["ReferencedProperty"] ?? ""] as const,
  );
  const description = descriptionOf(types.schemas.annotationsOf(element, `${owner}/${name}`));
  return {
    name,
    target: type.type,
    isCollection,
    isNullable: nullable !== "false",
    partner,
    constraints: new Map(constraints),
    description,
  };
}
