import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entitySet, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { PatientReader } from "../../../src/databases/connection/patient-reader.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const folder = mkdtempSync(join(tmpdir(), "where-statements-run-"));
const file = join(folder, "cities.db");

const Country = entityType("Country", { id: edm.int32().key(), name: edm.string() });
const Person = entityType("Person", { id: edm.int32().key(), email: edm.string().nullable() });
const City = entityType("City", {
  id: edm.int32().key(),
  name: edm.string(),
  countryId: edm.int32(),
  code: edm.string(),
});

let db: AnyDatabase;
let ask: (target: string) => Promise<readonly (string | number)[]>;
beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(`
    pragma journal_mode = wal;
    create table country (id integer primary key, name text not null);
    create table person (id integer primary key, email text unique);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) insert into person (id) select i from n;
    create table city (id integer primary key, name text not null, countryId integer not null, code text not null);
    create unique index city_code on city (code);
    create index city_country on city (countryId);
    create view place as select * from city;
    create table part (a integer not null, b integer not null, name text not null, primary key (a, b)) without rowid;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 900) insert into country select i, 'c' || i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
      insert into city select i, 'n' || i, 1 + i % 900, 'k' || i from n;
    insert into part select id, id % 7, name from city;
    create table mark (id text primary key, name text not null);
    create view seen_mark as select * from mark;
    create table "order" (id integer primary key, name text not null);
    insert into "order" select id, name from city;
    create table "order details" (id integer primary key, name text not null);
    insert into "order details" select * from country;
    create table "CONSTANT" (id integer primary key, name text not null);
    insert into "CONSTANT" select id, name from city;
    create table "a ""b"" USING INDEX c (x=?)" (id text primary key, name text not null) without rowid;
    insert into "a ""b"" USING INDEX c (x=?)" select * from country;
    create table "select" (id integer primary key, name text not null);
    insert into "select" select * from country;
    create table visit (id integer primary key, cityId integer not null, note text not null);
    create index visit_city on visit (cityId);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
      insert into visit select i, 1, 'Visit ' || i from n;
    insert into mark select printf('00000000-0000-4000-8000-%012d', id), name from city`);
  made.close();
  db = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
  const country = hasRequired(Country, { on: { countryId: "id" }, target: "Countries" });
  const cities = hasMany(City, { on: { id: "countryId" }, target: "Cities" });
  const Part = entityType("Part", { a: edm.int32().key(), b: edm.int32().key(), name: edm.string() });
  const Visit = entityType("Visit", { id: edm.int32().key(), cityId: edm.int32(), note: edm.string() });
  const Named = entityType("Named", { id: edm.int32().key(), label: edm.string() });
  const operations = ["read"] as const;
  const service = odataService({
    schemaCheck: false,
    defaults: { applyEnabled: true },
    entitySets: [
      sqlEntitySet(Country, { db, table: "country", name: "Countries", operations, navigation: { cities } }),
      sqlEntitySet(City, { db, table: "city", name: "Cities", operations, navigation: { country } }),
      sqlEntitySet(Person, { db, table: "person", name: "People", operations }),
      sqlEntitySet(City, { db, table: "place", name: "Places", operations }),
      sqlEntitySet(Visit, { db, table: "visit", name: "Visits", operations }),
      sqlEntitySet(Part, { db, table: "part", name: "Parts", operations }),
      sqlEntitySet(Country, { db, table: "order", name: "Orders", operations }),
      sqlEntitySet(Country, { db, table: "order details", name: "OrderDetails", operations }),
      sqlEntitySet(Country, { db, table: "CONSTANT", name: "Constants", operations }),
      sqlEntitySet(Country, { db, table: 'a "b" USING INDEX c (x=?)', name: "Quoted", operations }),
      sqlEntitySet(Country, { db, table: "select", name: "Keywords", operations }),
      sqlEntitySet(Named, { db, table: "city", name: "Named", operations, columns: { label: { sql: "name || 'x'" } } }),
      entitySet(Country, {
        name: "Query",
        queryable: () => sqlSource(Country, { db, from: { sql: "select * from country", parameters: [] } }),
      }),
    ],
  });
  const reader = db.getExecutor().adapter as unknown as PatientReader;
  const spies = [vi.spyOn(reader, "read"), vi.spyOn(reader, "readFirst")];
  ask = async (target) => {
    for (const spy of spies) spy.mockClear();
    const { status } = await service.fetch(new Request(`http://x${encodeURI(target)}`));
    const places = spies.flatMap(({ mock }) =>
      mock.results.map(({ value }) => ((value as unknown) instanceof Promise ? "thread" : "here")),
    );
    return status === 200 ? places : [status];
  };
});
afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

