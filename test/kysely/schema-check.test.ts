import { sql } from "kysely";
import { ConfigurationError, edm, entityType, enumType, hasMany, odataService, type Logger } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName, type OpenDatabase } from "../executors/engines.ts";

/** What a service found: the faults of its start, or the warnings in its log. */
interface Found {
  readonly faults: readonly object[];
  readonly warnings: readonly string[];
}

type Sets = Parameters<typeof odataService>[0]["entitySets"];

/** Starts a service. Of each fault the place and kind are kept. */
async function start(entitySets: Sets): Promise<Found> {
  const warnings: string[] = [];
  const logger: Logger = {
    error: () => undefined,
    warn: (_message, fields) => warnings.push(`${String(fields["code"])} ${String(fields["fix"])}`),
    info: () => undefined,
  };
  try {
    await odataService({ entitySets, logger }).ready();
    return { faults: [], warnings };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { faults: error.faults, warnings };
  }
}

/** The place and kind of each fault. */
function placesOf({ faults }: Found): readonly string[] {
  return (faults as ConfigurationError["faults"]).map(({ code, set, property, table, column }) =>
    [code, `${set ?? ""}.${property ?? ""}`, `${table ?? ""}.${column ?? ""}`].join(" "),
  );
}

const Level = enumType("Level", { Low: 1, High: 2 });
const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string(),
  ownerId: edm.int32().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  total: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  level: edm.enum(Level).nullable(),
});
const Tag = entityType("Tag", { code: edm.string().key() });

/** Column types of each database: those that fit the declaration, and those that do not. */
const TYPES: Readonly<
  Record<DatabaseName, Readonly<Record<"at" | "total" | "level" | "wrongAt" | "wrongTotal" | "wrongLevel", string>>>
> = {
  sqlite: {
    at: "text",
    total: "text",
    level: "text",
    wrongAt: "text default current_timestamp",
    wrongTotal: "numeric(12, 2)",
    wrongLevel: "integer",
  },
  postgres: {
    at: "timestamptz",
    total: "numeric(12, 2)",
    level: "text",
    wrongAt: "timestamp",
    wrongTotal: "double precision",
    wrongLevel: "integer",
  },
  mariadb: {
    at: "datetime(6)",
    total: "decimal(12, 2)",
    level: "varchar(20)",
    wrongAt: "timestamp(6) null default null",
    wrongTotal: "double",
    wrongLevel: "int",
  },
};

