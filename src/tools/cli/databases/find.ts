import type { Target } from "../target.ts";
import type { CommandDatabase, TargetOf } from "./command-database.ts";
import { MARIADB } from "./mariadb.ts";
import { PGLITE } from "./pglite.ts";
import { POSTGRES } from "./postgres.ts";
import { SQLITE } from "./sqlite.ts";

const DATABASES: { readonly [Kind in Target["kind"]]: CommandDatabase<TargetOf<Kind>> } = {
  sqlite: SQLITE,
  pglite: PGLITE,
  postgres: POSTGRES,
  mariadb: MARIADB,
};

/** Returns how the commands use a kind of database. Its functions take the targets of this kind. */
export function databaseOf(kind: Target["kind"]): CommandDatabase {
  // Each entry takes the targets of its own key.
  return DATABASES[kind] as CommandDatabase;
}

/** Returns a target for a message or a banner, without passwords. */
export function describeTarget(target: Target): string {
  return databaseOf(target.kind).shown(target);
}
