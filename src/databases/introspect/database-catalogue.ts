import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { CatalogueQuery, CatalogueSteps, ReadableCatalogue } from "./catalogue-steps.ts";
import type { DatabaseSchema, ObjectColumn, SchemaObject, SchemaSelection } from "./database-schema.ts";
import type { ExpectedTable } from "./expected-table.ts";
import type { IndexSyntax } from "./missing-indexes.ts";
import type { NameSyntax } from "./quote-name.ts";
import type { IndexedColumn, WantedTable } from "./schema.ts";

/** A whole database, and the objects in it that names in statements refer to. */
export interface WantedObjects {
  readonly database: DatabaseSchema;
  /** By `WantedTable.text`, without objects that the catalogue does not list, such as temporary tables. */
  readonly objects: ReadonlyMap<string, SchemaObject>;
}

/** Reads the tables of one kind of database, and names and changes them in its SQL. Each kind has one frozen object, in its own folder. */
export interface DatabaseCatalogue extends ReadableCatalogue, NameSyntax {
  /** Whether names of columns ignore letter case. */
  readonly ignoresCase: boolean;
  /** Reads all tables and views. @param alive a condition that ends a statement after its time; absent: none */
  readonly readAll: (selection: SchemaSelection, alive?: string) => CatalogueSteps<DatabaseSchema>;
  /** The same, and finds the objects of declarations among them. */
  readonly readWanted: (wanted: readonly WantedTable[]) => CatalogueSteps<WantedObjects>;
  /** Reads the estimated number of rows of a table, null without one; no row for a view. */
  readonly estimate: (table: WantedTable) => CatalogueQuery;
  /** Lists the schemas and names of tables whose triggers may supply values of new rows; null: they cannot. */
  readonly triggered: string | null;
  /** Returns the account of a user for `grant`. */
  readonly accountOf: (user: string) => string;
  /** Whether the database supplies the value of a new row in a column without a default. */
  readonly fillsIn: (column: ObjectColumn) => boolean;
  /** Whether a column of a table can be given a default. */
  readonly setsDefaults: boolean;
  readonly indexes: IndexSyntax;
  /** Whether an index on texts serves statements, which compare by code point; null: each does. */
  readonly texts: TextIndexes | null;
  /** Finds more about the tables of declarations; absent: nothing. */
  readonly examine?: (expected: readonly ExpectedTable[]) => CatalogueSteps<readonly SchemaFinding[]>;
}

/** How the indexes on texts of a database compare. */
interface TextIndexes {
  /** @param first the first column of an index */
  readonly serves: (column: ObjectColumn, first: IndexedColumn) => boolean;
  /** The character set of a column, for messages; empty if it is that of the database. */
  readonly statedSet: (column: ObjectColumn) => string;
  /** Returns the statement that makes an index serve. */
  readonly fix: (table: WantedTable, column: ObjectColumn) => string;
}
