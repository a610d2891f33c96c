import { type CsdlElement, type ParseXml, annotation, childrenOf, itemsAt, readSchema, textAt } from "./csdl.ts";
import { withLater } from "./later.ts";
import { setAbilities } from "./set-abilities.ts";

/** The model of a service: its `$metadata`, with all names resolved. */
export type Model = Readonly<ReturnType<typeof toModel>>;
export type EntitySet = Readonly<ReturnType<typeof readSet>[number]>;
export type SetAbilities = EntitySet["abilities"];
export type EnumType = Readonly<ReturnType<typeof readEnum>>;
export type Property = Readonly<ReturnType<typeof readProperty>>;
export type Navigation = Readonly<ReturnType<typeof readNavigation>[number]>;
export type Operation = Readonly<ReturnType<typeof readOperation>[number]>;
export type Parameter = Operation["parameters"][number];

/** An entity type or complex type. */
export interface StructuredType {
  readonly kind: "entity" | "complex";
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string | null;
  readonly key: readonly Property[];
  /** The names of the properties that an annotation states as what people call an entity. */
  readonly statedLabel: readonly string[];
  readonly properties: ReadonlyMap<string, Property>;
  /** The properties that the user may not read. */
  readonly hidden: readonly Property[];
  readonly navigations: ReadonlyMap<string, Navigation>;
}

/** The type of a value, or of the items of a collection. An entity has the kind `complex`, too. */
export type PropertyType =
  | {
      readonly kind: "primitive";
      /** Such as `Edm.Int32`. */
      readonly name: string;
      /** The zone that the service states for instants: `UTC` for a column without a zone. */
      readonly timezone?: string;
      /** Of a group by periods: the values are their numbers. */
      readonly period?: "day" | "week" | "month" | "quarter" | "year";
    }
  | { readonly kind: "enum"; readonly enum: EnumType }
  | { readonly kind: "complex"; readonly type: StructuredType };

interface Types {
  readonly structured: ReadonlyMap<string, StructuredType>;
  readonly enums: ReadonlyMap<string, EnumType>;
}

/** Reads a `$metadata` document of odatakit. @throws Error if it holds no schema */
export function readMetadata(text: string, parseXml: ParseXml): Model {
  return toModel(readSchema(text, parseXml));
}

/** Resolves the names of a schema. */
export function toModel(schema: CsdlElement) {
  const types = readTypes(schema);
  const [container] = childrenOf(schema, "EntityContainer");
  const operations = [...childrenOf(schema, "Function"), ...childrenOf(schema, "Action")];
  return {
    title: textAt(container, "Common.Label") ?? schema.names.name,
    description: container?.names.description ?? schema.names.description,
    sets: byName(childrenOf(container, "EntitySet").flatMap((each) => readSet(each, types))),
    /** Single entities with paths of their own, such as `Me`. */
    singletons: byName(childrenOf(container, "Singleton").flatMap((each) => readSet(each, types))),
    /** Entity types and complex types by qualified name. */
    types: types.structured,
    enums: types.enums,
    operations: operations.flatMap((each) => readOperation(each, container, types)),
  };
}

/** Types refer to one another: members are read when a screen needs them. */
function readTypes(schema: CsdlElement) {
  const elements = [...childrenOf(schema, "ComplexType"), ...childrenOf(schema, "EntityType")];
  const structured = new Map<string, StructuredType>();
  const enums = new Map(childrenOf(schema, "EnumType").map((each) => [each.qualifiedName, readEnum(each)]));
  for (const each of elements) structured.set(each.qualifiedName, openType(each, { structured, enums }));
  return { structured, enums };
}

function openType(element: CsdlElement, types: Types): StructuredType {
  const { localName, qualifiedName, attributes } = element;
  const kind = localName === "EntityType" ? "entity" : "complex";
  const type = { name: attributes["Name"] ?? "", qualifiedName, kind, hidden: [] } as const;
  const made: StructuredType = withLater<typeof type, Omit<StructuredType, keyof typeof type>>(type, {
    description: () => element.names.description,
    properties: () => byName(valuesOf(element).map((each) => readProperty(each, types))),
    navigations: () => byName(childrenOf(element, "NavigationProperty").flatMap((each) => readNavigation(each, types))),
    key: () =>
      childrenOf(childrenOf(element, "Key")[0], "PropertyRef").flatMap(
        ({ attributes: { Name: name = "" } }) => made.properties.get(name) ?? [],
      ),
    statedLabel: () => statedLabel(element, made.key),
  });
  return made;
}

/** Returns the properties with values: streams have none. */
function valuesOf(element: CsdlElement): readonly CsdlElement[] {
  return childrenOf(element, "Property").filter(({ attributes }) => attributes["Type"] !== "Edm.Stream");
}

/** Returns the title of an entity, or the text of its key, or the properties that identify it for people. */
function statedLabel(element: CsdlElement, key: readonly Property[]): readonly string[] {
  const own = childrenOf(element, "Property").find(({ names }) => key.length === 1 && names.name === key[0]?.name);
  const one = textAt(element, "UI.HeaderInfo", "Title", "Value") ?? textAt(own, "Common.Text");
  return one === null ? itemsAt(element, "Common.SemanticKey").map(({ text }) => text) : [one];
}

/** Returns things by their names. */
export function byName<Named extends { readonly name: string }>(all: readonly Named[]): ReadonlyMap<string, Named> {
  return new Map(all.map((each) => [each.name, each]));
}

