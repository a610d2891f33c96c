import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { AnyDatabase } from "../executors/engines.ts";

const Pair = entityType("Pair", { id: edm.int64().key(), name: edm.string() });
const QUERY_TIMEOUT = 2000;
/** Far below the duration of a statement that visits 25 million rows, on fast machines too. */
const SHORT_QUERY_TIMEOUT = 500;
const folder = mkdtempSync(join(tmpdir(), "cross-joins-"));
const file = join(folder, "pairs.db");

beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(`create table number (id integer primary key, name text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) insert into number select i, 'n' || i from n;
    create view pair as select a.id * 1000000 + b.id as id, a.name || b.name as name from number a, number b;
    create view largest as select max(a.id * b.id) as id, max(a.name || b.name) as name from number a, number b where a.id < 6000 and b.id < 6000`);
  made.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Queries of the application in which only the outermost loop has a condition of the service. */
const SOURCES: Readonly<Record<string, string>> = {
  Numbers: "select id, name from number",
  View: "select id, name from pair",
  Comma: "select a.id * 1000000 + b.id as id, a.name || b.name as name from number a, number b",
  Cross: "select a.id * 1000000 + b.id as id, a.name || b.name as name from number a cross join number b",
  Largest: "select max(a.id * b.id) as id, max(a.name || b.name) as name from number a, number b where odata_alive()",
  LargestAlone:
    "select max(a.id * b.id) as id, max(a.name || b.name) as name from number a, number b where a.id < 5000 and b.id < 5000",
  Ordered: "select a.id * 1000000 + b.id as id, b.name as name from number a, number b order by b.name || a.name",
  Endless: "with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, 'n' || i as name from n",
  LargestView: "select id, name from largest",
};

let db: AnyDatabase;
let service: ODataService;
/** For statements that prove that a thread is free, whatever else the machine does. */
let patient: ODataService;
function serviceWith(queryTimeout: number): ODataService {
  const entitySets = Object.entries(SOURCES).map(([name, text]) =>
    entitySet(Pair, {
      name,
      queryable: () => sqlSource(Pair, { db, from: { sql: text, parameters: [] } }),
    }),
  );
  return odataService({ schemaCheck: false, defaults: { queryTimeout }, entitySets });
}
beforeEach(() => {
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
  service = serviceWith(QUERY_TIMEOUT);
  patient = serviceWith(60_000);
});
afterEach(() => db.destroy());

async function ask(target: string, asked = service): Promise<readonly [status: number, code: unknown]> {
  const response = await asked.fetch(new Request(`http://x${encodeURI(target)}`));
  const body = (await response.json()) as { readonly error?: { readonly code: string } };
  return [response.status, body.error?.code];
}

/** Reads in the main thread, and in a reader thread. */
const SHORT = "/Numbers?$filter=Id eq 5";
const LONG = "/Numbers?$filter=contains(Name,'99999')";

/** Asks for a page, and meanwhile again and again for single rows. */
async function askBeside(
  target: string,
  queryTimeout = QUERY_TIMEOUT,
): Promise<readonly [status: number, code: unknown]> {
  const begun = performance.now();
  const asked = ask(target);
  let served = 0;
  while (performance.now() - begun < queryTimeout - 100) {
    expect(await ask(SHORT)).toEqual([200, undefined]);
    served += 1;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  expect(served).toBeGreaterThan(queryTimeout / 100);
  return asked;
}

test.each([
  "/View?$filter=contains(Name,'x')",
  "/View?$orderby=Name",
  "/View/$count?$filter=Id lt 0",
  "/Comma?$filter=contains(Name,'x')",
  "/Cross?$filter=contains(Name,'x')",
  "/Ordered?$top=1",
  "/Largest",
  "/Endless?$filter=Id lt 0",
  "/Endless?$orderby=Name",
])("%s ends after `queryTimeout`, and long reads continue", { timeout: 60_000 }, async (target) => {
  expect(await ask(LONG, patient)).toEqual([200, undefined]);
  expect(await askBeside(target)).toEqual([503, "QueryTimeout"]);
  await vi.waitFor(async () => expect(await ask(LONG, patient)).toEqual([200, undefined]), 30_000);
});

test.each([
  ["a view", "/LargestView"],
  ["a query of the application", "/LargestAlone"],
])(
  "aggregates over a cross join in %s occupy their threads until they end",
  { timeout: 90_000 },
  async (_in, target) => {
    service = serviceWith(SHORT_QUERY_TIMEOUT);
    expect(await askBeside(target, SHORT_QUERY_TIMEOUT)).toEqual([503, "QueryTimeout"]);
    // Another thread continues.
    await vi.waitFor(async () => expect(await ask(LONG, patient)).toEqual([200, undefined]), 5000);
    expect(await askBeside(target, SHORT_QUERY_TIMEOUT)).toEqual([503, "QueryTimeout"]);
    expect(await ask(SHORT)).toEqual([200, undefined]);
    // The statements visit 25 or 36 million rows each.
    await vi.waitFor(async () => expect(await ask(LONG, patient)).toEqual([200, undefined]), 60_000);
  },
);
