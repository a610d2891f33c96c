/** Whether keys are those that the database guarantees, or also those that the data has now. */
export type KeyChoice = "proven" | "unique";

/** A relation that the database does not declare, such as that of a view. */
export interface GivenRelation {
  /** A column as `table.column` or `schema.table.column`, in the names of the database. */
  readonly from: string;
  readonly to: string;
}

/** Which tables, columns and names a service over a database has. All keys are optional. */
export interface DescribeOptions {
  /** Globs over `schema.name` and `name`: only matching tables and views are published. */
  readonly include?: readonly string[] | undefined;
  /** Globs over `schema.name` and `name`: matching tables and views are not published. */
  readonly exclude?: readonly string[] | undefined;
  /** Columns as `table.column` that are published although a rule omits them: secrets, invisible columns. */
  readonly includeColumns?: readonly string[] | undefined;
  /** Whether columns that are named like secrets are omitted; `hide` without a value. */
  readonly secrets?: "hide" | "show" | undefined;
  /**
   * The columns of the key of each view without one, by its name in the database. With `unique`, also as the entry `*`,
   * `introspectDatabase` searches the data for keys of the others; `proven`, the default, leaves them out.
   */
  readonly keys?: KeyChoice | Readonly<Record<string, KeyChoice | readonly string[]>> | undefined;
  /** Relations that become navigations like foreign keys. The column of one end must be unique. */
  readonly relations?: readonly GivenRelation[] | undefined;
  /** Names of the service by names of the database. @see docs/decisions/0047-names-over-databases.md */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** `idiomatic` without a value. */
  readonly style?: "as-is" | "idiomatic" | undefined;
  /** Types by property of the service, such as `{ "Products.Discontinued": "boolean(0,1)" }`. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** Whether timestamps without a zone are UTC, which is the default, or text. */
  readonly zoneless?: "string" | "utc" | undefined;
}