function readEnum(element: CsdlElement) {
  const { names, qualifiedName, attributes } = element;
  const members = childrenOf(element, "Member").map((each) => ({
    ...each.names,
    value: each.attributes["Value"] ?? "",
  }));
  return { ...names, qualifiedName, isFlags: attributes["IsFlags"] === "true", members };
}

/** Reads a property, or a parameter of an operation. */
function readProperty(element: CsdlElement, types: Types) {
  const { Nullable: nullable, MaxLength: maxLength, DefaultValue: defaultValue } = element.attributes;
  const is = (term: string): boolean => textAt(element, term) === "true";
  return {
    ...element.names,
    ...readType(element, types),
    label: textAt(element, "Common.Label"),
    isNullable: nullable !== "false",
    maxLength: maxLength === undefined ? null : Number(maxLength),
    defaultValue: defaultValue ?? textAt(element, "Core.OptionalParameter", "DefaultValue"),
    /** Whether the service sets the value that a new entity does not state. */
    hasComputedDefault: is("Core.ComputedDefaultValue"),
    immutable: is("Core.Immutable"),
    /** Whether the user may not give the value to a new entity. */
    isNotCreated: false,
    /** Whether only the service sets the value. */
    readOnly: is("Core.Computed") || !/\/(?:Read)?Write\b/u.test(textAt(element, "Core.Permissions") ?? "/Write"),
    isMultiLine: is("UI.MultiLineText"),
    mediaType: textAt(element, "Core.MediaType"),
  };
}

/** Reads a type such as `Collection(Shop.Status)`. */
function readType(element: CsdlElement, types: Types) {
  const { Type: text = "" } = element.attributes;
  const name = text.replace(/^Collection\((.*)\)$/u, "$1");
  const timezone = textAt(element, "Common.Timezone");
  const type = allowedTexts(element, name) ?? typeNamed(name, types);
  return {
    type: timezone === null || type.kind !== "primitive" ? type : { ...type, timezone },
    isCollection: name !== text,
  };
}

/** Returns the names that a text may have as an enumeration whose literals are texts. */
function allowedTexts(element: CsdlElement, name: string): PropertyType | undefined {
  const members = itemsAt(element, "Validation.AllowedValues").map((each) => {
    const value = textAt(each, "Value") ?? "";
    return { name: value, value, description: textAt(each, "Core.Description") };
  });
  if (members.length === 0 || name !== "Edm.String") return undefined;
  return { kind: "enum", enum: { name: "String", qualifiedName: "", description: null, isFlags: false, members } };
}

function typeNamed(name: string, { structured, enums }: Types): PropertyType {
  const [type, enumType] = [structured.get(name), enums.get(name)];
  if (type !== undefined) return { kind: "complex", type };
  return enumType === undefined ? { kind: "primitive", name } : { kind: "enum", enum: enumType };
}

function readNavigation(element: CsdlElement, types: Types) {
  const { Nullable: nullable, Partner: partner = null } = element.attributes;
  const { type, isCollection } = readType(element, types);
  /** Own property → property of the target. */
  const constraints = pairsIn(element, "ReferentialConstraint", "Property", "ReferencedProperty");
  const navigation = { ...element.names, isCollection, isNullable: nullable !== "false", partner, constraints };
  return type.kind === "complex" ? [{ ...navigation, target: type.type }] : [];
}

/** Reads a set, or a singleton as a set without keys. */
function readSet(element: CsdlElement, { structured }: Types) {
  const { EntityType: itemType, Type: ownType } = element.attributes;
  const type = structured.get(itemType ?? ownType ?? "");
  /** The sets to which navigation properties lead, by the path of the navigation. */
  const bindings = () => pairsIn(element, "NavigationPropertyBinding", "Path", "Target");
  const readAbilities = () => {
    const abilities = setAbilities(element);
    return { ...abilities, canReadByKey: itemType !== undefined && abilities.canReadByKey };
  };
  if (type === undefined) return [];
  const set = { name: element.attributes["Name"] ?? "", type };
  const description = (): string | null => element.names.description ?? type.description;
  return [withLater(set, { bindings, description, abilities: readAbilities })];
}

function pairsIn(element: CsdlElement, name: string, key: string, value: string): ReadonlyMap<string, string> {
  return new Map(
    childrenOf(element, name).map(({ attributes }) => [attributes[key] ?? "", attributes[value] ?? ""] as const),
  );
}

/** Reads a bound overload, or an unbound one for each of its imports, without which it has no URL. */
function readOperation(element: CsdlElement, container: CsdlElement | undefined, types: Types) {
  const { localName, names, qualifiedName, attributes } = element;
  const [result] = childrenOf(element, "ReturnType").map((each) => readType(each, types));
  const all = childrenOf(element, "Parameter").map((each) => {
    const isOptional = annotation(each, "Core.OptionalParameter") !== undefined;
    return { ...readProperty(each, types), isOptional };
  });
  const [binding] = attributes["IsBound"] === "true" ? all : [];
  const imports = childrenOf(container, `${localName}Import`);
  const own = imports.filter((each) => each.attributes[localName] === qualifiedName);
  return (binding === undefined ? own : [null]).map((each) => ({
    ...names,
    qualifiedName,
    kind: localName === "Function" ? ("function" as const) : ("action" as const),
    boundTo: binding?.type.kind === "complex" ? binding.type.type : null,
    boundToCollection: binding?.isCollection === true,
    /** Without the binding parameter. */
    parameters: all.filter((parameter) => parameter !== binding),
    result: result ?? null,
    /** The name at the root of the service; null for bound operations. */
    importName: each?.names.name ?? null,
    /** The set of the entities that the operation returns. */
    entitySet: each?.attributes["EntitySet"] ?? null,
  }));
}
