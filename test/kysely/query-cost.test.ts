// Statements: docs/reference/tables.md#where-statements-run
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimateCost, jsonRows, visitsOf, type PlanLine } from "../../src/kysely/sqlite/query-cost.ts";
import { TableSizes } from "../../src/kysely/sqlite/table-sizes.ts";

const COUNTRIES = 200;
const CITIES = 30_000;
const database = new DatabaseSync(":memory:");

beforeAll(() => {
  database.exec(`
    create table country (id integer primary key, name text not null);
    create table city (id integer primary key, name text not null, country_id integer not null, population integer);
    create table code (code text primary key, country_id integer unique) without rowid;
    create table sparse (id integer primary key);
    create index city_country on city (country_id, name);
    create index city_population on city (population);
    create view big as select id, name as title from city where population > 10;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNTRIES}) insert into country select i, 'c' || i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CITIES})
      insert into city select i, 'n' || i, 1 + i % ${COUNTRIES}, i from n;
    insert into code select 'k' || id, id from country;
    insert into sparse select id * 1000000 from country;
  `);
});
afterAll(() => database.close());

function visits(sql: string, values: readonly unknown[] = [], sizes = new TableSizes(database)): number {
  const statement = database.prepare(`explain query plan ${sql}`);
  const lines = statement.all(...values.map(() => null)) as unknown as readonly PlanLine[];
  return Math.round(visitsOf(estimateCost(sql, lines, sizes), values));
}

const KEYS = `(select key as ordinal, value as "k0" from json_each(?)) as "keys"`;
const FAN_OUT = CITIES / COUNTRIES;

