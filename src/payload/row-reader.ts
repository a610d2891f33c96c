import type { StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Row, RowColumn, RowShape, ScalarColumn } from "../query/row-shape.ts";

/** Returns a source as a row. The caller knows by the layout that it is not an object of the application. */
export function asRow(source: object): Row {
  return source as Row;
}

/**
 * Returns the column of a property in a layout.
 * @param path type and property, for messages
 * @throws Error if the source did not read it
 */
export function columnOf(columns: RowShape["columns"], property: StructuralProperty, path: string): RowColumn {
  const column = columns.get(property);
  if (column === undefined) throw new Error(`${path}: the source did not read this required column.`);
  return column;
}

/**
 * Returns the column of a primitive or enumeration property, for keys and ETags.
 * @throws Error if the source did not read it as a single value
 */
export function scalarColumnOf(rowShape: RowShape, property: StructuralProperty, path: string): ScalarColumn {
  const column = columnOf(rowShape.columns, property, path);
  if (column.kind === "scalar") return column;
  throw new Error(`${path}: the source read a ${column.kind} column where a single value is expected.`);
}

/** Makes the reader of a scalar column, which returns the canonical value or null. */
export function compileCellReader({ index, toValue }: ScalarColumn): (source: object) => PrimitiveValue | null {
  return (source) => toValue(asRow(source)[index]);
}

/** Makes the test whether a complex value is null, which means that all of its cells are. */
export function compileIsNull(members: ReadonlyMap<StructuralProperty, RowColumn>): (source: object) => boolean {
  const tests = [...members.values()].map((column) => {
    if (column.kind === "complex") return compileIsNull(column.members);
    const { index } = column;
    return (source: object) => asRow(source)[index] === null;
  });
  return (source) => tests.every((test) => test(source));
}
