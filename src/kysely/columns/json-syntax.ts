import type { ScanJson } from "../cells/json-cells.ts";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Sql } from "../statement/sql-form.ts";

/** How a database writes the values of a column as JSON. */
export interface JsonCell {
  /** Returns the argument for the function of the database that makes objects. */
  readonly toArgument: (cell: Sql) => Sql;
  readonly scan: ScanJson;
  /** Whether the value is a floating-point number, which some versions of the database round. */
  readonly isDouble?: boolean | undefined;
}

/** How one kind of database writes the rows of a statement as JSON. Only for databases in this process. */
export interface JsonSyntax {
  /** The most members of an object. */
  readonly maxMembers: number;
  /**
   * Selects one row: the objects as bytes with commas between them, null for none, their number, and the number of those
   * with a value that has no JSON.
   */
  readonly page: (members: readonly JsonPart[], rows: Sql) => Sql;
  /** Whether this version of the database writes floating-point numbers with all their digits. */
  readonly writesDoubles: (reader: SynchronousReader) => boolean;
  /** Whether an error means that a value, or the whole page, has no JSON. */
  readonly isRefused: (error: unknown) => boolean;
}

/** A member of the objects of a page, and the cell of its value. */
export interface JsonPart extends Pick<JsonCell, "toArgument"> {
  readonly name: string;
  readonly cell: Sql;
}
