import { toXmlText, type XmlElement } from "./xml.ts";

/**
 * Writes a metadata document as CSDL JSON, from the same elements as its XML: both have the same content.
 * @param root the element `edmx:Edmx`
 * @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html
 */
export function writeCsdlJson(root: XmlElement): string {
  return JSON.stringify(toCsdlJson(root), (_key, value: unknown) =>
    typeof value === "string" ? toXmlText(value) : value,
  );
}

function toCsdlJson(root: XmlElement): JsonObject {
  const schemas = childrenOf(root, "edmx:DataServices").flatMap(({ children }) => children);
  const references = childrenOf(root, "edmx:Reference");
  const names = aliasNames(references);
  const containers = schemas.flatMap((schema) =>
    childrenOf(schema, "EntityContainer").map((each) => `${text(schema, "Namespace")}.${text(each, "Name")}`),
  );
  return {
    $Version: text(root, "Version"),
    ...(containers[0] === undefined ? {} : { $EntityContainer: containers[0] }),
    ...(references.length === 0 ? {} : { $Reference: Object.fromEntries(references.map(toReference)) }),
    ...Object.fromEntries(schemas.map((schema) => [text(schema, "Namespace"), toSchema(schema, names)])),
  };
}

/** The published vocabularies exist as XML and as JSON. */
function toReference(reference: XmlElement): JsonMember {
  const uri = text(reference, "Uri").replace(
    /^(https:\/\/(?:oasis-tcs|sap)\.github\.io\/odata-vocabularies\/vocabularies\/.*)\.xml$/u,
    "$1.json",
  );
  const included = childrenOf(reference, "edmx:Include").map(({ attributes }) => ({
    $Namespace: attributes["Namespace"],
    ...(attributes["Alias"] === undefined ? {} : { $Alias: attributes["Alias"] }),
  }));
  return [uri, { $Include: included }];
}

function toSchema(schema: XmlElement, names: NameWriter): JsonObject {
  const members = new Map<string, unknown>();
  const external: JsonMember[] = [];
  for (const child of schema.children) {
    const name = text(child, "Name");
    if (child.name === "Annotations") {
      external.push([text(child, "Target"), Object.fromEntries(annotationMembers(child, "", names))]);
    } else if (child.name === "Action" || child.name === "Function") {
      const known = members.get(name);
      members.set(name, [...(Array.isArray(known) ? (known as unknown[]) : []), toOperation(child, names)]);
    } else {
      members.set(name, toElement(child, names));
    }
  }
  if (external.length > 0) members.set("$Annotations", Object.fromEntries(external));
  return Object.fromEntries(members);
}

function toElement(child: XmlElement, names: NameWriter): JsonObject {
  switch (child.name) {
    case "EnumType":
      return toEnumType(child, names);
    case "EntityContainer":
      return toContainer(child, names);
    default:
      return toStructuredType(child, names);
  }
}

function toEnumType(type: XmlElement, names: NameWriter): JsonObject {
  const { UnderlyingType: underlying, IsFlags: isFlags } = type.attributes;
  const members = childrenOf(type, "Member").flatMap((member) => {
    const name = text(member, "Name");
    return [[name, Number(text(member, "Value"))] as const, ...annotationMembers(member, name, names)];
  });
  return {
    $Kind: "EnumType",
    ...(underlying === undefined ? {} : { $UnderlyingType: underlying }),
    ...(isFlags === "true" ? { $IsFlags: true } : {}),
    ...Object.fromEntries(members),
    ...Object.fromEntries(annotationMembers(type, "", names)),
  };
}

function toStructuredType(type: XmlElement, names: NameWriter): JsonObject {
  const key = childrenOf(type, "Key").flatMap(({ children }) => children.map((each) => text(each, "Name")));
  const properties = type.children
    .filter(({ name }) => name === "Property" || name === "NavigationProperty")
    .map((property): JsonMember => [text(property, "Name"), toProperty(property, names)]);
  return {
    $Kind: type.name,
    ...(type.attributes["BaseType"] === undefined ? {} : { $BaseType: type.attributes["BaseType"] }),
    ...(type.attributes["Abstract"] === "true" ? { $Abstract: true } : {}),
    ...(key.length === 0 ? {} : { $Key: key }),
    ...(type.attributes["HasStream"] === "true" ? { $HasStream: true } : {}),
    ...Object.fromEntries(properties),
    ...Object.fromEntries(annotationMembers(type, "", names)),
  };
}

function toProperty(property: XmlElement, names: NameWriter): JsonObject {
  const constraints = childrenOf(property, "ReferentialConstraint").map((each): JsonMember => [
    text(each, "Property"),
    text(each, "ReferencedProperty"),
  ]);
  const { Partner: partner } = property.attributes;
  return {
    ...(property.name === "NavigationProperty" ? { $Kind: property.name } : {}),
    ...typeMembers(property),
    ...(partner === undefined ? {} : { $Partner: partner }),
    ...(constraints.length === 0 ? {} : { $ReferentialConstraint: Object.fromEntries(constraints) }),
    ...Object.fromEntries(annotationMembers(property, "", names)),
  };
}

