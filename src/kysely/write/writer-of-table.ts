import type { SqlTable } from "./sql-table.ts";
import { TableWriter } from "./table-writer.ts";

const writers = new WeakMap<SqlTable, TableWriter>();

/** What writes a table: one, so that its statements are compiled once. */
export function writerOf(table: SqlTable): TableWriter {
  let writer = writers.get(table);
  if (writer === undefined) writers.set(table, (writer = new TableWriter(table)));
  return writer;
}
