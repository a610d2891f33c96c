import { sql } from "kysely";
import {
  describeService,
  indexedProperties,
  readDatabaseSchema,
  unindexedWarnings,
  type DescribedService,
} from "odatakit/introspect";
import { expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { PGLITE } from "../../databases/introspect/postgres-hostile.ts";
import { SQLITE } from "../../databases/introspect/sqlite-hostile.ts";
import { statementsOf } from "../../fixtures/databases/load.ts";

async function describeScript(engine: typeof SQLITE | undefined, script: string): Promise<DescribedService> {
  const opened = await required(engine, "The run has this database.").open();
  try {
    for (const statement of statementsOf(script)) await sql.raw(statement).execute(opened.db);
    return describeService(await readDatabaseSchema(opened.db));
  } finally {
    if (engine !== SQLITE) await sql`drop table if exists items cascade`.execute(opened.db);
    await opened.close();
  }
}

const optionsOf = ({ sets }: DescribedService, name: string): object =>
  indexedProperties(
    required(
      sets.find(({ setName }) => setName === name),
      `There is no ${name}.`,
    ),
  );

const TABLES = `create table items (id integer primary key, code text not null, name text collate "C", price integer, stock integer);
create index items_code on items (code collate "C");
create index items_name on items (name);
create index items_price on items (price);
create index items_stock on items (stock nulls first, id);
create view dear as select id, code, price from items where price > 5;`;

test.skipIf(PGLITE === undefined)(
  "an index of PostgreSQL serves strings by code point, and orders if null comes first",
  async () => {
    const service = await describeScript(PGLITE, TABLES);
    expect(optionsOf(service, "Items")).toEqual({
      filterProperties: ["id", "code", "name", "price", "stock"],
      orderByProperties: ["id", "code", "stock"],
    });
    expect(unindexedWarnings(service).map(({ place, message, flag }) => [place, message, flag])).toEqual([
      [
        "Items.Name",
        "has no index in its order, so $orderby refuses it",
        'create index on items (name collate "C" nulls first)',
      ],
      ["Items.Price", "has no index in its order, so $orderby refuses it", "create index on items (price nulls first)"],
    ]);
  },
);

test.skipIf(PGLITE === undefined)("an index of PostgreSQL with another collation does not serve strings", async () => {
  const script = `create table items (id integer primary key, code text collate "en_US" not null);
  create index items_code on items (code);`;
  const service = await describeScript(PGLITE, script).catch(() => null);
  // A server without this collation cannot run the script.
  if (service !== null) expect(optionsOf(service, "Items")).toMatchObject({ filterProperties: ["id"] });
});

test.skipIf(PGLITE === undefined)("a view of PostgreSQL has the indexes of its table", async () => {
  const service = await describeScript(PGLITE, TABLES);
  expect(optionsOf(service, "Dears")).toEqual({
    filterProperties: ["id", "code", "price"],
    orderByProperties: ["id"],
  });
});

test("an index of SQLite orders null first", async () => {
  const script = `create table "my items" (id integer primary key, "a b" text, c text, d blob);
  create index one on "my items" ("a b");`;
  const service = await describeScript(SQLITE, script);
  expect(optionsOf(service, "MyItems")).toEqual({ filterProperties: ["id", "ab"], orderByProperties: ["id", "ab"] });
  expect(unindexedWarnings(service).map(({ place, flag }) => [place, flag])).toEqual([
    ["MyItems.C", 'create index "my items_c" on "my items" (c)'],
  ]);
});