/** Returns type, facets and default. In JSON the defaults are Edm.String, not nullable, and any scale. */
function typeMembers(element: XmlElement): JsonObject {
  const { Type: type = "", Nullable: nullable, MaxLength: maxLength, Precision: precision } = element.attributes;
  const { Scale: scale, DefaultValue: defaultValue } = element.attributes;
  const isCollection = type.startsWith("Collection(");
  const item = isCollection ? type.slice("Collection(".length, -1) : type;
  const isNullable = nullable === undefined ? !isCollection : nullable === "true";
  return {
    ...(isCollection ? { $Collection: true } : {}),
    ...(item === "Edm.String" ? {} : { $Type: item }),
    ...(isNullable ? { $Nullable: true } : {}),
    ...(maxLength === undefined ? {} : { $MaxLength: Number(maxLength) }),
    ...(precision === undefined ? {} : { $Precision: Number(precision) }),
    ...(scale === undefined || scale === "variable" ? {} : { $Scale: Number(scale) }),
    ...(defaultValue === undefined ? {} : { $DefaultValue: toDefault(item, defaultValue) }),
  };
}

/** Numbers that JSON would round stay texts. */
function toDefault(type: string, value: string): unknown {
  if (type === "Edm.Boolean") return value === "true";
  const isNumeric = /^Edm\.(?:S?Byte|Int|Decimal|Double|Single)/u.test(type);
  return isNumeric && String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}

function toOperation(operation: XmlElement, names: NameWriter): JsonObject {
  const { EntitySetPath: path, IsBound: isBound, IsComposable: isComposable } = operation.attributes;
  const parameters = childrenOf(operation, "Parameter").map((each) => ({
    $Name: text(each, "Name"),
    ...typeMembers(each),
    ...Object.fromEntries(annotationMembers(each, "", names)),
  }));
  const [returns] = childrenOf(operation, "ReturnType");
  return {
    $Kind: operation.name,
    ...(path === undefined ? {} : { $EntitySetPath: path }),
    ...(isBound === "true" ? { $IsBound: true } : {}),
    ...(isComposable === "true" ? { $IsComposable: true } : {}),
    ...(parameters.length === 0 ? {} : { $Parameter: parameters }),
    ...(returns === undefined ? {} : { $ReturnType: typeMembers(returns) }),
    ...Object.fromEntries(annotationMembers(operation, "", names)),
  };
}

function toContainer(container: XmlElement, names: NameWriter): JsonObject {
  const members = container.children
    .filter(({ name }) => name !== "Annotation")
    .map((child): JsonMember => {
      const rest = Object.fromEntries(annotationMembers(child, "", names));
      return [text(child, "Name"), { ...toContainerChild(child), ...rest }];
    });
  return {
    $Kind: "EntityContainer",
    ...Object.fromEntries(members),
    ...Object.fromEntries(annotationMembers(container, "", names)),
  };
}

