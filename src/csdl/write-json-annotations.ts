import type { NameWriter } from "./alias-names.ts";
import type { XmlElement } from "./xml.ts";

/** An object of a document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A member of an object. */
export type JsonMember = readonly [string, unknown];

/** The expressions whose operands are an array. */
const WITH_OPERANDS: ReadonlySet<string> = new Set(["And", "Apply", "Eq", "Ge", "Gt", "If", "Le", "Lt", "Ne", "Or"]);

const PATHS: ReadonlySet<string> = new Set(["AnnotationPath", "NavigationPropertyPath", "PropertyPath"]);

const NUMBERS: ReadonlySet<string> = new Set(["Decimal", "Float", "Int"]);

/**
 * Returns the annotations of an element as members of the object for the element.
 * @param prefix the name of the annotated member; empty for the object itself
 * @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html
 */
export function annotationMembers(owner: XmlElement, prefix: string, names: NameWriter): readonly JsonMember[] {
  return owner.children
    .filter(({ name }) => name === "Annotation")
    .flatMap((annotation): readonly JsonMember[] => {
      const { Term: term = "", Qualifier: qualifier } = annotation.attributes;
      const name = `${prefix}@${names.aliased(term)}${qualifier === undefined ? "" : `#${qualifier}`}`;
      return [[name, heldValue(annotation, names)], ...annotationMembers(annotation, name, names)];
    });
}

/** Returns the value of an annotation, a property of a record or an expression with one operand. */
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
  const { name, attributes, children, text } = expression;
  const operands = children.filter((child) => child.name !== "Annotation");
  const values = (): readonly unknown[] => operands.map((each) => toValue(each, names, expression));
  const annotations = Object.fromEntries(annotationMembers(expression, "", names));
  switch (name) {
    case "Null":
      return Object.keys(annotations).length === 0 ? null : { ...annotations, $Null: null };
    case "Collection":
      return values();
    case "Record":
      return toRecord(expression, names);
    case "EnumMember":
      return isTyped(holder) && expression.statesType !== true
        ? memberNames(text ?? "")
        : castMember(text ?? "", names);
    case "LabeledElement":
      return { $LabeledElement: values()[0], $Name: attributes["Name"], ...annotations };
    case "Cast":
    case "IsOf":
      return { ...typeOf(attributes, names), ...annotations, [`$${name}`]: values()[0] };
    default:
      if (text !== undefined) return constantValue(name, text, names);
      return {
        ...(attributes["Function"] === undefined ? {} : { $Function: names.aliased(attributes["Function"]) }),
        ...annotations,
        [`$${name}`]: WITH_OPERANDS.has(name) ? values() : values()[0],
      };
  }
}

/** The type of a member of an enumeration follows from its term or property, but not from an operator or a collection. */
function isTyped({ name }: XmlElement): boolean {
  return name === "Annotation" || name === "PropertyValue";
}

function constantValue(type: string, text: string, names: NameWriter): unknown {
  if (type === "Bool") return text === "true";
  if (type === "EnumMember") return memberNames(text);
  if (type === "Path" || type === "LabeledElementReference") return { [`$${type}`]: aliasedPath(text, names) };
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

function typeOf(attributes: XmlElement["attributes"], names: NameWriter): JsonObject {
  const { Type: type = "", MaxLength: maxLength, Precision: precision, Scale: scale } = attributes;
  const { SRID: srid, Unicode: unicode } = attributes;
  const isCollection = type.startsWith("Collection(");
  const item = isCollection ? type.slice("Collection(".length, -1) : type;
  const facet = (value: string): number | string => (/^\d+$/u.test(value) ? Number(value) : value);
  return {
    ...(isCollection ? { $Collection: true } : {}),
    ...(item === "Edm.String" ? {} : { $Type: names.aliased(item) }),
    ...(maxLength === undefined ? {} : { $MaxLength: facet(maxLength) }),
    ...(precision === undefined ? {} : { $Precision: facet(precision) }),
    ...(scale === undefined ? {} : { $Scale: facet(scale) }),
    ...(srid === undefined ? {} : { $SRID: facet(srid) }),
    ...(unicode === undefined ? {} : { $Unicode: unicode === "true" }),
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
