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
