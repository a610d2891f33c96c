import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type DatabaseEngine, type DatabaseName } from "./engines.ts";

/** Values outside the range of a database are a client error: no response is wrong, and none is a 500. */

const Edge = entityType("Edge", {
  id: edm.int32().key(),
  text: edm.string(),
  ratio: edm.double(),
  big: edm.int64(),
  amount: edm.decimal(),
  day: edm.date(),
  at: edm.dateTimeOffset(),
});

const TYPES: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: [
    "integer primary key",
    "text not null",
    "real not null",
    "integer not null",
    "text not null",
    "text not null",
    "text not null",
  ],
  postgres: [
    "integer primary key",
    "text not null",
    "double precision not null",
    "bigint not null",
    "numeric not null",
    "date not null",
    "timestamptz not null",
  ],
  mariadb: [
    "int primary key",
    "text not null",
    "double not null",
    "bigint not null",
    "decimal(40,10) not null",
    "date not null",
    "datetime(6) not null",
  ],
};

async function edgesOver(engine: DatabaseEngine) {
  const opened = await engine.open();
  const names = ["id", "text", "ratio", "big", "amount", "day", "at"];
  await createTable(opened, "edges", Object.fromEntries(names.map((name, at) => [name, TYPES[engine.name][at] ?? ""])));
  const big = 2n ** 63n - 1n;
  const amount = "12345678901234567890.5";
  const integer = engine.name === "sqlite" ? big : String(big);
  const at = {
    sqlite: `2024-02-29T12:00:00.${"0".repeat(12)}Z`,
    postgres: "2024-02-29 12:00+00",
    mariadb: "2024-02-29 12:00",
  };
  await insertRow(opened, "edges", [1, "a", 1e300, integer, amount, "2024-02-29", at[engine.name]]);
  const { db, close } = opened;
  const defaults = { applyEnabled: true, computeEnabled: true };
  const service = odataService({
    defaults,
    entitySets: [sqlEntitySet(Edge, { db, table: "edges", operations: ["read"] })],
  });
  return { name: engine.name, title: engine.title, service, close };
}

const over = await Promise.all(ENGINES.map(edgesOver));
afterAll(() => Promise.all(over.map(({ close }) => close())));

/** One row, none, or the reason, in the order SQLite, PostgreSQL, MariaDB. */
type Outcome = "row" | "none" | RegExp;
const RANGE = /cannot evaluate the expression: an intermediate number is out of range/;

const CASES: ReadonlyArray<readonly [filter: string, sqlite: Outcome, postgres: Outcome, mariadb: Outcome]> = [
  ["Ratio mul 1e300 eq INF", "row", RANGE, /MariaDB cannot compare with INF/],
  ["Ratio mul 1e300 gt 1e0", "row", RANGE, RANGE],
  ["Ratio div 0e0 gt 1e0", "row", "row", RANGE],
  ["Ratio lt INF", "row", "row", /MariaDB cannot compare with INF/],
  [
    "Ratio mod 7e0 ge 0e0",
    "row",
    /PostgreSQL cannot evaluate 'mod' of Doubles exactly/,
    /MariaDB cannot evaluate 'mod' of Doubles exactly/,
  ],
  ["Big add 1 eq null", "row", "row", "row"],
  ["Big mul Big eq null", "row", "row", "row"],
  ["Big div (Big sub Big) eq null", "row", "row", "row"],
  ["(-Big sub 1) div -1 eq null", "row", "row", "row"],
  ["Amount div (Amount sub Amount) eq null", "row", "row", "row"],
  ["Amount mul Amount gt Amount", "row", "row", "row"],
  ["Amount mul Amount mul Amount mul Amount gt 0", "row", "row", RANGE],
  [
    "Amount lt 1234567890123456789012345678901234567890",
    "row",
    "row",
    /MariaDB cannot compare Decimals of more than 35 digits before/,
  ],
  [
    "contains(Text,'\u0000')",
    "none",
    /PostgreSQL cannot evaluate the expression: its strings cannot contain the character U\+0000/,
    "none",
  ],
  ["Ratio eq NaN or Ratio lt NaN or Ratio ge NaN", "none", "none", "none"],
  ["Ratio in (NaN,1e300)", "row", "row", "row"],
  ["Ratio sub Ratio in (NaN,1e0)", "none", "none", "none"],
  ["Ratio in (NaN,null)", "none", "none", "none"],
  ["Ratio sub Ratio in (NaN,null)", "none", "none", "none"],
  ["not (Ratio in (NaN,1e0))", "row", "row", "row"],
  ["not (Ratio in (NaN,null))", "row", "row", "row"],
  ["not (Ratio sub Ratio in (NaN,null))", "row", "row", "row"],
  ["endswith(Text,'')", "row", "row", "row"],
  ["Day eq 2024-02-29T00:00:00Z and Day le 2024-02-29T00:00:00Z", "row", "row", "row"],
  ["Day lt 2024-02-29T12:00:00Z and Day le 2024-02-29T12:00:00Z", "row", "row", "row"],
  ["Day eq 2024-02-29T12:00:00Z or Day gt 2024-02-29T12:00:00Z or Day ge 2024-02-29T12:00:00Z", "none", "none", "none"],
  ["Day add duration'P1D' eq 2024-03-01T00:00:00Z", "row", "row", "row"],
  ["Day gt -9999-12-31 and Day lt 999999-12-31", "row", "row", "row"],
  ["Day gt -9999-12-31T00:00:00Z and Day lt 999999-12-31T00:00:00Z", "row", "row", "row"],
  ["At gt -9999-12-31T00:00:00Z and At lt 999999-12-31T00:00:00Z", "row", "row", "row"],
  ["Id eq 99999999999", "none", "none", "none"],
  ["Id lt 1.5 and Id gt 0.5", "row", "row", "row"],
];

