import type { ColumnSchema, IndexSchema, TablePlacement } from "./schema.ts";

/** The kinds of databases with a catalogue reader. */
export type DatabaseKind = "sqlite" | "postgres" | "mysql";

/** The name of a table, view or type. */
export interface ObjectName {
  readonly schema: string;
  readonly name: string;
}

/** All tables and views of a database as its catalogue describes them, in a form that all databases share. */
export interface DatabaseSchema {
  readonly kind: DatabaseKind;
  /** The product and its version, such as `PostgreSQL 15.8`. */
  readonly product: string;
  /** The schema whose objects need no prefix: `main`, `public`, or the database of the connection to MariaDB. */
  readonly defaultSchema: string;
  /** In the order of schema and name. */
  readonly objects: readonly SchemaObject[];
}

/** One table or view. */
export interface SchemaObject extends ObjectName {
  readonly kind: "table" | "view" | "materialized view";
  /** In the order of the table. */
  readonly columns: readonly ObjectColumn[];
  /** The indexes that contain every row, the primary key included. */
  readonly indexes: readonly IndexSchema[];
  /** The names of the columns of the primary key in its order; empty without one. */
  readonly primaryKey: readonly string[];
  /** The names of the columns that the database proves to be a key of a view; empty if it does not. */
  readonly provenKey: readonly string[];
  /** The names of columns whose values are unique in the data, or why none are; absent without a search. */
  readonly uniqueKey?: UniqueKey | undefined;
  readonly foreignKeys: readonly ForeignKey[];
  readonly comment: string | null;
  /** The number of rows that the database estimates; null if it does not. */
  readonly estimatedRows: number | null;
  /** The name of the rowid of SQLite, if statements can read it; absent without one. */
  readonly rowid?: string | undefined;
  /** Where the rows of the table are; absent in a database on one machine. */
  readonly placement?: TablePlacement | undefined;
  /** Why the database accepts no writes of the table as requests make them; absent: it does. */
  readonly unwritable?: string;
  /** Why the object belongs to another one or to a tool; null for an object of the application. */
  readonly omission: ObjectOmission | null;
}

/** The columns that no two rows share and that are never null in the data now, or why no columns qualify. */
export type UniqueKey = readonly string[] | "no rows" | "none" | "too slow";

/** Why an object is not published by default. */
export interface ObjectOmission {
  readonly code: "extension" | "migrations" | "partition" | "shadow" | "unreadable" | "virtual";
  /** Completes the sentence `public.orders_2025 is omitted, because it is …`. */
  readonly reason: string;
}

/** One column of a table or view. */
export interface ObjectColumn extends ColumnSchema {
  readonly comment: string | null;
  /** Whether the database supplies the value of new rows: identity, sequence, `auto_increment`, rowid. */
  readonly isIdentity: boolean;
  /** Whether the database refuses other values, as `generated always as identity` of PostgreSQL; absent: no. */
  readonly refusesValues?: true | undefined;
  /** Whether a key contains the column, or a foreign key to or from one; absent: no, or unknown. */
  readonly isKeyPart?: true | undefined;
  /** Whether `select *` omits the column by intent, as an invisible column of MariaDB. */
  readonly isInvisible: boolean;
  /** Whether the user of the connection may select the column, and a statement can do so. */
  readonly isSelectable: boolean;
  /** Why no statement can select the column; absent: the user may not do so, or it can be selected. */
  readonly failure?: string;
  /** The maximum length in characters or octets; null without one. */
  readonly length: number | null;
  /** Digits of a number, or digits of fractions of seconds; null without a limit. */
  readonly precision: number | null;
  readonly scale: number | null;
  readonly characterSet: string | null;
  /** The enumeration type of the column, for names; null without one, and in MariaDB, whose types are anonymous. */
  readonly enumType: ObjectName | null;
  /** The table column that a column of a view returns unchanged; null if unknown. */
  readonly source: (ObjectName & { readonly column: string }) | null;
  /** The content of the rows, where the declared type does not restrict them; null in databases with strict types. */
  readonly sample: ColumnSample | null;
  /**
   * Whether rows of a column without null hold cells that no property can have, such as infinity and zero dates; absent if
   * that was not looked up.
   */
  readonly holdsUnreadable?: boolean | undefined;
  /** Whether its collation belongs to another program, so that SQLite cannot compare the plain column; absent: no. */
  readonly isIncomparable?: boolean;
  /** A message about a default that is left out, because the database cannot compute it; absent: no default is left out. */
  readonly lost?: string;
}

/** Counts over some rows of a column: of SQLite, and of `tinyint(1)` in MariaDB. */
export interface ColumnSample {
  /** How many rows were read. */
  readonly rows: number;
  readonly nulls: number;
  readonly integers: number;
  readonly reals: number;
  readonly texts: number;
  readonly blobs: number;
  /** The numbers of values with a form, by its name, such as `zero-or-one` and `iso-date`. */
  readonly forms: Readonly<Record<string, number>>;
  /** The values of a column that is declared as a Boolean, if there are at most 20 different ones. */
  readonly values: ReadonlyArray<number | string>;
}

/** A foreign key. */
export interface ForeignKey {
  readonly name: string | null;
  readonly columns: readonly string[];
  readonly target: ObjectName;
  /** In the order of `columns`. */
  readonly targetColumns: readonly string[];
  readonly comment: string | null;
  /** The table whose foreign key a view shows; absent for one of the object itself. */
  readonly base?: ObjectName | undefined;
}

/** Whether a row of a catalogue belongs to the objects to read. */
export interface SchemaSelection {
  /** The schemas to read; absent: all except those of the database itself. */
  readonly schemas?: readonly string[] | undefined;
}
