import { statSync } from "node:fs";
import type { Kysely } from "kysely";
import { messageOf } from "../../base/message-of.ts";
import type { DatabaseSettings } from "./database-options.ts";
import { databaseOf, describeTarget } from "./databases/find.ts";
import { unavailable, type Problem } from "./problem.ts";
import { scrub } from "./redact.ts";
import type { Target } from "./target.ts";

/** A database that has returned rows. */
export interface OpenedDatabase {
  readonly db: Kysely<object>;
  readonly kind: Target["kind"];
  /** The path of a SQLite file; null for other databases. */
  readonly file: string | null;
  /** The identity of the file when it was opened; null for other databases. */
  readonly fileId: string | null;
  /** Calls a function at each change of the schema that the database tells, until the signal; absent: it tells none. */
  readonly listen?: (onNotify: () => void, signal: AbortSignal) => void;
  /** The target without passwords. */
  readonly shown: string;
  readonly close: () => Promise<void>;
}

/** Opens a database, and tests its connection. @throws MissingPackage if its driver is not installed */
export async function openDatabase(target: Target, settings: DatabaseSettings): Promise<OpenedDatabase | Problem> {
  const database = databaseOf(target.kind);
  const problem = database.check(target, settings.folder);
  if (problem !== undefined) return problem;
  const shown = database.shown(target);
  const db = await database.open(target, settings);
  try {
    const { sql } = await import("kysely");
    await sql`select 1`.execute(db);
    const file = database.fileOf(target, settings.folder);
    const fileId = file === null ? null : fileIdOf(file);
    const close = (): Promise<void> => db.destroy();
    const opened = { db, kind: target.kind, file, fileId, shown, close };
    const { listen } = database;
    if (listen === undefined) return opened;
    return { ...opened, listen: (onNotify, signal) => void listen(target, onNotify, signal) };
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

/** The problem for each code of a driver, and the fix. */
const FAILURES: ReadonlyArray<readonly [code: RegExp, what: string, fix: string]> = [
  [/^ECONNREFUSED$/, "refuses the connection", "Start the server, or correct the host and the port."],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "has an unknown host", "Correct the host."],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "does not answer", "Check the host, the port and the firewall."],
  [
    /^(?:28P01|28000|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR|1045)$/,
    "denies access",
    "Correct the user and the password.",
  ],
  [/^(?:3D000|ER_BAD_DB_ERROR|1049)$/, "has no database of this name", "Correct the name at the end of the URL."],
  [/^(?:ER_DBACCESS_DENIED_ERROR|1044|42501)$/, "denies access to the database", "Grant the user access to it."],
  [/^(?:53300|ER_CON_COUNT_ERROR|1040)$/, "has too many connections", "Try again later, or lower `--pool`."],
];

/** Describes why a database cannot be used, without its password. */
export function describeFailure(error: unknown, target: Target): Problem {
  const shown = describeTarget(target);
  const code = codeOf(error);
  const known = FAILURES.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return unavailable(`${shown} ${known[1]}.`, known[2]);
  const url = "url" in target ? target.url : "";
  const message = scrub(messageOf(error), url).replace(/\.$/, "");
  if (/timeout|timed out/i.test(message)) {
    return unavailable(`${shown} does not answer.`, "Check the host, the port and the firewall.");
  }
  const suffix = code === "" ? "" : ` (${code})`;
  const fix = /Node\.js [\d.]+ or later/.test(message)
    ? "Use a later version of Node.js."
    : "Correct the target or the server.";
  return unavailable(`${shown} cannot be used: ${message}${suffix}.`, fix);
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Several addresses of one host fail together.
  const [first] = "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  if (first !== undefined) return codeOf(first);
  return "cause" in error ? codeOf(error.cause) : "";
}
