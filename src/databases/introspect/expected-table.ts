import type { WantedTable } from "./schema.ts";

/** A table as the declarations of a service describe it. */
export interface ExpectedTable extends WantedTable {
  /** The entity set whose declaration names the table. */
  readonly set: string;
  /** The option that names the table: `table`, or the navigation of a table of links. */
  readonly declaredBy: string;
  readonly columns: readonly ExpectedColumn[];
  /** The columns whose values no two rows share. */
  readonly key: readonly string[];
  /** Two rows with one key make responses wrong (error), or only too long (warning). */
  readonly keySeverity: "error" | "warning";
  /** Where the rows are, as the declarations say; null if they are on one machine. */
  readonly placement: ExpectedPlacement | null;
  /**
   * The column that decides on the machine of a row, if clients do not see it and the set has a row rule: each user sees the rows
   * with one value, so an index with it makes the key unique. Absent, or empty: none.
   */
  readonly ruledColumns?: readonly string[] | undefined;
  /** The navigations that find rows by the key without `ruledColumns`, which therefore make no key unique. Absent, or empty: none. */
  readonly unpaired?: readonly string[] | undefined;
  /**
   * Advises on a key that is not unique, by a statement that makes a unique index. Absent: the statement suffices, since a column
   * outside of the key does not decide on the machine of a row.
   */
  readonly adviseKey?: ((statement: string) => string) | undefined;
  /** Groups of columns by which navigations find rows. */
  readonly lookups: readonly ExpectedLookup[];
  /** Navigations along columns to another table; absent: none. */
  readonly references?: readonly ExpectedReference[] | undefined;
  /** The description of the entity type. */
  readonly description?: string | undefined;
  /** Whether properties may be null because cells may be unreadable; absent: no. */
  readonly forgives?: boolean | undefined;
  /** Whether the service inserts rows. */
  readonly isCreated: boolean;
  /** Expressions over the columns; absent: none. */
  readonly expressions?: readonly ExpectedExpression[] | undefined;
}

/** A column decides on the machine of a row, as in all tables of the group; each machine has all rows; or that is not declared. */
export type ExpectedPlacement =
  | { readonly kind: "column"; readonly column: string; readonly group: string }
  | { readonly kind: "reference" | "unknown" };

/** A navigation whose columns equal those of another table. */
export interface ExpectedReference {
  /** The key in objects of the application. */
  readonly navigation: string;
  readonly columns: readonly string[];
  readonly target: WantedTable;
  /** In the order of `columns`. */
  readonly targetColumns: readonly string[];
}

/** An expression that the declarations compute from a row. */
export interface ExpectedExpression {
  /** The key in objects of the application. */
  readonly property: string;
  readonly sql: string;
}

/** Columns by which a navigation finds rows. */
export interface ExpectedLookup {
  readonly navigation: string;
  readonly columns: readonly string[];
}

/** A column as the declarations of a service describe it. */
export interface ExpectedColumn {
  readonly name: string;
  /** The key in objects of the application, after the keys of the complex properties around it. */
  readonly property: string;
  /** Whether only `ctx.sets` reads the column, so that its faults are warnings; absent: no. */
  readonly isOptional?: boolean | undefined;
  /** The type and storage, for messages, such as `Edm.Decimal with storage "scaled"`. */
  readonly declaredType: string;
  readonly nullable: boolean;
  readonly description?: string | undefined;
  /** The types of the database that can store the values; undefined: not checked. */
  readonly storedTypes: StoredTypes | undefined;
  /** The facets of the property that a column may bound too. */
  readonly limits: ExpectedLimits;
  /** Who supplies the values. */
  readonly source: ColumnSource;
  /** Whether the database supplies the value of a new row whose entity lacks it. */
  readonly databaseDefault: boolean;
  /** Whether the service has a default for new entities that lack the value: a declared one, or no items. */
  readonly hasDefault: boolean;
  /** The labels that an enumeration type of the database must have; undefined for other types. */
  readonly labels: ExpectedLabels | undefined;
  /** Returns whether filters match a cell that a default of the database has written. */
  readonly findsCell: (cell: unknown) => boolean;
  /** The uses of the column by clients that an index can serve. */
  readonly access: ReadonlySet<"filter" | "sort">;
  /** The collation that an index on strings needs; undefined: any. */
  readonly indexCollation: string | undefined;
}

/** The facets of a property. */
export interface ExpectedLimits {
  /** Whether they count characters, octets, digits of a number, or fraction digits of seconds. */
  readonly unit: "characters" | "octets" | "digits" | "fractions" | undefined;
  readonly maxLength?: number | undefined;
  readonly precision?: number | undefined;
  /** Undefined for any number of fraction digits. */
  readonly scale?: number | undefined;
}

/**
 * The source of the values of a column: clients that create entities (`create`), also clients that change them (`write`), the
 * service along navigations (`service`) or as the count of writes (`version`), or the database (`database`). With `nobody`, rows
 * are only read.
 */
export type ColumnSource = "create" | "write" | "service" | "version" | "database" | "nobody";

/** The values of an enumeration. */
export interface ExpectedLabels {
  /** The values that the service can read. */
  readonly known: readonly string[];
  /** The values that clients may write. */
  readonly written: readonly string[];
}

/** The types of a database that one storage form reads and writes. */
export interface StoredTypes {
  /** As in `ColumnSchema.type`; empty: any. */
  readonly types: readonly string[];
  /** Advice for common mismatches, by type. `{table}` and `{column}` are replaced by the names. */
  readonly instead?: Readonly<Record<string, TypeAdvice>> | undefined;
  /** Whether the type must not have fraction digits. */
  readonly isWhole?: boolean | undefined;
  /** Defaults of the database whose values differ from the form. */
  readonly refusedDefault?: RefusedDefault | undefined;
}

/** The defaults to report, with advice. */
interface RefusedDefault {
  /** The expressions that depend on the time zone of the session; absent: those whose cells filters do not match. */
  readonly ofSession?: RegExp | undefined;
  readonly advice: TypeAdvice;
}

/** Why a type is wrong, and how to fix it. */
export interface TypeAdvice {
  readonly why: string;
  readonly fix: string;
  /** `C03` if absent. */
  readonly code?: "C05" | undefined;
  /** An error if absent: the type cannot be read or written. */
  readonly severity?: "warning" | undefined;
}
