import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nearestName } from "../errors/nearest-name.ts";
import type { Command, CommandOption, Invocation } from "./command.ts";
import { usageProblem, type Problem } from "./problem.ts";

/** The file with settings of all commands. */
export const SETTINGS_FILE = "odatakit.json";

/** Settings that are no flags, or that have more forms in the file. */
const OBJECTS: ReadonlySet<string> = new Set(["$schema", "keys", "map", "names", "sets"]);

/** The settings of a file. */
export interface FileSettings {
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

/** Settings of other commands are accepted, because all commands share the file. */
function checkSetting(name: string, value: unknown, { options }: Command): readonly Problem[] {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (OBJECTS.has(name)) return checkObject(name, value);
  if (option === undefined) {
    if (OTHERS.has(name)) return [];
    const nearest = nearestName(name, [...Object.keys(options), ...OBJECTS, ...OTHERS]);
    const fix = nearest === null ? "Remove it." : `Did you mean ${JSON.stringify(nearest)}?`;
    return [usageProblem(`${SETTINGS_FILE} has the unknown setting ${JSON.stringify(name)}.`, fix)];
  }
  if (!option.inFile) {
    return [usageProblem(`${JSON.stringify(name)} is no setting of ${SETTINGS_FILE}.`, `Give the flag \`--${name}\`.`)];
  }
  return hasType(value, option)
    ? []
    : [usageProblem(`${SETTINGS_FILE}: ${JSON.stringify(name)} has the wrong type.`, `Write ${expected(option)}.`)];
}

/** The settings of `serve`, which other commands need not know. */
const OTHERS: ReadonlySet<string> = new Set([
  "anonymous",
  "auth",
  "cors",
  "host",
  "indexed-only",
  "max-top",
  "no-explorer",
  "no-openapi",
  "out",
  "paging",
  "pool",
  "port",
  "prefix",
  "profile",
  "search",
  "tables",
  "timeout",
  "watch",
  "write",
]);

function checkObject(name: string, value: unknown): readonly Problem[] {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isRecord || typeof value === "string") return [];
  return [
    usageProblem(`${SETTINGS_FILE}: ${JSON.stringify(name)} has the wrong type.`, "Write a string or an object."),
  ];
}

function hasType(value: unknown, { type, isValueOptional }: CommandOption): boolean {
  if (isValueOptional === true && typeof value === "boolean") return true;
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    case "list":
      return typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));
  }
}

function expected({ type }: CommandOption): string {
  if (type === "boolean") return "true or false";
  return type === "list" ? "a string or an array of strings" : "a string";
}

/** Adds settings of the file that no flag replaces. */
export function mergeSettings(
  { options }: Command,
  given: Invocation["options"],
  settings: Readonly<Record<string, unknown>>,
): Invocation["options"] {
  const fromFile: Record<string, boolean | string | readonly string[]> = {};
  for (const [name, value] of Object.entries(settings)) {
    const option = Object.hasOwn(options, name) && !OBJECTS.has(name) ? options[name] : undefined;
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
