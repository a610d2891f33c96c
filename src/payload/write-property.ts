import { keptPerPair } from "../base/memo.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { RowColumn, RowShape } from "../language/query/row-shape.ts";
import type { PayloadFormat } from "./payload-format.ts";
import {
  compileFieldReader,
  compileScalarReader,
  requireObject,
  requireRow,
  asRow,
  columnOf,
  compileIsNull,
} from "./property-reader.ts";
import { compileRowMember } from "./write-row.ts";
import { compileEnvelope, compilePropertyValue, writeRawValue } from "./write-value.ts";

/** The type of the entity or complex value that contains a property. */
type OwnerType = EntityType | ComplexType;

/** Writes one property as a resource. */
interface PropertyWriter {
  /**
   * Writes the body `{"@odata.context":…,"value":…}`, or a bare complex value.
   * @returns null if the value is null
   * @throws Error for an invalid value
   */
  writeEnvelope(entity: unknown, contextUrl: string): string | null;
}

/** By format. The layout is that of rows, or the type of objects. A type belongs to one service, and so to one profile. */
const writersOf = keptPerPair(
  (_layout: RowShape | OwnerType, _property: StructuralProperty) => new Map<string, PropertyWriter>(),
);

/**
 * Returns the writer of the envelope of one property, made on first use.
 * @param isBare whether a complex value is the body itself, with the context as its first member
 * @see OData JSON Format 4.0, sections 11 and 13; docs/reference/properties.md
 */
export function propertyWriter(
  ownerType: OwnerType,
  property: StructuralProperty,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
  isBare: boolean,
): PropertyWriter {
  const ofProperty = writersOf(rowShape ?? ownerType, property);
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofProperty.get(key);
  if (writer === undefined) {
    ofProperty.set(key, (writer = compileWriter(ownerType, property, format, rowShape, isBare)));
  }
  return writer;
}

function compileWriter(
  ownerType: OwnerType,
  property: StructuralProperty,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
  isBare: boolean,
): PropertyWriter {
  const write = compileValue(ownerType, property, format, rowShape);
  const envelope = compileEnvelope(property, format, isBare);
  return {
    writeEnvelope: (entity, contextUrl) => {
      const text = write(entity);
      return text === null ? null : envelope(text, contextUrl);
    },
  };
}

/**
 * Returns the raw value of a primitive or enumeration property: bytes for Edm.Binary, otherwise text; or null.
 * @throws Error for an invalid value
 * @see OData Protocol 4.0, section 11.2.3.1
 */
export function writeRawProperty(
  ownerType: OwnerType,
  property: StructuralProperty,
  entity: unknown,
  rowShape: RowShape | undefined,
): string | Uint8Array | null {
  const { qualifiedName } = ownerType;
  const source = rowShape === undefined ? requireObject(entity, qualifiedName) : requireRow(entity, qualifiedName);
  const value = compileScalarReader(ownerType, property, rowShape)(source);
  return value === null ? null : writeRawValue(qualifiedName, property, value);
}

/** Makes the function that returns the JSON text of the value, or null. */
function compileValue(
  { qualifiedName }: OwnerType,
  property: StructuralProperty,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): (entity: unknown) => string | null {
  const path = `${qualifiedName}/${property.name}`;
  if (rowShape !== undefined) {
    const write = compileCell(path, property, format, columnOf(rowShape.columns, property, path));
    return (entity) => write(requireRow(entity, qualifiedName));
  }
  const read = compileFieldReader(property.field);
  const write = compilePropertyValue(qualifiedName, property, format);
  return (entity) => nullAsNull(write(read(requireObject(entity, qualifiedName))));
}

function compileCell(
  path: string,
  property: StructuralProperty,
  format: PayloadFormat,
  column: RowColumn,
): (row: object) => string | null {
  if (column.kind === "complex") return compileComplexCells(path, property, format, column);
  const { index } = column;
  if (column.kind === "document") {
    const write = compilePropertyValue(path.slice(0, path.lastIndexOf("/")), property, format);
    return (row) => nullAsNull(write(column.toValue(asRow(row)[index])));
  }
  const { toJson } = codecOf(property);
  return (row) => {
    const value = column.toValue(asRow(row)[index]);
    return value === null ? null : toJson(value, format.ieee754Compatible);
  };
}

/** Writes a complex value of several columns like a member of its row. */
function compileComplexCells(
  path: string,
  property: StructuralProperty,
  format: PayloadFormat,
  column: Extract<RowColumn, { readonly kind: "complex" }>,
): (row: object) => string | null {
  const write = compileRowMember(path, { property }, format, column);
  const isNull = compileIsNull(column);
  // A single complex value contains its type, so only its name precedes it.
  const head = `${JSON.stringify(property.name)}:`.length;
  return (row) => (property.nullable && isNull(row) ? null : write(row).slice(head));
}

/** Only null has this text, because strings are quoted. */
function nullAsNull(text: string): string | null {
  return text === "null" ? null : text;
}
