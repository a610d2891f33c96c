import type { WantedTable } from "./schema.ts";

/** A table as the declarations of a service describe it. */
export interface ExpectedTable extends WantedTable {
  /** The entity set whose declaration names the table. */
  readonly set: string;
  /** What names it there: `table`, or the navigation of a table of links. */
  readonly declaredBy: string;
  readonly columns: readonly ExpectedColumn[];
  /** The columns whose values no two rows share. */
  readonly key: readonly string[];
  /** Whether two rows with one key make answers wrong, or only longer than they should be. */
  readonly keySeverity: "error" | "warning";
  /** Groups of columns by which navigations find rows. */
  readonly lookups: readonly ExpectedLookup[];
}

/** Columns by which a navigation finds rows. */
export interface ExpectedLookup {
  readonly navigation: string;
  readonly columns: readonly string[];
}

/** A column as the declarations of a service describe it. */
export interface ExpectedColumn {
  readonly name: string;
  /** The application's key, behind the keys of the complex properties around it. */
  readonly property: string;
  /** The type and storage, for messages, such as `Edm.Decimal with storage "scaled"`. */
  readonly declaredType: string;
  readonly nullable: boolean;
  /** Which types of the database hold the values; undefined: not judged. */
  readonly storedTypes: StoredTypes | undefined;
  /** The values that an enumeration type of the database must have; undefined for other types. */
  readonly labels: ExpectedLabels | undefined;
  /** Whether filters find a cell that a default of the database writes. */
  readonly findsCell: (cell: unknown) => boolean;
  /** What clients may do with the column that an index on it serves. */
  readonly access: ReadonlySet<"filter" | "sort">;
  /** The collation that an index on texts needs; undefined: any. */
  readonly indexCollation: string | undefined;
}

/** The values of an enumeration. */
export interface ExpectedLabels {
  /** Those that can be read. */
  readonly known: readonly string[];
  /** Those that clients may write. */
  readonly written: readonly string[];
}

/** Which types of a database one storage form reads and writes. */
export interface StoredTypes {
  /** In the words of `ColumnSchema.type`; empty: any. */
  readonly types: readonly string[];
  /** What to do about types that are commonly taken instead, by type. `{table}` and `{column}` stand for the names. */
  readonly instead?: Readonly<Record<string, TypeAdvice>> | undefined;
  /** Whether the type must have no digits behind the point. */
  readonly isWhole?: boolean | undefined;
  /** A default of the database that stores something else than the form. */
  readonly refusedDefault?: RefusedDefault | undefined;
}

/** Which defaults do not do, and what to do about them. */
export interface RefusedDefault {
  /** The expressions that depend on the time zone of the session; absent: those whose cells filters do not find. */
  readonly ofSession?: RegExp | undefined;
  readonly advice: TypeAdvice;
}

/** Why a type does not do, and what to do. */
export interface TypeAdvice {
  readonly why: string;
  readonly fix: string;
  /** `C03` when absent. */
  readonly code?: "C05" | undefined;
}