const POSITIONS = { sqlite: 1, postgres: 2, mariadb: 3 } as const;

describe.each(over)("over $title", ({ name, service }) => {
  test.each(CASES)("%s", async (...given) => {
    const [filter] = given;
    const outcome = given[POSITIONS[name]];
    const response = await service.fetch(
      new Request(`http://service.example/Edges?$filter=${encodeURIComponent(filter)}`),
    );
    const text = await response.text();
    if (outcome instanceof RegExp) {
      expect([response.status, text]).toEqual([400, expect.stringContaining('"UnsupportedQueryOption"')]);
      expect(text).toMatch(outcome);
      return;
    }
    expect(response.status, text).toBe(200);
    const { value } = JSON.parse(text) as { readonly value: readonly unknown[] };
    expect(value).toHaveLength(outcome === "row" ? 1 : 0);
  });

  test.each([
    [{ $compute: "Ratio div 0e0 as A,(Ratio sub Ratio) div 0e0 as B", $select: "A,B" }, '"A":"INF","B":null'],
    [{ $compute: "Ratio div (Ratio sub Ratio) as A", $select: "A" }, '"A":"INF"'],
    [{ $apply: "compute((Ratio sub Ratio) div 0e0 as A)/groupby((A),aggregate($count as N))" }, '"A":null,"N":1'],
    [{ $apply: "aggregate((Ratio sub Ratio) div 0e0 with countdistinct as A)" }, '"A":0'],
  ])("a value that would be NaN is null: %o", async (options, stated) => {
    const query = Object.entries(options).map(([option, text]) => `${option}=${encodeURIComponent(text)}`);
    const accept = { Accept: "application/json;odata.metadata=none" };
    const response = await service.fetch(
      new Request(`http://service.example/Edges?${query.join("&")}`, { headers: accept }),
    );
    const text = await response.text();
    if (name === "mariadb") {
      expect([response.status, text]).toEqual([400, expect.stringMatching(RANGE)]);
      return;
    }
    expect([response.status, text]).toEqual([200, `{"value":[{${stated}}]}`]);
  });

  test("the average of a sum beyond the digits of the database is refused, not rounded", async () => {
    const $apply = "aggregate(Amount mul 100000000 with average as A)";
    const response = await service.fetch(
      new Request(`http://service.example/Edges?$apply=${encodeURIComponent($apply)}`, {
        headers: { Accept: "application/json;odata.metadata=none" },
      }),
    );
    const text = await response.text();
    const outcome =
      name === "mariadb"
        ? [400, expect.stringMatching(RANGE)]
        : [200, '{"value":[{"A":1234567890123456789050000000}]}'];
    expect([response.status, text]).toEqual(outcome);
  });
});
