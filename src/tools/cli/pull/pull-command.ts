import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import {
  writeDeclarations,
  type WrittenModule,
  type DescribedService,
  type DescribedSet,
  type DescribedNavigation,
  type IntrospectedDatabase,
  type CodeOptions,
  type Settings,
} from "odatakit/introspect";
import { matchesGlob } from "../../../base/glob.ts";
import { readByteSize, sizeFix } from "../byte-size.ts";
import type { Command, Invocation, ExitReason } from "../command.ts";
import { areProblems, DATABASE_OPTIONS, readDatabaseOptions, SHARED_OPTIONS } from "../database-options.ts";
import { databaseOf } from "../databases/find.ts";
import { isNotLoaded, loadDatabase, publishedBy } from "../load-database.ts";
import { paint } from "../paint.ts";
import { isProblem, type Problem, usageProblem, reportProblems } from "../problem.ts";
import { printable } from "../redact.ts";
import { checkOwnRules, readSetRules, setOptions, type SetRules } from "../set-rules.ts";
import { parseTarget } from "../target.ts";
import { keepProvenKeys } from "./keep-proven-keys.ts";
import { pullFolder, readFolder } from "./pull-folder.ts";
import { PULL_OPTIONS } from "./pull-options.ts";
import { keepEditedProperties, type RenamedColumn } from "./renamed-columns.ts";

const TIMEOUT = 10_000;

/** Reads the database of an invocation for `odatakit pull`, and closes it. */
async function readForPull(invocation: Invocation): Promise<PulledDatabase | readonly Problem[]> {
  const rules = readSetRules(invocation);
  if (areProblems(rules)) return rules;
  const service = serviceSettings(invocation, rules);
  if (isProblem(service)) return [service];
  const database = codeTarget(invocation);
  if (isProblem(database)) return [database];
  const loaded = await loadDatabase(invocation, { timeout: TIMEOUT, pool: 1, mayWrite: false });
  if (isNotLoaded(loaded)) return loaded;
  const found = await publishedBy(loaded);
  const described = databaseOf(loaded.opened.kind).provesKeys ? keepPulledKeys(found, invocation) : found.described;
  const problems = checkOwnRules(rules, described.sets);
  if (problems.length > 0) return problems;
  return { described, database, service, settings: (set) => setOptions(set, rules) };
}

function keepPulledKeys(found: IntrospectedDatabase, invocation: Invocation): DescribedService {
  const folder = folderOf(invocation);
  const parts = readDatabaseOptions(invocation);
  const state = typeof folder === "string" ? readFolder(folder, []) : folder;
  if (areProblems(parts) || isProblem(state)) return found.described;
  return keepProvenKeys(found, parts.options, [...state.bases.values()]);
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
  return databaseOf(target.kind).code(target, within);
}

/** The sizes of `odatakit.json`, each with the limit that it sets. */
const SIZES = [
  ["max-body", "maxRequestBodyBytes"],
  ["max-response", "maxResponseBytes"],
  ["max-held", "maxHeldBytes"],
] as const;

/** Returns the settings of `odatakit.json` for `serve` as options of `odataService`. */
function serviceSettings({ file }: Invocation, { maxTop }: SetRules): Problem | Settings {
  const { prefix = "/odata", profile = "standard" } = file;
  if (typeof prefix !== "string" || typeof profile !== "string") {
    return usageProblem(
      'odatakit.json: "prefix" or "profile" is invalid.',
      "Write a path, and `standard` or `specification`.",
    );
  }
  const sizes: Record<string, number> = {};
  for (const [name, limit] of SIZES) {
    const size = file[name];
    if (size === undefined) continue;
    const text = typeof size === "string" ? size : JSON.stringify(size);
    const bytes = readByteSize(name, text);
    if (bytes === null) return usageProblem(`odatakit.json: "${name}" is "${text}".`, sizeFix(name));
    sizes[limit] = bytes;
  }
  return { prefix, profile, defaults: { maxTop, ...sizes } };
}

/** The description of a database that a pull needs. */
interface PulledDatabase extends CodeOptions {
  readonly described: DescribedService;
}

/** Reads the database of an invocation, with its options for tables and names, and closes it. */
type ReadForPull = (invocation: Invocation) => Promise<PulledDatabase | readonly Problem[]>;

