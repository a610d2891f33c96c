import { existsSync } from "node:fs";
import nodeModule from "node:module";

/** The folder of the modules of the package: `dist`, or `src` in the repository. */
const OWN = new URL("../", import.meta.url).href;
/** The copy of Kysely in the package. `src` has none. */
const COPY = new URL("cli/kysely.js", OWN);

/**
 * Imports the module of a command. Modules of the package get the copy of Kysely in it, so that a command over SQLite needs
 * no other package. Modules outside of the package keep the Kysely of their project.
 * @see docs/decisions/0023-missing-kysely.md
 */
export function importWithKysely<T>(load: () => Promise<T>): Promise<T> {
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
