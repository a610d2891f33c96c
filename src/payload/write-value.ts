import type { ComplexType, StructuralProperty, ValueType } from "../edm/model.ts";
import { typeName } from "../edm/type-name.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { SelectedProperty } from "../language/query/clauses.ts";
import { hasNulls } from "../language/query/shown-entity.ts";
import type { PayloadFormat } from "./payload-format.ts";
import {
  kindOfValue,
  handlerValueError,
  compileConversion,
  compileFieldReader,
  missingField,
  requireObject,
} from "./property-reader.ts";

/** Writes the JSON text of a value that is neither null nor undefined. */
type ValueWriter = (value: unknown) => string;

/** Writes a member of an object as `"Name":value`, preceded by its type annotation if the format requires it. */
export type MemberWriter = (source: object) => string;

/**
 * The state of a compilation: the format, and the writers of whole complex values, so that the compilation of a complex
 * type that contains itself ends.
 */
interface Compilation {
  readonly format: PayloadFormat;
  readonly wholeWriters: Map<ComplexType, ObjectWriter>;
}

/** Writes the JSON text of a complex value. */
type ObjectWriter = (source: object) => string;

/**
 * Makes the writers of the members of an object, one per selected property.
 * @param typeName qualified name of the type, for messages
 * @returns writers that throw Error with type and property for an invalid value, and for a missing value that is not
 * nullable
 * @see OData JSON Format 4.0, sections 7 and 8
 */
export function compileMembers(
  typeName: string,
  selected: readonly SelectedProperty[],
  format: PayloadFormat,
): readonly MemberWriter[] {
  return membersOf(typeName, selected, { format, wholeWriters: new Map() });
}

/**
 * Makes the writer of the value of one property, as in the envelope of `GET /Set(key)/Property`. Null is written as
 * `null`, a missing collection as `[]`.
 * @param typeName qualified name of the type that has the property, for messages
 * @returns a writer that throws Error with type and property for an invalid value
 * @see OData JSON Format 4.0, section 11
 */
export function compilePropertyValue(
  typeName: string,
  property: StructuralProperty,
  format: PayloadFormat,
): (value: unknown) => string {
  const path = `${typeName}/${property.name}`;
  const write = valueWriter(path, { property }, { format, wholeWriters: new Map() });
  return (value) => {
    if (value !== null && value !== undefined) return write(value);
    return absentText(path, property, value, NOWHERE);
  };
}

/**
 * Returns the raw value of a primitive or enumeration property for `/$value`: bytes for Edm.Binary, otherwise text.
 * @param typeName qualified name of the type that has the property, for messages
 * @param value the handler's value, not null
 * @throws Error for an invalid value
 * @see OData Protocol 4.0, section 11.2.3.1
 */
export function writeRawValue(typeName: string, property: StructuralProperty, value: unknown): string | Uint8Array {
  const codec = codecOf(property);
  const canonical: PrimitiveValue = compileConversion(codec, `${typeName}/${property.name}`)(value);
  return canonical instanceof Uint8Array ? canonical : codec.toText(canonical);
}

/**
 * Makes the writer of one property's value as it was selected; the value is neither null nor undefined.
 * @param path type and property, for messages
 */
export function compileSelectedValue(path: string, selected: SelectedProperty, format: PayloadFormat): ValueWriter {
  return valueWriter(path, selected, { format, wholeWriters: new Map() });
}

function membersOf(
  typeName: string,
  selected: readonly SelectedProperty[],
  compilation: Compilation,
): readonly MemberWriter[] {
  return selected.map((item) => compileMember(`${typeName}/${item.property.name}`, item, compilation));
}

