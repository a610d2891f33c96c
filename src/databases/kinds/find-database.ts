import { MysqlAdapter, PostgresAdapter, SqliteAdapter } from "kysely";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { mariadb } from "../mariadb/dialect/database.ts";
import { postgres } from "../postgres/dialect/database.ts";
import { BARE_SQLITE, CUT_SQLITE, SQLITE } from "../sqlite/dialect/database.ts";
import { SynchronousSqliteAdapter } from "../sqlite/driver/sqlite-driver.ts";

/** A kind of database. */
interface Dialect {
  /** Returns whether the adapter of a Kysely instance is of this kind: also by name, because it may be of another copy of Kysely. */
  readonly isSpokenBy: (adapter: object) => boolean;
  /** The databases of servers are made at the first use: most processes use one kind of database. */
  readonly database: () => Database;
}

/** In order of precedence. */
const DIALECTS: readonly Dialect[] = [
  {
    isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter && adapter.cutsTexts,
    database: () => CUT_SQLITE,
  },
  { isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter, database: () => SQLITE },
  { isSpokenBy: isAdapter(SqliteAdapter, /sqlite/i), database: () => BARE_SQLITE },
  { isSpokenBy: isAdapter(PostgresAdapter, /postgres|pglite/i), database: postgres },
  { isSpokenBy: isAdapter(MysqlAdapter, /mysql|mariadb/i), database: mariadb },
];

function isAdapter(type: new () => object, name: RegExp): Dialect["isSpokenBy"] {
  return (adapter) => adapter instanceof type || name.test(adapter.constructor.name);
}

/** Returns all supported databases. */
export function supportedDatabases(): readonly Database[] {
  return DIALECTS.map(({ database }) => database());
}

/** Finds the database of a Kysely instance; null for an unsupported database. */
export function findDatabase(db: AnyKysely): Database | null {
  const { adapter } = db.getExecutor();
  return DIALECTS.find(({ isSpokenBy }) => isSpokenBy(adapter))?.database() ?? null;
}

/** Returns the name of the dialect of a Kysely instance, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
