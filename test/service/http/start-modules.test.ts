import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Serves a table of SQLite until one response, and prints the modules of Node.js that are loaded then. */
const PROGRAM = `
  import { Kysely, sql } from "kysely";
  import { edm, entityType, odataService } from "odatakit";
  import { sqlEntitySet } from "odatakit/kysely";
  import { serve } from "odatakit/node";
  import { sqliteDialect } from "odatakit/sqlite";

  const db = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql\`create table thing (id integer primary key)\`.execute(db);
  await sql\`insert into thing values (1)\`.execute(db);
  const Thing = entityType("Thing", { id: edm.int32().key() });
  const service = odataService({ entitySets: [sqlEntitySet(Thing, { db, table: "thing", operations: ["read"] })] });
  const { port, close } = await serve(service, { port: 0, host: "127.0.0.1" });
  const http = process.getBuiltinModule("node:http");
  const status = await new Promise((resolve, reject) => {
    const url = "http://127.0.0.1:" + port + "/Things(1)";
    http.get(url, { agent: false }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
  console.log(JSON.stringify({ status, loaded: process.moduleLoadList }));
  await close();
  await db.destroy();
`;

const { stdout } = await promisify(execFile)(
  process.execPath,
  ["--conditions=source", "--input-type=module", "--no-warnings", "--eval", PROGRAM],
  { cwd: new URL("../../../", import.meta.url) },
);
const { status, loaded } = JSON.parse(stdout) as { readonly status: number; readonly loaded: readonly string[] };

// Each takes as much time as all of odatakit, and a server needs none of them for its first response.
test.each([
  "internal/deps/undici/undici",
  "http2",
  "tls",
  "internal/readline/interface",
  "worker_threads",
  "crypto",
  "internal/crypto/webcrypto",
])("the first response of a server does not wait for the module %s of Node.js", (name) => {
  expect(loaded).not.toContain(`NativeModule ${name}`);
});

test("the list has the modules that a server needs", () => {
  expect(status).toBe(200);
  expect(loaded).toEqual(expect.arrayContaining(["NativeModule http", "NativeModule sqlite"]));
});
