import type { KyselyPlugin } from "kysely";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { SnapshotSyntax, SynchronousReader } from "../connection/synchronous-reader.ts";
import type { CatalogueQuery } from "../introspect/catalogue-steps.ts";
import type { DatabaseCatalogue } from "../introspect/database-catalogue.ts";
import type { StoredTypes } from "../introspect/expected-table.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { DialectFaults } from "./dialect-faults.ts";
import type { LiteralSyntax } from "./literal-syntax.ts";

/** How does a statement run, and what does the database tell? */
export interface DialectSession {
  /** The most values that one statement may bind. */
  readonly maxParameters: number;
  /** Rejects a statement that the driver cannot run. @throws ODataError `UnsupportedQueryOption` */
  readonly checkStatement?: ((text: string) => void) | undefined;
  /** Makes a statement run in the time zone UTC; absent if no column depends on the time zone of the session. */
  readonly inUtcSession?: (statement: string) => string;
  /** Lets a recursive statement recurse as often as it has to; absent if the database always does. */
  readonly recursing?: (statement: string) => string;
  /** Makes a statement sort so many terms by all their bytes; absent if the database always does. */
  readonly sortingLong?: (terms: number, statement: string) => string;
  /** Makes the database end a statement after some milliseconds; absent if it has no such limit for one statement. */
  readonly within?: (timeout: number, statement: string) => string;
  /** How the database explains a statement, without running it. */
  readonly plan: {
    /** Returns the statement that reads the plan. */
    readonly statement: (statement: string) => string;
    /** Returns the plan in lines, as people read it. */
    readonly lines: (rows: readonly (readonly unknown[])[]) => readonly string[];
  };
  /** How statements contain values, for people who run them. */
  readonly literals: LiteralSyntax;
  /**
   * For a database of this process, which cannot interrupt a statement: makes a condition that is always true, and ends the
   * statement after its time. It precedes the other conditions of each table. Absent: the database ends statements itself.
   */
  readonly alive?: Alive | undefined;
  /** How several statements of a server read one snapshot; absent: each may see another state. */
  readonly snapshots?: SnapshotSyntax | undefined;
  /** Whether a lost connection of a dialect that is not ours may end the process; absent: never. */
  readonly mayEndProcess?: ((adapter: object) => boolean) | undefined;
  /** Whether each server tells up to which position of writes it shows the database. */
  readonly positions?: true | undefined;
  /** Its tables, for the schema check. */
  readonly catalogue: DialectCatalogue;
  readonly faults: DialectFaults;
}

/** Makes the condition that ends a statement after its time. @see docs/decisions/0026-reader-threads.md */
export interface Alive {
  /** Whether a table has row ids. @param table its quoted name */
  readonly hasRowIds: (table: string, reader: SynchronousReader) => boolean;
  /** For the rows of a table that has row ids: evaluated for few of them. */
  readonly ofRowIds: (alias: string) => Sql;
  /** For the items of a list within a row: evaluated for few of them. */
  readonly ofItems: (alias: string) => Sql;
  /** For other rows: evaluated for each. @param column any of their columns: otherwise a join evaluates it for the first table only */
  readonly ofRows: (column: Sql) => Sql;
  /** Writes it into each `select` of a Kysely query of the application, which may group rows before others see them. */
  readonly inSelects: KyselyPlugin;
}

/** How the schema check reads one kind of database. */
export interface DialectCatalogue extends DatabaseCatalogue {
  /** Finds settings of the sessions with which statements or values have another meaning. */
  readonly sessions?: SessionCheck | undefined;
  /** The types that each storage form reads and writes, by `storageKey`. A form without a row is not checked. */
  readonly storedTypes: StoredTypeTable;
}

/** The settings of sessions that the service refuses. */
export interface SessionCheck {
  /** Returns the row of `proof`, unless the driver gives values another form; and a row for each refused setting: name, value. */
  readonly query: CatalogueQuery;
  readonly proof?: Pick<SchemaFinding, "message" | "fix"> & { readonly row: readonly string[] };
  /** By the name of a setting: the finding to report, and the types that it concerns; absent: all. */
  readonly refused: Readonly<Record<string, (value: string) => Pick<SchemaFinding, "message" | "fix">>>;
  readonly types?: Readonly<Record<string, ReadonlySet<string>>>;
}

/** The types of a database that storage forms read and write, by `storageKey`. */
export type StoredTypeTable = Readonly<Record<string, StoredTypeRow>>;

/** One storage form. */
export interface StoredTypeRow extends StoredTypes {
  /** The uses that an index on the column serves; absent: all. */
  readonly served?: ReadonlyArray<"filter" | "sort"> | undefined;
  /** The collation that the index needs. */
  readonly indexCollation?: string | undefined;
}
