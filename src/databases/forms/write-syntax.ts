import type { Isolation } from "../../definition/context.ts";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Sql } from "../statement/sql-form.ts";

/** How are rows written and locked? */
export interface WriteSyntax {
  /**
   * The level of the database for each level of a transaction: a stronger one if its own of that name permits lost updates.
   * Absent if all transactions are serializable.
   */
  readonly isolations?: Readonly<Record<Isolation, Isolation>> | undefined;
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
  /**
   * Returns the names of the unique indexes on exactly these columns. Absent if errors of the database have the name.
   * @param table its quoted name
   */
  readonly findUniqueIndexes?: (
    table: string,
    columns: readonly string[],
    reader: SynchronousReader,
  ) => readonly string[];
  /** Whether writes return the rows that they wrote, or as much as `returnsAnything` allows. */
  readonly returnsRows: boolean;
  /** Whether inserts return the rows that they added, although other writes return none; absent: as `returnsRows`. */
  readonly returnsInserted?: boolean;
  /** Follows the table in an insert without columns. */
  readonly defaultRow: Sql;
  /** Ends a select that locks its rows until the transaction ends; null: a transaction locks the whole database. */
  readonly rowLock: Sql | null;
  /** The same before rows are deleted: inserts that refer to them wait, too. */
  readonly deletionLock: Sql | null;
  /** Ends a select that reads the current state of a row, even if other transactions changed it since this one began. */
  readonly currentRow: Sql;
  /** Ends an insert that does nothing if the row exists. @param column any column of the table */
  readonly unlessThere: (column: Sql) => Sql;
}
