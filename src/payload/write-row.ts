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
 * Makes the writers of the members of an entity that is a row: cells go to text by the layout, with no object between.
 * The text is that of `compileMembers` for the same values.
 * @param typeName qualified name of the type, for messages
 * @returns writers that throw Error, naming type and property, when a value is missing though not nullable
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

function compileRowMember(
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

/** The name of a member, and the same behind the type annotation that full control information has. */
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
    // INF, -INF and NaN are strings, so their type must be told.
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

/** What stands for null: the literal, or the error that the database holds null where the model allows none. */
function compileAbsent(path: string, property: StructuralProperty, head: string): () => string {
  const text = `${head}null`;
  return () => {
    if (property.nullable) return text;
    throw missingCell(path);
  };
}
