import { aliasNames, type NameWriter } from "./alias-names.ts";
import { annotationMembers, type JsonMember, type JsonObject } from "./write-json-annotations.ts";
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
    ...(key.length === 0 ? {} : { $Key: key }),
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
    $Collection: true,
    $Type: text(child, "EntityType"),
    ...(bindings.length === 0 ? {} : { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
  };
}

function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

function text({ attributes }: XmlElement, name: string): string {
  return attributes[name] ?? "";
}
