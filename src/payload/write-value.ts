import type { ComplexType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import { describeValue, handlerValueError } from "./handler-value-error.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { compileConversion, compileFieldReader, missingField, requireObject } from "./property-reader.ts";
import { typeAnnotation, typeAnnotationOf, typeFragment } from "./type-annotation.ts";

/** Writes the JSON text of a value that is neither null nor undefined. */
export type ValueWriter = (value: unknown) => string;

/** Writes a member of an object as `"Name":value`, with its type annotation in front where the format asks for it. */
export type MemberWriter = (source: object) => string;

/**
 * What a compilation knows: the format, and the writers of whole complex values made so far, so that a complex type
 * that contains itself ends.
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
 * @returns writers that throw Error, naming type and property, when a value is not one of its type, or missing though
 * not nullable
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
 * @returns a writer that throws Error, naming type and property, when the value is not one of the property's type
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
 * The raw value of a primitive or enumeration property, as `/$value` answers it: bytes for Edm.Binary, text for all
 * else.
 * @param typeName qualified name of the type that has the property, for messages
 * @param value what a handler returned, not null
 * @throws Error when the value is not one of the property's type
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
  const isFull = compilation.format.metadata === "full";
  const annotated = isFull ? typeAnnotation(property) + name : name;
  const read = compileFieldReader(property.field);
  const write = valueWriter(path, selected, compilation);
  // Null has no type, so nothing is annotated.
  const absentPrefix = property.isCollection ? annotated : name;
  if (isFull && isDouble(property)) return compileDoubleMember(path, property, write);
  return (source) => {
    const value = read(source);
    if (value !== null && value !== undefined) return annotated + write(value);
    return absentPrefix + absentText(path, property, value, source);
  };
}

function isDouble({ type, isCollection }: StructuralProperty): boolean {
  return type.name === "Edm.Double" && !isCollection;
}

/** A Double with all control information: INF, -INF and NaN are strings, so their type must be told. */
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

/** The object of a value that is written alone. */
const NOWHERE = Object.freeze({});

/** Writes a value that is null or undefined: a collection without items is empty, never null. */
function absentText(path: string, property: StructuralProperty, value: null | undefined, source: object): string {
  if (property.isCollection) return "[]";
  if (property.nullable) return "null";
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
  return (value) => {
    if (!isIterable(value)) {
      throw handlerValueError(path, `the handler returned ${describeValue(value)} where a collection is expected.`);
    }
    let text = "";
    for (const item of value) {
      if (item === null || item === undefined) {
        if (!itemsNullable) {
          throw handlerValueError(
            path,
            `the handler returned ${describeValue(item)} in a collection whose items are not nullable.`,
          );
        }
        text += text === "" ? "null" : ",null";
      } else {
        text += text === "" ? write(item) : `,${write(item)}`;
      }
    }
    return `[${text}]`;
  };
}

/** Text and bytes can be iterated too, but are single values. */
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

/** The writer of all members of a complex type, made once per compilation. */
function wholeWriter(type: ComplexType, compilation: Compilation): ObjectWriter {
  const known = compilation.wholeWriters.get(type);
  if (known !== undefined) return known;
  // Stands in while the writer is made, for members of the type itself.
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
  const isFull = compilation.format.metadata === "full";
  const head = isFull ? `{"@odata.type":${JSON.stringify(typeFragment(type, false))}` : "{";
  return (source) => {
    let text = head;
    for (const member of members) text += text === "{" ? member(source) : `,${member(source)}`;
    return `${text}}`;
  };
}
