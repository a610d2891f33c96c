import { SqliteAdapter } from "kysely";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { toBoundValues } from "./sqlite-values.ts";

/** Kysely's adapter of SQLite, with reads at once beside it. */
export class SynchronousSqliteAdapter extends SqliteAdapter implements SynchronousReader {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super();
    this.#database = database;
  }

  readRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[] {
    return this.#database.rows.get(sql).select(toBoundValues(parameters));
  }

  readOne(sql: string, parameters: readonly unknown[]): readonly unknown[] | undefined {
    return this.#database.rows.get(sql).selectFirst(toBoundValues(parameters));
  }
}
