import type { DescribeOptions } from "odatakit/introspect";
import type { CommandOption, Invocation } from "./command.ts";
import { isProblem, usageProblem, type Problem } from "./problem.ts";

const inFile = { default: null, inFile: true } as const;

/** The options that choose the published parts of a database. */
export const DATABASE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  schema: { ...inFile, type: "list", value: "<a,b>", summary: "the schemas of the database to publish" },
  include: { ...inFile, type: "list", value: "<glob>", summary: "publish only matching tables and views" },
  exclude: { ...inFile, type: "list", value: "<glob>", summary: "do not publish matching tables and views" },
  secrets: {
    ...inFile,
    type: "string",
    value: "hide|show",
    default: "hide",
    summary: "columns that are named like a password, token, key, hash, salt or CVV",
  },
  "include-column": { ...inFile, type: "list", value: "<table.column>", summary: "publish this hidden column" },
  key: { ...inFile, type: "list", value: "<view=col,col>", summary: "the columns of the key of a view or table" },
  keys: {
    ...inFile,
    type: "string",
    value: "proven|unique",
    default: "proven",
    summary: "whether views without a key get one that is unique in the data now",
  },
  map: { ...inFile, type: "list", value: "<Set.Prop=type>", summary: "another type, such as boolean(0,1)" },
  zoneless: {
    ...inFile,
    type: "string",
    value: "utc|string",
    default: "utc",
    summary: "how timestamps without a zone are published",
  },
  names: {
    ...inFile,
    type: "string",
    value: "idiomatic|as-is",
    default: "idiomatic",
    summary: "names of sets, types and properties",
  },
};

/** The options for published parts, and the schemas that contain them. */
interface PublishedParts {
  readonly schemas: readonly string[] | undefined;
  readonly options: DescribeOptions;
}

/** Reads the options of `DATABASE_OPTIONS`. @returns all their problems */
export function readDatabaseOptions({ options, file }: Invocation): PublishedParts | readonly Problem[] {
  const problems: Problem[] = [];
  const list = (name: string): readonly string[] => {
    const value = options[name];
    return Array.isArray(value) ? value.flatMap((each: string) => each.split(",").map((part) => part.trim())) : [];
  };
  const choice = <const Value extends string>(name: string, values: readonly Value[], usual: NoInfer<Value>): Value => {
    const given = options[name] ?? usual;
    const found = values.find((value) => value === given);
    if (found === undefined) {
      problems.push(usageProblem(`\`--${name}\` is "${String(given)}".`, `Write ${values.join(" or ")}.`));
    }
    return found ?? usual;
  };
  const pairs = (name: string): Readonly<Record<string, string>> => {
    const given = options[name];
    const entries = (Array.isArray(given) ? (given as readonly string[]) : []).map((text) => {
      const at = text.indexOf("=");
      if (at < 1) problems.push(usageProblem(`\`--${name} ${text}\` has no \`=\`.`, "Write a name, = and a value."));
      return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)] as const;
    });
    return Object.fromEntries(entries);
  };
  const { names: namesOfFile, map: mapOfFile, keys: keysOfFile, relations } = file;
  const schemas = list("schema");
  const keys = Object.entries(pairs("key")).map(([name, columns]) => [
    name,
    columns.split(",").map((each) => each.trim()),
  ]);
  const parts: PublishedParts = {
    schemas: schemas.length === 0 ? undefined : schemas,
    options: {
      include: list("include"),
      exclude: list("exclude"),
      includeColumns: list("include-column"),
      secrets: choice("secrets", ["hide", "show"], "hide"),
      zoneless: choice("zoneless", ["utc", "string"], "utc"),
      style:
        wordOf(choice("names", ["idiomatic", "as-is"], "idiomatic"), options["names"], namesOfFile) === "as-is"
          ? "as-is"
          : "idiomatic",
      keys: {
        "*":
          wordOf(choice("keys", ["proven", "unique"], "proven"), options["keys"], keysOfFile) === "unique"
            ? "unique"
            : "proven",
        ...listsOf(keysOfFile),
        ...(Object.fromEntries(keys) as Record<string, readonly string[]>),
      },
      map: { ...textsOf(mapOfFile), ...pairs("map") },
      names: textsOf(namesOfFile),
      relations: (relations ?? []) as NonNullable<DescribeOptions["relations"]>,
    },
  };
  return problems.length > 0 ? problems : parts;
}

/** In the file, `names` and `keys` are a word, or an object with the word as `*`. */
function wordOf(chosen: string, given: unknown, ofFile: unknown): unknown {
  if (given !== undefined) return chosen;
  return typeof ofFile === "object" ? textsOf(ofFile)["*"] : ofFile;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function listsOf(value: unknown): Readonly<Record<string, readonly string[]>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])),
  );
}

/** Returns whether reading options found problems. */
export function areProblems<T extends object>(read: T | readonly Problem[]): read is readonly Problem[] {
  return Array.isArray(read) && read.every((each: object) => isProblem(each));
}

/** The options of all commands that use a database. */
export const SHARED_OPTIONS: Readonly<Record<string, CommandOption>> = {
  "env-file": {
    type: "string",
    value: "<file>",
    summary: "read variables of the environment that are not set from this file",
    default: null,
    inFile: false,
  },
  "no-install": {
    type: "boolean",
    value: null,
    summary: "do not let npm fetch a missing driver",
    default: null,
    inFile: false,
  },
};

/** How a command uses a database. */
export interface DatabaseSettings {
  /** Milliseconds after which the database ends a statement. */
  readonly timeout: number;
  /** The maximum number of connections to a server. */
  readonly pool: number;
  /** Whether the command may write rows. */
  readonly mayWrite: boolean;
  /** The folder that relative paths start from. */
  readonly folder: string;
}
