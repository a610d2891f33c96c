import { sql } from "kysely";
import {
  complexType,
  ConfigurationError,
  edm,
  entityType,
  enumType,
  hasMany,
  odataService,
  resource,
  type Authorization,
  type Logger,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { COORDINATOR_SETTINGS } from "../../hostile-settings.ts";

/** The findings of a service: the faults at startup, or the warnings in its log. */
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

/** Column types of each database that fit the declaration, and types that do not. */
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
    at: "timestamptz(3)",
    total: "numeric(12, 2)",
    level: "text",
    wrongAt: "timestamp",
    wrongTotal: "double precision",
    wrongLevel: "integer",
  },
  mariadb: {
    at: "datetime(3)",
    total: "decimal(12, 2)",
    level: "varchar(20)",
    wrongAt: "timestamp(6) null default null",
    wrongTotal: "double",
    wrongLevel: "int",
  },
};

/** Types of timestamps with six digits, and with three. */
const TIMESTAMPS: Readonly<Record<DatabaseName, readonly [finer: string, equal: string]>> = {
  sqlite: ["text", "text"],
  postgres: ["timestamptz", "timestamptz(3)"],
  mariadb: ["datetime(6)", "datetime(3)"],
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

  test("reports all differences together, with place, reason and fix", async () => {
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
      'The table `items` has no column `ownerId`. Did you mean `ownerid_`? Set the name with `columns: { ownerId: "ownerid_" }`.',
    );
    expect(messages[7]).toBe("The database has no table `itmes`. Did you mean `items`?");
    expect(messages[8]).toBe("The database has no table `item_tags`. Create the table, or correct its name.");
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

  test("requires the column of an ignored property where a rule reads it, else warns", async () => {
    const Note = entityType("Note", { id: edm.int32().key(), secret: edm.string().ignored() });
    const db = await database("create table notes (id integer primary key)");
    const authorization: Authorization<typeof Note> = {
      all: resource<typeof Note>((_user, note) => note.secret !== ""),
      rows: (_user, note) => note.id.ge(0),
    };
    const read = await start([sqlEntitySet(Note, { db, table: "notes", operations })]);
    expect(read).toEqual({ faults: [], warnings: [expect.stringMatching(/^C02 Add the column/u)] });
    const ruled = await start([sqlEntitySet(Note, { db, table: "notes", operations, authorization })]);
    expect(ruled).toEqual({ faults: [expect.objectContaining({ code: "C02", property: "secret" })], warnings: [] });
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

  test("finds tables by schema and name", async () => {
    const db = await database(goodItems("items"));
    const current = {
      sqlite: sql`select 'main' as name`,
      postgres: sql`select current_schema() as name`,
      mariadb: sql`select database() as name`,
    }[name];
    const { rows } = await sql<{ readonly name: string }>`${current}`.execute(db);
    const schema = rows[0]!.name;
    const set = (table: string) => sqlEntitySet(Item, { db, table, operations, columns });
    expect(await start([set(`${schema}.items`)])).toEqual({ faults: [], warnings: [] });
    expect(placesOf(await start([set(`${schema}.itmes`)]))).toEqual([`C01 Items. ${schema}.itmes.`]);
    expect(placesOf(await start([set("elsewhere.items")]))).toEqual(["C01 Items. elsewhere.items."]);
  });

  test("reports a missing column of a key, a navigation or a complex value once", async () => {
    const many = Array.from({ length: 25 }, (_, index) => `c${String(index)} integer`).join(", ");
    const db = await database(`create table wide (${many})`, "create table pairs (code integer, city integer)");
    const Wide = entityType("Wide", { identity: edm.int32().key(), parentOf: edm.int32().nullable() });
    const Place = complexType("Place", { postalDistrict: edm.int32().nullable() });
    const Pair = entityType("Pair", { code: edm.int32().key(), place: edm.complex(Place) });
    const children = hasMany(Wide, { target: "Wides", on: { identity: "parentOf" } });
    const found = await start([
      sqlEntitySet(Wide, { db, table: "wide", operations, navigation: { children } }),
      sqlEntitySet(Pair, { db, table: "pairs", operations, columns: { place: { columns: {} } } }),
    ]);
    expect(placesOf(found).filter((place) => place.startsWith("C02"))).toEqual([
      "C02 Wides.identity wide.identity",
      "C02 Wides.parentOf wide.parentOf",
      "C02 Pairs.place.postalDistrict pairs.place_postalDistrict",
    ]);
    expect(found.warnings).toEqual([]);
    const fixes = (found.faults as ConfigurationError["faults"])
      .filter(({ code }) => code === "C02")
      .map(({ fix }) => fix);
    expect(fixes[0]).toMatch(/with `columns: \{ identity: "…" \}`\. The table has `c0`, .*`c19` and others\.$/);
    expect(fixes[2]).toMatch(/with `columns`\. The table has `code`, `city`\.$/);
  });

  test.runIf(name !== "mariadb")("takes no index of expressions or of some rows for a key", async () => {
    const db = await database(
      `create table items (id integer not null, name ${text} not null, owner_id integer, at ${types.at}, total ${types.total},
        level ${types.level})`,
      "create unique index items_name on items (lower(name))",
      "create unique index items_some on items (id) where id > 5",
    );
    const set = sqlEntitySet(Item, { db, table: "items", operations, columns });
    expect(placesOf(await start([set]))).toEqual(["C06 Items. items.id"]);
  });

  test.runIf(name === "postgres").each([
    [
      { by: "ownerId" },
      "Add the property `ownerId`, whose column distributes the table, to the key of the entity type",
    ],
    [true, "Add the property of the column that distributes the table to the key of the entity type"],
    [{ by: "id" }, "Add a primary key or a unique index: create unique index items_key on"],
    ["reference", "Add a primary key or a unique index: create unique index items_key on"],
    [false, "Add a primary key or a unique index: create unique index items_key on"],
  ] as const)("advises on a key that is not unique, if distributed is %j", async (distributed, fix) => {
    opened = await open(undefined, COORDINATOR_SETTINGS);
    const { db } = opened;
    await sql
      .raw(
        `create table items (id integer not null, name ${text} not null, owner_id integer, at ${types.at}, total ${types.total},
        level ${types.level}, primary key (owner_id, id))`,
      )
      .execute(db);
    const found = await start([sqlEntitySet(Item, { db, table: "items", operations, columns, distributed })]);
    expect(placesOf(found)).toEqual(["C06 Items. items.id"]);
    expect((found.faults as ConfigurationError["faults"])[0]?.fix).toContain(fix);
  });

  test("accepts handlers of the application without a table", async () => {
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

  test("reports timestamps and times with more digits than their properties", async () => {
    const [finer, equal] = TIMESTAMPS[name];
    const time = name === "sqlite" ? "text" : "time(6)";
    const db = await database(
      `create table readings (at ${name === "sqlite" ? "text not null" : finer} primary key, taken ${finer}, due ${equal}, hour ${time})`,
    );
    const precision = { precision: 3 } as const;
    const Reading = entityType("Reading", {
      at: edm.dateTimeOffset(precision).key(),
      taken: edm.dateTimeOffset(precision).nullable(),
      due: edm.dateTimeOffset(precision).nullable(),
      hour: edm.timeOfDay({ precision: 0 }).nullable(),
    });
    const found = await start([sqlEntitySet(Reading, { db, table: "readings", operations: ["read"] })]);
    const fix = "C07 Declare the property with `precision: 6`, or change the type of the column.";
    expect(found).toEqual({ faults: [], warnings: name === "sqlite" ? [] : [fix, fix, fix] });
  });

  test("recognizes generated columns and keys, and unique indexes besides a key", async () => {
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

  test.runIf(name !== "sqlite")("rejects columns with fraction digits for whole numbers", async () => {
    const type = name === "mariadb" ? "decimal(12, 2)" : "numeric(12, 2)";
    const db = await database(
      `create table sums (id integer primary key, count ${type} not null, units ${type} not null, price ${type} not null)`,
    );
    const Sum = entityType("Sum", {
      id: edm.int32().key(),
      count: edm.int32(),
      units: edm.decimal({ precision: 12, scale: 2 }),
      price: edm.decimal({ precision: 12, scale: 2 }),
    });
    const found = await start([
      sqlEntitySet(Sum, { db, table: "sums", operations, columns: { units: { storage: "scaled" } } }),
    ]);
    expect(placesOf(found)).toEqual(["C03 Sums.count sums.count", "C03 Sums.units sums.units"]);
  });

  test.runIf(name !== "sqlite")("warns about defaults that depend on the time zone of the session", async () => {
    const type = name === "mariadb" ? "datetime(3)" : "timestamp(3)";
    const utc = name === "mariadb" ? "(utc_timestamp(3))" : "(now() at time zone 'UTC')";
    const db = await database(
      `create table notes (id integer primary key, local ${type} not null default current_timestamp(3), utc ${type} not null default ${utc})`,
    );
    const Note = entityType("Note", {
      id: edm.int32().key(),
      local: edm.dateTimeOffset({ precision: 3 }).computed(),
      utc: edm.dateTimeOffset({ precision: 3 }).computed(),
    });
    const storage = name === "mariadb" ? undefined : ({ storage: "utc" } as const);
    const found = await start([
      sqlEntitySet(Note, {
        db,
        table: "notes",
        operations,
        ...(storage && { columns: { local: storage, utc: storage } }),
      }),
    ]);
    expect(found.faults).toEqual([]);
    expect(found.warnings).toEqual([expect.stringMatching(/^C03 Change the default/)]);
  });

  test.runIf(name === "postgres")(
    "looks through domains, and into arrays of them and of enumeration types",
    async () => {
      const db = await database(
        "create type level as enum ('Low', 'High')",
        "create domain a_line as text check (value <> '')",
        "create domain strict_line as a_line not null",
        "create domain title as strict_line",
        `create table pages (id integer primary key, title title, lines a_line[], levels level[], name text,
        check (name is not null))`,
        "insert into pages values (1, 'T', '{a,b}', '{High}', 'n')",
      );
      const Page = entityType("Page", {
        id: edm.int32().key(),
        title: edm.string(),
        lines: edm.collection(edm.string()),
        levels: edm.collection(edm.enum(Level)),
        name: edm.string(),
      });
      const array = { storage: "array" } as const;
      const pages = sqlEntitySet(Page, { db, table: "pages", operations, columns: { lines: array, levels: array } });
      expect(await start([pages])).toEqual({ faults: [], warnings: [] });
      const query = "http://pages.example/Pages?$filter=Levels/any(l:l eq 'High') and Lines/any(l:l eq 'b')&$select=Id";
      expect(await (await odataService({ entitySets: [pages] }).fetch(new Request(query))).json()).toMatchObject({
        value: [{ Id: 1 }],
      });
    },
  );

  test.runIf(name === "postgres")("compares the labels of enumeration types with mapped cells", async () => {
    const db = await database(
      "create type mood as enum ('l', 'h')",
      "create table moods (id integer primary key, level mood not null, is_high mood not null)",
    );
    const Mood = entityType("Mood", { id: edm.int32().key(), level: edm.enum(Level), isHigh: edm.boolean() });
    const set = (low: string) =>
      sqlEntitySet(Mood, {
        db,
        table: "moods",
        operations,
        columns: {
          level: { storage: { values: { Low: low, High: "h" } } },
          isHigh: { name: "is_high", storage: { true: "h", false: low } },
        },
      });
    expect(placesOf(await start([set("l")]))).toEqual([]);
    // The extra label, and the missing label.
    expect(placesOf(await start([set("L")]))).toEqual([
      "C03 Moods.level moods.level",
      "C03 Moods.level moods.level",
      "C03 Moods.isHigh moods.is_high",
      "C03 Moods.isHigh moods.is_high",
    ]);
  });

  describe.runIf(name === "sqlite")("in SQLite", () => {
    const Named = entityType("Named", { id: edm.int32().key(), name: edm.string() });
    const named = (db: AnyDatabase, table: string, id: string) =>
      sqlEntitySet(Named, { name: table, db, table, operations, columns: { id } });

    test("recognizes rowids and virtual tables", async () => {
      const db = await database(
        "create table plain (name text not null)",
        "create table taken (rowid integer not null, name text not null)",
        "create virtual table found using fts5 (name)",
      );
      const sets = [
        ...["rowid", "oid", "_rowid_"].map((id) =>
          sqlEntitySet(Named, { name: id, db, table: "plain", operations, columns: { id } }),
        ),
        named(db, "found", "rowid"),
      ];
      expect(await start(sets)).toEqual({ faults: [], warnings: [] });
      expect(placesOf(await start([named(db, "taken", "rowid")]))).toEqual(["C06 taken. taken.rowid"]);
    });

    test("does not accept a part of a key for the whole key", async () => {
      const db = await database("create table parts (a integer, b integer, name text not null, primary key (a, b))");
      expect(placesOf(await start([named(db, "parts", "a")]))).toEqual(["C06 parts. parts.a"]);
    });

    test("knows that the type ANY preserves texts only in strict tables", async () => {
      const db = await database(
        "create table loose (id integer primary key, name any not null)",
        "create table exact (id integer primary key, name any not null) strict",
      );
      expect(placesOf(await start([named(db, "loose", "id"), named(db, "exact", "id")]))).toEqual([
        "C03 loose.name loose.name",
      ]);
    });

    test.each([
      ["current_timestamp", 3, "utc", false],
      ["(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", 3, undefined, false],
      ["(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", 0, undefined, true],
      ["(strftime('%Y-%m-%dT%H:%M:%fZ', datetime('now')))", 3, undefined, true],
      ["'2024-02-29T12:00:00.000Z'", 3, "utc", true],
      ["(unixepoch())", 3, undefined, false],
      ["''", 3, undefined, true],
      ["(null)", 3, undefined, true],
      ["(a_function_of_another_program())", 3, undefined, true],
    ] as const)("checks the default %s of %s digits by its stored value", async (value, precision, storage, fits) => {
      const db = await database(`create table stamps (id integer primary key, at text not null default ${value})`);
      const Stamp = entityType("Stamp", { id: edm.int32().key(), at: edm.dateTimeOffset({ precision }) });
      const found = await start([
        sqlEntitySet(Stamp, { db, table: "stamps", operations, columns: { at: { storage } } }),
      ]);
      expect(placesOf(found)).toEqual(fits ? [] : ["C03 Stamps.at stamps.at"]);
    });
  });
});