function compileMember(path: string, selected: SelectedProperty, compilation: Compilation): MemberWriter {
  const { property } = selected;
  const name = `${JSON.stringify(property.name)}:`;
  const isAnnotated = needsAnnotation(selected, compilation.format);
  const annotated = isAnnotated ? typeAnnotation(property) + name : name;
  const read = compileFieldReader(property.field);
  const write = valueWriter(path, selected, compilation);
  // Null has no type annotation.
  const absentPrefix = property.isCollection ? annotated : name;
  if (isAnnotated && isDouble(property)) return compileDoubleMember(path, property, write);
  return (source) => {
    const value = read(source);
    if (value !== null && value !== undefined) return annotated + write(value);
    return absentPrefix + absentText(path, property, value, source);
  };
}

/** Whether the type of a member is written, unless the JSON shows it. Without control information, it never is. */
export function needsAnnotation({ computed, isUndeclared }: SelectedProperty, { metadata }: PayloadFormat): boolean {
  return metadata === "full" || (metadata === "minimal" && (computed !== undefined || isUndeclared === true));
}

function isDouble({ type, isCollection }: StructuralProperty): boolean {
  return type.name === "Edm.Double" && !isCollection;
}

/** Makes the writer of a Double with full control information. INF, -INF and NaN are strings and need a type annotation. */
function compileDoubleMember(path: string, property: StructuralProperty, write: ValueWriter): MemberWriter {
  const read = compileFieldReader(property.field);
  const name = `${JSON.stringify(property.name)}:`;
  const annotated = typeAnnotationOf(property.name, property.type, false) + name;
  return (source) => {
    const value = read(source);
    if (value === null || value === undefined) return name + absentText(path, property, value, source);
    const text = write(value);
    return (text.startsWith('"') ? annotated : name) + text;
  };
}

/** The source of a value that is written alone. */
const NOWHERE = Object.freeze({});

/** Writes a value that is null or undefined. A missing collection is written as empty, never as null. */
function absentText(path: string, property: StructuralProperty, value: null | undefined, source: object): string {
  if (property.isCollection) return "[]";
  if (property.nullable || (value === null && hasNulls(source))) return "null";
  throw missingField(path, property.field, source, value);
}

function valueWriter(path: string, selected: SelectedProperty, compilation: Compilation): ValueWriter {
  const { property, nested } = selected;
  const write = singleWriter(path, property, nested, compilation);
  return property.isCollection ? collectionWriter(path, property.nullable, write) : write;
}

function singleWriter(
  path: string,
  property: StructuralProperty,
  nested: readonly SelectedProperty[] | undefined,
  compilation: Compilation,
): ValueWriter {
  if (property.type.kind === "ComplexType") return complexWriter(path, property.type, nested, compilation);
  const codec = codecOf(property);
  const convert = compileConversion(codec, path);
  const { ieee754Compatible } = compilation.format;
  return (value) => codec.toJson(convert(value), ieee754Compatible);
}

function collectionWriter(path: string, itemsNullable: boolean, write: ValueWriter): ValueWriter {
  const writeItem: ValueWriter = (item) => {
    if (item !== null && item !== undefined) return write(item);
    if (itemsNullable) return "null";
    throw handlerValueError(
      path,
      `the handler returned ${kindOfValue(item)} in a collection whose items are not nullable.`,
    );
  };
  return (value) => {
    if (!isIterable(value)) {
      throw handlerValueError(path, `the handler returned ${kindOfValue(value)} where a collection is expected.`);
    }
    let text = "";
    for (const item of value) text += text === "" ? writeItem(item) : `,${writeItem(item)}`;
    return `[${text}]`;
  };
}

/** Text and bytes are iterable, too, but are single values. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && !ArrayBuffer.isView(value);
}

function complexWriter(
  path: string,
  type: ComplexType,
  nested: readonly SelectedProperty[] | undefined,
  compilation: Compilation,
): ValueWriter {
  const write = nested === undefined ? wholeWriter(type, compilation) : compileObject(type, nested, compilation);
  return (value) => write(requireObject(value, path));
}

/** Returns the writer of all members of a complex type, made once per compilation. */
function wholeWriter(type: ComplexType, compilation: Compilation): ObjectWriter {
  const known = compilation.wholeWriters.get(type);
  if (known !== undefined) return known;
  // A placeholder for members of the type itself, while the writer is being made.
  compilation.wholeWriters.set(type, (source) => made(source));
  const made = compileObject(
    type,
    type.properties.map((property) => ({ property })),
    compilation,
  );
  compilation.wholeWriters.set(type, made);
  return made;
}