/** A navigation in the text of a module, whose white space is collapsed: its key, and the pairs of columns that it follows. */
const NAVIGATION =
  /([\p{ID_Continue}$]+|"(?:\\.|[^"\\])*"): has(?:Many|Optional|Required)\( ?(\(\) => [\p{ID_Continue}$]+, \{ .*?)(?:, partner: "[^"]*")? \} ?\)/gu;

/** The inputs of the choice of names that a pull keeps. */
interface PulledNames {
  /** The modules of the service, with the names that the database gives now. */
  readonly modules: readonly WrittenModule[];
  /** The texts that the last pull wrote, by the paths of the modules. */
  readonly bases: ReadonlyMap<string, string>;
  /** The entries of `names` in odatakit.json, which win. */
  readonly given: Readonly<Record<string, string>>;
}

/**
 * Gives navigations the names that the last pull wrote: clients know them, and another version of odatakit or a further
 * foreign key may choose others.
 * @returns the same service if it has these names
 */
function keepPulledNames(service: DescribedService, { modules, bases, given }: PulledNames): DescribedService {
  let kept = service;
  for (const set of service.sets) {
    const module = modules.find(({ table }) => table === set.table);
    const base = module === undefined ? undefined : bases.get(module.path);
    if (module === undefined || base === undefined) continue;
    const before = navigationsIn(base);
    for (const [course, key] of navigationsIn(module.text)) {
      const old = before.get(course);
      const navigation = set.navigations.find(({ name, field }) => key === field || key === name);
      if (old === undefined || old === key || navigation === undefined) continue;
      if (!isGiven(`${set.typeName}.`, navigation.name, given)) kept = renamed(kept, set, navigation, old);
    }
  }
  return kept;
}

/** Returns the keys of navigations by the pairs of columns that they follow, unless two follow the same pairs. */
function navigationsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string | null>();
  const line = text.replaceAll(/\s+/gu, " ").replaceAll(/, (?=[)\]}])/gu, " ");
  for (const [, key = "", course = ""] of line.matchAll(NAVIGATION)) {
    found.set(course, found.has(course) ? null : key.replace(/^"(.*)"$/u, "$1"));
  }
  return new Map([...found].flatMap(([course, key]) => (key === null ? [] : [[course, key] as const])));
}

function isGiven(owner: string, name: string, given: PulledNames["given"]): boolean {
  return Object.entries(given).some(([key, value]) => key.startsWith(owner) && value === name);
}

/** Renames a navigation and the references of its partner, unless another member of the type has the name. */
function renamed(
  service: DescribedService,
  set: DescribedSet,
  given: DescribedNavigation,
  key: string,
): DescribedService {
  const name = key.charAt(0).toUpperCase() + key.slice(1);
  const { properties, navigations } = service.sets.find(({ typeName }) => typeName === set.typeName) ?? set;
  const others = [...properties, ...navigations.filter(({ field }) => field !== given.field)];
  if (others.some((other) => [other.name, other.field].some((each) => each.toLowerCase() === name.toLowerCase()))) {
    return service;
  }
  const rename = (owner: string, navigation: DescribedNavigation): DescribedNavigation => {
    if (owner === set.typeName && navigation.field === given.field) return { ...navigation, name, field: key };
    const leadsBack = navigation.target === set.typeName && navigation.partner === given.field;
    return leadsBack ? { ...navigation, partner: key } : navigation;
  };
  return {
    ...service,
    sets: service.sets.map((each) => ({
      ...each,
      navigations: each.navigations.map((navigation) => rename(each.typeName, navigation)),
    })),
  };
}

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
    const found = modulesOf(database, folder, invocation);
    if (isProblem(found)) return found;
    const { modules, renamed } = found;
    if (!isCheck && !isDryRun) mkdirSync(folder, { recursive: true });
    const given = { folder, isCheck, isDryRun, keepMine: options["keep-mine"] === true, renamed };
    const manifest = isCheck ? undefined : findCommonJsPackage(folder);
    if (manifest !== undefined) {
      terminal.report(
        `  ${printable(manifest)} has no "type": "module", which the modules need. Add it: npm pkg set type=module`,
      );
    }
    const result = pullFolder(modules, given, (line, styles) => terminal.print(paint(line, styles, terminal)));
    const missing =
      isCheck || result !== "success"
        ? []
        : ["odatakit", "kysely", ...databaseOf(database.database.kind).packages].filter(
            (name) => !isInstalled(name, folder),
          );
    if (missing.length > 0) {
      terminal.report(`  The modules import packages that are not installed: npm install ${missing.join(" ")}`);
    }
    return result;
  } catch (error) {
    return usageProblem(`Nothing was written: ${printable(String(error))}.`, "Give a folder that can be written.");
  } finally {
    const counted = warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`;
    for (const { code, place, message } of warnings) {
      if (code === "lost-key") terminal.report(`  ${printable(place)} ${message}`);
    }
    if (warnings.length > 0) terminal.report(`  ${counted}: \`odatakit inspect\` lists them`);
  }
}

