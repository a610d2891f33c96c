import { parseArgs } from "node:util";
import { nearestName } from "../../../src/base/errors/nearest-name.ts";

/** The databases that the example of a new project can use. */
export const DATABASES = ["sqlite", "postgres", "mariadb"] as const;

/** A database of the example. */
export type Database = (typeof DATABASES)[number];

/** What the user asks for. */
export interface ProjectArguments {
  /** The folder of the new project. */
  readonly folder: string;
  readonly database: Database;
  /** A file or URL of the database to declare; null for the example. */
  readonly from: string | null;
}

/** The text of `--help`. */
export const USAGE = `Usage: npm create odatakit@latest <folder> [-- <options>]

Creates a project that serves OData. The folder must be empty or missing; "." is the current one.

Options:
  --db <name>    the database of the example: sqlite (default), postgres or mariadb
  --from <db>    declare the tables of this database instead: a SQLite file, or the URL of a server
  --help         print this text
  --version      print the version

Examples:
  npm create odatakit@latest shop
  npm create odatakit@latest shop -- --db postgres
  npm create odatakit@latest shop -- --from ./shop.db`;

const OPTIONS = {
  db: { type: "string" },
  from: { type: "string" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/**
 * Reads the arguments of the command.
 * @returns `"help"` or `"version"` if the user asks for that, and a message for wrong arguments
 */
export function readArguments(
  given: readonly string[],
): ProjectArguments | "help" | "version" | { readonly message: string } {
  const { values, positionals, tokens } = parseArgs({
    args: [...given],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "option" && !Object.hasOwn(OPTIONS, token.name)) return unknownOption(token.rawName, token.name);
  }
  if (values.help === true) return "help";
  if (values.version === true) return "version";
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === "") return { message: "Name the folder of the new project." };
  if (more.length > 0) return { message: `One folder is enough: "${more.join(" ")}" has no meaning here.` };
  const { db = "sqlite", from } = values;
  if (typeof from === "boolean" || from === "") {
    return { message: "--from needs a SQLite file or the URL of a server." };
  }
  if (from !== undefined && values.db !== undefined) {
    return { message: "Give --db or --from: the database of --from tells its kind." };
  }
  const database = DATABASES.find((name) => name === db);
  if (database === undefined) {
    const nearest = nearestName(String(db), DATABASES);
    const hint = nearest === null ? "" : ` Did you mean "${nearest}"?`;
    return { message: `--db is one of ${DATABASES.join(", ")}.${hint}` };
  }
  return { folder, database, from: from ?? null };
}

function unknownOption(written: string, name: string): { readonly message: string } {
  const nearest = nearestName(name, Object.keys(OPTIONS));
  return { message: `There is no option ${written}.${nearest === null ? "" : ` Did you mean --${nearest}?`}` };
}
