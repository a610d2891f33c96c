import type { StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Row, RowColumn, RowShape, ScalarColumn } from "../query/row-shape.ts";

/** A row as the writers take it: they know by the layout that it is none of the application's objects. */
export function asRow(source: object): Row {
  return source as Row;
}

/**
 * The column of a property in a layout.
 * @param path type and property, for messages
 * @throws Error when the rows lack it: a fault of the source, which was asked for it
 */
export function columnOf(columns: RowShape["columns"], property: StructuralProperty, path: string): RowColumn {
  const column = columns.get(property);
  if (column === undefined) throw new Error(`${path}: the source read no such column, though it was asked for it.`);
  return column;
}

/**
 * The column of a property that is one primitive value or enumeration member, as keys and ETags need it.
 * @throws Error when the rows lack it, or hold it in another form
 */
export function scalarColumnOf(rowShape: RowShape, property: StructuralProperty, path: string): ScalarColumn {
  const column = columnOf(rowShape.columns, property, path);
  if (column.kind === "scalar") return column;
  throw new Error(`${path}: the source read a ${column.kind} column where a single value is expected.`);
}

/** Makes the reader of a scalar column: the canonical value, or null. */
export function compileCellReader({ index, toValue }: ScalarColumn): (source: object) => PrimitiveValue | null {
  return (source) => toValue(asRow(source)[index]);
}

/** Makes the test whether a complex value is null: all of its cells are. */
export function compileIsNull(members: ReadonlyMap<StructuralProperty, RowColumn>): (source: object) => boolean {
  const tests = [...members.values()].map((column) => {
    if (column.kind === "complex") return compileIsNull(column.members);
    const { index } = column;
    return (source: object) => asRow(source)[index] === null;
  });
  return (source) => tests.every((test) => test(source));
}
