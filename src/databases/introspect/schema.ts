/** The name of a table in statements. */
export interface WantedTable {
  /** The quoted name after `from`, such as `"shop"."orders"`. */
  readonly text: string;
  /** Its parts, such as `shop` and `orders`. The last part names the table. */
  readonly names: readonly string[];
}

/** The tables of declarations as the catalogue of a database describes them, for the schema check. */
export interface CheckedSchema {
  /** By `WantedTable.text`, without tables that do not exist. */
  readonly tables: ReadonlyMap<string, TableSchema>;
  /** All tables of the database; read only if a wanted table is missing. */
  readonly tableNames: readonly string[];
  /** Whether `now()` of the session returns UTC. */
  readonly isUtcSession: boolean;
  /** Whether names of columns ignore letter case. */
  readonly ignoresCase: boolean;
}

/** One table or view. */
export interface TableSchema {
  readonly kind: "table" | "view";
  /** In the order of the table. */
  readonly columns: readonly ColumnSchema[];
  /** The indexes that contain every row. */
  readonly indexes: readonly IndexSchema[];
  /** Where the rows are; absent in a database on one machine. */
  readonly placement?: TablePlacement | undefined;
  /**
   * Whether triggers may change rows of the table, or only of other tables, after a statement has written it; absent: neither.
   * `deferred`: rows of the table, and at the end of a transaction, too.
   */
  readonly triggers?: "own" | "deferred" | "other" | undefined;
}

/**
 * Where the rows of a table are, of a database on several machines: by a column, in the same way as other tables, of which `first`
 * is one, or the table itself; all on each machine; or otherwise, as a table of the coordinator, or a view.
 */
export type TablePlacement =
  | {
      readonly kind: "column";
      readonly column: string;
      readonly first: { readonly schema: string; readonly name: string };
    }
  | { readonly kind: "reference" | "unknown" };

/** One column. */
export interface ColumnSchema {
  readonly name: string;
  /** Whether `select *` omits it, as the rowid of SQLite. */
  readonly isHidden: boolean;
  /** Whether the column is the rowid of SQLite, which has several names; absent: no. */
  readonly isRowid?: true | undefined;
  /** The type in one word: the base type of a domain, without a length; in SQLite the affinity. */
  readonly type: string;
  /** The type as the database writes it, such as `character varying(20)`. */
  readonly definition: string;
  /** False only if the database rejects null. */
  readonly nullable: boolean;
  /** Whether the database computes each value from other columns. */
  readonly isGenerated: boolean;
  readonly defaultValue: string | null;
  /** The value of the default; null if unknown. */
  readonly defaultCell: unknown;
  readonly collation: string | null;
  /** The values of an enumeration type; null for other types. */
  readonly labels: readonly string[] | null;
}

/** One index. */
export interface IndexSchema {
  readonly isUnique: boolean;
  /** In the order of the index; null for an expression. */
  readonly columns: ReadonlyArray<IndexedColumn | null>;
  /** The column whose text, as conditions and orders over several machines have it, the index begins with; absent: none. */
  readonly firstText?: IndexedColumn | undefined;
}

/** One column of an index. */
export interface IndexedColumn {
  readonly name: string;
  readonly collation: string | null;
  /** Whether null precedes values in ascending order. */
  readonly nullsFirst: boolean;
}

/** Two columns of a foreign key whose texts the database does not compare by code point. */
export interface ComparedTexts {
  /** The table with the foreign key, as `WantedTable.text`. */
  readonly child: string;
  readonly childColumn: string;
  /** The table that it refers to, as `WantedTable.text`. */
  readonly parent: string;
  readonly parentColumn: string;
  readonly comparison: TextComparison;
}

/** How the database compares them. */
export interface TextComparison {
  /** The quoted name of the type that both texts are converted to; null if the database has one type of texts. */
  readonly type: string | null;
  /** The name of the collation, quoted where the database quotes it. */
  readonly collation: string;
  /** Whether both columns have this comparison, so that a unique index on either of them uses it. */
  readonly isShared: boolean;
}
