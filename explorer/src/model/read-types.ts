import { type AnnotationReader, type Annotations, isTrue, resolveAlias, textOf } from "./annotations.ts";
import type { EnumType, Navigation, Property, PropertyType, StructuredType } from "./model.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

const CORE = "Org.OData.Core.V1";
const VALIDATION = "Org.OData.Validation.V1";
const COMMON = "com.sap.vocabularies.Common.v1";
const UI = "com.sap.vocabularies.UI.v1";

/** What every part of a metadata document is read with. */
export interface Schemas {
  readonly elements: readonly XmlElement[];
  /** Alias → namespace. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly annotations: AnnotationReader;
}

/** The types of a service by qualified name. */
export interface Types {
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
  const enums = new Map(declared(schemas, "EnumType").map((each) => [each.name, readEnum(each, schemas)]));
  const definitions = new Map(
    declared(schemas, "TypeDefinition").map(({ name, element }) => [
      name,
      element.attributes["UnderlyingType"] ?? "Edm.String",
    ]),
  );
  const declarations = [...declared(schemas, "ComplexType"), ...declared(schemas, "EntityType")];
  const structured = new Map(declarations.map((each) => [each.name, openType(each, schemas)]));
  const types = { structured, enums, definitions };
  const elements = new Map(declarations.map((each) => [each.name, each.element]));
  const done = new Set<OpenType>();
  const fill = (type: OpenType): void => {
    const element = elements.get(type.qualifiedName);
    if (element === undefined || done.has(type)) return;
    done.add(type);
    const base = structured.get(resolveAlias(element.attributes["BaseType"] ?? "", schemas.aliases));
    if (base !== undefined) fill(base);
    readMembers(type, element, base ?? null, { ...schemas, types });
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
export function descriptionOf(annotations: Annotations): string | null {
  return textOf(annotations, `${CORE}.Description`) ?? textOf(annotations, `${COMMON}.QuickInfo`);
}

/** Returns the name for people that annotations hold. */
export function labelOf(annotations: Annotations): string | null {
  return textOf(annotations, `${COMMON}.Label`);
}

function readEnum({ name, element }: Declaration, { annotations }: Schemas): EnumType {
  return {
    name: element.attributes["Name"] ?? "",
    qualifiedName: name,
    isFlags: element.attributes["IsFlags"] === "true",
    description: descriptionOf(annotations.of(element, name)),
    members: childrenOf(element, "Member").map((member, index) => ({
      name: member.attributes["Name"] ?? "",
      value: member.attributes["Value"] ?? String(index),
      description: descriptionOf(annotations.of(member, `${name}/${member.attributes["Name"] ?? ""}`)),
    })),
  };
}

function openType({ name, element }: Declaration, { annotations }: Schemas): OpenType {
  return {
    kind: element.name === "EntityType" ? "entity" : "complex",
    name: element.attributes["Name"] ?? "",
    qualifiedName: name,
    base: null,
    isAbstract: element.attributes["Abstract"] === "true",
    isOpen: element.attributes["OpenType"] === "true",
    hasStream: element.attributes["HasStream"] === "true",
    key: [],
    properties: new Map(),
    navigations: new Map(),
    description: descriptionOf(annotations.of(element, name)),
  };
}

interface MemberContext extends Schemas {
  readonly types: Types;
}

function readMembers(type: OpenType, element: XmlElement, base: StructuredType | null, context: MemberContext): void {
  type.base = base;
  for (const [name, property] of base?.properties ?? []) type.properties.set(name, property);
  for (const [name, navigation] of base?.navigations ?? []) type.navigations.set(name, navigation);
  for (const each of childrenOf(element, "Property")) {
    const property = readProperty(each, `${type.qualifiedName}/${each.attributes["Name"] ?? ""}`, context);
    type.properties.set(property.name, property);
  }
  for (const each of childrenOf(element, "NavigationProperty")) {
    const navigation = readNavigation(each, type.qualifiedName, context);
    if (navigation !== null) type.navigations.set(navigation.name, navigation);
  }
  const references = childrenOf(element, "Key").flatMap((key) => childrenOf(key, "PropertyRef"));
  const own = references.flatMap(({ attributes }) => type.properties.get(attributes["Name"] ?? "") ?? []);
  type.key = own.length > 0 ? own : (base?.key ?? []);
}

function readProperty(element: XmlElement, target: string, { annotations, aliases, types }: MemberContext): Property {
  const { attributes } = element;
  const stated = annotations.of(element, target);
  const type = readType(attributes["Type"] ?? "Edm.String", types, aliases);
  return {
    name: attributes["Name"] ?? "",
    label: labelOf(stated),
    ...type,
    isNullable: attributes["Nullable"] !== "false",
    description: descriptionOf(stated),
    computed: isTrue(stated, `${CORE}.Computed`),
    hasComputedDefault: isTrue(stated, `${CORE}.ComputedDefaultValue`),
    immutable: isTrue(stated, `${CORE}.Immutable`),
    readOnly: isReadOnly(textOf(stated, `${CORE}.Permissions`)),
    defaultValue: attributes["DefaultValue"] ?? null,
    ...readFacets(attributes),
    minimum: textOf(stated, `${VALIDATION}.Minimum`),
    maximum: textOf(stated, `${VALIDATION}.Maximum`),
    pattern: textOf(stated, `${VALIDATION}.Pattern`),
    isMultiLine: isTrue(stated, `${UI}.MultiLineText`),
    mediaType: textOf(stated, `${CORE}.MediaType`),
  };
}

/** Members of the flags are separated by spaces: `Org.OData.Core.V1.Permission/Read`. */
function isReadOnly(permissions: string | null): boolean {
  return permissions !== null && !/\/(?:Write|ReadWrite)\b|^[23]$/u.test(permissions);
}

/** Returns the numbers of `MaxLength`, `Precision` and `Scale`; null for those that do not limit. */
export function readFacets(
  attributes: Readonly<Record<string, string>>,
): Pick<Property, "maxLength" | "precision" | "scale"> {
  const limit = (name: string): number | null => {
    const value = Number(attributes[name] ?? "none");
    return Number.isNaN(value) ? null : value;
  };
  return { maxLength: limit("MaxLength"), precision: limit("Precision"), scale: limit("Scale") };
}

/** Returns the type that a name such as `Collection(Shop.Status)` means. Unknown types are primitive. */
export function readType(
  text: string,
  types: Types,
  aliases: ReadonlyMap<string, string>,
): { readonly type: PropertyType; readonly isCollection: boolean } {
  const item = /^Collection\((?<item>.*)\)$/u.exec(text)?.groups?.["item"];
  return { type: typeNamed(resolveAlias(item ?? text, aliases), types), isCollection: item !== undefined };
}

function typeNamed(name: string, { structured, enums, definitions }: Types): PropertyType {
  const enumType = enums.get(name);
  if (enumType !== undefined) return { kind: "enum", enum: enumType };
  const type = structured.get(name);
  return type === undefined ? { kind: "primitive", name: definitions.get(name) ?? name } : { kind: "complex", type };
}

function readNavigation(element: XmlElement, owner: string, context: MemberContext): Navigation | null {
  const { attributes } = element;
  const name = attributes["Name"] ?? "";
  const { type, isCollection } = readType(attributes["Type"] ?? "", context.types, context.aliases);
  if (type.kind !== "complex") return null;
  return {
    name,
    target: type.type,
    isCollection,
    isNullable: attributes["Nullable"] !== "false",
    partner: attributes["Partner"] ?? null,
    constraints: new Map(
      childrenOf(element, "ReferentialConstraint").map((each) => [
        each.attributes["Property"] ?? "",
        each.attributes["ReferencedProperty"] ?? "",
      ]),
    ),
    description: descriptionOf(context.annotations.of(element, `${owner}/${name}`)),
  };
}
