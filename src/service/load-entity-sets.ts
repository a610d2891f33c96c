import { ConfigurationError, type ConfigurationFault } from "../base/errors/configuration-error.ts";
import { builtinModule } from "../base/host.ts";
import { isEntitySet } from "../definition/model/declared-service.ts";
import { describe } from "../definition/option-table.ts";
import type { EntitySetDeclaration } from "../definition/sets/entity-set.ts";

/** Modules, except declaration files and tests. */
const MODULE = /(?<!\.d|\.test|\.spec)\.(?:ts|mts|js|mjs)$/u;
/** Directories with a leading dot or underscore, and installed packages. */
const SKIPPED = /^[._]|^node_modules$/u;

/** The functions of `node:fs/promises` and `node:url` that find modules. Runtimes without a file system have neither. */
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

/** A failure of one directory or module. */
interface Failure {
  readonly fault: ConfigurationFault;
  readonly cause: unknown;
}

/**
 * Imports the modules of a directory and its subdirectories, and returns the entity sets that they export: by any name, as
 * default, or in an array. Modules are `.ts`, `.mts`, `.js` and `.mjs` files, imported one after another in the order of
 * their paths. Declaration files, `.test.` and `.spec.` files, and directories named `node_modules` or with a leading dot
 * or underscore are skipped.
 * @param directoryUrl the URL of the directory, such as `new URL("./sets/", import.meta.url)`, or its absolute path
 * @returns each set once, for the `entitySets` of `odataService`
 * @throws ConfigurationError if the directory cannot be read, and with one fault for each module that cannot be loaded
 * @see docs/reference/services.md
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

function loadFileSystem(): FileSystem {
  const files = builtinModule("node:fs/promises") as FileSystem["files"] | undefined;
  const urls = builtinModule("node:url") as FileSystem["urls"] | undefined;
  if (files !== undefined && urls !== undefined) return { files, urls };
  const message = "loadEntitySets needs a file system, which this runtime does not have.";
  throw toError([{ fault: { message, fix: "Import the sets and list them in `entitySets`." }, cause: undefined }]);
}

function toDirectoryUrl(given: unknown, { urls }: FileSystem): URL {
  const url = toFileUrl(given, urls);
  if (url !== undefined) return url.pathname.endsWith("/") ? url : new URL(`${url.pathname}/`, url);
  const shown = describe(given instanceof URL ? given.href : given);
  const fix = 'Give a URL, such as new URL("./sets/", import.meta.url), or an absolute path.';
  throw toError([{ fault: { message: `The directory of entity sets cannot be ${shown}.`, fix }, cause: undefined }]);
}

/** Returns undefined for a relative path, which would depend on the working directory of the process. */
function toFileUrl(given: unknown, { pathToFileURL }: FileSystem["urls"]): URL | undefined {
  if (given instanceof URL) return given.protocol === "file:" ? given : undefined;
  if (typeof given !== "string") return undefined;
  if (/^file:\/\//iu.test(given)) return URL.canParse(given) ? new URL(given) : undefined;
  return /^(?:[\\/]|[a-z]:[\\/])/iu.test(given) ? pathToFileURL(given) : undefined;
}

/** Returns the modules of a directory and its subdirectories in the order of their paths. Follows each link once. */
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
      } else if (!SKIPPED.test(name) && (await isDirectory(url, files))) {
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

/** Returns false for a broken link. */
async function isDirectory(url: URL, files: FileSystem["files"]): Promise<boolean> {
  try {
    return (await files.stat(url)).isDirectory();
  } catch {
    return false;
  }
}

function unreadable(path: string, cause: unknown): ConfigurationFault {
  const { code } = Object(cause) as { readonly code?: unknown };
  if (code === "ENOENT") {
    const fix =
      "Create it, or pass the directory of the modules that export entity sets; in a build, the directory of the compiled modules.";
    return { message: `The directory ${path} does not exist.`, fix };
  }
  if (code === "ENOTDIR") {
    return { message: `${path} is not a directory.`, fix: "Pass the directory of the module, not the module." };
  }
  return { message: `The directory ${path} cannot be read: ${textOf(cause)}`, fix: "Allow the process to read it." };
}

/** The message of Node.js for a package that is not installed. */
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
