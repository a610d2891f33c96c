import { sql } from "kysely";
import { ConfigurationError, odataService } from "odatakit";
import { introspectDatabase, type GivenRelation } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { EMBEDDED, ENGINES, type AnyDatabase } from "../../../engine/executors/engines.ts";

const TABLES = [
  "create table shoppers (id int primary key, code varchar(10) not null, name varchar(20))",
  "create table deals (id int primary key, shopper_id int, n int)",
  "insert into shoppers values (1, 'a', 'Ada'), (2, 'b', 'Bob')",
  "insert into deals values (1, 1, 5), (2, 1, 50), (3, 2, 70)",
  "create view big_deals as select id, shopper_id, n from deals where n > 10",
];

async function withTables(engine: (typeof ENGINES)[number], use: (db: AnyDatabase) => Promise<void>): Promise<void> {
  const { db, close } = await engine.open();
  try {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
    await use(db);
  } finally {
    for (const drop of ["view big_deals", "table deals", "table shoppers"]) await sql.raw(`drop ${drop}`).execute(db);
    await close();
  }
}

const OPTIONS = { include: ["shoppers", "deals", "big_deals"], keys: { big_deals: ["id"] } };

describe.each(ENGINES)("$title", (engine) => {
  test.each<readonly [string, GivenRelation]>([
    ["from the many to the one", { from: "big_deals.shopper_id", to: "shoppers.id" }],
    ["from the one to the many, in other letters", { from: "SHOPPERS.ID", to: "Big_Deals.Shopper_Id" }],
  ])("a relation %s leads both ways", async (_name, relation) => {
    await withTables(engine, async (db) => {
      const { entitySets } = await introspectDatabase(db, { ...OPTIONS, relations: [relation] });
      const service = odataService({ prefix: "/odata", entitySets });
      const read = async (path: string): Promise<unknown> => {
        const response = await service.fetch(new Request(`http://h/odata/${path}`));
        expect([path, response.status]).toEqual([path, 200]);
        return response.json();
      };
      expect(await read("BigDeals(3)?$expand=Shopper")).toMatchObject({ Shopper: { Name: "Bob" } });
      expect(await read("Shoppers?$expand=BigDeals($select=N)&$filter=BigDeals/any(d: d/N gt 60)")).toMatchObject({
        value: [{ Name: "Bob", BigDeals: [{ N: 70 }] }],
      });
      expect(await read("Shoppers(1)/BigDeals")).toMatchObject({ value: [{ Id: 2 }] });
    });
  });

  test("relations that cannot be are refused, all at once", async () => {
    await withTables(engine, async (db) => {
      const relations = [
        { from: "big_deals.shoper_id", to: "shoppers.id" },
        { from: "deals.n", to: "big_deals.shopper_id" },
        { from: "deals.n", to: "nowhere" },
        { from: "deals.id", to: "shoppers.name" },
      ];
      const failed: unknown = await introspectDatabase(db, { ...OPTIONS, relations }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(ConfigurationError);
      const shown = (failed as ConfigurationError).faults.map(({ message, fix }) => `${message} ${fix}`);
      expect(shown).toEqual([
        expect.stringMatching(
          /"big_deals.shoper_id", which is no published column. Did you mean ".*big_deals.shopper_id"\?/,
        ),
        expect.stringContaining("has no end whose values are unique."),
        expect.stringContaining('"nowhere", which is no published column. Write `table.column`'),
        expect.stringContaining("compares columns of different types."),
      ]);
    });
  });
});

test.each<readonly [string, string, string]>([
  ["tables of two schemas", "shoppers.id", 'Write "public.shoppers.id" or "south.shoppers.id".'],
  ["names that differ in letter case alone", "DEALS.ID", 'Write "public.Deals.id" or "public.deals.id".'],
])("a relation that means %s is refused", async (_name, to, fix) => {
  await withTwins(async (db) => {
    const relations = [{ from: "notes.n", to }];
    const failed: unknown = await introspectDatabase(db, { relations }).catch((error: unknown) => error);
    const message = `\`relations\` names "${to}", which is the name of 2 columns.`;
    expect((failed as ConfigurationError).faults).toEqual([expect.objectContaining({ message, fix })]);
  });
});

test.each(["south.shoppers.id", "deals.id"])("a relation with the exact name %s is made", async (to) => {
  await withTwins(async (db) => {
    const { described } = await introspectDatabase(db, { relations: [{ from: "notes.n", to }] });
    const notes = described.sets.find(({ setName }) => setName === "Notes");
    expect(notes?.navigations).toHaveLength(1);
  });
});

/** Tables of PostgreSQL whose short names mean two of them. */
async function withTwins(use: (db: AnyDatabase) => Promise<void>): Promise<void> {
  const pglite = EMBEDDED.find(({ title }) => title === "PGlite");
  if (pglite === undefined) throw new Error("PGlite is missing.");
  const { db, close } = await pglite.open();
  try {
    await sql.raw("create schema south").execute(db);
    for (const table of ["shoppers", "south.shoppers", "deals", '"Deals"']) {
      await sql.raw(`create table ${table} (id int primary key)`).execute(db);
    }
    await sql.raw("create table notes (id int primary key, n int)").execute(db);
    await use(db);
  } finally {
    for (const table of ["notes", "shoppers", "south.shoppers", "deals", '"Deals"']) {
      await sql.raw(`drop table ${table}`).execute(db);
    }
    await sql.raw("drop schema south").execute(db);
    await close();
  }
}