function toContainerChild(child: XmlElement): JsonObject {
  if (child.name === "ActionImport") return { $Action: text(child, "Action") };
  if (child.name === "FunctionImport") {
    const isListed = child.attributes["IncludeInServiceDocument"] === "true";
    return { $Function: text(child, "Function"), ...(isListed ? { $IncludeInServiceDocument: true } : {}) };
  }
  const bindings = childrenOf(child, "NavigationPropertyBinding").map((each): JsonMember => [
    text(each, "Path"),
    text(each, "Target"),
  ]);
  return {
    ...(child.name === "Singleton"
      ? { $Type: text(child, "Type") }
      : { $Collection: true, $Type: text(child, "EntityType") }),
    ...(bindings.length === 0 ? {} : { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
  };
}

function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

function text({ attributes }: XmlElement, name: string): string {
  return attributes[name] ?? "";
}

/** An object of a document. */
type JsonObject = Readonly<Record<string, unknown>>;

/** A member of an object. */
type JsonMember = readonly [string, unknown];

const PATHS: ReadonlySet<string> = new Set(["AnnotationPath", "NavigationPropertyPath", "PropertyPath"]);

const NUMBERS: ReadonlySet<string> = new Set(["Decimal", "Float", "Int"]);

/**
 * Returns the annotations of an element as members of the object for the element.
 * @param prefix the name of the annotated member; empty for the object itself
 * @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html
 */
function annotationMembers(owner: XmlElement, prefix: string, names: NameWriter): readonly JsonMember[] {
  return owner.children
    .filter(({ name }) => name === "Annotation")
    .flatMap((annotation): readonly JsonMember[] => {
      const { Term: term = "", Qualifier: qualifier } = annotation.attributes;
      const name = `${prefix}@${names.aliased(term)}${qualifier === undefined ? "" : `#${qualifier}`}`;
      return [[name, heldValue(annotation, names)], ...annotationMembers(annotation, name, names)];
    });
}

/** Returns the value of an annotation or of a property of a record. */
function heldValue(holder: XmlElement, names: NameWriter): unknown {
  const constant = Object.entries(holder.attributes).find(
    ([name, value]) => value !== undefined && !["Term", "Qualifier", "Property", "Name"].includes(name),
  );
  if (constant !== undefined) return constantValue(constant[0], constant[1] ?? "", names);
  const child = holder.children.find(({ name }) => name !== "Annotation");
  // Without a value, the term decides; the terms of the service always have one.
  return child === undefined ? true : toValue(child, names, holder);
}

/** Returns the value of an expression. @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html */
function toValue(expression: XmlElement, names: NameWriter, holder: XmlElement): unknown {
  const { name, children, text } = expression;
  const annotations = Object.fromEntries(annotationMembers(expression, "", names));
  switch (name) {
    case "Null":
      return Object.keys(annotations).length === 0 ? null : { ...annotations, $Null: null };
    case "Collection":
      return children.map((each) => toValue(each, names, expression));
    case "Record":
      return toRecord(expression, names);
    case "EnumMember":
      return isTyped(holder) && expression.statesType !== true
        ? memberNames(text ?? "")
        : castMember(text ?? "", names);
    default:
      return constantValue(name, text ?? "", names);
  }
}

/** The type of a member of an enumeration follows from its term or property, but not from a collection. */
function isTyped({ name }: XmlElement): boolean {
  return name === "Annotation" || name === "PropertyValue";
}

function constantValue(type: string, text: string, names: NameWriter): unknown {
  if (type === "Bool") return text === "true";
  if (type === "EnumMember") return memberNames(text);
  if (type === "Path") return { $Path: aliasedPath(text, names) };
  if (PATHS.has(type)) return aliasedPath(text, names);
  if (NUMBERS.has(type)) return toNumber(text);
  return text;
}

/** Numbers that JSON cannot express, or would round, stay texts. */
function toNumber(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && digitsOf(text) === digitsOf(String(number)) ? number : text;
}

/** Returns a decimal number in one form: its significant digits, and the power of ten of the last one. */
function digitsOf(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("+", "").split(".");
  const digits = `${whole}${fraction}`.replace(/^(-?)0+/u, "$1");
  const significant = digits.replace(/0+$/u, "");
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" || significant === "-" ? "0" : `${significant}e${power}`;
}

function memberNames(text: string): string {
  return text
    .split(" ")
    .map((member) => member.slice(member.indexOf("/") + 1))
    .join(",");
}

function castMember(text: string, names: NameWriter): JsonObject {
  return { $Cast: memberNames(text), $Type: names.aliased(text.slice(0, text.indexOf("/"))) };
}

function toRecord(record: XmlElement, names: NameWriter): JsonObject {
  const { Type: type } = record.attributes;
  const properties = record.children
    .filter(({ name }) => name === "PropertyValue")
    .flatMap((each): readonly JsonMember[] => {
      const name = each.attributes["Property"] ?? "";
      return [[name, heldValue(each, names)], ...annotationMembers(each, name, names)];
    });
  return {
    ...(type === undefined ? {} : { "@odata.type": names.typeReference(type) }),
    ...Object.fromEntries(properties),
    ...Object.fromEntries(annotationMembers(record, "", names)),
  };
}

/** Returns a path with the aliases of the terms and types in it. */
function aliasedPath(text: string, names: NameWriter): string {
  return text
    .split("/")
    .map((part) => {
      const at = part.indexOf("@") + 1;
      const [name = "", ...qualifier] = part.slice(at).split("#");
      return [part.slice(0, at) + (name.includes(".") ? names.aliased(name) : name), ...qualifier].join("#");
    })
    .join("/");
}

/** Writes the names of one document. */
interface NameWriter {
  /** Returns a qualified name with the alias of its namespace, if the document declares one. */
  readonly aliased: (name: string) => string;
  /** Returns the reference to a type for `@odata.type`: the document of its namespace, and the name. */
  readonly typeReference: (name: string) => string;
}

/**
 * Returns how a document writes names. In CSDL JSON, a namespace with an alias is written as this alias everywhere.
 * @param references the `edmx:Reference` elements of the document
 * @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html
 */
function aliasNames(references: readonly XmlElement[]): NameWriter {
  const included = references.flatMap((reference) =>
    reference.children.map(({ attributes }) => ({
      namespace: attributes["Namespace"] ?? "",
      alias: attributes["Alias"],
      uri: reference.attributes["Uri"] ?? "",
    })),
  );
  const find = (name: string): (typeof included)[number] | undefined => {
    const prefix = name.slice(0, name.lastIndexOf("."));
    return included.find(({ namespace, alias }) => namespace === prefix || alias === prefix);
  };
  const aliased = (name: string): string => {
    const alias = find(name)?.alias;
    return alias === undefined ? name : `${alias}${name.slice(name.lastIndexOf("."))}`;
  };
  return { aliased, typeReference: (name) => `${find(name)?.uri ?? ""}#${aliased(name)}` };
}
