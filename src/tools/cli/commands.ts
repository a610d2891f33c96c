import { existsSync } from "node:fs";
import nodeModule from "node:module";
import type { Command } from "./command.ts";

/** A command that is loaded when it runs. */
export interface ListedCommand {
  readonly name: string;
  /** One line of `--help`. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/**
 * The commands of `odatakit`, in the order of `--help`. `check` imports modules of a project, which share their Kysely with
 * this package.
 */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: "serve",
    summary: "serve a database as OData, read-only unless --write is given",
    load: async () => (await importWithKysely(() => import("./serve/serve-command.ts"))).serveCommand,
  },
  {
    name: "inspect",
    summary: "print what a service over a database publishes, with every warning",
    load: async () => (await importWithKysely(() => import("./inspect/inspect-command.ts"))).inspectCommand,
  },
  {
    name: "pull",
    summary: "write typed declarations of a database; run again to merge changes of its schema",
    load: async () => (await importWithKysely(() => import("./pull/pull-command.ts"))).pullCommand,
  },
  {
    name: "check",
    summary: "compare the declarations of a service with its database",
    load: async () => (await import("./check/check-command.ts")).checkCommand,
  },
  {
    name: "query",
    summary: "send one request to a service over a database, and print the response",
    load: async () => (await importWithKysely(() => import("./query/query-command.ts"))).queryCommand,
  },
  {
    name: "hash",
    summary: "print a line of the users file of `serve --auth basic`",
    load: async () => (await import("./hash/hash-command.ts")).hashCommand,
  },
];

/** The folder of the modules of the package: `dist`, or `src/tools` in the repository. */
const OWN = new URL("../", import.meta.url).href;
/** The copy of Kysely in the package. `src/tools` has none. */
const COPY = new URL("cli/kysely.js", OWN);

/**
 * Imports the module of a command. Modules of the package get the copy of Kysely in it, so that a command over SQLite needs
 * no other package. Modules outside of the package keep the Kysely of their project.
 * @see docs/decisions/0023-missing-kysely.md
 */
function importWithKysely<T>(load: () => Promise<T>): Promise<T> {
  // Runtimes other than Node.js may have no hooks. There, the installed package is found.
  const registerHooks = nodeModule.registerHooks as typeof nodeModule.registerHooks | undefined;
  if (registerHooks !== undefined && existsSync(COPY)) {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === "kysely" && context.parentURL?.startsWith(OWN) === true
          ? { url: COPY.href, format: "module", shortCircuit: true }
          : next(specifier, context),
    });
  }
  return load();
}
