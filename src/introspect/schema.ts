/** A table as statements name it. */
export interface WantedTable {
  /** The quoted text behind `from`, such as `"shop"."orders"`. */
  readonly text: string;
  /** The names in it, such as `shop` and `orders`. The last one is that of the table. */
  readonly names: readonly string[];
}

/** What the catalogue of a database says about some of its tables, whatever the database. */
export interface DatabaseSchema {
  /** By `WantedTable.text`; none for a table that the catalogue does not have. */
  readonly tables: ReadonlyMap<string, TableSchema>;
  /** The tables that exist; read only when a wanted one is missing. */
  readonly tableNames: readonly string[];
  /** Whether `now()` of the session is the time in UTC. */
  readonly isUtcSession: boolean;
  /** Whether letter case in the names of columns does not matter. */
  readonly ignoresCase: boolean;
}

/** One table or view. */
export interface TableSchema {
  readonly kind: "table" | "view";
  /** In their order. */
  readonly columns: readonly ColumnSchema[];
  /** Indexes that hold every row, each with its columns in their order. */
  readonly indexes: readonly IndexSchema[];
}

/** One column. */
export interface ColumnSchema {
  readonly name: string;
  /** Whether lists of the columns leave it out, as with the rowid of SQLite. */
  readonly isHidden: boolean;
  /** The type in one word: the type below a domain without its length; in SQLite the affinity. */
  readonly type: string;
  /** The type as the database writes it, such as `character varying(20)`. */
  readonly definition: string;
  /** False only where the database refuses null. */
  readonly nullable: boolean;
  /** Whether the database computes each value from other columns. */
  readonly isGenerated: boolean;
  readonly defaultValue: string | null;
  /** What the default evaluates to; null where that was not asked, and for NULL. */
  readonly defaultCell: unknown;
  readonly collation: string | null;
  /** The values of an enumeration type; null for other types. */
  readonly labels: readonly string[] | null;
}

/** One index. */
export interface IndexSchema {
  readonly isUnique: boolean;
  /** Null for an expression. */
  readonly columns: ReadonlyArray<IndexedColumn | null>;
}

/** One column of an index. */
export interface IndexedColumn {
  readonly name: string;
  readonly collation: string | null;
  /** Whether null comes first when the index is read in ascending order of its values. */
  readonly nullsFirst: boolean;
}