describe("the visits of a statement are those of", () => {
  test.each<readonly [name: string, sql: string, values: readonly unknown[], expected: number]>([
    ["one row, by row id", `select * from "city" as "it" where "id" = ? limit 1`, [1n], 1],
    ["one row, by a key without row ids", `select * from "code" as "it" where "code" = ?`, ["k1"], 1],
    ["one row, by a unique index", `select * from "code" as "it" where "country_id" = ?`, [1n], 1],
    [
      "the rows of a limit in the order of an index",
      `select * from "city" as "it" order by "population" desc, "id" desc limit ?`,
      [20n],
      20,
    ],
    [
      "the rows of a limit and an offset",
      `select * from "city" as "it" order by "id" limit ? offset ?`,
      [20n, 500n],
      520,
    ],
    [
      "a page whose limit is computed, as in the statements of pages",
      `select * from "city" as "it" order by "id" limit ? + 0 offset ?`,
      [20n, 80n],
      100,
    ],
    ["a page after a key", `select * from "city" as "it" where "id" > ? order by "id" limit ?`, [100n, 20n], 20],
    [
      "a page with joined rows",
      `select * from "city" as "it" left join "country" as "r1" on "r1"."id" = "it"."country_id" order by "it"."id" limit ?`,
      [20n],
      40,
    ],
    ["a whole table, sorted", `select * from "city" as "it" order by "name" limit ?`, [20n], CITIES],
    [
      "a whole table, filtered",
      `select * from "city" as "it" where "name" = ? order by "id" limit ?`,
      ["x", 20n],
      CITIES,
    ],
    [
      "a whole table in a derived table",
      `select * from (select * from "city" as "it" where "name" = ?) as "it" order by "id" limit ?`,
      ["x", 20n],
      CITIES,
    ],
    ["a whole table, counted", `select count(*) from "city" as "it" where "population" > ?`, [1n], CITIES],
    ["a view", `select * from "big" as "it" where "title" = ?`, ["x"], CITIES],
    [
      "the rows of a key",
      `select * from "city" as "it" where "country_id" = ? order by "id" limit ?`,
      [1n, 20n],
      FAN_OUT,
    ],
    [
      "related rows for each row",
      `select * from "country" as "it" where exists (select 1 from "city" as "r1" where "r1"."country_id" = "it"."id" and "r1"."population" > ?) order by "it"."id" limit ?`,
      [1n, 20n],
      COUNTRIES * (FAN_OUT + 1),
    ],
    [
      "a count for each row",
      `select * from "city" as "it" order by (select count(*) from "city" as "r1" where "r1"."country_id" = "it"."country_id") limit ?`,
      [1n],
      CITIES * (FAN_OUT + 1),
    ],
    [
      "a list that is read once",
      `select * from "country" as "it" where "id" in (select "country_id" from "city" as "r1" where "name" = ?)`,
      ["x"],
      CITIES + 1,
    ],
    [
      "two tables without an index, with one made for the statement",
      `select * from "country" as "it" inner join "city" as "r1" on "r1"."name" = "it"."name"`,
      [],
      CITIES + COUNTRIES * 11,
    ],
    [
      "a few keys",
      `select * from ${KEYS} cross join "city" as "r1" on "r1"."country_id" = "keys"."k0"`,
      ["[1,2,3]"],
      3 * (FAN_OUT + 1),
    ],
    ["two ways", `select * from "city" as "it" where "id" = ? or "country_id" = ?`, [1n, 2n], FAN_OUT + 1],
    ["the greatest entry", `select max("population") from "city" as "it"`, [], 1],
    [
      "two tables, one after the other",
      `select "id" from "country" as "a" union all select "id" from "sparse" as "b"`,
      [],
      2 * COUNTRIES,
    ],
    ["a table whose row ids have gaps", `select * from "sparse" as "it" where "id" % 2 = ?`, [1n], COUNTRIES],
    ["a constant", "select 1", [], 0],
  ])("%s", (_name, sql, values, expected) => {
    const found = visits(sql, values);
    expect(found).toBeGreaterThanOrEqual(Math.floor(expected * 0.9));
    expect(found).toBeLessThanOrEqual(Math.ceil(expected * 1.2) + 2);
  });

  test("rows that cost more, for each function", () => {
    const one = visits(`select * from "city" as "it" where instr("name", ?) > 0`, ["x"]);
    const many = visits(
      `select * from "city" as "it" where instr("name", ?) > 0 or ${Array.from({ length: 9 }, () => `instr("name", ?) > 0`).join(" or ")}`,
      Array.from({ length: 10 }, () => "x"),
    );
    expect(one).toBe(CITIES * 1.5);
    expect(many).toBe(CITIES * 6);
  });

  test("a query that refers to itself", () => {
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select * from n`;
    expect(visits(sql)).toBe(Infinity);
  });
});

describe("the sizes of tables", () => {
  test("come from `analyze`, where rows cannot be counted soon", () => {
    const analyzed = new DatabaseSync(":memory:");
    analyzed.exec(`create table a (id text primary key, b text) without rowid; create index a_b on a (b);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000) insert into a select i, i % 10 from n; analyze`);
    const sizes = new TableSizes(analyzed);
    expect([
      sizes.rows("a"),
      sizes.perKey("a_b", 1),
      sizes.rows("none"),
      sizes.tableOf("a_b"),
      sizes.tableOf("none"),
    ]).toEqual([25_000, 2500, undefined, "a", undefined]);
    expect(sizes.perKey("none", 1)).toBe(1_000_000);
    analyzed.close();
  });

  test("are bounds without `analyze`", () => {
    const plain = new DatabaseSync(":memory:");
    plain.exec(`create table a (id text primary key, b text) without rowid; create index a_b on a (b);
      create table c (id integer primary key, b text); create index c_b on c (b);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000) insert into a select i, i % 10 from n;
      insert into c select id, b from a`);
    const sizes = new TableSizes(plain);
    expect([sizes.rows("a"), sizes.perKey("a_b", 1)]).toEqual([1_000_000, 1_000_000]);
    // A key that has more rows than are counted may have them all.
    expect([sizes.rows("c"), sizes.perKey("c_b", 1)]).toEqual([25_000, 25_000]);
    plain.close();
  });

  test("follow the growth of tables below views, also of small ones", () => {
    const grown = new DatabaseSync(":memory:");
    grown.exec("create table a (id integer primary key); create table b (id integer primary key)");
    const sizes = new TableSizes(grown);
    expect([sizes.rows("a"), sizes.largest(), sizes.epoch]).toEqual([0, 0, 0]);
    grown.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into b select i from n",
    );
    sizes.refresh();
    expect([sizes.rows("a"), sizes.largest(), sizes.epoch]).toEqual([0, 500, 1]);
    grown.close();
  });

  test("are read from the ends of a table, and from samples, not from all rows", () => {
    const texts: string[] = [];
    const recorded = new Proxy(database, {
      get: (target, name) => (text: string) => {
        expect(name).toBe("prepare");
        texts.push(text);
        return target.prepare(text);
      },
    });
    const sizes = new TableSizes(recorded);
    expect([sizes.rows("city"), sizes.perKey("city_country", 1)]).toEqual([CITIES, FAN_OUT]);
    expect(sizes.largest()).toBeGreaterThanOrEqual(CITIES);
    sizes.refresh();
    const plans = texts
      .filter((text) => text.includes('"city"') && !text.includes(" limit "))
      .map((text) => {
        const lines = database.prepare(`explain query plan ${text}`).all() as unknown as readonly PlanLine[];
        return lines.map(({ detail }) => detail).join("; ");
      });
    expect(plans.length).toBeGreaterThan(1);
    for (const plan of plans) expect(plan).not.toContain("SCAN city");
  });

  test("are read again after a table has grown, or the schema has changed", () => {
    const growing = new DatabaseSync(":memory:");
    growing.exec("create table a (id integer primary key)");
    const sizes = new TableSizes(growing);
    const states = [[sizes.rows("a"), sizes.epoch]];
    const then = (change: string): void => {
      growing.exec(change);
      sizes.refresh();
      states.push([sizes.rows("a"), sizes.epoch]);
    };
    then("insert into a values (1)");
    then(
      "with recursive n(i) as (select 2 union all select i + 1 from n where i < 50000) insert into a select i from n",
    );
    then("insert into a values (60000)");
    then("create index a_id on a (id)");
    then("delete from a");
    expect(states).toEqual([
      [0, 0],
      [0, 0],
      [50_000, 1],
      [50_000, 1],
      [60_000, 2],
      [0, 3],
    ]);
    growing.close();
  });
});

describe("the rows of a page as JSON", () => {
  const rows = `select "id" as "c0" from "city" as "it" where ("name" like ?) order by "id" limit ?`;
  const cells = `select cast(group_concat(json_object('id', "c0")) as blob) as "c0", 0 as "c1", count(*) as "c2"`;

  test("are a query of their own", () => {
    expect(jsonRows(`${cells} from (${rows}) as "page"`)).toBe(rows);
  });

  test("are the inner query of a statement with the total", () => {
    const total = `case when count(*) not between ? and ? then (select count(*) from "city") end as "c3"`;
    expect(jsonRows(`${cells}, ${total} from (${rows}) as "page"`)).toBe(rows);
  });

  test("are not those of other statements", () => {
    expect(jsonRows(rows)).toBeNull();
  });
});
