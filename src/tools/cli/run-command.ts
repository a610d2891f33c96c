import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { parseEnv, parseArgs } from "node:util";
import { ConfigurationError } from "odatakit";
import { type Command, type Invocation, EXIT_CODES, type CommandOption } from "./command.ts";
import type { ListedCommand } from "./commands.ts";
import { MissingPackage, restartWith } from "./missing-package.ts";
import { HELP_STYLES, paint } from "./paint.ts";
import { didYouMean, isProblem, usageProblem, type Problem, reportProblems } from "./problem.ts";
import { printable, redact } from "./redact.ts";
import { mergeSettings, readSettingsFile } from "./settings/file-settings.ts";

/** The surroundings of a run of the program. */
interface Surroundings extends Pick<Invocation, "environment" | "folder" | "readInput" | "signal" | "terminal"> {
  /** Sets a variable of the environment, for drivers too. */
  readonly setVariable: (name: string, value: string) => void;
}

/**
 * Runs the program.
 * @param given the arguments
 * @returns the exit code
 */
export async function runCommand(
  given: readonly string[],
  commands: readonly ListedCommand[],
  around: Surroundings,
): Promise<number> {
  const { terminal } = around;
  const [first, ...rest] = given;
  if (first === "--version" || first === "-v") {
    terminal.print(packageVersion());
    return EXIT_CODES.success;
  }
  if (first === undefined || first === "--help" || first === "-h" || (first === "help" && rest.length === 0)) {
    terminal.print(paint(programHelp(commands, terminal.columns), HELP_STYLES, terminal));
    return first === undefined ? EXIT_CODES.usage : EXIT_CODES.success;
  }
  const name = first === "help" ? (rest[0] ?? "") : first;
  const listed = commands.find((command) => command.name === name);
  if (listed === undefined) return fail([unknownCommand(name, commands)], around);
  try {
    const command = await listed.load();
    if (first === "help" || rest.includes("--help") || rest.includes("-h")) {
      terminal.print(paint(commandHelp(command, terminal.columns), HELP_STYLES, terminal));
      return EXIT_CODES.success;
    }
    return await runLoaded(command, rest, around);
  } catch (error) {
    if (error instanceof MissingPackage) return await restart(error, given, around);
    return reportError(error, given, around);
  } finally {
    terminal.progress(null);
  }
}

async function runLoaded(command: Command, given: readonly string[], around: Surroundings): Promise<number> {
  const read = readArguments(command, given);
  if (isProblem(read)) return fail([read], around);
  const file = readSettingsFile(around.folder, command);
  const fromFile = readEnvironmentFile(read.options["env-file"], around);
  if (isProblem(fromFile)) return fail([fromFile], around);
  for (const [name, value] of Object.entries(fromFile.variables)) around.setVariable(name, value);
  if (!("settings" in file)) return fail(file, around);
  const { settings } = file;
  const options = mergeSettings(command, read.options, settings);
  // Programs that read JSON may read the standard error too.
  const isSilent = options["json"] === true || options["quiet"] === true;
  const terminal = isSilent ? { ...around.terminal, progress: () => undefined } : around.terminal;
  const { positionals } = read;
  return EXIT_CODES[await command.run({ ...around, terminal, positionals, options, file: settings })];
}

function fail(problems: readonly Problem[], { terminal }: Surroundings): number {
  return EXIT_CODES[reportProblems(problems, terminal)];
}

function restart(
  { packages }: MissingPackage,
  given: readonly string[],
  { terminal, environment }: Surroundings,
): Promise<number> {
  const mayInstall = !given.includes("--no-install");
  return restartWith(packages, { version: packageVersion(), given, environment, terminal, mayInstall });
}

function unknownCommand(name: string, commands: readonly ListedCommand[]): Problem {
  const names = commands.map((command) => command.name);
  const all = `The commands are ${names.join(", ")}.`;
  const fix = didYouMean(name, names, all, (nearest) => `\`odatakit ${nearest}\``);
  return usageProblem(`There is no command ${JSON.stringify(printable(name.slice(0, 40)))}.`, fix);
}

function reportError(error: unknown, given: readonly string[], { terminal }: Surroundings): number {
  if (error instanceof ConfigurationError) {
    for (const { message, fix } of error.faults) terminal.report(`odatakit: ${message} ${fix}`);
    return EXIT_CODES.declarations;
  }
  const stack = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  const name = error instanceof Error ? error.name : typeof error;
  // Messages of errors may contain data.
  terminal.report(
    `odatakit: This is a bug of odatakit ${packageVersion()} on Node.js ${process.versions.node}: ${name}.`,
  );
  terminal.report(`Command: odatakit ${given.map(redact).join(" ")}`);
  for (const line of stack) terminal.report(line);
  return EXIT_CODES.bug;
}

/** Reads the variables of `--env-file`. Those of the environment have precedence. */
function readEnvironmentFile(
  given: Invocation["options"][string],
  { environment, folder }: Pick<Invocation, "environment" | "folder">,
): Problem | { readonly variables: Readonly<Record<string, string>> } {
  if (typeof given !== "string") return { variables: {} };
  try {
    const found = parseEnv(readFileSync(resolve(folder, given), "utf8"));
    const missing = Object.entries(found).filter(([name]) => environment[name] === undefined);
    return { variables: Object.fromEntries(missing) as Readonly<Record<string, string>> };
  } catch (error) {
    const { code = "unknown" } = error as { readonly code?: string };
    return usageProblem(
      `The file ${JSON.stringify(given)} of \`--env-file\` cannot be read (${code}).`,
      "Correct the path.",
    );
  }
}

