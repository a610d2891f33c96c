import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runSteps, type CatalogueQuery } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema } from "../../../src/databases/introspect/database-schema.ts";
import { readSqliteDatabase } from "../../../src/databases/sqlite/introspect/sqlite-database.ts";
import { columnOf, objectOf } from "./sqlite-hostile.ts";

const MANY = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ROWS)";

/** Reads a database synchronously, and notes the statements. */
function read(
  script: string,
  rows: number,
): { readonly schema: DatabaseSchema; readonly queries: readonly CatalogueQuery[] } {
  const db = new DatabaseSync(":memory:");
  const queries: CatalogueQuery[] = [];
  try {
    db.exec(script.replaceAll("MANY", MANY).replaceAll("ROWS", String(rows)));
    const schema = runSteps(readSqliteDatabase(), (query) => {
      queries.push(query);
      const found = db.prepare(query.sql).all(...query.parameters) as ReadonlyArray<Readonly<Record<string, unknown>>>;
      return found.map((row) => Array.from({ length: query.width ?? 0 }, (_, at) => row[`c${String(at)}`]));
    });
    return { schema: schema as DatabaseSchema, queries };
  } finally {
    db.close();
  }
}

test.each([
  ["a table", "create table t (id integer primary key, a int)", "select i, i from n", [1, 5000, 15_001, 20_000]],
  [
    "a table without rowid",
    "create table t (a int primary key) without rowid",
    "select i from n",
    [1, 5000, 15_001, 20_000],
  ],
  [
    "a table without rowid in descending order",
    "create table t (b int, a int, primary key (b desc, a)) without rowid",
    "select -i, i from n",
    [1, 5000, 15_001, 20_000],
  ],
])("the sample of %s is its first and last 5,000 rows", (_name, create, select, seen) => {
  // Marked rows show which ones are read.
  for (const row of [1, 5000, 5001, 10_000, 15_000, 15_001, 20_000]) {
    const marked = select.replace(/i from n$/, `iif(i = ${String(row)}, i + 0.5, i) from n`);
    const { schema } = read(`${create}; insert into t MANY ${marked};`, 20_000);
    const { sample } = columnOf(schema, "t", "a");
    const isKey = objectOf(schema, "t").primaryKey.includes("a");
    expect([row, sample?.reals]).toEqual([row, isKey || seen.includes(row) ? 1 : 0]);
    expect(objectOf(schema, "t").estimatedRows).toBeNull();
  }
});

test("the sample of a view is its first 10,000 rows", () => {
  for (const [row, reals] of [
    [10_000, 1],
    [10_001, 0],
  ] as const) {
    const { schema } = read(
      `create table t (id integer primary key, a int); insert into t MANY select i, iif(i = ${String(row)}, 0.5, i) from n; create view v as select a from t;`,
      20_000,
    );
    expect(columnOf(schema, "v", "a").sample?.reals).toBe(reals);
  }
});

test("a table with many columns, and one with long cells, have smaller samples", () => {
  const names = Array.from({ length: 60 }, (_, at) => `c${String(at)}`);
  const wide = read(
    `create table t (${names.join(", ")}); insert into t MANY select ${names.map(() => "i").join(", ")} from n;`,
    20_000,
  );
  expect(columnOf(wide.schema, "t", "c0").sample?.rows).toBe(5000);
  const long = read("create table t (a); insert into t MANY select zeroblob(10000) from n;", 10_000);
  expect(columnOf(long.schema, "t", "a").sample?.rows).toBe(5000);
});

test.each([
  ["null", "null", "nulls"],
  ["a text", "'x'", "texts"],
  ["bytes", "x'00'", "blobs"],
  ["a real", "0.5", "reals"],
])("%s in any row of a key is a cell of its sample", (_name, cell, kind) => {
  for (const key of ["a int unique", "a int, primary key (a)", "a int, b int, primary key (b, a)"]) {
    const { schema } = read(
      `create table t (${key}); insert into t (a) MANY select iif(i = 10000, ${cell}, i) from n;`,
      20_000,
    );
    const { sample } = columnOf(schema, "t", "a");
    expect([key, sample?.[kind as "nulls"], sample?.rows]).toEqual([key, 1, 10_001]);
  }
});

test("the rows that statements read do not grow with a table", () => {
  const statements = [20_000, 40_000].map((rows) => {
    const script = "create table t (a int primary key, b text); insert into t MANY select i, 'x' || i from n;";
    return read(script, rows).queries.map(({ sql, parameters }) => [sql, parameters]);
  });
  expect(statements[0]).toEqual(statements[1]);
  const ofRows = (statements[0] ?? []).filter(([sql]) => String(sql).includes('from "main"'));
  expect(ofRows.filter(([sql]) => !/limit \d+|exists\(/.test(String(sql)))).toEqual([]);
});
