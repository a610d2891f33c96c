import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Kysely } from "kysely";
import { describeFailure } from "./connection-failure.ts";
import type { DatabaseSettings } from "./database-settings.ts";
import { listenPostgres } from "./listen-postgres.ts";
import { openMariadb, openPglite, openPostgres } from "./open-server.ts";
import { unavailable, type Problem } from "./problem.ts";
import { describeTarget, type Target } from "./target.ts";

/** A database that has answered. */
export interface OpenedDatabase {
  readonly db: Kysely<object>;
  readonly kind: Target["kind"];
  /** The path of a SQLite file; null for other databases. */
  readonly file: string | null;
  /** The identity of the file when it was opened; null for other databases. */
  readonly fileId: string | null;
  /** Calls a function at each `notify odatakit` of PostgreSQL, until the signal; absent for other databases. */
  readonly listen?: (onNotify: () => void, signal: AbortSignal) => void;
  /** The target without passwords. */
  readonly shown: string;
  readonly close: () => Promise<void>;
}

/** Opens a database, and lets it answer once. @throws MissingPackage if its driver is not installed */
export async function openDatabase(target: Target, settings: DatabaseSettings): Promise<OpenedDatabase | Problem> {
  if (target.kind === "sqlite") {
    const problem = checkFile(resolve(settings.folder, target.file), target.file);
    if (problem !== undefined) return problem;
  }
  const shown = describeTarget(target);
  const db = await connect(target, settings);
  try {
    const { sql } = await import("kysely");
    await sql`select 1`.execute(db);
    const file = target.kind === "sqlite" ? resolve(settings.folder, target.file) : null;
    const fileId = file === null ? null : fileIdOf(file);
    const close = (): Promise<void> => db.destroy();
    const opened = { db, kind: target.kind, file, fileId, shown, close };
    if (target.kind !== "postgres") return opened;
    return { ...opened, listen: (onNotify, signal) => void listenPostgres(target.url, onNotify, signal) };
  } catch (error) {
    await db.destroy().catch(() => undefined);
    return describeFailure(error, target);
  }
}

/** Returns the identity of a file: another file of the same name has another one. @throws the error of the file system */
export function fileIdOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${String(dev)}:${String(ino)}`;
}

async function connect(target: Target, settings: DatabaseSettings): Promise<Kysely<object>> {
  switch (target.kind) {
    case "sqlite":
      return openSqlite(resolve(settings.folder, target.file), settings);
    case "pglite":
      return openPglite(resolve(settings.folder, target.folder));
    case "postgres":
      return openPostgres(target.url, settings);
    case "mariadb":
      return openMariadb(target.url, settings);
  }
}

async function openSqlite(file: string, { mayWrite }: DatabaseSettings): Promise<Kysely<object>> {
  const { Kysely } = await import("kysely");
  const { sqliteDialect } = await import("odatakit/sqlite");
  return new Kysely<object>({ dialect: sqliteDialect(file, { readonly: !mayWrite, journalMode: "keep" }) });
}

/** Every file of SQLite begins with this text. An empty file is an empty database. */
const HEADER = "SQLite format 3\0";

/** Returns why a file cannot be opened as a database of SQLite; undefined if it can. */
export function checkFile(path: string, given: string): Problem | undefined {
  const shown = describeTarget({ kind: "sqlite", file: given });
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
