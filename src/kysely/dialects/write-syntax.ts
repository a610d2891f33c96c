import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Sql } from "../statement/sql-form.ts";

/** The SQL of one kind of database that only writes need. */
export interface WriteSyntax {
  /**
   * Returns the columns of the foreign key whose written cells refer to no row; empty if that is uncertain. Absent if errors
   * of the database name it.
   * @param table its quoted name
   * @param cells the written cells, by the lower-case names of their columns
   */
  readonly findMissingReference?: (
    table: string,
    cells: ReadonlyMap<string, unknown>,
    reader: SynchronousReader,
  ) => readonly string[];
  /** Whether writes return the rows that they wrote, or as much as `returnsAnything` allows. */
  readonly returnsRows: boolean;
  /** Follows the table in an insert without columns. */
  readonly defaultRow: Sql;
  /** Ends a select that locks its rows until the transaction ends. */
  readonly rowLock: Sql;
  /** Ends a select that reads the current state of a row, even if other transactions changed it since this one began. */
  readonly currentRow: Sql;
  /** Ends an insert that does nothing if the row exists. @param column any column of the table */
  readonly unlessThere: (column: Sql) => Sql;
}
