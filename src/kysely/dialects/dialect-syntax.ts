import type { Sql, SqlForm } from "../statement/sql-form.ts";

/** How one kind of database writes what every statement needs. One frozen object per kind. */
export interface DialectSyntax {
  /**
   * One term of an order by value: null first ascending, last descending.
   * @param nullable whether the term may be null; false lets an index without null serve it
   */
  readonly orderTerm: (term: Sql, descending: boolean, nullable: boolean) => Sql;
  /** What follows the order, with a blank before it: most rows, and rows to leave out; null for none of it. */
  readonly limit: (top: Sql | null, skip: Sql | null) => Sql;
  /** Whether two values are equal, or both null; never null itself. */
  readonly isSame: (left: Sql, right: Sql) => Sql;
  /** The negation of `isSame`. */
  readonly isDifferent: (left: Sql, right: Sql) => Sql;
  /** The value, or another where it is null. */
  readonly ifNull: (value: Sql, fallback: Sql) => Sql;
  /** One of two values. */
  readonly choose: (condition: Sql, whenTrue: Sql, otherwise: Sql) => Sql;
  /** `true` or `false` as the value of a condition: what `ifNull` of a condition falls back to. */
  readonly booleanValue: (value: boolean) => Sql;
  /** A cell of the canonical form of Edm.Boolean as a condition. */
  readonly asCondition: (cell: Sql) => Sql;
  /**
   * Whether derived tables are to tell of each row whether it is one of theirs: where databases take them apart, compute
   * with rows that a condition leaves out, and fail for those.
   */
  readonly marksRows: boolean;
  /** Whether a derived table, or a union, may look at the row around it. */
  readonly derivesFromRows: boolean;
  /** A select of one value that is written once though it is needed twice: `make` gets its name. */
  readonly once: (value: Sql, make: (name: Sql) => Sql) => Sql;
  /**
   * A derived table, without alias, of what `writeKeys` wrote: one row per key, with its number from 0 as `ordinal` and
   * its values as `k0`, `k1`, … in the given forms.
   * @param list the place of what `writeKeys` wrote
   */
  readonly keyTable: (list: Sql, forms: readonly SqlForm[]) => Sql;
  /** Writes keys, each a list of cells as the forms encode them, for `keyTable`. */
  readonly writeKeys: (keys: readonly (readonly unknown[])[]) => unknown;
  /** Makes a statement run with a session time zone of UTC; absent where no column depends on that of the session. */
  readonly inUtcSession?: (statement: string) => string;
}
