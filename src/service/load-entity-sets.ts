import { isEntitySet } from "../definition/declared-service.ts";
import { describe } from "../definition/option-table.ts";
import type { EntitySetDeclaration } from "../definition/sets/entity-set.ts";
import { ConfigurationError, type ConfigurationFault } from "../errors/configuration-error.ts";

/** A module that may hold declarations: no declaration file, no test. */
const MODULE = /(?<!\.d|\.test|\.spec)\.(?:ts|mts|js|mjs)$/u;
/** Hidden directories, those set aside by an underscore, and installed packages. */
const PASSED_OVER = /^[._]|^node_modules$/u;

/** The parts of `node:fs/promises` and `node:url` that find modules. Runtimes without a file system have neither. */
interface FileSystem {
  readonly files: {
    realpath(path: URL): Promise<string>;
    readdir(path: URL): Promise<string[]>;
    stat(path: URL): Promise<{ isFile(): boolean; isDirectory(): boolean }>;
  };
  readonly urls: {
    readonly fileURLToPath: (url: URL) => string;
    readonly pathToFileURL: (path: string) => URL;
  };
}

/** The function of Node.js, Bun and Deno that returns a built-in module. */
interface BuiltinModules {
  getBuiltinModule?(name: "node:fs/promises"): FileSystem["files"] | undefined;
  getBuiltinModule?(name: "node:url"): FileSystem["urls"] | undefined;
}

/** What went wrong with one directory or module. */
interface Failure {
  readonly fault: ConfigurationFault;
  readonly cause: unknown;
}

/**
 * Finds the entity sets that the modules of a directory, and of the directories in it, export: by any name, as default,
 * or as items of an array. Modules are `.ts`, `.mts`, `.js` and `.mjs` files, imported one after the other in the order
 * of their paths; declaration files, `.test.` and `.spec.` files, and directories that are called `node_modules` or begin
 * with a dot or an underscore are passed over.
 * @param directoryUrl such as `new URL("./sets/", import.meta.url)`, or its absolute path
 * @returns each set once, however often it is met, for the `entitySets` of `odataService`; none where none is exported
 * @throws ConfigurationError when the directory cannot be read, and with one fault for each module that cannot be loaded
 * @see specification, Versioning, 4
 */
export async function loadEntitySets(directoryUrl: URL | string): Promise<readonly EntitySetDeclaration[]> {
  const system = loadFileSystem();
  const directory = toDirectoryUrl(directoryUrl, system);
  const found = new Set<EntitySetDeclaration>();
  const failures: Failure[] = [];
  for (const url of await modulesIn(directory, system)) {
    try {
      const module: unknown = await import(/* @vite-ignore */ /* webpackIgnore: true */ url.href);
      for (const each of entitySetsOf(module)) found.add(each);
    } catch (error) {
      failures.push(unloadable(system.urls.fileURLToPath(url), error));
    }
  }
  if (failures.length > 0) throw toError(failures);
  return [...found];
}

function entitySetsOf(module: unknown): readonly EntitySetDeclaration[] {
  return Object.values(Object(module) as object)
    .flatMap((value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]))
    .filter(isEntitySet);
}

/**
 * Returns the built-in modules without an `import`: a bundler for a runtime without files would fail to resolve one,
 * even in an application that never calls `loadEntitySets`.
 */
function loadFileSystem(): FileSystem {
  const runtime = (globalThis as { readonly process?: BuiltinModules }).process;
  const files = runtime?.getBuiltinModule?.("node:fs/promises");
  const urls = runtime?.getBuiltinModule?.("node:url");
  if (files !== undefined && urls !== undefined) return { files, urls };
  const message = "loadEntitySets reads files, and this runtime has none.";
  throw toError([{ fault: { message, fix: "Import the sets, and list them in `entitySets`." }, cause: undefined }]);
}

function toDirectoryUrl(given: unknown, { urls }: FileSystem): URL {
  const url = toFileUrl(given, urls);
  if (url !== undefined) return url.pathname.endsWith("/") ? url : new URL(`${url.pathname}/`, url);
  const shown = describe(given instanceof URL ? given.href : given);
  const fix = 'Give a URL, such as new URL("./sets/", import.meta.url), or an absolute path.';
  throw toError([{ fault: { message: `The directory of entity sets cannot be ${shown}.`, fix }, cause: undefined }]);
}

/** A relative path would mean another directory wherever the process is started. */
function toFileUrl(given: unknown, { pathToFileURL }: FileSystem["urls"]): URL | undefined {
  if (given instanceof URL) return given.protocol === "file:" ? given : undefined;
  if (typeof given !== "string") return undefined;
  if (/^file:\/\//iu.test(given)) return URL.canParse(given) ? new URL(given) : undefined;
  return /^(?:[\\/]|[a-z]:[\\/])/iu.test(given) ? pathToFileURL(given) : undefined;
}

/** The modules of a directory and of those below it, in the order of their paths; links are followed, each place once. */
async function modulesIn(root: URL, system: FileSystem): Promise<readonly URL[]> {
  const { files, urls } = system;
  const seen = new Set<string>();
  const visit = async (directory: URL): Promise<readonly URL[]> => {
    const place = await files.realpath(directory);
    if (seen.has(place)) return [];
    seen.add(place);
    const modules: URL[] = [];
    for (const name of (await files.readdir(directory)).toSorted()) {
      const url = new URL(encodeURIComponent(name), directory);
      if (MODULE.test(name)) {
        if ((await files.stat(url)).isFile()) modules.push(url);
      } else if (!PASSED_OVER.test(name) && (await isDirectory(url, files))) {
        modules.push(...(await visit(new URL(`${url.pathname}/`, url))));
      }
    }
    return modules;
  };
  try {
    return await visit(root);
  } catch (cause) {
    throw toError([{ fault: unreadable(urls.fileURLToPath(root), cause), cause }]);
  }
}

/** A link that leads nowhere is no directory. */
async function isDirectory(url: URL, files: FileSystem["files"]): Promise<boolean> {
  try {
    return (await files.stat(url)).isDirectory();
  } catch {
    return false;
  }
}

function unreadable(path: string, cause: unknown): ConfigurationFault {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") {
    const fix =
      "Create it, or give the directory of the modules that export entity sets; in a build, the one with their compiled form.";
    return { message: `There is no directory ${path}.`, fix };
  }
  if (code === "ENOTDIR") {
    return { message: `${path} is no directory.`, fix: "Give the directory of the module, not the module." };
  }
  return { message: `The directory ${path} cannot be read: ${textOf(cause)}`, fix: "Let the process read it." };
}

/** How Node.js names a package that is not installed. */
const MISSING_PACKAGE = /^Cannot find package '([^']+)'/u;

function unloadable(path: string, cause: unknown): Failure {
  const message = `The module ${path} cannot be loaded: ${textOf(cause)}`;
  const missing = cause instanceof Error ? MISSING_PACKAGE.exec(cause.message)?.[1] : undefined;
  const fix =
    missing === undefined
      ? "Fix the module, or move it to another directory."
      : `Install the package: npm install ${missing}`;
  return { fault: { message, fix }, cause };
}

function textOf(cause: unknown): string {
  const text = String(cause);
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

function toError(failures: readonly Failure[]): ConfigurationError {
  const faults = failures.map(({ fault }) => fault);
  return new ConfigurationError(faults, { cause: failures[0]?.cause });
}
