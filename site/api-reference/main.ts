import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DECLARATIONS, ROOT, SITE } from "../paths.ts";
import { DeclarationFiles } from "./declarations.ts";
import { type EntryPoint, targetsOf, writePage } from "./write-page.ts";

const INTRODUCTIONS: Readonly<Record<string, string>> = {
  odatakit: "Model, entity sets, operations, rules, services, errors, and sources over arrays. It depends on nothing.",
  "odatakit/node": "Serves services over `node:http`. [Deployment](../../docs/guides/deployment.md) explains its use.",
  "odatakit/kysely":
    "Entity sets over tables and queries of SQLite, PostgreSQL and MariaDB. It needs the package `kysely`. [Tables](../../docs/reference/tables.md) explains its use.",
  "odatakit/sqlite": "A Kysely dialect over the SQLite of Node.js. It needs the package `kysely`.",
  "odatakit/mariadb": "A Kysely dialect over pools of mysql2. It needs the packages `kysely` and `mysql2`.",
  "odatakit/postgres": "A Kysely dialect over pools of pg. It needs the packages `kysely` and `pg`.",
  "odatakit/express":
    "Serves services within an Express application. It needs the package `express`. [Frameworks and runtimes](../../docs/guides/hosts.md) explains its use.",
  "odatakit/fastify":
    "Serves services within a Fastify application. It needs the package `fastify`. [Frameworks and runtimes](../../docs/guides/hosts.md) explains its use.",
  "odatakit/hono":
    "Serves services within a Hono application. It needs the package `hono`. [Frameworks and runtimes](../../docs/guides/hosts.md) explains its use.",
  "odatakit/introspect":
    "Entity sets over an existing database, from its catalogue. [Existing databases](../../docs/guides/existing-databases.md) explains their use.",
  "odatakit/check":
    "Compares the declarations of a service with its databases. [Check a database](../../docs/reference/check.md) explains its use.",
  "odatakit/explorer":
    "The page on which people see, query and change the data of a service. [Explorer](../../docs/reference/explorer.md) explains its use.",
  "odatakit/openapi":
    "Descriptions of services as OpenAPI 3.1, and a viewer. [OpenAPI](../../docs/reference/openapi.md) explains its use.",
};

/** Writes one page per entry point of the package to `site/api`, from the doc comments of the sources. */
export function writeApiReference(): void {
  emitDeclarations();
  const files = new DeclarationFiles();
  const entries = entryPoints(files);
  const targets = targetsOf(entries);
  const folder = join(SITE, "api");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const entry of entries) writeFileSync(join(folder, `${entry.page}.md`), writePage(entry, targets, files));
}

function emitDeclarations(): void {
  rmSync(DECLARATIONS, { recursive: true, force: true });
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const given = ["-p", join(ROOT, "tsconfig.build.json"), "--emitDeclarationOnly", "--declarationMap", "false"];
  const { status } = spawnSync(process.execPath, [tsc, ...given, "--outDir", DECLARATIONS], { stdio: "inherit" });
  if (status !== 0) throw new Error("The sources do not compile.");
}

function entryPoints(files: DeclarationFiles): readonly EntryPoint[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly source: string }>>;
  };
  return Object.entries(manifest.exports).map(([path, { source }]) => {
    const module = `odatakit${path.slice(1)}`;
    const introduction = INTRODUCTIONS[module];
    if (introduction === undefined) throw new Error(`${module} has no introduction in api-reference/main.ts.`);
    const exports = files.exportsOf(join(DECLARATIONS, source.replace("./src/", "").replace(/\.ts$/, ".d.ts")));
    return { module, page: path === "." ? "odatakit" : path.slice(2), introduction, exports };
  });
}
