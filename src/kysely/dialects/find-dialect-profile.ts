import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { DialectProfile } from "./dialect-profile.ts";
import { MY_PROFILE } from "./mysql/profile.ts";
import { PG_PROFILE } from "./postgres/profile.ts";
import { BARE_SQLITE_PROFILE, SQLITE_PROFILE } from "./sqlite/profile.ts";

/** The first one that speaks to a database is the one. */
const PROFILES: readonly DialectProfile[] = [SQLITE_PROFILE, BARE_SQLITE_PROFILE, PG_PROFILE, MY_PROFILE];

/** The profile of the database behind a Kysely instance; null where there is none. */
export function findDialectProfile(db: AnyKysely): DialectProfile | null {
  const { adapter } = db.getExecutor();
  return PROFILES.find(({ isSpokenBy }) => isSpokenBy(adapter)) ?? null;
}

/** The name of the dialect that a Kysely instance speaks, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
