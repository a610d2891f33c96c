import { sql } from "kysely";
import type { ScanJson } from "../cells/json-cells.ts";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { Sql } from "../statement/sql-form.ts";

/** How a database writes the values of a column as JSON. */
export interface JsonCell {
  /** Returns the value of a member, for the function of the database that makes objects. */
  readonly toArgument: (cell: Sql) => Sql;
  readonly scan: ScanJson;
  /** Whether the value is a floating-point number, which some versions of the database round. */
  readonly isDouble?: boolean | undefined;
}

/** How one kind of database writes entities as JSON, without blanks between the tokens. */
export interface JsonSyntax {
  /** Whether pages without expansions are cheaper as JSON than as rows. */
  readonly isForPlainPages: boolean;
  /**
   * Whether lists without a limit, and counts alone, are read as rows, for which the database chooses a join that needs no
   * index.
   */
  readonly needsListLimit: boolean;
  /**
   * Whether the JSON of a text or a number that the database writes determines the cell as the driver returns it, so that the
   * value of any such column can be written again.
   */
  readonly keepsCells: boolean;
  /** Returns the text of an id, from its start and an integer; null for another value. Absent: entities with ids are rows. */
  readonly idOf?: (start: Sql, key: Sql) => Sql;
  /** Returns the value of a member with a constant text. */
  readonly constant: (text: string) => Sql;
  /** The most members of an object. */
  readonly maxMembers: number;
  /**
   * Selects one row for a page: the objects as bytes with commas between them, null for none; the number of those with a
   * value that has no JSON; the number of objects; the total if there is one; the marks. The columns are `c0`, `c1`, `c2` and
   * so on.
   * @param rows the query of the rows, whose cells the parts name by `JSON_PAGE`
   * @param total the number of all rows, an expression that may use the number of objects; null: none
   * @param marks the marks of one row, as `markAt` selects them
   * @param limit as for `entities`
   */
  readonly page: (
    parts: readonly JsonPart[],
    rows: Sql,
    others: { readonly total: Sql | null; readonly marks: readonly Sql[] },
    limit: JsonLimit,
  ) => Sql;
  /** Selects the value of one row of `page`, by its position. */
  readonly markAt: (value: Sql, position: Sql) => Sql;
  /**
   * The object of the only row, as a value of a member; null without a row, and a string if a value has no JSON.
   * @param from the clauses from `from` on, with a blank before them
   */
  readonly entity: (parts: readonly JsonPart[], from: Sql, limit: JsonLimit) => Sql;
  /**
   * An array of objects in the order of the rows, as a value of a member; null if a value has no JSON. The statement may fail,
   * as `isRefused` tells, once all arrays of an execution have more objects than `most`, or the texts of all objects more bytes
   * than `bytes`.
   */
  readonly entities: (parts: readonly JsonPart[], from: Sql, limit: JsonLimit) => Sql;
  /**
   * Whether this version of the database writes floating-point numbers with all their digits.
   * @param reader null for a database that returns promises
   */
  readonly writesDoubles: (reader: SynchronousReader | null) => boolean;
  /** Whether an error means that a value, or the whole page, has no JSON. */
  readonly isRefused: (error: unknown) => boolean;
}

/** The alias of the rows of a page. */
export const JSON_PAGE = "page";

/** Adds cells to a selection, from the given index on. */
export function furtherCells(first: number, cells: readonly Sql[]): Sql {
  return sql.join(
    cells.map((cell, index) => sql`, ${cell} as ${sql.id(`c${String(first + index)}`)}`),
    sql``,
  );
}

/** A member of objects. */
export interface JsonPart {
  readonly name: string;
  /** The value of the member: of a column, or an object, an array or a number of the same statement. */
  readonly argument: Sql;
  /** The column; null for other values. */
  readonly cell: Sql | null;
  /** Whether the column contains texts, which may be long. */
  readonly isText?: boolean;
}

/** The placeholders that bound the arrays of one execution. */
export interface JsonLimit {
  /** Identifies the execution. */
  readonly execution: Sql;
  readonly most: Sql;
  readonly bytes: Sql;
}
