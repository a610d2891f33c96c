import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import { MY_PROFILE } from "../dialects/mysql/profile.ts";
import { PG_PROFILE } from "../dialects/postgres/profile.ts";
import { BARE_SQLITE_PROFILE, CUT_SQLITE_PROFILE, SQLITE_PROFILE } from "../dialects/sqlite/profile.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";

/** In order of precedence. */
export const DIALECT_PROFILES: readonly DialectProfile[] = [
  CUT_SQLITE_PROFILE,
  SQLITE_PROFILE,
  BARE_SQLITE_PROFILE,
  PG_PROFILE,
  MY_PROFILE,
];

/** Finds the profile for a Kysely instance; null for an unsupported database. */
export function findDialectProfile(db: AnyKysely): DialectProfile | null {
  const { adapter } = db.getExecutor();
  return DIALECT_PROFILES.find(({ isSpokenBy }) => isSpokenBy(adapter)) ?? null;
}

/** Returns the name of the dialect of a Kysely instance, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
