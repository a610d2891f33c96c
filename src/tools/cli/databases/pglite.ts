import { resolve } from "node:path";
import type { Kysely } from "kysely";
import { importPackage } from "../missing-package.ts";
import { redact } from "../redact.ts";
import { type CommandDatabase, NO_WARNINGS, SERVER_PLAN, type TargetOf, WITHOUT_FILE } from "./command-database.ts";
import { PG_SCHEMA } from "./postgres-schema.ts";

/** A folder of PGlite. */
export const PGLITE: CommandDatabase<TargetOf<"pglite">> = Object.freeze<CommandDatabase<TargetOf<"pglite">>>({
  ...WITHOUT_FILE,
  ...SERVER_PLAN,
  shown: ({ folder }) => `pglite:${redact(folder)}`,
  open: ({ folder }, settings) => openPglite(resolve(settings.folder, folder)),
  code: ({ folder }, within) => ({ kind: "pglite", folder: within(folder) }),
  variables: ({ folder }) => ({ DATABASE_FOLDER: folder }),
  packages: ["@electric-sql/pglite"],
  schema: PG_SCHEMA,
  provesKeys: true,
  userWarnings: NO_WARNINGS,
});

/** Opens a folder of PGlite. */
async function openPglite(folder: string): Promise<Kysely<object>> {
  const { Kysely, PGliteDialect } = await import("kysely");
  // The types of the package need types of browsers.
  const name: string = "@electric-sql/pglite";
  const { PGlite } = await importPackage(
    () => import(name) as Promise<{ readonly PGlite: new (folder: string) => never }>,
    ["@electric-sql/pglite"],
  );
  return new Kysely<object>({ dialect: new PGliteDialect({ pglite: new PGlite(folder) }) });
}
