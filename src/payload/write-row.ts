import type { ComplexType } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { SelectedProperty } from "../language/query/clauses.ts";
import type { ComplexColumn, DocumentColumn, RowColumn, RowShape, ScalarColumn } from "../language/query/row-shape.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { missingCell, asRow, columnOf, compileIsNull, mayBeNull } from "./property-reader.ts";
import {
  needsAnnotation,
  typeAnnotation,
  typeAnnotationOf,
  typeFragment,
  compileSelectedValue,
  type MemberWriter,
} from "./write-value.ts";

/** Writes members of a row after control information, which ends in a comma or is empty; without a trailing comma. */
export type RowWriter = (row: object, control: string) => string;

/** A member of a row. Most cells become text here, without a call per member. */
interface RowMember {
  /** The name with its separator and annotation. */
  readonly head: string;
  readonly separator: string;
  /** The text of a null cell with the name; null if `write` decides. */
  readonly absent: string | null;
  readonly index: number;
  /** Returns the JSON text of a cell; null if `write` must write the member. */
  readonly toJson: NonNullable<ScalarColumn["toJson"]>;
  readonly write: MemberWriter;
}

/**
 * Makes the writer of the members of an entity that is a row: it writes cells by the layout, without intermediate objects.
 * The text is the same as that of `compileMembers` for the same values.
 * @param typeName qualified name of the type, for messages
 * @returns a writer that throws Error with type and property for a missing value that is not nullable
 */
export function compileRowWriter(
  typeName: string,
  selected: readonly SelectedProperty[],
  format: PayloadFormat,
  columns: RowShape["columns"],
): RowWriter {
  const { ieee754Compatible } = format;
  const members = selected.map((item, position): RowMember => {
    const path = `${typeName}/${item.property.name}`;
    const column = columnOf(columns, item.property, path);
    const separator = position === 0 ? "" : ",";
    return {
      separator,
      write: compileRowMember(path, item, format, column),
      ...directly(item, format, column, separator),
    };
  });
  if (members.length === 0) return (_row, control) => control.slice(0, -1);
  return (row, control) => {
    const cells = asRow(row);
    let text = control;
    for (const { head, separator, absent, index, toJson, write } of members) {
      const cell = cells[index];
      if (cell === null && absent !== null) {
        text += absent;
      } else {
        const json = toJson(cell, ieee754Compatible);
        text += json === null ? separator + write(row) : head + json;
      }
    }
    return text;
  };
}

/** Returns the parts that write a cell directly. */
function directly(
  selected: SelectedProperty,
  format: PayloadFormat,
  column: RowColumn,
  separator: string,
): Pick<RowMember, "head" | "absent" | "index" | "toJson"> {
  const { plain, annotated } = headsOf(selected, format);
  if (column.kind !== "scalar") return { head: "", absent: null, index: 0, toJson: noText };
  return {
    head: separator + annotated,
    absent: mayBeNull(selected.property, column) ? `${separator}${plain}null` : null,
    index: column.index,
    toJson: column.toJson ?? noText,
  };
}

function noText(): null {
  return null;
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
      return compileScalarMember(path, selected, format, column);
    case "document":
      return compileDocumentMember(path, selected, format, column);
    case "complex":
      return compileComplexMember(path, selected, format, column);
  }
}

/** The name of a member, without and with the type annotation of its value. A finite Double has none. */
interface MemberHeads {
  readonly plain: string;
  readonly annotated: string;
}

function headsOf(selected: SelectedProperty, format: PayloadFormat): MemberHeads {
  const { property } = selected;
  const plain = `${JSON.stringify(property.name)}:`;
  const isAnnotated = needsAnnotation(selected, format) && property.type.name !== "Edm.Double";
  return { plain, annotated: isAnnotated ? typeAnnotation(property) + plain : plain };
}

function compileScalarMember(
  path: string,
  selected: SelectedProperty,
  format: PayloadFormat,
  column: ScalarColumn,
): MemberWriter {
  const { property } = selected;
  const { index, toValue } = column;
  const { toJson } = codecOf(property);
  const { ieee754Compatible } = format;
  const { plain, annotated } = headsOf(selected, format);
  const absent = compileAbsent(path, mayBeNull(property, column), plain);
  if (needsAnnotation(selected, format) && property.type.name === "Edm.Double") {
    // INF, -INF and NaN are strings, so they need a type annotation.
    const told = typeAnnotationOf(property.name, property.type, false) + plain;
    return (source) => {
      const value = toValue(asRow(source)[index]);
      if (value === null) return absent();
      const text = toJson(value, ieee754Compatible);
      return (text.startsWith('"') ? told : plain) + text;
    };
  }
  return (source) => {
    const value = toValue(asRow(source)[index]);
    return value === null ? absent() : annotated + toJson(value, ieee754Compatible);
  };
}

function compileDocumentMember(
  path: string,
  selected: SelectedProperty,
  format: PayloadFormat,
  column: DocumentColumn,
): MemberWriter {
  const { property } = selected;
  const { index, toValue } = column;
  const { plain, annotated } = headsOf(selected, format);
  const write = compileSelectedValue(path, selected, format);
  const absent = property.isCollection
    ? () => `${annotated}[]`
    : compileAbsent(path, mayBeNull(property, column), plain);
  return (source) => {
    const value = toValue(asRow(source)[index]);
    return value === null || value === undefined ? absent() : annotated + write(value);
  };
}

function compileComplexMember(
  path: string,
  item: SelectedProperty,
  format: PayloadFormat,
  column: ComplexColumn,
): MemberWriter {
  const { property, nested } = item;
  if (property.type.kind !== "ComplexType") throw new Error(`${path}: only a complex property has several columns.`);
  const type: ComplexType = property.type;
  const selected = nested ?? type.properties.map((member) => ({ property: member }));
  const write = compileRowWriter(type.qualifiedName, selected, format, column.members);
  const { plain, annotated } = headsOf(item, format);
  const control =
    format.metadata === "full" && format.isTransient !== true
      ? `"@odata.type":${JSON.stringify(typeFragment(type, false))},`
      : "";
  const isNull = compileIsNull(column);
  const absent = compileAbsent(path, property.nullable, plain);
  return (source) => (property.nullable && isNull(source) ? absent() : `${annotated}{${write(source, control)}}`);
}

/** Makes the function that writes null, or throws if the value must not be null. */
function compileAbsent(path: string, isAllowed: boolean, head: string): () => string {
  const text = `${head}null`;
  return () => {
    if (isAllowed) return text;
    throw missingCell(path);
  };
}
