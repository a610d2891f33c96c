import { expect, test } from "vitest";
import { readManifest } from "./source-files.ts";

const { name, exports } = readManifest();

/** The values that a program can import, by subpath of package.json#exports. `npm test -- public-api -u` updates the snapshot. */
test("the public API is exactly this", async () => {
  const api: Record<string, readonly string[]> = {};
  for (const subpath of Object.keys(exports).toSorted()) {
    const module = (await import(/* @vite-ignore */ subpath.replace(".", name))) as object;
    api[subpath] = Object.keys(module).toSorted();
  }
  expect(api).toMatchInlineSnapshot(`
    {
      ".": [
        "ConfigurationError",
        "ODataError",
        "action",
        "allRows",
        "anyOf",
        "applyDelta",
        "arraySource",
        "authenticated",
        "columnStore",
        "complexType",
        "edm",
        "entitySet",
        "entityType",
        "enumType",
        "fn",
        "fromPino",
        "hasMany",
        "hasOptional",
        "hasRequired",
        "inherit",
        "isODataError",
        "loadEntitySets",
        "noRows",
        "now",
        "odataError",
        "odataService",
        "reloadable",
        "requireUser",
        "resource",
        "role",
        "servicesFetch",
        "singleton",
        "withDerived",
      ],
      "./check": [
        "checkDatabase",
      ],
      "./explorer": [
        "explorerRoute",
      ],
      "./express": [
        "toExpressHandler",
      ],
      "./fastify": [
        "toFastifyPlugin",
      ],
      "./hono": [
        "toHonoHandler",
      ],
      "./introspect": [
        "declareEntitySets",
        "describeService",
        "indexedProperties",
        "introspectDatabase",
        "readDatabaseSchema",
        "unindexedWarnings",
        "writeDeclarations",
      ],
      "./kysely": [
        "sqlEntitySet",
        "sqlSource",
        "sqlTableOf",
      ],
      "./mariadb": [
        "mariadbDialect",
      ],
      "./node": [
        "fileStore",
        "serve",
        "toNodeHandler",
      ],
      "./openapi": [
        "openApiDocument",
        "openApiRoute",
      ],
      "./postgres": [
        "postgresDialect",
      ],
      "./sqlite": [
        "sqliteDialect",
      ],
    }
  `);
});
