import type { SQLInputValue } from "node:sqlite";
import type { PreparedStatement, RowOf } from "./prepared-statement.ts";

/** The effect of a statement that changes rows, as Kysely names it. */
export interface ChangedRows {
  /** The rows of `returning`; none without it. */
  readonly rows: RowOf<"objects">[];
  readonly numAffectedRows: bigint;
  /** The row id of the last inserted row, if the statement returns no rows and has changed any. */
  readonly insertId?: bigint;
}

/** Runs a statement that changes rows. @throws the errors of the database */
export function changeRows(statement: PreparedStatement<"objects">, values: readonly SQLInputValue[]): ChangedRows {
  if (statement.hasRows) {
    const rows = [...statement.all(values)];
    return { rows, numAffectedRows: BigInt(rows.length) };
  }
  const { changes, lastInsertRowid } = statement.run(values);
  return { rows: [], numAffectedRows: changes, ...(changes > 0n && { insertId: lastInsertRowid }) };
}
