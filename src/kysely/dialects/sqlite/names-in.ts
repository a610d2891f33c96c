import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import type { Sql } from "../../statement/sql-form.ts";

const QUOTED = /"((?:[^"]|"")*)"/g;

/** Returns the names in a piece of SQL: plugins of Kysely may change them. */
export function namesIn(piece: Sql, db: AnyKysely): readonly string[] {
  return Array.from(piece.compile(db).sql.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
}

/** Quotes a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
