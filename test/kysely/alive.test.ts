import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entitySet, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { AnyDatabase } from "../executors/engines.ts";

const ROWS = 400_000;
const folder = mkdtempSync(join(tmpdir(), "alive-"));
const file = join(folder, "cities.db");

const City = entityType("City", { id: edm.int32().key(), name: edm.string(), other: edm.int32() });

beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(`
    create table city (id integer primary key, name text not null, other integer not null);
    create table town (id integer primary key, name text not null, other integer not null) without rowid;
    create view place as select id, name, other from city;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
      insert into city select i * 1024, 'n' || i, i from n;
    insert into town select id, name, other from city;
    create table doc (id integer primary key, name text not null, other integer not null, items text not null);
    insert into doc select 1, 'd', 1, (select json_group_array(other) from city)`);
  made.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

let db: AnyDatabase;
beforeEach(() => {
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
});
afterEach(() => db.destroy());

const TABLES = { City: "city", Town: "town", Place: "place" };
const QUERY = { sql: "select * from city where name <> 'x'", parameters: [] };
const Doc = entityType("Doc", { id: edm.int32().key(), items: edm.collection(edm.int32()) });

function serviceWith(queryTimeout: number): ODataService {
  const others = hasMany(City, { on: { other: "other" }, target: "City" });
  return odataService({
    schemaCheck: false,
    defaults: { queryTimeout },
    entitySets: [
      ...Object.entries(TABLES).map(([name, table]) =>
        sqlEntitySet(City, { db, table, name, operations: ["read"], navigation: { others } }),
      ),
      sqlEntitySet(Doc, { db, table: "doc", name: "Docs", operations: ["read"] }),
      entitySet(City, { name: "Query", queryable: () => sqlSource(City, { db, from: QUERY }) }),
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
  ["a scan of a query of the application", `/Query?$filter=${SLOW}`],
  ["a join without a match", "/City?$filter=Others/any(o:o/Id lt 0 and o/Name eq concat($it/Name,'x'))"],
  ["a join of a view without a match", "/Place?$filter=Others/any(o:o/Id lt 0 and o/Name eq concat($it/Name,'x'))"],
  ["a list in one row without a match", "/Docs?$filter=Items/any(a:a lt 0 and Items/any(b:b eq a))"],
])("%s ends after `queryTimeout` in its thread", { timeout: 60_000 }, async (_what, target) => {
  const started: unknown[] = [];
  const note = (thread: unknown): unknown => started.push(thread);
  process.on("worker", note);
  // The thread starts, which may take long.
  expect(await ask(serviceWith(60_000), LONG)).toMatchObject([200, { value: [] }]);
  expect(await ask(serviceWith(300), target)).toMatchObject([503, { error: { code: "QueryTimeout" } }]);
  // The thread serves the next statement: nobody had to give it up.
  await new Promise((resolve) => {
    setTimeout(resolve, 700);
  });
  expect(await ask(serviceWith(60_000), LONG)).toMatchObject([200, { value: [] }]);
  process.off("worker", note);
  expect(started).toHaveLength(1);
});