const INDENT = "  ";
/** Texts are not narrower; they begin below their flag instead. */
const LEAST_TEXT = 30;

/** Returns the text of `odatakit --help`. @param columns the width of the terminal */
function programHelp(commands: readonly ListedCommand[], columns: number): string {
  return [
    "Usage: odatakit <command> [<options>]",
    "",
    "Serves an existing SQLite, PostgreSQL or MariaDB database as OData.",
    "",
    "Commands:",
    ...table(
      commands.map(({ name, summary }) => [name, summary] as const),
      columns,
    ),
    "",
    "`odatakit <command> --help` describes a command; `odatakit --version` prints the version.",
  ].join("\n");
}

/** Returns the text of `odatakit <command> --help`. @param columns the width of the terminal */
export function commandHelp({ name, summary, positionals, options, examples }: Command, columns: number): string {
  const rows = Object.entries(options).map(
    ([option, settings]) => [flagOf(option, settings), textOf(settings)] as const,
  );
  return [
    `Usage: odatakit ${name} ${positionals} [<options>]`,
    "",
    `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
    "",
    "Options:",
    ...table(rows, columns),
    "",
    "Examples:",
    ...examples.flatMap(([line, purpose]) => [`${INDENT}${line}`, `${INDENT}${INDENT}${purpose}`]),
  ].join("\n");
}

/** Returns lines of two columns, of which the second wraps. */
function table(rows: ReadonlyArray<readonly [head: string, text: string]>, columns: number): readonly string[] {
  const width = Math.max(...rows.map(([head]) => head.length)) + 2;
  const isNarrow = columns - INDENT.length - width < LEAST_TEXT;
  const indent = isNarrow ? INDENT.repeat(2) : " ".repeat(INDENT.length + width);
  return rows.flatMap(([head, text]) => {
    const [first = "", ...more] = wrapped(text, columns - indent.length);
    const rest = more.map((line) => `${indent}${line}`);
    return isNarrow
      ? [`${INDENT}${head}`, `${indent}${first}`, ...rest]
      : [`${INDENT}${head.padEnd(width)}${first}`, ...rest];
  });
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function flagOf(name: string, { value, isValueOptional }: CommandOption): string {
  if (value === null) return `--${name}`;
  return isValueOptional === true ? `--${name}[=${value}]` : `--${name} ${value}`;
}

function textOf({ summary, default: usual, type }: CommandOption): string {
  const repeated = type === "list" ? "; may be repeated" : "";
  return `${summary}${repeated}${usual === null ? "" : ` (default ${usual})`}`;
}

/** Returns the version of the package. */
export function packageVersion(): string {
  // Below the root of the package, `dist/cli` and `dist/chunks` are two levels deep, `src/tools/cli` three.
  const root = import.meta.url.endsWith(".ts") ? "../../../" : "../../";
  const text = readFileSync(new URL(`${root}package.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** The arguments of a command. */
type GivenArguments = Pick<Invocation, "options" | "positionals">;

/** Reads the arguments of a command. An option whose value is optional takes it after `=` only. */
function readArguments(command: Command, given: readonly string[]): GivenArguments | Problem {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, isValueOptional }]) => [
      name,
      {
        type: type === "boolean" || isValueOptional === true ? ("boolean" as const) : ("string" as const),
        multiple: true,
      },
    ]),
  );
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true });
  const found: Record<string, boolean | string | readonly string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const problem = takeOption(command, { name, rawName, value }, found);
    if (problem !== undefined) return problem;
  }
  const surplus = positionals[command.maxPositionals];
  if (surplus !== undefined) {
    return usageProblem(`${JSON.stringify(redact(surplus))} is one argument too many.`, usageOf(command));
  }
  return { positionals, options: found };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function takeOption(
  command: Command,
  { name, rawName, value }: OptionToken,
  found: Record<string, boolean | string | readonly string[]>,
): Problem | undefined {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option === undefined) {
    const help = `Run \`odatakit ${command.name} --help\`.`;
    const fix = didYouMean(name, Object.keys(command.options), help, (nearest) => `\`--${nearest}\``);
    return usageProblem(`There is no option \`${printable(rawName)}\`.`, fix);
  }
  if (option.type === "boolean") {
    if (value !== undefined) return usageProblem(`\`--${name}\` has no value.`, `Write \`--${name}\` alone.`);
    found[name] = true;
    return undefined;
  }
  if (value === undefined || value === "") {
    if (option.isValueOptional !== true) {
      return usageProblem(`\`--${name}\` needs a value.`, `Write \`--${name} ${String(option.value)}\`.`);
    }
    found[name] = true;
    return undefined;
  }
  if (option.type === "list") {
    found[name] = [...((found[name] ?? []) as readonly string[]), value];
    return undefined;
  }
  if (found[name] !== undefined) return usageProblem(`\`--${name}\` is given twice.`, "Give it once.");
  found[name] = value;
  return undefined;
}

function usageOf({ name, positionals }: Command): string {
  return `Write \`${["odatakit", name, positionals].join(" ").trim()}\`.`;
}