describe.each(ENGINES)("the schema check of $title", ({ name, open }) => {
  let opened: OpenDatabase | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const types = TYPES[name];
  const text =
    name === "mariadb"
      ? "varchar(50) collate utf8mb4_nopad_bin"
      : `varchar(50)${name === "postgres" ? ' collate "C"' : ""}`;

  async function database(...statements: readonly string[]): Promise<AnyDatabase> {
    opened = await open();
    for (const statement of statements) await sql.raw(statement).execute(opened.db);
    return opened.db;
  }

  const columns = { ownerId: "owner_id" } as const;
  const operations = ["read"] as const;
  const goodItems = (table: string): string => `create table ${table} (id integer primary key, name ${text} not null,
    owner_id integer, at ${types.at}, total ${types.total}, level ${types.level})`;

  test("reports every difference at once, with place, reason and fix", async () => {
    const db = await database(
      `create table items (id integer, name ${text}, ownerid_ integer, at ${types.wrongAt}, total ${types.wrongTotal},
        level ${types.wrongLevel})`,
    );
    const tags = hasMany(Tag, {
      target: "Tags",
      through: { table: "item_tags", from: { id: "item" }, to: { tag: "code" } },
    });
    const found = await start([
      sqlEntitySet(Item, { db, table: "items", operations, navigation: { tags } }),
      sqlEntitySet(Tag, { db, table: "itmes", operations }),
    ]);
    expect(placesOf(found)).toEqual([
      "C04 Items.id items.id",
      "C04 Items.name items.name",
      "C02 Items.ownerId items.ownerId",
      `${name === "sqlite" ? "C03" : "C05"} Items.at items.at`,
      "C03 Items.total items.total",
      "C03 Items.level items.level",
      "C06 Items. items.id",
      "C01 Tags. itmes.",
      "C01 Items.tags item_tags.",
    ]);
    const messages = (found.faults as ConfigurationError["faults"]).map(({ message, fix }) => `${message} ${fix}`);
    expect(messages[2]).toBe(
      'The table `items` has no column `ownerId`. Did you mean `ownerid_`? Name it by `columns: { ownerId: "ownerid_" }`.',
    );
    expect(messages[7]).toBe("The database has no table `itmes`. Did you mean `items`?");
  });

  test("finds nothing in tables that fit, in views and in quoted names", async () => {
    const quote = name === "mariadb" ? "`" : '"';
    const table = `${quote}The Items${quote}`;
    const db = await database(
      goodItems("items"),
      goodItems(table),
      `create view item_view as select id, name, owner_id, at, total, level from items`,
      `create table tags (code ${text} not null, primary key (code))`,
      `create table item_tags (item integer not null, tag ${text} not null, primary key (item, tag))`,
    );
    const tags = hasMany(Tag, {
      target: "Tags",
      through: { table: "item_tags", from: { id: "item" }, to: { tag: "code" } },
    });
    const found = await start([
      sqlEntitySet(Item, { name: "Items", db, table: "items", operations, columns, navigation: { tags } }),
      sqlEntitySet(Item, { name: "Quoted", db, table: "The Items", operations, columns, navigation: { tags } }),
      sqlEntitySet(Item, { name: "Viewed", db, table: "item_view", operations, columns, navigation: { tags } }),
      sqlEntitySet(Tag, { db, table: "tags", operations }),
    ]);
    expect(found).toEqual({ faults: [], warnings: [] });
  });

  test("warns about navigations, sorts and filters without an index on tables of more than 10,000 rows", async () => {
    const numbers =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i <= 10000) select i, 'x' from n";
    const db = await database(
      ...(name === "mariadb" ? ["set max_recursive_iterations = 20000"] : []),
      goodItems("items"),
      goodItems("few"),
      "insert into items (id, name) with recursive n(i) as (select 1 union all select i + 1 from n where i <= 100) select i, 'x' from n".replace(
        "<= 100)",
        "<= 100)",
      ),
      `insert into items (id, name) select i + 1000, 'x' from (${numbers}) as many`,
      "insert into few (id, name) values (1, 'x')",
    );
    const children = hasMany(Item, { target: "Items", on: { id: "ownerId" } });
    const sets = [
      sqlEntitySet(Item, {
        db,
        table: "items",
        operations,
        columns,
        navigation: { children },
        orderByProperties: ["name", "at"],
        filterProperties: ["name", "level"],
      }),
      sqlEntitySet(Item, { name: "Few", db, table: "few", operations, columns, navigation: { children } }),
    ];
    const found = await start(sets);
    const on = (...names: readonly string[]): string =>
      name === "postgres" ? "create index on items" : `create index items_${names.join("_")} on items`;
    const nulls = name === "postgres" ? " nulls first" : "";
    expect(found).toEqual({
      faults: [],
      warnings: [
        `C10 ${on("owner_id")} (owner_id)`,
        `C11 ${on("name")} (name${name === "mariadb" ? "" : ", id"})`,
        `C11 ${on("at")} (at${nulls}, id)`,
        `C11 ${on("level")} (level)`,
      ],
    });
    for (const warning of found.warnings) await sql.raw(warning.slice("C10 ".length)).execute(db);
    expect(await start(sets)).toEqual({ faults: [], warnings: [] });
  });

  test("lets handlers of the application do without a table", async () => {
    const db = await database();
    const found = await start([
      sqlEntitySet(Item, {
        db,
        table: "nowhere",
        operations,
        queryable: () => {
          throw new Error("not asked");
        },
      }),
    ]);
    expect(found).toEqual({ faults: [], warnings: [] });
  });

  test.runIf(name !== "sqlite")("compares the labels of enumeration types with the members", async () => {
    const type = (labels: string): string =>
      name === "mariadb" ? `enum(${labels})` : `level_${String(labels.length)}`;
    const declare = (labels: string): readonly string[] =>
      name === "mariadb" ? [] : [`create type ${type(labels)} as enum (${labels})`];
    const table = (of: string, labels: string): readonly string[] => [
      ...declare(labels),
      `create table ${of} (id integer primary key, level ${type(labels)})`,
    ];
    const db = await database(
      ...table("fits", "'Low', 'High'"),
      ...table("more", "'Low', 'High', 'Top'"),
      ...table("fewer", "'Low'"),
    );
    const Leveled = entityType("Leveled", { id: edm.int32().key(), level: edm.enum(Level).nullable() });
    const set = (of: string, operation: "read" | "create") =>
      sqlEntitySet(Leveled, { name: of, db, table: of, operations: [operation] });
    expect(placesOf(await start([set("fits", "create"), set("more", "read"), set("fewer", "create")]))).toEqual([
      "C03 more.level more.level",
      "C03 fewer.level fewer.level",
    ]);
    expect(placesOf(await start([set("fewer", "read")]))).toEqual([]);
  });

  test("knows generated columns and keys, and unique indexes beside a key", async () => {
    const generated =
      name === "mariadb"
        ? "varchar(60) as (concat(name, '!')) stored"
        : `text${name === "postgres" ? ' collate "C"' : ""} generated always as (name || '!') stored`;
    const identity = {
      sqlite: "integer primary key",
      postgres: "bigint generated always as identity primary key",
      mariadb: "bigint auto_increment primary key",
    }[name];
    const db = await database(
      `create table loud (number ${identity}, name ${text} not null, shout ${generated}, unique (name))`,
    );
    const Loud = entityType("Loud", {
      name: edm.string().key(),
      number: edm.int64().computed(),
      shout: edm.string().computed(),
    });
    expect(await start([sqlEntitySet(Loud, { db, table: "loud", operations: ["read", "create"] })])).toEqual({
      faults: [],
      warnings: [],
    });
  });
});