/** Whether modules of a folder can import a package. One that only `import` finds has another error. */
function isInstalled(name: string, folder: string): boolean {
  try {
    return createRequire(join(folder, "index.js")).resolve(name) !== "";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code !== "MODULE_NOT_FOUND";
  }
}

/** Returns the path of the `package.json` of a folder, if its modules are those of CommonJS. */
function findCommonJsPackage(folder: string): string | undefined {
  const path = join(folder, "package.json");
  try {
    const { type }: { type?: unknown } = JSON.parse(readFileSync(path, "utf8")) as object;
    return type === "module" ? undefined : path;
  } catch {
    const above = dirname(folder);
    return above === folder ? undefined : findCommonJsPackage(above);
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

/** The modules of a pull, and the renamed columns whose properties keep their names. */
interface PulledModules {
  readonly modules: readonly WrittenModule[];
  readonly renamed: ReadonlyMap<string, readonly RenamedColumn[]>;
}

/**
 * Writes the modules of all tables, or of the given tables and the tables of earlier pulls. Navigations keep the names that the
 * last pull wrote, and with `--keep-mine` properties that you edited keep theirs.
 */
function modulesOf(
  { described: found, ...options }: PulledDatabase,
  folder: string,
  { options: { tables, "keep-mine": keepMine }, file }: Invocation,
): PulledModules | Problem {
  const first = writeDeclarations(found, options);
  const state = readFolder(
    folder,
    first.map(({ path }) => path),
  );
  if (isProblem(state)) return state;
  const given = (file["names"] ?? {}) as Readonly<Record<string, string>>;
  const edited = keepEditedProperties(found, {
    ...state,
    modules: first,
    keepMine: keepMine === true,
    isGiven: (typeName, name) => isGiven(`${typeName}.`, name, given),
  });
  const renamed = edited.columns;
  const named = edited.described === found ? first : writeDeclarations(edited.described, options);
  const described = keepPulledNames(edited.described, { modules: named, bases: state.bases, given });
  const names = namesOf(tables);
  if (names.length === 0) {
    return { modules: described === edited.described ? named : writeDeclarations(described, options), renamed };
  }
  const matches = (glob: string, { schema, name }: { readonly schema: string; readonly name: string }): boolean =>
    matchesGlob(glob, name) || matchesGlob(glob, `${schema}.${name}`);
  const unknown = names.find((glob) => !described.sets.some(({ table }) => matches(glob, table)));
  if (unknown !== undefined) {
    return usageProblem(
      `No published table or view is named "${printable(unknown)}".`,
      "`odatakit inspect` lists the names; `*` matches any characters.",
    );
  }
  const pulled = new Set(first.filter(({ path }) => state.bases.has(path)).map(({ table }) => table));
  const limited = limitTables(
    described,
    ({ table }) => pulled.has(table) || names.some((glob) => matches(glob, table)),
  );
  return { modules: writeDeclarations(limited, options), renamed };
}

function namesOf(tables: Invocation["options"][string]): readonly string[] {
  const given = typeof tables === "string" ? [tables] : [];
  const listed = typeof tables === "object" ? tables : given;
  return listed.flatMap((text) => text.split(",")).map((name) => name.trim());
}

/**
 * Limits a described service to some of its tables. Navigations to others, and enumerations that only others use, are left
 * out.
 */
function limitTables(service: DescribedService, isKept: (set: DescribedSet) => boolean): DescribedService {
  const sets = service.sets.filter(isKept);
  const types = new Set(sets.map(({ typeName }) => typeName));
  const enums = new Set(
    sets.flatMap(({ properties }) =>
      properties.flatMap(({ type }) => (typeof type === "object" ? [type.enumType] : [])),
    ),
  );
  return {
    ...service,
    enumTypes: service.enumTypes.filter(({ name }) => enums.has(name)),
    sets: sets.map((set) => ({ ...set, navigations: set.navigations.filter(({ target }) => types.has(target)) })),
  };
}
