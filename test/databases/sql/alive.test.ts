import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { Kysely } from "kysely";
import { edm, entitySet, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource, type BaseQuery } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { runProgram } from "../../tools/cli/run-program.ts";

const ROWS = 400_000;
const folder = mkdtempSync(join(tmpdir(), "alive-"));
const file = join(folder, "cities.db");

const City = entityType("City", { id: edm.int32().key(), name: edm.string(), kind: edm.int32() });

beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(`
    create table city (id integer primary key, name text not null, kind integer not null);
    create table town (id integer primary key, name text not null, kind integer not null) without rowid;
    create table village (id integer primary key, name text not null, kind integer not null);
    create view place as select id, name, kind from city;
    create view hamlet as select id, name, kind from village;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
      insert into city select i * 1024, 'n' || i, 1 from n;
    insert into town select id, name, kind from city;
    insert into village select id, name, kind from city where id <= 20000 * 1024;
    create table doc (id integer primary key, items text not null);
    insert into doc select 1, (select json_group_array(id) from city)`);
  made.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

let db: AnyDatabase;
beforeEach(() => {
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
});
afterEach(() => db.destroy());

const TABLES = { City: "city", Town: "town", Place: "place", Village: "village", Hamlet: "hamlet" };
/** Queries of the application. SQLite computes those with an aggregate as a whole. */
const QUERIES: Readonly<Record<string, () => BaseQuery>> = {
  Text: () => ({ sql: "select * from city where name <> 'x'", parameters: [] }),
  Kysely: () => db.selectFrom("city").where("name", "<>", "x"),
  Largest: () => {
    const pairs = db
      .selectFrom(["city as a", "city as b"])
      .where((eb) => eb.or([eb("a.id", ">", 0), eb("b.id", ">", 0)]));
    return pairs.select(({ fn }) => [
      fn.max("a.id").as("id"),
      fn.max("b.name").as("name"),
      fn.max("a.kind").as("kind"),
    ]);
  },
  LargestOfText: () => ({
    sql: "select max(a.id) as id, max(b.name) as name, max(a.kind) as kind from city a, city b where odata_alive()",
    parameters: [],
  }),
};
const Doc = entityType("Doc", { id: edm.int32().key(), items: edm.collection(edm.int32()) });

function serviceWith(queryTimeout: number): ODataService {
  const others = hasMany(City, { on: { kind: "kind" }, target: "Village" });
  return odataService({
    schemaCheck: false,
    defaults: { queryTimeout },
    entitySets: [
      ...Object.entries(TABLES).map(([name, table]) =>
        sqlEntitySet(City, { db, table, name, operations: ["read"], navigation: { others } }),
      ),
      sqlEntitySet(Doc, { db, table: "doc", name: "Docs", operations: ["read"] }),
      ...Object.entries(QUERIES).map(([name, query]) =>
        entitySet(City, { name, queryable: () => sqlSource(City, { db, from: query() }) }),
      ),
    ],
  });
}

async function ask(service: ODataService, target: string): Promise<readonly [number, unknown]> {
  const response = await service.fetch(new Request(`http://x${encodeURI(target)}`));
  return [response.status, await response.json()];
}

/** Statements that find nothing. Each of them runs for much longer than the thread needs to be given up. */
const SLOW = Array.from({ length: 60 }, (_none, index) => `contains(tolower(Name),'x${String(index)}')`).join(" or ");
const LONG = "/City?$filter=endswith(Name,'x')";

test.each([
  ["a scan that finds nothing", `/City?$filter=${SLOW}`],
  ["a count that finds nothing", `/City/$count?$filter=${SLOW}`],
  ["a scan of a view", `/Place?$filter=${SLOW}`],
  ["a scan of a table without row ids", `/Town?$filter=${SLOW}`],
  ["a scan of a query of the application", `/Text?$filter=${SLOW}`],
  ["a scan of a query of Kysely", `/Kysely?$filter=${SLOW}`],
  ["an aggregate in a query of Kysely", "/Largest"],
  ["an aggregate in a query of the application that calls the function", "/LargestOfText"],
  ["a join without a match", "/Village?$filter=Others/any(o:contains(o/Name,concat($it/Name,'x')))"],
  ["a join of a view without a match", "/Hamlet?$filter=Others/any(o:contains(o/Name,concat($it/Name,'x')))"],
  ["a list in one row without a match", "/Docs?$filter=Items/any(a:Items/any(b:b lt 0 and b eq a))"],
])("%s ends after `queryTimeout` in its thread", async (_what, target) => {
  const started: unknown[] = [];
  const note = (thread: unknown): unknown => started.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  // A machine that gives the thread no time replaces it too. A thread that never ends its statement is replaced each time.
  for (let round = 1; round <= 5; round += 1) {
    // The thread starts, which may take long.
    expect(await ask(serviceWith(60_000), LONG)).toMatchObject([200, { value: [] }]);
    started.length = 0;
    expect(await ask(serviceWith(300), target)).toMatchObject([503, { error: { code: "QueryTimeout" } }]);
    await new Promise((resolve) => {
      setTimeout(resolve, 700);
    });
    // The thread serves the next statement: it was not replaced.
    expect(await ask(serviceWith(60_000), LONG)).toMatchObject([200, { value: [] }]);
    if (started.length === 0) return;
  }
  expect(started).toHaveLength(0);
});

test("introspection ends its statements over views in their thread", async () => {
  const made = new DatabaseSync(file);
  // SQLite finds no row of the first view; those of the second are read at once, but too many to compare.
  made.exec(`
    create view nobody as select a.id, b.name from city a join city b on b.name || '' = a.name || 'x';
    create view pair as select a.id * 400000 + b.id as id, b.name from city a, city b`);
  made.close();
  // A thread that was given up would run for hours.
  const ended: Promise<unknown>[] = [];
  const note = (thread: Worker): unknown => ended.push(once(thread, "exit"));
  process.on("worker", note);
  const { out } = await runProgram(["inspect", file, "--key", "pair=id"], { folder });
  process.off("worker", note);
  expect(out).toContain("nobody  omitted, because it is not readable: 500 rows take more than 2 s");
  expect(out).toContain("pair  takes too long to check whether id is unique");
  expect(ended).not.toHaveLength(0);
  await Promise.all(ended);
});
