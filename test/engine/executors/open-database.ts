import type { Kysely, LogEvent } from "kysely";

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
export type AnyDatabase = Kysely<any>;

/** Receives the statements of a database. */
export type Logger = (event: LogEvent) => void;

/** Settings of the sessions of PostgreSQL; by default, hostile ones. */
export type Settings = Readonly<Record<string, string>>;

/** The SQL dialect of a database, which decides the column types. */
export type DatabaseName = "sqlite" | "postgres" | "mariadb";

/** An empty database. */
export interface OpenDatabase {
  readonly db: AnyDatabase;
  readonly close: () => Promise<void>;
}

/** A kind of database that tests run over. */
export interface DatabaseEngine {
  readonly name: DatabaseName;
  /** For the names of tests. */
  readonly title: string;
  /** Opens a database, one at a time in a test file: the next one empties it. @param log receives its statements */
  readonly open: (log?: Logger, settings?: Settings) => Promise<OpenDatabase>;
}
