import { MysqlAdapter, PostgresAdapter, SqliteAdapter } from "kysely";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import { SynchronousSqliteAdapter } from "../sqlite/sqlite-adapter.ts";
import type { DialectProfile } from "./dialect-profile.ts";
import { MY_PROFILE } from "./mysql/profile.ts";
import { PG_PROFILE } from "./postgres/profile.ts";
import { BARE_SQLITE_PROFILE, SQLITE_PROFILE } from "./sqlite/profile.ts";

/** The profile of the database behind a Kysely instance; null where there is none. */
export function findDialectProfile(db: AnyKysely): DialectProfile | null {
  const { adapter } = db.getExecutor();
  if (adapter instanceof SynchronousSqliteAdapter) return SQLITE_PROFILE;
  // By name as well: an application may have a copy of Kysely of its own.
  const { name } = adapter.constructor;
  if (adapter instanceof SqliteAdapter || /sqlite/i.test(name)) return BARE_SQLITE_PROFILE;
  if (adapter instanceof PostgresAdapter || /postgres|pglite/i.test(name)) return PG_PROFILE;
  if (adapter instanceof MysqlAdapter || /mysql|mariadb/i.test(name)) return MY_PROFILE;
  return null;
}

/** The name of the dialect that a Kysely instance speaks, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
