import { execFileSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { oncePerRun } from "../once-per-run.ts";
import { ROOT } from "./source-files.ts";

/**
 * Returns the compiler option that resolves "odatakit" and its subpaths to the declarations that applications get. They
 * compile faster than the sources; the test run emits them once.
 */
export async function declarationPaths(): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = await oncePerRun("declarations", (path) => {
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const emit = ["--emitDeclarationOnly", "--declarationMap", "false", "--noCheck", "--outDir", path];
    execFileSync(process.execPath, [compiler, "-p", join(ROOT, "tsconfig.build.json"), ...emit], { encoding: "utf8" });
  });
  return {
    odatakit: [join(folder, "index.d.ts")],
    "odatakit/node": [join(folder, "hosts/adapters/node.d.ts")],
    "odatakit/check": [join(folder, "service/check-database.d.ts")],
    "odatakit/express": [join(folder, "hosts/adapters/express.d.ts")],
    "odatakit/fastify": [join(folder, "hosts/adapters/fastify.d.ts")],
    "odatakit/hono": [join(folder, "hosts/adapters/hono.d.ts")],
    "odatakit/kysely": [join(folder, "databases/kysely/index.d.ts")],
    "odatakit/explorer": [join(folder, "hosts/explorer/index.d.ts")],
    "odatakit/openapi": [join(folder, "hosts/openapi/index.d.ts")],
    "odatakit/postgres": [join(folder, "databases/postgres/driver/postgres-dialect.d.ts")],
    "odatakit/sqlite": [join(folder, "databases/sqlite/driver/sqlite-dialect.d.ts")],
    "odatakit/mariadb": [join(folder, "databases/mariadb/driver/mariadb-dialect.d.ts")],
  };
}
