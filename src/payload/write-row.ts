import type { ComplexType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { ComplexColumn, DocumentColumn, RowColumn, RowShape, ScalarColumn } from "../query/row-shape.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { missingCell } from "./property-reader.ts";
import { asRow, columnOf, compileIsNull } from "./row-reader.ts";
import { typeAnnotation, typeAnnotationOf, typeFragment } from "./type-annotation.ts";
import { compileSelectedValue, type MemberWriter } from "./write-value.ts";

/**
 * Makes the writers of the members of an entity that is a row: they write cells by the layout, without intermediate
 * objects. The text is the same as that of `compileMembers` for the same values.
 * @param typeName qualified name of the type, for messages
 * @returns writers that throw Error with type and property for a missing value that is not nullable
 */
export function compileRowMembers(
  typeName: string,
  selected: readonly SelectedProperty[],
  format: PayloadFormat,
  columns: RowShape["columns"],
): readonly MemberWriter[] {
  return selected.map((item) => {
    const path = `${typeName}/${item.property.name}`;
    return compileRowMember(path, item, format, columnOf(columns, item.property, path));
  });
}

/**
 * Makes the writer of one member of a row.
 * @param path type and property, for messages
 */
export function compileRowMember(
  path: string,
  selected: SelectedProperty,
  format: PayloadFormat,
  column: RowColumn,
): MemberWriter {
  switch (column.kind) {
    case "scalar":
      return compileScalarMember(path, selected.property, format, column);
    case "document":
      return compileDocumentMember(path, selected, format, column);
    case "complex":
      return compileComplexMember(path, selected, format, column);
  }
}

/** The name of a member, without and with the type annotation of full control information. */
interface MemberHeads {
  readonly plain: string;
  readonly annotated: string;
}

function headsOf(property: StructuralProperty, format: PayloadFormat): MemberHeads {
  const plain = `${JSON.stringify(property.name)}:`;
  return { plain, annotated: format.metadata === "full" ? typeAnnotation(property) + plain : plain };
}

function compileScalarMember(
  path: string,
  property: StructuralProperty,
  format: PayloadFormat,
  { index, toValue, toJson }: ScalarColumn,
): MemberWriter {
  const codec = codecOf(property);
  const { plain, annotated } = headsOf(property, format);
  const { ieee754Compatible } = format;
  const absent = compileAbsent(path, property, plain);
  if (format.metadata === "full" && property.type.name === "Edm.Double") {
    // INF, -INF and NaN are strings, so they need a type annotation.
    const told = typeAnnotationOf(property.name, property.type, false) + plain;
    return (source) => {
      const value = toValue(asRow(source)[index]);
      if (value === null) return absent();
      const text = codec.toJson(value, ieee754Compatible);
      return (text.startsWith('"') ? told : plain) + text;
    };
  }
  const write = (cell: unknown): string => {
    const value = toValue(cell);
    return value === null ? absent() : annotated + codec.toJson(value, ieee754Compatible);
  };
  if (toJson === undefined) return (source) => write(asRow(source)[index]);
  return (source) => {
    const cell = asRow(source)[index];
    const text = toJson(cell, ieee754Compatible);
    return text === null ? write(cell) : annotated + text;
  };
}

function compileDocumentMember(
  path: string,
  selected: SelectedProperty,
  format: PayloadFormat,
  { index, toValue }: DocumentColumn,
): MemberWriter {
  const { property } = selected;
  const { plain, annotated } = headsOf(property, format);
  const write = compileSelectedValue(path, selected, format);
  const absent = property.isCollection ? () => `${annotated}[]` : compileAbsent(path, property, plain);
  return (source) => {
    const value = toValue(asRow(source)[index]);
    return value === null || value === undefined ? absent() : annotated + write(value);
  };
}

function compileComplexMember(
  path: string,
  { property, nested }: SelectedProperty,
  format: PayloadFormat,
  { members }: ComplexColumn,
): MemberWriter {
  if (property.type.kind !== "ComplexType") throw new Error(`${path}: only a complex property has several columns.`);
  const type: ComplexType = property.type;
  const selected = nested ?? type.properties.map((member) => ({ property: member }));
  const writers = compileRowMembers(type.qualifiedName, selected, format, members);
  const { plain, annotated } = headsOf(property, format);
  const head = format.metadata === "full" ? `{"@odata.type":${JSON.stringify(typeFragment(type, false))}` : "{";
  const isNull = compileIsNull(members);
  const absent = compileAbsent(path, property, plain);
  return (source) => {
    if (property.nullable && isNull(source)) return absent();
    let text = head;
    for (const writer of writers) text += text === "{" ? writer(source) : `,${writer(source)}`;
    return `${annotated}${text}}`;
  };
}

/** Makes the function that writes null, or throws if the property is not nullable. */
function compileAbsent(path: string, property: StructuralProperty, head: string): () => string {
  const text = `${head}null`;
  return () => {
    if (property.nullable) return text;
    throw missingCell(path);
  };
}
