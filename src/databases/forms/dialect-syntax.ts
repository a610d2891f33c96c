import type { JsonSyntax } from "../columns/json-syntax.ts";
import type { CatalogueQuery } from "../introspect/catalogue-steps.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";

/** How are statements written? The SQL of one kind of database that all of them need. */
export interface DialectSyntax {
  /** How the database writes rows as JSON; absent if rows are cheaper. */
  readonly json?: JsonSyntax | undefined;
  /** One term of an order by value: null first ascending, last descending. A term that is not `nullable` may use any index. */
  readonly orderTerm: (term: Sql, descending: boolean, nullable: boolean) => Sql;
  readonly unexpectedNulls: UnexpectedNulls;
  /**
   * Returns the query that lists the columns of a table with an enumeration type, by the keys of their names, each with one of
   * its labels, or with null if texts cannot be compared with the column. Absent if the database has no such types, or compares them as texts.
   * @param table its quoted name
   */
  readonly listLabels?: (table: string) => CatalogueQuery;
  /**
   * Returns the query that lists the columns of a table whose equal cells are the same value, by the keys of their names, each with
   * null, or with a text if that holds for numbers alone: several machines send only distinct cells then. Absent if the database
   * distinguishes values wherever the rows are.
   * @param table its quoted name
   */
  readonly listExact?: ((table: string) => CatalogueQuery) | undefined;
  /** The limit and the offset, with a blank before them; null for none. */
  readonly limit: (top: Sql | null, skip: Sql | null) => Sql;
  /** Skips rows of a query that sorts them all; absent if `limit` does so as fast. */
  readonly skipSorted?: (sorted: Sql, skip: Sql) => Sql;
  /** The end of a list that a database on several machines reads before the rest; absent if it does so without. */
  readonly readFirst?: Sql;
  /**
   * Replaces a null constant by a null that the database only finds at each row: several machines may refuse a condition
   * next to an outer join if it can compute the condition in advance. An index serves other constants as before.
   */
  readonly unfolded?: (constant: Sql, cells: Sql) => Sql;
  /** The columns that every table has, in lower case, but that `*` does not contain. */
  readonly hiddenColumns: readonly string[];
  /** Returns the same text for names of the same column, which may differ in letter case. */
  readonly columnKey: (name: string) => string;
  /** Tests whether two values are equal or both null. Never null itself. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  readonly isDifferent: (left: Sql, right: Sql) => Sql;
  readonly ifNull: (value: Sql, fallback: Sql) => Sql;
  readonly choose: (condition: Sql, whenTrue: Sql, otherwise: Sql) => Sql;
  /** `true` or `false` as the value of a condition, as a fallback for `ifNull`. */
  readonly booleanValue: (value: boolean) => Sql;
  /** A cell of the canonical form of Edm.Boolean as a condition. */
  readonly asCondition: (cell: Sql) => Sql;
  /** Whether derived tables mark their rows: for databases that merge them, and fail for rows that a condition excludes. */
  readonly marksRows: boolean;
  /** Selects a value that is needed twice but written once: `make` receives its name. */
  readonly once: (value: Sql, make: (name: Sql) => Sql) => Sql;
  /**
   * Selects a condition that uses values several times, computed once per row. Absent if that costs the database more.
   * @param values a list of values, each with a name
   */
  readonly computeOnce?: (condition: Sql, values: Sql, alias: Sql) => Sql;
  /**
   * A derived table, without alias, with one row per key: its number from 0 as `ordinal`, and its values as `k0`, `k1`, … in
   * the given forms.
   * @param list the place of the keys that `writeKeys` has written
   */
  readonly keyTable: (list: Sql, forms: readonly SqlForm[]) => Sql;
  /** Writes keys, each a list of cells as the forms encode them, for `keyTable`. */
  readonly writeKeys: (keys: readonly (readonly unknown[])[]) => unknown;
  /** How conditions list the cells of one column of keys as an array; absent: they do not. */
  readonly keyArrays?: {
    /** Writes the cells, as their form encodes them. */
    readonly write: (cells: readonly unknown[]) => unknown;
    /** Tests whether an array contains a value. */
    readonly contains: (array: Sql, value: Sql) => Sql;
    /** The position of a value in an array that contains it, from 0 on. */
    readonly positionOf: (array: Sql, value: Sql) => Sql;
  };
  /**
   * Patterns that match quoted strings, quoted names, comments, and places of values. Only places have a group: `?` is the
   * value after the greatest so far, `?3` or `$3` the third value. The first pattern that finds a place applies.
   */
  readonly valuePlaces: readonly RegExp[];
}

/**
 * How a kind of database treats NULL in the columns of properties that are not nullable. Views, queries and expressions may
 * have it.
 */
export interface UnexpectedNulls {
  /** Whether it comes last in an order that does not place it. */
  readonly areLast: (descending: boolean) => boolean;
  /**
   * Returns the query that lists the columns of a table that are `not null`, by the keys of their names. Only other columns are
   * tested for NULL, because the test costs the index of a column. Null if it costs nothing: then all columns are tested.
   * @param table its quoted name
   */
  readonly listNotNull: ((table: string) => CatalogueQuery) | null;
}
