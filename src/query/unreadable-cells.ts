import { keptPer } from "../base/memo.ts";
import { isODataError } from "../errors/odata-error.ts";
import type { DocumentColumn, Row, RowColumn, RowShape, ScalarColumn } from "./row-shape.ts";

/** A column whose unreadable cells become null, with the columns of the key for the log. */
interface Forgiven {
  readonly column: ScalarColumn | DocumentColumn;
  readonly key: ReadonlyArray<ScalarColumn | DocumentColumn>;
}

/** As `readableRow`, for several rows. */
export function readableRows(rows: readonly Row[], shape: RowShape): readonly Row[] {
  const columns = forgivenColumns(shape);
  return columns.length === 0 ? rows : rows.map((row) => withNulls(row, columns));
}

/** Returns a row with null in place of cells that cannot be read, in the columns whose layout allows that. */
export function readableRow(row: Row, shape: RowShape): Row {
  return withNulls(row, forgivenColumns(shape));
}

const forgivenColumns: (shape: RowShape) => readonly Forgiven[] = keptPer(({ columns, joined }: RowShape) => {
  const key = [...columns].flatMap(([property, column]) =>
    property.isKey && column.kind !== "complex" ? [column] : [],
  );
  const own = [...columns.values()].flatMap(leavesOf).filter(({ unreadable }) => unreadable !== undefined);
  const below = [...(joined?.values() ?? [])].flatMap((each) => forgivenColumns(each));
  return [...own.map((column) => ({ column, key })), ...below];
});

function leavesOf(column: RowColumn): ReadonlyArray<ScalarColumn | DocumentColumn> {
  if (column.kind !== "complex") return [column];
  return [...column.members.values(), ...(column.ignored?.values() ?? [])].flatMap(leavesOf);
}

function withNulls(row: Row, columns: readonly Forgiven[]): Row {
  let copy: unknown[] | undefined;
  for (const { column, key } of columns) {
    const cell = row[column.index];
    if (cell === null || cell === undefined) continue;
    // The form of most cells proves that they are valid.
    if (column.kind === "scalar" && typeof column.toJson?.(cell, false) === "string") continue;
    const error = errorOf(column, cell);
    if (error === undefined) continue;
    copy ??= [...row];
    copy[column.index] = null;
    column.unreadable?.(
      error,
      key.map((each) => valueOf(each, row)),
    );
  }
  return copy ?? row;
}

/** @throws ODataError of a conversion of the application, which is meant for the client */
function errorOf({ toValue }: ScalarColumn | DocumentColumn, cell: unknown): unknown {
  try {
    toValue(cell);
    return undefined;
  } catch (error) {
    if (isODataError(error)) throw error;
    return error;
  }
}

function valueOf({ toValue, index }: ScalarColumn | DocumentColumn, row: Row): unknown {
  try {
    return toValue(row[index]);
  } catch {
    return row[index];
  }
}
