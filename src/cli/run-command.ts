import process from "node:process";
import { ConfigurationError } from "odatakit";
import type { Command, Invocation } from "./command.ts";
import type { ListedCommand } from "./commands.ts";
import { didYouMean } from "./did-you-mean.ts";
import { readEnvironmentFile } from "./environment-file.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { commandHelp, programHelp } from "./help.ts";
import { MissingPackage, restartWith } from "./missing-package.ts";
import { packageVersion } from "./package-version.ts";
import { HELP_STYLES, paint } from "./paint.ts";
import { isProblem, usageProblem, type Problem } from "./problem.ts";
import { readArguments } from "./read-arguments.ts";
import { printable, redact } from "./redact.ts";
import { reportProblems } from "./report-problems.ts";
import { mergeSettings, readSettingsFile } from "./settings/settings-file.ts";

/** The surroundings of a run of the program. */
export interface Surroundings extends Pick<Invocation, "environment" | "folder" | "readInput" | "signal" | "terminal"> {
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
