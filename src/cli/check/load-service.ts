import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { ODataService } from "odatakit";
import { usageProblem, type Problem } from "../problem.ts";

/** Where `odatakit pull` and `npm create odatakit` write services. */
const CANDIDATES = [
  "src/service.ts",
  "src/model/service.ts",
  "src/service.js",
  "src/model/service.js",
  "service.ts",
  "service.js",
];

const EXPORT_IT = "Export the result of `odataService` as `service`: export const service = odataService({ … }).";

/** Returns the path of the module of a service. @param given as an argument; undefined for the usual places */
export function findModule(given: string | undefined, folder: string): string | Problem {
  const path = given ?? CANDIDATES.find((each) => existsSync(resolve(folder, each)));
  if (path === undefined) {
    return usageProblem(
      `No module of a service was found: ${CANDIDATES.join(", ")} do not exist.`,
      "Name the module: odatakit check src/service.ts.",
    );
  }
  const absolute = resolve(folder, path);
  if (!existsSync(absolute)) return usageProblem(`The module ${path} does not exist.`, "Correct the path.");
  if (/\.[cm]?ts$/.test(path) && process.features.typescript === false) {
    return usageProblem(
      `Node.js ${process.versions.node} cannot import ${path}, because it is TypeScript.`,
      "Use Node.js 22.18 or later, or name the compiled module.",
    );
  }
  return absolute;
}

/** Imports the service of a module. @throws the error of the module */
export async function loadService(path: string): Promise<ODataService | Problem> {
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  // A service that waits for its database is a promise.
  const service: unknown = await (module["service"] ?? module["default"]);
  if (isService(service)) return service;
  const names = Object.keys(module).join(", ");
  const problem = names === "" ? "exports nothing" : `exports no service as \`service\` or by default, only ${names}`;
  return usageProblem(`The module ${path} ${problem}.`, EXPORT_IT);
}

function isService(value: unknown): value is ODataService {
  if (typeof value !== "object" || value === null || !("handle" in value) || !("ready" in value)) return false;
  return typeof value.handle === "function" && typeof value.ready === "function";
}

/** Imports `odatakit/check` as the project does: another copy of the package would not know its services. */
export async function loadCheck(path: string): Promise<typeof import("odatakit/check")> {
  let own: string;
  try {
    own = createRequire(path).resolve("odatakit/check");
  } catch {
    return import("odatakit/check");
  }
  return import(/* @vite-ignore */ pathToFileURL(own).href) as Promise<typeof import("odatakit/check")>;
}