function compileObject(
  type: ComplexType,
  selected: readonly SelectedProperty[],
  compilation: Compilation,
): ObjectWriter {
  const members = membersOf(type.qualifiedName, selected, compilation);
  const { metadata, isTransient } = compilation.format;
  const isTyped = metadata === "full" && isTransient !== true;
  const head = isTyped ? `{"@odata.type":${JSON.stringify(typeFragment(type, false))}` : "{";
  return (source) => {
    let text = head;
    for (const member of members) text += text === "{" ? member(source) : `,${member(source)}`;
    return `${text}}`;
  };
}

/**
 * Returns the value of `@odata.type` for a type: a hash sign, then the name of a primitive type without `Edm.`, or the
 * qualified name.
 * @see OData JSON Format 4.0, section 4.5.3
 */
export function typeFragment(type: ValueType, isCollection: boolean): string {
  const name = typeName(type).replace(/^Edm\./u, "");
  return isCollection ? `#Collection(${name})` : `#${name}`;
}

/**
 * Returns the type annotation of a property's value, such as `"Price@odata.type":"#Decimal",`. It is empty if the JSON
 * shows the type: for a single String, Boolean or Double, and for a single complex value, which contains its type.
 * @see OData JSON Format 4.0, sections 3.1.2 and 4.5.3
 */
export function typeAnnotation({ name, type, isCollection }: StructuralProperty): string {
  if (!isCollection && (type.kind === "ComplexType" || isTypeOfJson(type))) return "";
  return typeAnnotationOf(name, type, isCollection);
}

/** Returns the type annotation of any value. A Double needs it if its value is the string INF, -INF or NaN. */
export function typeAnnotationOf(name: string, type: ValueType, isCollection: boolean): string {
  return `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(typeFragment(type, isCollection))},`;
}

function isTypeOfJson(type: ValueType): boolean {
  const name = typeName(type);
  return name === "Edm.String" || name === "Edm.Boolean" || name === "Edm.Double";
}

/**
 * Makes the writer of the body `{"@odata.context":…,"value":…}` around the text of a value.
 * @param property a property, or the result of an operation
 * @param isBare whether a complex value is the body itself, with the context as its first member
 * @returns a writer that takes the JSON text of a value, which is not `null`, and its context URL
 * @see OData JSON Format 4.0, sections 11 and 13
 */
export function compileEnvelope(
  property: StructuralProperty,
  format: PayloadFormat,
  isBare: boolean,
): (text: string, contextUrl: string) => string {
  if (isBare && property.type.kind === "ComplexType" && !property.isCollection) return compileBare(format);
  const isFull = format.metadata === "full";
  const name = typeFragment(property.type, property.isCollection);
  const type = isFull ? `"@odata.type":${JSON.stringify(name)},` : "";
  const isTyped = typeAnnotation(property) !== "";
  // INF, -INF and NaN are strings, so they need a type annotation.
  const isDouble = property.type.name === "Edm.Double" && !property.isCollection;
  return (text, contextUrl) => {
    const context = format.metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
    return `{${context}${isTyped || (isDouble && text.startsWith('"')) ? type : ""}"value":${text}}`;
  };
}

/** A complex value contains its type, so that only the context is added. */
function compileBare({ metadata }: PayloadFormat): (text: string, contextUrl: string) => string {
  if (metadata === "none") return (text) => text;
  return (text, contextUrl) => {
    const members = text.slice(1);
    return `{"@odata.context":${JSON.stringify(contextUrl)}${members === "}" ? "" : ","}${members}`;
  };
}
