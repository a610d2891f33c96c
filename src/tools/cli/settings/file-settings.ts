import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandOption, Command, Invocation } from "../command.ts";
import { DATABASE_OPTIONS } from "../database-options.ts";
import { didYouMean, usageProblem, type Problem } from "../problem.ts";
import { PULL_OPTIONS } from "../pull/pull-options.ts";
import { SERVE_OPTIONS } from "../serve/serve-options.ts";
import { type DescribedShape, type SettingShape, checkShape } from "./setting-shape.ts";

const STRING: SettingShape = { kind: "string" };
const STRINGS: SettingShape = { kind: "list", items: STRING };

const KEY_CHOICE: SettingShape = { kind: "choice", values: ["proven", "unique"] };

/** Settings without an option, or with more forms in the file. */
const FORMS: Readonly<Record<string, DescribedShape>> = {
  $schema: { shape: STRING, summary: "the JSON schema of this file, for editors" },
  keys: {
    shape: {
      kind: "either",
      shapes: [KEY_CHOICE, { kind: "record", values: { kind: "either", shapes: [KEY_CHOICE, STRINGS] } }],
    },
    summary: "proven or unique, or the columns of the keys of views and tables by their names, with the word as *",
  },
  map: {
    shape: { kind: "record", values: STRING },
    summary: "other types of properties, such as boolean(0,1), by Set.Property",
  },
  names: {
    shape: {
      kind: "either",
      shapes: [
        { kind: "choice", values: ["idiomatic", "as-is"] },
        { kind: "record", values: STRING },
      ],
    },
    summary: "a style, or names by the names of the database, with the style as *",
  },
  relations: {
    shape: {
      kind: "list",
      items: {
        kind: "object",
        needsAll: true,
        members: {
          from: { shape: STRING, summary: "a column as table.column, in the names of the database" },
          to: { shape: STRING, summary: "the column that it equals" },
        },
      },
    },
    summary: "relations that the database does not declare, such as those of views",
  },
  sets: {
    shape: {
      kind: "record",
      values: {
        kind: "object",
        members: {
          "max-top": { shape: { kind: "number" }, summary: "the most entities of a page" },
          search: {
            shape: { kind: "either", shapes: [{ kind: "boolean" }, STRINGS] },
            summary: "whether the set has $search, or the properties that it reads",
          },
          "indexed-only": {
            shape: { kind: "boolean" },
            summary: "refuse $apply, and $filter and $orderby by properties without an index",
          },
          count: { shape: { kind: "boolean" }, summary: "whether clients may count" },
        },
      },
    },
    summary: "limits of single entity sets, by their names",
  },
};

/** All settings of `odatakit.json`, by name. All commands share the file. */
export const FILE_SETTINGS: ReadonlyMap<string, DescribedShape> = new Map([
  ...[DATABASE_OPTIONS, SERVE_OPTIONS, PULL_OPTIONS].flatMap((options) =>
    Object.entries(options).flatMap(([name, option]): ReadonlyArray<[string, DescribedShape]> =>
      option.inFile ? [[name, { shape: shapeOf(option), summary: option.summary }]] : [],
    ),
  ),
  ...Object.entries(FORMS),
]);

/** Returns whether a setting of the file has no option of a command, or has more forms than the option. */
function hasFormOfFile(name: string): boolean {
  return Object.hasOwn(FORMS, name);
}

function shapeOf({ type, value, isValueOptional }: CommandOption): SettingShape {
  if (type === "boolean") return { kind: "boolean" };
  const choices = value === null || /[<\s]/.test(value) ? [] : value.split("|");
  const single: SettingShape = choices.length > 0 ? { kind: "choice", values: choices } : { kind: "scalar" };
  if (type === "string") return single;
  const many: SettingShape = { kind: "either", shapes: [STRING, STRINGS] };
  return isValueOptional === true ? { kind: "either", shapes: [{ kind: "boolean" }, STRING, STRINGS] } : many;
}

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