test.each<readonly [target: string, place: "here" | "thread"]>([
  // It searches single rows by their key.
  ["/Cities(5)", "here"],
  ["/Parts(A=5,B=5)", "here"],
  ["/Places(5)", "here"],
  ["/Cities?$filter=Code eq 'k5'", "here"],
  ["/Cities?$filter=Id in (1,2,3)", "here"],
  // It visits the rows of the page in the order of an index.
  ["/Cities?$top=20&$skip=40", "here"],
  ["/Cities?$top=20&$expand=Country", "here"],
  ["/Cities?$top=20&$orderby=CountryId", "here"],
  ["/Cities?$top=20&$skip=60000", "thread"],
  ["/Cities?$top=20&$orderby=Name", "thread"],
  ["/Places?$top=20", "thread"],
  ["/Parts?$top=20", "here"],
  ["/Named?$top=20&$orderby=Label", "thread"],
  ["/Named?$top=20", "here"],
  ["/Named(5)", "here"],
  // Its tables are small.
  ["/Countries?$filter=contains(Name,'9')&$orderby=Name&$count=true", "here"],
  ["/Countries/$count", "here"],
  ["/Countries?$top=5&$count=true", "here"],
  ["/Cities/$count", "thread"],
  // A plan names a table without quotes.
  ["/OrderDetails/$count", "here"],
  ["/OrderDetails?$count=true&$filter=contains(Name,'9')&$orderby=Name", "here"],
  ["/Orders/$count", "thread"],
  ["/Constants/$count", "thread"],
  ["/Quoted/$count", "here"],
  ["/Keywords/$count", "here"],
  ["/Cities?$top=20&$filter=contains(Name,'n4')", "thread"],
  ["/Cities/$count?$filter=contains(Name,'n4')", "thread"],
  // It searches by values of an index.
  ["/Cities?$filter=CountryId eq 5", "here"],
  ["/Cities?$filter=CountryId eq 5 and contains(Name,'4')&$orderby=Name&$count=true", "here"],
  ["/Countries?$top=5&$expand=Cities", "here"],
  ["/People/$count?$filter=Email eq null", "here"],
  ["/Cities?$filter=CountryId gt 5", "thread"],
  ["/Cities?$filter=Country/Id in (1,2) and contains(Name,'4')", "thread"],
  ["/Countries?$filter=Cities/any(c:c/Name eq 'n4')", "thread"],
  [
    `/Countries?$filter=${Array.from({ length: 30 }, (_none, at) => `contains(Name,'${String(at)}')`).join(" or ")}`,
    "thread",
  ],
  // It groups the rows that it visits.
  ["/Countries?$apply=groupby((Name),aggregate($count as N))", "here"],
  ["/Cities?$apply=filter(CountryId eq 5)/groupby((Name),aggregate($count as N))&$orderby=N desc", "here"],
  ["/Cities?$apply=groupby((CountryId),aggregate($count as N))&$top=5", "thread"],
  ["/Cities?$apply=aggregate(Id with max as M)", "thread"],
  ["/Cities?$apply=groupby((Country/Name))&$top=5", "thread"],
  ["/Cities?$apply=orderby(Name)/top(5)/groupby((CountryId))", "thread"],
  // The tables of an application's query are unknown.
  ["/Query?$filter=contains(Name,'9')", "thread"],
])("%s runs %s", async (target, place) => {
  // As if every read took no time: a slow machine moves a read that takes long.
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  const places = await ask(target);
  expect(new Set(places)).toEqual(new Set([place]));
});

test.each([
  ["mark", "here"],
  ["seen_mark", "thread"],
])("the schema check reads the first rows of %s %s", async (table, place) => {
  const Mark = entityType("Mark", { id: edm.guid().key(), name: edm.string() });
  const reader = db.getExecutor().adapter as unknown as PatientReader;
  const read = vi.spyOn(reader, "read").mockClear();
  const service = odataService({ entitySets: [sqlEntitySet(Mark, { db, table, operations: ["read"] })] });
  expect(await checkDatabase(service)).toMatchObject({ sets: 1 });
  const sampled = read.mock.calls.flatMap(([text], at) =>
    text.endsWith(" limit 1000") ? [read.mock.results[at]] : [],
  );
  expect(sampled).toHaveLength(2);
  for (const each of sampled) expect((each?.value as unknown) instanceof Promise ? "thread" : "here").toBe(place);
});

test("a search by an index that finds most rows of a large table ends, and runs in a thread", async () => {
  const condition = Array.from({ length: 40 }, (_none, at) => `contains(Note,'x${String(at)}')`).join(" or ");
  const countOf = (city: number): string => `/Visits/$count?$filter=CityId eq ${String(city)} and (${condition})`;
  expect(await ask(countOf(1))).toEqual(["thread"]);
  // From then on the statement runs there at once, whatever its values are.
  expect(await ask(countOf(2))).toEqual(["thread"]);
});

test("a table that has grown is no longer small", async () => {
  const target = "/Countries?$filter=endswith(Name,'9')";
  expect(await ask(target)).toEqual(["here"]);
  const other = new DatabaseSync(file);
  other.exec(
    "with recursive n(i) as (select 901 union all select i + 1 from n where i < 30000) insert into country select i, 'c' || i from n",
  );
  other.close();
  await vi.waitFor(async () => expect(await ask(target)).toContain("thread"), 30_000);
});
