import { isAbsolute, relative, resolve } from "node:path";
import type { CodeOptions, Settings, DescribedService } from "odatakit/introspect";
import { readByteSize, WRITE_SIZE } from "../byte-size.ts";
import type { Invocation } from "../command.ts";
import { areProblems } from "../database-options.ts";
import { isNotLoaded, loadDatabase, publishedBy } from "../load-database.ts";
import { isProblem, usageProblem, type Problem } from "../problem.ts";
import { checkOwnRules, readSetRules, setOptions, type SetRules } from "../set-rules.ts";
import { parseTarget } from "../target.ts";

const TIMEOUT = 10_000;

/** Reads the database of an invocation for `odatakit pull`, and closes it. */
export async function readForPull(invocation: Invocation): Promise<PulledDatabase | readonly Problem[]> {
  const rules = readSetRules(invocation);
  if (areProblems(rules)) return rules;
  const service = serviceSettings(invocation, rules);
  if (isProblem(service)) return [service];
  const database = codeTarget(invocation);
  if (isProblem(database)) return [database];
  const loaded = await loadDatabase(invocation, { timeout: TIMEOUT, pool: 1, mayWrite: false });
  if (isNotLoaded(loaded)) return loaded;
  const found = await publishedBy(loaded);
  const problems = checkOwnRules(rules, found.described.sets);
  if (problems.length > 0) return problems;
  return { described: found.described, database, service, settings: (set) => setOptions(set, rules) };
}

/** Returns how the written module opens the database. Paths within the folder stay relative to it. */
function codeTarget({ positionals, environment, folder }: Invocation): CodeOptions["database"] | Problem {
  const target = parseTarget(positionals[0], environment);
  if (isProblem(target)) return target;
  const within = (path: string): string => {
    const shown = relative(folder, resolve(folder, path));
    const isOutside = shown.startsWith("..") || isAbsolute(shown);
    return isOutside ? resolve(folder, path) : shown.replaceAll("\\", "/");
  };
  switch (target.kind) {
    case "sqlite":
      return { kind: "sqlite", file: within(target.file) };
    case "pglite":
      return { kind: "pglite", folder: within(target.folder) };
    case "postgres":
    case "mariadb":
      return { kind: target.kind };
  }
}

/** Returns the settings of `odatakit.json` for `serve` as options of `odataService`. */
function serviceSettings({ file }: Invocation, { maxTop }: SetRules): Problem | Settings {
  const { prefix = "/odata", profile = "standard" } = file;
  if (typeof prefix !== "string" || typeof profile !== "string") {
    return usageProblem(
      'odatakit.json: "prefix" or "profile" is invalid.',
      "Write a path, and `standard` or `specification`.",
    );
  }
  const { "max-body": size } = file;
  if (size === undefined) return { prefix, profile, defaults: { maxTop } };
  const text = typeof size === "string" ? size : JSON.stringify(size);
  const maxRequestBodyBytes = readByteSize(text);
  if (maxRequestBodyBytes === null) return usageProblem(`odatakit.json: "max-body" is "${text}".`, WRITE_SIZE);
  return { prefix, profile, defaults: { maxTop, maxRequestBodyBytes } };
}

/** The description of a database that a pull needs. */
export interface PulledDatabase extends CodeOptions {
  readonly described: DescribedService;
}

/** Reads the database of an invocation, with its options for tables and names, and closes it. */
export type ReadForPull = (invocation: Invocation) => Promise<PulledDatabase | readonly Problem[]>;
