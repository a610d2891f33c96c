import process from "node:process";
import { fileURLToPath } from "node:url";
import { nearestName } from "../../base/errors/nearest-name.ts";
import { type Problem, usageProblem } from "./problem.ts";
import { printable, redact } from "./redact.ts";

/** A database that a command opens. */
export type Target =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "pglite"; readonly folder: string }
  | { readonly kind: "postgres" | "mariadb"; readonly url: string };

/** The part of the environment that names a database. */
interface TargetEnvironment {
  readonly DATABASE_URL?: string | undefined;
}

/** The kinds of targets by scheme. */
const SCHEMES = {
  postgres: "postgres",
  postgresql: "postgres",
  mysql: "mariadb",
  mariadb: "mariadb",
  pglite: "pglite",
  file: "sqlite",
} as const;

const LISTED = "`postgres://`, `postgresql://`, `mysql://`, `mariadb://`, `pglite:<dir>` and `file:`";

/** A single letter before a colon is a drive of Windows. */
const SCHEME = /^(?<scheme>[a-z][a-z0-9+.-]+):/i;

/** A connection string such as `host=db password=…`. */
const PAIRS = /^\s*(?:host|hostaddr|server|data source|dbname|user|password)\s*=/i;

/**
 * Parses the target of a command: the path of a SQLite file, or the URL of a database.
 * @param given the argument; if undefined, the environment variable `DATABASE_URL` is used
 * @param windows whether paths are those of Windows
 */
export function parseTarget(
  given: string | undefined,
  environment: TargetEnvironment,
  windows: boolean = process.platform === "win32",
): Target | Problem {
  if (given !== undefined) return parse(given, "The database", windows);
  const { DATABASE_URL: url } = environment;
  return url === undefined || url === ""
    ? usageProblem("No database is given.", "Give a SQLite file or a URL, or set `DATABASE_URL`.")
    : parse(url, "`DATABASE_URL`", windows);
}

function parse(given: string, where: string, windows: boolean): Target | Problem {
  if (given.trim() === "") return usageProblem(`${where} is empty.`, "Give a SQLite file or a URL.");
  if (given.includes("\0")) return usageProblem(`${where} contains a zero character.`, "Remove it.");
  if (/^:memory:/i.test(given)) {
    return usageProblem(`${where} cannot be in memory: such a database is always empty.`, "Give a file.");
  }
  if (PAIRS.test(given)) {
    return usageProblem(`${where} is a list of parameters.`, "Give a URL such as `postgres://user@host/database`.");
  }
  const scheme = SCHEME.exec(given)?.groups?.["scheme"];
  if (scheme === undefined) return { kind: "sqlite", file: given };
  const kind = kindOf(scheme);
  if (kind === undefined) return unknownScheme(scheme, where);
  return PARSERS[kind]({ given, rest: given.slice(scheme.length + 1), where, windows });
}

/** A target with a scheme. */
interface GivenTarget {
  readonly given: string;
  /** What follows the scheme. */
  readonly rest: string;
  readonly where: string;
  readonly windows: boolean;
}

const PARSERS: Readonly<Record<Target["kind"], (target: GivenTarget) => Target | Problem>> = {
  sqlite: ({ rest, where, windows }) => fileOf(rest, where, windows),
  pglite: ({ rest, where }) => folderOf(rest, where),
  postgres: ({ given, where }) => serverOf("postgres", given, where),
  mariadb: ({ given, where }) => serverOf("mariadb", given, where),
};

function kindOf(scheme: string): Target["kind"] | undefined {
  const name = scheme.toLowerCase();
  return Object.hasOwn(SCHEMES, name) ? SCHEMES[name as keyof typeof SCHEMES] : undefined;
}

/** Names the scheme alone: the rest may contain a password. */
function unknownScheme(scheme: string, where: string): Problem {
  const advice: Readonly<Record<string, string>> = { sqlite: "file", sqlite3: "file", pg: "postgres" };
  const nearest = advice[scheme.toLowerCase()] ?? nearestName(scheme, Object.keys(SCHEMES));
  const meant = nearest === null ? "" : `Did you mean \`${nearest}:\`? `;
  return usageProblem(
    `${where} has the unknown scheme \`${printable(scheme.slice(0, 20))}:\`; the schemes are ${LISTED}.`,
    `${meant}Write \`./\` before the name of a file that contains a colon.`,
  );
}

function serverOf(kind: "postgres" | "mariadb", given: string, where: string): Target | Problem {
  const encode = "Encode special characters of user and password, such as `@` as `%40`, `/` as `%2F` and `#` as `%23`.";
  // `new URL` removes line breaks and tabs, and accepts a password as the fragment.
  if (!/^[a-z]+:\/\//i.test(given) || /[\s#]/.test(given) || !URL.canParse(given) || !decodes(given)) {
    return usageProblem(`${where} is not a valid URL: ${redact(given)}.`, encode);
  }
  if (new URL(given).pathname.includes("@")) return usageProblem(`${where} has an \`@\` after its host.`, encode);
  return { kind, url: given };
}

/** Returns whether the percent signs of a URL are encodings, as drivers expect. */
function decodes(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  try {
    decodeURIComponent(`${username}${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

function folderOf(rest: string, where: string): Target | Problem {
  const folder = rest.replace(/^\/\/(?=.)/, "");
  if (folder === "" || folder === "//") return usageProblem(`${where} has no folder.`, "Write `pglite:<dir>`.");
  if (/^memory:/i.test(folder) || /^[a-z]{2,}:/i.test(folder)) {
    return usageProblem(`${where} is not a folder.`, "Write `pglite:<dir>`.");
  }
  return { kind: "pglite", folder };
}

/** Reads `file:///shop.db`, and relative paths such as `file:./shop.db`, which the standard for URLs does not know. */
function fileOf(rest: string, where: string, windows: boolean): Target | Problem {
  const [path = "", ...more] = rest.split(/[?#]/);
  if (more.length > 0) {
    return usageProblem(
      `${where} has parameters, which \`file:\` does not take.`,
      "Remove `?` and everything after it.",
    );
  }
  if (path === "" || /^\/*$/.test(path)) return usageProblem(`${where} has no file.`, "Write `file:./shop.db`.");
  try {
    const file = path.startsWith("/") ? fileURLToPath(`file:${path}`, { windows }) : decodeURIComponent(path);
    return /^:memory:/i.test(file) || file.includes("\0") ? parse(file, where, windows) : { kind: "sqlite", file };
  } catch {
    return usageProblem(`${where} is not a valid \`file:\` URL.`, "Give the path of the file.");
  }
}
