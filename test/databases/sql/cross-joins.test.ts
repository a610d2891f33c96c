import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Kysely } from "kysely";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { NEVER, nextTimer, passTime, stopTimers } from "../../timers.ts";

const Pair = entityType("Pair", { id: edm.int64().key(), name: edm.string() });
/** Milliseconds in which a thread must end its statement, before it is replaced. */
const GRACE = 500;
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
beforeEach(() => {
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
  const entitySets = Object.entries(SOURCES).map(([name, text]) =>
    entitySet(Pair, {
      name,
      queryable: () => sqlSource(Pair, { db, from: { sql: text, parameters: [] } }),
    }),
  );
  service = odataService({ schemaCheck: false, defaults: { queryTimeout: NEVER }, entitySets });
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

/** Asks for a page, and meanwhile again and again for single rows, until `queryTimeout` is over. */
async function askBeside(target: string): Promise<readonly [status: number, code: unknown]> {
  const hasTimer = nextTimer();
  let isAnswered = false;
  const asked = ask(target).finally(() => {
    isAnswered = true;
  });
  await hasTimer();
  for (let served = 0; served < 20; served += 1) {
    expect(await ask(SHORT)).toEqual([200, undefined]);
    await pause(5);
  }
  await passTime(NEVER - 1);
  expect(isAnswered).toBe(false);
  await passTime(1);
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
])("%s ends after `queryTimeout`, and long reads continue", async (target) => {
  stopTimers();
  expect(await ask(LONG)).toEqual([200, undefined]);
  expect(await askBeside(target)).toEqual([503, "QueryTimeout"]);
  await passTime(GRACE);
  expect(await ask(LONG)).toEqual([200, undefined]);
});

test.each([
  ["a view", "/LargestView"],
  ["a query of the application", "/LargestAlone"],
])("aggregates over a cross join in %s occupy their threads until they end", async (_in, target) => {
  let threads = 0;
  const count = (): unknown => (threads += 1);
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  stopTimers();
  expect(await askBeside(target)).toEqual([503, "QueryTimeout"]);
  await passTime(GRACE);
  // Another thread continues.
  expect(await ask(LONG)).toEqual([200, undefined]);
  expect(threads).toBe(2);
  expect(await askBeside(target)).toEqual([503, "QueryTimeout"]);
  await passTime(GRACE);
  expect(await ask(SHORT)).toEqual([200, undefined]);
  // The statements visit 25 or 36 million rows each.
  expect(await ask(LONG)).toEqual([200, undefined]);
  expect(threads).toBe(3);
});
