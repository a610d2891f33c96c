import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, CommandOption, Invocation } from "../command.ts";
import { didYouMean, usageProblem, type Problem } from "../problem.ts";
import { FILE_SETTINGS, hasFormOfFile } from "./file-settings.ts";
import { checkShape } from "./setting-shape.ts";

/** The file with settings of all commands. */
const SETTINGS_FILE = "odatakit.json";

/** The settings of a file. */
interface FileSettings {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Reads `odatakit.json`. @returns all its faults, or its content, which is empty without a file */
export function readSettingsFile(folder: string, command: Command): FileSettings | readonly Problem[] {
  const path = join(folder, SETTINGS_FILE);
  if (!existsSync(path)) return { settings: {} };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/u, ""));
  } catch (error) {
    return [usageProblem(`${SETTINGS_FILE} is not valid JSON: ${(error as Error).message}.`, "Correct the file.")];
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    return [usageProblem(`${SETTINGS_FILE} contains no JSON object.`, "Write an object with one member per setting.")];
  }
  const settings = content as Readonly<Record<string, unknown>>;
  const problems = Object.entries(settings).flatMap(([name, value]) => checkSetting(name, value, command));
  return problems.length > 0 ? problems : { settings };
}

function checkSetting(name: string, value: unknown, { options }: Command): readonly Problem[] {
  const known = FILE_SETTINGS.get(name);
  if (known !== undefined) {
    return checkShape(value, known.shape, name).map(({ path, message, fix }) =>
      usageProblem(`${SETTINGS_FILE}: ${JSON.stringify(path)} ${message}`, fix),
    );
  }
  if (Object.hasOwn(options, name)) {
    return [usageProblem(`${JSON.stringify(name)} is no setting of ${SETTINGS_FILE}.`, `Give the flag \`--${name}\`.`)];
  }
  const fix = didYouMean(name, FILE_SETTINGS.keys(), "Remove it.");
  return [usageProblem(`${SETTINGS_FILE} has the unknown setting ${JSON.stringify(name)}.`, fix)];
}

/** Adds settings of the file that no flag replaces. */
export function mergeSettings(
  { options }: Command,
  given: Invocation["options"],
  settings: Readonly<Record<string, unknown>>,
): Invocation["options"] {
  const fromFile: Record<string, boolean | string | readonly string[]> = {};
  for (const [name, value] of Object.entries(settings)) {
    const option = Object.hasOwn(options, name) && !hasFormOfFile(name) ? options[name] : undefined;
    if (option === undefined) continue;
    fromFile[name] = toOption(value, option);
  }
  return { ...fromFile, ...given };
}

function toOption(value: unknown, { type }: CommandOption): boolean | string | readonly string[] {
  if (typeof value === "boolean") return value;
  if (type !== "list") return String(value);
  return Array.isArray(value) ? (value as readonly string[]) : [String(value)];
}
