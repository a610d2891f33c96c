import { MysqlAdapter, PostgresAdapter, SqliteAdapter } from "kysely";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";
import { myProfile } from "../mariadb/dialect/profile.ts";
import { pgProfile } from "../postgres/dialect/profile.ts";
import { BARE_SQLITE_PROFILE, CUT_SQLITE_PROFILE, SQLITE_PROFILE } from "../sqlite/dialect/profile.ts";
import { SynchronousSqliteAdapter } from "../sqlite/driver/sqlite-driver.ts";

/** A kind of database. */
interface Dialect {
  /** Returns whether the adapter of a Kysely instance is of this kind: also by name, because it may be of another copy of Kysely. */
  readonly isSpokenBy: (adapter: object) => boolean;
  /** The profiles of servers are made at the first use: most processes use one kind of database. */
  readonly profile: () => DialectProfile;
}

/** In order of precedence. */
const DIALECTS: readonly Dialect[] = [
  {
    isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter && adapter.cutsTexts,
    profile: () => CUT_SQLITE_PROFILE,
  },
  { isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter, profile: () => SQLITE_PROFILE },
  { isSpokenBy: isAdapter(SqliteAdapter, /sqlite/i), profile: () => BARE_SQLITE_PROFILE },
  { isSpokenBy: isAdapter(PostgresAdapter, /postgres|pglite/i), profile: pgProfile },
  { isSpokenBy: isAdapter(MysqlAdapter, /mysql|mariadb/i), profile: myProfile },
];

function isAdapter(type: new () => object, name: RegExp): Dialect["isSpokenBy"] {
  return (adapter) => adapter instanceof type || name.test(adapter.constructor.name);
}

/** Returns the profiles of all supported databases. */
export function dialectProfiles(): readonly DialectProfile[] {
  return DIALECTS.map(({ profile }) => profile());
}

/** Finds the profile for a Kysely instance; null for an unsupported database. */
export function findDialectProfile(db: AnyKysely): DialectProfile | null {
  const { adapter } = db.getExecutor();
  return DIALECTS.find(({ isSpokenBy }) => isSpokenBy(adapter))?.profile() ?? null;
}

/** Returns the name of the dialect of a Kysely instance, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
