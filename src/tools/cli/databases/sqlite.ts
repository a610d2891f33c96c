import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Kysely } from "kysely";
import type { DatabaseSettings } from "../database-options.ts";
import { type Problem, unavailable } from "../problem.ts";
import { redact } from "../redact.ts";
import { type CommandDatabase, NO_WARNINGS, type TargetOf } from "./command-database.ts";

/** A file of SQLite. */
export const SQLITE: CommandDatabase<TargetOf<"sqlite">> = Object.freeze<CommandDatabase<TargetOf<"sqlite">>>({
  shown: ({ file }) => redact(file),
  fileOf: ({ file }, folder) => resolve(folder, file),
  check: ({ file }, folder) => checkFile(resolve(folder, file), file),
  open: ({ file }, settings) => openSqlite(resolve(settings.folder, file), settings),
  code: ({ file }, within) => ({ kind: "sqlite", file: within(file) }),
  variables: ({ file }) => ({ DATABASE_FILE: file }),
  packages: [],
  schema: `select schema_version as text from pragma_schema_version`,
  explain: "explain query plan",
  planLine: (row) => String(row["detail"]),
  mixesValues: true,
  provesKeys: false,
  userWarnings: NO_WARNINGS,
});

async function openSqlite(file: string, { mayWrite }: DatabaseSettings): Promise<Kysely<object>> {
  const { Kysely } = await import("kysely");
  const { sqliteDialect } = await import("odatakit/sqlite");
  return new Kysely<object>({ dialect: sqliteDialect(file, { readonly: !mayWrite, journalMode: "keep" }) });
}

/** Every file of SQLite begins with this text. An empty file is an empty database. */
const HEADER = "SQLite format 3\0";

/** Returns why a file cannot be opened as a database of SQLite; undefined if it can. */
function checkFile(path: string, given: string): Problem | undefined {
  const shown = redact(given);
  try {
    if (statSync(path).isDirectory()) return unavailable(`"${shown}" is a folder.`, "Give a SQLite file.");
    const file = openSync(path, "r");
    try {
      const header = new Uint8Array(HEADER.length);
      const length = readSync(file, header, 0, header.length, 0);
      if (length === 0 || new TextDecoder("latin1").decode(header) === HEADER) return undefined;
      return unavailable(`"${shown}" is not a SQLite database.`, "Give a SQLite file, or the URL of a server.");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === "ENOENT") {
      return unavailable(`There is no file "${shown}".`, "Check the path. A missing file is not created.");
    }
    if (code === "EACCES") return unavailable(`The file "${shown}" cannot be read.`, "Check its permissions.");
    return unavailable(`The file "${shown}" cannot be opened (${code ?? "unknown"}).`, "Check the path.");
  }
}
