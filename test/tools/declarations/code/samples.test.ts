import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, writeDeclarations, type CodeOptions, type WrittenModule } from "odatakit/introspect";
import { sqlEntitySet } from "odatakit/kysely";
import { format } from "oxfmt";
import { afterAll, describe, expect, test } from "vitest";
import { ENGINES, type DatabaseEngine, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { openSample, SAMPLES } from "../../../fixtures/databases/load.ts";
import { makeApplicationFolder } from "./application-folder.ts";
import { runModule } from "./run-module.ts";

const folder = makeApplicationFolder();

afterAll(folder.remove);

const TARGETS: Readonly<Record<DatabaseEngine["name"], CodeOptions["database"]>> = {
  sqlite: { kind: "sqlite", file: "shop.db" },
  postgres: { kind: "postgres" },
  mariadb: { kind: "mariadb" },
};

/** A test server contains schemas of other tests. */
async function schemaOf({ db }: OpenDatabase, engine: DatabaseEngine): Promise<readonly string[] | undefined> {
  if (engine.name !== "postgres") return undefined;
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns the `$metadata` of the written modules, as one script. */
async function metadataOf(modules: readonly WrittenModule[], { db }: OpenDatabase): Promise<string> {
  const order = ["enums.ts", ...modules.flatMap(({ path, table }) => (table === null ? [] : [path])), "index.ts"];
  const texts = order.map((path) => modules.find((module) => module.path === path)?.text ?? "");
  const body = texts.join("\n").replaceAll(/^import .* from "\.\/.*";\n/gm, "");
  // Each module imports the same names; a script has each of them once.
  const imports = new Set(
    [...body.matchAll(/^import \{ (.*) \} from .*$/gm)].flatMap(([, names = ""]) => names.split(", ")),
  );
  const script = `import { ${[...imports, "db"].join(", ")} } from "all";\n${body.replaceAll(/^import .*\n/gm, "")}`;
  const { entitySets } = runModule(script, { db, sqlEntitySet });
  const service = odataService({ prefix: "/odata", profile: "standard", entitySets: entitySets as [] });
  return (await service.fetch(new Request("http://localhost/odata/$metadata"))).text();
}

describe.each(ENGINES)("$title", (engine) => {
  test.each(SAMPLES)("the modules of %s have the $metadata of the live declarations", async (sample) => {
    const opened = await openSample(engine, sample);
    try {
      const { described, entitySets } = await introspectDatabase(opened.db, {
        schemas: await schemaOf(opened, engine),
      });
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
      const live = await (await service.fetch(new Request("http://localhost/odata/$metadata"))).text();
      const settings = { prefix: "/odata", profile: "standard" };
      const modules = writeDeclarations(described, { database: TARGETS[engine.name], service: settings });
      const written = mkdtempSync(join(folder.path, "model-"));
      for (const { path, text } of modules) {
        writeFileSync(join(written, path), text);
        expect((await format(path, text, {})).code).toBe(text);
      }
      expect(live).toContain("<EntitySet ");
      expect(await metadataOf(modules, opened)).toBe(live);
    } finally {
      await opened.close();
    }
  });
});

test("all written modules type-check", async () => {
  expect(await folder.typeCheck()).toBe("");
});
