import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { guardText } from "../../src/kysely/sqlite/guard-text.ts";

const database = new DatabaseSync(":memory:");
afterAll(() => database.close());
let calls = 0;
database.function("odata_alive", { deterministic: false }, () => {
  calls += 1;
  return 1;
});
// Replaces the function of SQLite: every row is visited with a call.
database.function("random", { deterministic: false }, () => 64);
database.exec(`
  create table a (id integer primary key, name text, "order" text);
  create table b (id integer primary key, a_id integer not null, name text);
  create table unindexed (id integer primary key, "key" integer, name text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into unindexed select i, i, 'n' from n;
  analyze unindexed;
  create index b_a on b (a_id);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 10) insert into a select i, 'n' || i, 'x' from n;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 100) insert into b select i, 1 + i % 5, 'n' || (i % 10) from n;
`);

const ALIVE = "(random() & 63 or odata_alive())";

test.each<readonly [sql: string, guarded: string]>([
  [`select "id" from "a" as "it"`, `select "id" from "a" as "it" where ${ALIVE}`],
  [
    `select "id" from "a" as "it" order by "id" limit 5`,
    `select "id" from "a" as "it" where ${ALIVE}  order by "id" limit 5`,
  ],
  [
    `select "id" from "a" where "id" = 1 or "id" = 2`,
    `select "id" from "a" where ${ALIVE} and ( "id" = 1 or "id" = 2)`,
  ],
  [`select count(*) from "a" as "it"`, `select count(*) from "a" as "it"`],
  ["select 1", "select 1"],
  [`select 'from a where b' as "from x" -- from y\n`, `select 'from a where b' as "from x" -- from y\n`],
  [
    `select 1 from "a" where "name" is not distinct from 'x'`,
    `select 1 from "a" where ${ALIVE} and ( "name" is not distinct from 'x')`,
  ],
])("%s", (sql, guarded) => {
  expect(guardText(sql)).toBe(guarded);
});

const MADE = `(with listed as materialized (select value from json_each('[1,2,3]')) select * from listed) as "keys"`;

test.each([
  `select count(*) from ${MADE} inner join "unindexed" as "r1" on "r1"."key" = "keys"."value"`,
  `select count(*) from ${MADE} cross join "unindexed" as "r1" on ("r1"."key" = "keys"."value")`,
  `select count(*) from ${MADE} left outer join "unindexed" as "r1" on "r1"."key" = "keys"."value"`,
  `select count(*) from "b" as "it" inner join "unindexed" as "r1" on "r1"."key" = "it"."name" where "it"."a_id" > 2`,
])("has the plan of the statement, with its automatic index: %s", (sql) => {
  const planOf = (text: string): readonly string[] =>
    database
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail).replace("PARTIAL ", ""));
  expect(planOf(sql).join("\n")).toContain("AUTOMATIC");
  expect(planOf(guardText(sql))).toEqual(planOf(sql));
});

/** Statements with the least number of visited rows. */
test.each<readonly [visits: number, sql: string]>([
  [10, `select * from "a" as "it" where "id" > 3 or "name" = 'n2' order by "name" desc limit 4`],
  [
    110,
    `select count(*) from "b" as "it" where exists (select 1 from "a" as "r1" where "r1"."id" = "it"."a_id" and "r1"."name" <> 'x')`,
  ],
  [
    20,
    `select "it"."id", "r1"."name" from "a" as "it" left join "b" as "r1" on "r1"."a_id" = "it"."id" and "r1"."name" = 'n1'`,
  ],
  [
    100,
    `select "it"."id" from "a" as "it" inner join "b" as "r1" on "r1"."a_id" = "it"."id" where "r1"."name" like 'n%' group by "it"."id" having count(*) > 1`,
  ],
  [
    100,
    `select "k"."value", "r1"."id" from (select value from json_each('[1,2,3,4,5]')) as "k" cross join "b" as "r1" on "r1"."a_id" = "k"."value" order by 1, 2`,
  ],
  [
    100,
    `select "it"."id" from "a" as "it" cross join "b" as "r1" on ("r1"."a_id" = "it"."id") left join "a" as "r2" on "r2"."id" = "r1"."a_id" order by 1`,
  ],
  [
    100,
    `select "it"."id" from "a" as "it" inner join "unindexed" as "r2" on "r2"."id" = "it"."id" inner join (select "r2"."a_id", "r2"."id" from "b" as "r2" where "r2"."a_id" > 0) as "r3" on exists (select 1 from "b" as "r2" where "r2"."a_id" = "r3"."a_id") and "r3"."a_id" = "it"."id" order by 1`,
  ],
  [110, `select "id" from (\nselect * from "a" -- all\n) as "it" union all select "id" from "b" order by 1`],
  [
    10,
    `select "it"."id", (select count(*) from "b" as "r1" where "r1"."a_id" = "it"."id") as n from "a" as "it" order by n desc, 1`,
  ],
  [
    5,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i, row_number() over (order by i desc) from n`,
  ],
  [10, `select id, [name], \`order\` from a where case when id in (1, 2) then 1 else 0 end = 0 order by id /* end */`],
  [
    10,
    `select a.id, count(*) filter (where b.name = 'n1') from a, b where a.id = b.a_id group by a.id window w as (order by a.id)`,
  ],
])("%i visits, and the same rows: %s", (visits, sql) => {
  const expected = database.prepare(sql).all();
  calls = 0;
  expect(database.prepare(guardText(sql)).all()).toEqual(expected);
  expect(calls).toBeGreaterThanOrEqual(visits);
});

test("calls the function for one row of 64, and frees its memory", () => {
  const plain = new DatabaseSync(":memory:");
  let called = 0;
  plain.function("odata_alive", { deterministic: false }, () => {
    called += 1;
    return 1;
  });
  plain.exec(`create table n (i integer primary key);
    with recursive m(i) as (select 1 union all select i + 1 from m where i < 1000) insert into n select i from m`);
  const sql = `select count(*) as "n" from "n" as "a" inner join "n" as "b" on "b"."i" + 0 <> "a"."i"`;
  expect(plain.prepare(guardText(sql)).get()).toEqual({ n: 999_000 });
  // The mean is 15,625 for the inner loop, and some more for the outer one; five times the deviation is 620.
  expect(called).toBeGreaterThan(14_000);
  expect(called).toBeLessThan(18_000);
  plain.close();
});
