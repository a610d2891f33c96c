import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { required } from "../../../../src/base/required.ts";
import { EMBEDDED, ENGINES } from "../../../engine/executors/engines.ts";
import { openSample } from "../../../fixtures/databases/load.ts";

describe.each(ENGINES)("$title", (engine) => {
  test("a view gets the key that is unique in the data, and `$metadata` says so", async () => {
    const { db, close } = await engine.open();
    try {
      await sql`create table facts (id int primary key, region int not null, month int not null, name varchar(20))`.execute(
        db,
      );
      await sql`insert into facts values (1, 1, 1, 'x'), (2, 1, 2, 'y'), (3, 2, 1, null)`.execute(db);
      await sql`create view monthly as select region, month, max(name) as name from facts group by region, month`.execute(
        db,
      );
      await sql`create view no_rows as select region, month from facts where id > 100`.execute(db);
      await sql`create view doubled as select region + 0 as region from facts`.execute(db);
      const { entitySets, described, warnings } = await introspectDatabase(db, {
        keys: { "*": "unique" },
        include: ["monthly", "no_rows", "doubled"],
      });
      const [set] = described.sets;
      expect([described.sets.length, set?.setName, set?.key]).toEqual([
        1,
        "Monthlies",
        expect.stringMatching(/unique in the data|proven/),
      ]);
      const service = odataService({ prefix: "/odata", entitySets });
      const read = async (path: string): Promise<string> =>
        (await service.fetch(new Request(`http://h/odata/${path}`))).text();
      expect(await read("Monthlies(Region=2,Month=1)")).toContain('"Region":2,"Month":1,"Name":null');
      if (set?.key === "unique in the data") {
        expect(await read("$metadata")).toContain(
          "The key is unique in the data, which the database does not guarantee.",
        );
      }
      const places = warnings
        .filter(({ code }) => code === "no-key")
        .map(({ place, message }) => `${place.replace(/^.*\./, "")} ${message}`);
      expect(places).toEqual([
        "doubled view without a key, also in the data, omitted",
        "no_rows view without a key and without rows to search for one, omitted",
      ]);
    } finally {
      for (const view of ["monthly", "no_rows", "doubled"]) await sql.raw(`drop view if exists ${view}`).execute(db);
      await sql`drop table facts`.execute(db);
      await close();
    }
  });

  test("all views of Northwind have a key in the data", async () => {
    const opened = await openSample(engine, "northwind");
    try {
      const { described } = await introspectDatabase(opened.db, { keys: "unique" });
      const views = described.sets.filter(({ kind }) => kind !== "table");
      expect(views.length).toBeGreaterThanOrEqual(15);
      const byName = new Map(views.map((view) => [view.table.name, view]));
      const subtotals = required(
        byName.get("Order Subtotals") ?? byName.get("order_subtotals"),
        "The sample has this view.",
      );
      expect(
        subtotals.properties.filter(({ isKey }) => isKey).map(({ column }) => column.toLowerCase().replace("_", "")),
      ).toEqual(["orderid"]);
    } finally {
      await opened.close();
    }
  });
});

test("without `unique`, the data is not searched", async () => {
  const sqlite = required(
    EMBEDDED.find(({ name }) => name === "sqlite"),
    "SQLite is everywhere.",
  );
  const { db, close } = await sqlite.open();
  await sql`create view one as select 1 as x`.execute(db);
  for (const keys of [undefined, "proven", { "*": "proven" }] as const) {
    const { described, warnings } = await introspectDatabase(db, { keys });
    expect([described.sets, warnings]).toEqual([
      [],
      [expect.objectContaining({ code: "no-key", flag: "--keys unique" })],
    ]);
  }
  const { described } = await introspectDatabase(db, { keys: { "*": "proven", one: ["x"] } });
  expect(described.sets.map(({ key }) => key)).toEqual(["given"]);
  await close();
});

test("a search finds another key than that whose cells are of several kinds", async () => {
  const engine = required(
    EMBEDDED.find(({ name }) => name === "sqlite"),
    "SQLite is no engine.",
  );
  const { db, close } = await engine.open();
  await sql`create table odd (id int primary key, label text) without rowid`.execute(db);
  await sql`insert into odd values (1, 'a'), (x'01', 'b')`.execute(db);
  const { described } = await introspectDatabase(db, { keys: { "*": "unique" }, include: ["odd"] });
  const [set] = described.sets;
  expect([set?.key, set?.properties.flatMap(({ name, isKey }) => (isKey ? [name] : []))]).toEqual([
    "unique in the data",
    ["Label"],
  ]);
  await close();
});
