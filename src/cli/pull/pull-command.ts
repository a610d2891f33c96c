import { mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { writeDeclarations, type WrittenModule } from "odatakit/introspect";
import { matchesGlob } from "../../base/glob.ts";
import type { Command, Invocation } from "../command.ts";
import { areProblems, DATABASE_OPTIONS } from "../database-options.ts";
import type { ExitReason } from "../exit-codes.ts";
import { paint } from "../paint.ts";
import { isProblem, type Problem, usageProblem } from "../problem.ts";
import { printable } from "../redact.ts";
import { reportProblems } from "../report-problems.ts";
import { SHARED_OPTIONS } from "../shared-options.ts";
import { limitTables } from "./limit-tables.ts";
import { pullFolder } from "./pull-folder.ts";
import { PULL_OPTIONS } from "./pull-options.ts";
import type { PulledDatabase, ReadForPull } from "./pulled-database.ts";
import { keepPulledNames } from "./pulled-names.ts";
import { readFolder } from "./read-folder.ts";
import { readForPull } from "./read-for-pull.ts";

/** Makes the command `odatakit pull`. @param read reads the database */
export function makePullCommand(read: ReadForPull): Command {
  return {
    name: "pull",
    summary: "write typed declarations of a database; run again to merge changes of its schema",
    positionals: "<db>",
    maxPositionals: 1,
    options: { ...PULL_OPTIONS, ...DATABASE_OPTIONS, ...SHARED_OPTIONS },
    examples: [
      ["odatakit pull ./shop.db --out src/model", "write the modules, or merge changes of the schema into them"],
      ["odatakit pull --out src/model --check", "fail in CI if the database of DATABASE_URL has changed"],
    ],
    run: (invocation) => runPull(invocation, read),
  };
}

/** `odatakit pull`: the declarations of a database as modules. */
export const pullCommand: Command = makePullCommand(readForPull);

async function runPull(invocation: Invocation, read: ReadForPull): Promise<ExitReason> {
  const { terminal } = invocation;
  const folder = folderOf(invocation);
  if (typeof folder !== "string") return reportProblems([folder], terminal);
  const database = await read(invocation);
  if (areProblems(database)) return reportProblems(database, terminal);
  const result = pull(invocation, folder, database);
  return typeof result === "string" ? result : reportProblems([result], terminal);
}

function pull(invocation: Invocation, folder: string, database: PulledDatabase): ExitReason | Problem {
  const { options, terminal } = invocation;
  const { warnings, sets } = database.described;
  if (sets.length === 0) {
    terminal.report("odatakit: The database contains nothing to publish. `odatakit inspect` explains why.");
    return "nothing";
  }
  const isCheck = options["check"] === true;
  const isDryRun = options["dry-run"] === true;
  try {
    const modules = modulesOf(database, folder, invocation);
    if (isProblem(modules)) return modules;
    if (!isCheck && !isDryRun) mkdirSync(folder, { recursive: true });
    const given = { folder, isCheck, isDryRun, keepMine: options["keep-mine"] === true };
    return pullFolder(modules, given, (line, styles) => terminal.print(paint(line, styles, terminal)));
  } catch (error) {
    return usageProblem(`Nothing was written: ${printable(String(error))}.`, "Give a folder that can be written.");
  } finally {
    const counted = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
    if (warnings.length > 0) terminal.report(`  ${counted}: \`odatakit inspect\` lists them`);
  }
}

function folderOf({ options, folder }: Invocation): Problem | string {
  const { out } = options;
  if (typeof out !== "string" || out === "") {
    return usageProblem("No folder is given.", "Give it with `--out`, such as `--out src/model`.");
  }
  const path = resolve(folder, out);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return path;
  return usageProblem(`"${printable(out)}" is not a folder.`, "Give a folder with `--out`, such as `--out src/model`.");
}

/**
 * Writes the modules of all tables, or of the given ones and those that were pulled before. Navigations keep the names that
 * the last pull wrote.
 */
function modulesOf(
  { described: found, ...options }: PulledDatabase,
  folder: string,
  { options: { tables }, file }: Invocation,
): readonly WrittenModule[] | Problem {
  const first = writeDeclarations(found, options);
  const state = readFolder(
    folder,
    first.map(({ path }) => path),
  );
  if (isProblem(state)) return state;
  const given = (file["names"] ?? {}) as Readonly<Record<string, string>>;
  const described = keepPulledNames(found, { modules: first, bases: state.bases, given });
  const names = namesOf(tables);
  if (names.length === 0) return described === found ? first : writeDeclarations(described, options);
  const matches = (glob: string, { schema, name }: { readonly schema: string; readonly name: string }): boolean =>
    matchesGlob(glob, name) || matchesGlob(glob, `${schema}.${name}`);
  const unknown = names.find((glob) => !described.sets.some(({ table }) => matches(glob, table)));
  if (unknown !== undefined) {
    return usageProblem(
      `No published table or view is named "${printable(unknown)}".`,
      "`odatakit inspect` lists the names; `*` stands for any characters.",
    );
  }
  const pulled = new Set(first.filter(({ path }) => state.bases.has(path)).map(({ table }) => table));
  const limited = limitTables(
    described,
    ({ table }) => pulled.has(table) || names.some((glob) => matches(glob, table)),
  );
  return writeDeclarations(limited, options);
}

function namesOf(tables: Invocation["options"][string]): readonly string[] {
  const given = typeof tables === "string" ? [tables] : [];
  const listed = typeof tables === "object" ? tables : given;
  return listed.flatMap((text) => text.split(",")).map((name) => name.trim());
}
