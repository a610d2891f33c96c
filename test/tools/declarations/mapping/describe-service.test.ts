import { sql } from "kysely";
import { ConfigurationError } from "odatakit";
import { describeService, readDatabaseSchema, type DescribedService, type DescribeOptions } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { required } from "../../../../src/base/required.ts";
import { SQLITE } from "../../../databases/introspect/sqlite-hostile.ts";
import { statementsOf } from "../../../fixtures/databases/load.ts";

/** Describes a database of SQLite. */
async function describeScript(script: string, options: DescribeOptions = {}): Promise<DescribedService> {
  const opened = await SQLITE.open();
  try {
    for (const statement of statementsOf(script)) await sql.raw(statement).execute(opened.db);
    return describeService(await readDatabaseSchema(opened.db), options);
  } finally {
    await opened.close();
  }
}

const setOf = (service: DescribedService, name: string): DescribedService["sets"][number] =>
  required(
    service.sets.find(({ setName, table }) => setName === name || table.name === name),
    `There is no ${name}.`,
  );
const namesOf = ({ sets }: DescribedService): readonly string[] => sets.map(({ setName }) => setName);
const keyOf = (service: DescribedService, name: string): readonly string[] =>
  setOf(service, name).properties.flatMap((property) => (property.isKey ? [property.name] : []));
const warningsOf = ({ warnings }: DescribedService): readonly string[] =>
  warnings.map(({ code, place, flag }) => `${code} ${place}${flag === null ? "" : ` ${flag}`}`);

const SHOP = `create table customers (id integer primary key, name text not null, password_hash text);
create table orders (id integer primary key, customer_id integer not null references customers, note text);
create table tags (id integer primary key, name text not null unique);
create table order_tags (order_id integer not null references orders (id), tag_id integer not null references tags (id), since text, primary key (order_id, tag_id));
create table order_log (at text, what text);
create view big_orders as select id, note from orders;
create table schema_migrations (version text primary key);
`;

describe("the choice of tables", () => {
  test.each<readonly [string, DescribeOptions, readonly string[]]>([
    ["everything with a key", {}, ["Customers", "OrderLogs", "OrderTags", "Orders", "Tags"]],
    ["globs to include", { include: ["ORDER*", "tags"] }, ["OrderLogs", "OrderTags", "Orders", "Tags"]],
    ["globs with a schema", { include: ["main.c?stomers"] }, ["Customers"]],
    ["globs to exclude", { exclude: ["*_log", "order?"] }, ["Customers", "OrderTags", "Tags"]],
    ["a table of migrations by its name", { include: ["schema_migrations"] }, ["SchemaMigrations"]],
    ["no table of migrations by a glob", { include: ["schema*"] }, []],
  ])("%s", async (_name, options, expected) => {
    expect(namesOf(await describeScript(SHOP, options))).toEqual(expected);
  });

  test("each omission has a warning with the flag that undoes it", async () => {
    expect(warningsOf(await describeScript(SHOP))).toEqual([
      'migrations schema_migrations --include "*" --include "schema_migrations"',
      "no-key big_orders --keys unique",
      'secret customers.password_hash --include-column "customers.password_hash"',
      'rowid order_log --key "order_log=<column>"',
    ]);
  });

  test("a glob without a match has a warning", async () => {
    expect(warningsOf(await describeScript(SHOP, { include: ["custmers", "tags"] }))).toEqual(["glob custmers"]);
  });
});

test.each<readonly [DescribeOptions, string]>([
  [{ keys: { big_ordrs: ["id"], "*": "unique" } }, "glob big_ordrs"],
  [{ keys: { BIG_ORDERS: ["id"], "main.order_log": ["at"] } }, ""],
  [{ includeColumns: ["customers.passwd", "nope"] }, "glob customers.passwd, glob nope"],
  [{ includeColumns: ["customers.password_*"] }, ""],
])("names of %j that nothing has have a warning", async (options, expected) => {
  const { warnings } = await describeScript(SHOP, options);
  const found = warnings.flatMap(({ code, place }) => (code === "glob" ? [`${code} ${place}`] : []));
  expect(found.join(", ")).toBe(expected);
});

test("tables and columns with an empty name are left out", async () => {
  const script = `create table "" (id integer primary key);
create table kept ("" integer primary key, code text not null unique, other int references "");
`;
  const service = await describeScript(script);
  expect([namesOf(service), keyOf(service, "Kepts")]).toEqual([["Kepts"], ["Code"]]);
  expect(warningsOf(service)).toEqual(['no-name ""', "no-name kept.", "foreign-key kept(other)"]);
});

describe("columns", () => {
  test.each<readonly [string, DescribeOptions, boolean]>([
    ["hidden", {}, false],
    ["shown", { secrets: "show" }, true],
    ["included", { includeColumns: ["customers.password_hash"] }, true],
    ["included with its schema", { includeColumns: ["main.Customers.PASSWORD_HASH"] }, true],
    ["not included by another table", { includeColumns: ["orders.password_hash"] }, false],
  ])("a secret is %s", async (_name, options, expected) => {
    const { properties } = setOf(await describeScript(SHOP, options), "Customers");
    expect(properties.some(({ column }) => column === "password_hash")).toBe(expected);
  });

  const FLAGS = `create table items (id integer primary key, sold boolean);
insert into items values (1, 'yes'), (2, 'no');
`;

  const SAMPLED = Array.from({ length: 10 }, (_, at) => at);
  test.each([
    ["0", () => "0", 10, ['holds "0" in 10 of 11 rows, published as String --map "Items.Sold=boolean(0,1)"']],
    [
      "0 and 1",
      (at: number) => String(at % 2),
      10,
      ['holds "0" and "1" in 10 of 11 rows, published as String --map "Items.Sold=boolean(0,1)"'],
    ],
    ["few rows", () => "0", 9, []],
    ["2 too", (at: number) => String(at % 3), 10, []],
  ] as const)("texts of %s may be Booleans", async (_title, textOf, rows, expected) => {
    const values = SAMPLED.slice(0, rows).map((at) => `(${String(at)}, '${textOf(at)}')`);
    const script = `create table items (id integer primary key, sold text);
insert into items values (99, null), ${values.join(", ")};
`;
    const { warnings } = await describeScript(script);
    expect(warnings.map(({ message, flag }) => `${message} ${String(flag)}`)).toEqual(expected);
  });

  test("a type of `map` replaces the chosen one", async () => {
    const chosen = await describeScript(FLAGS);
    expect(chosen.warnings.map(({ flag }) => flag)).toEqual(['--map "Items.Sold=boolean(no,yes)"']);
    const { sets, warnings } = await describeScript(FLAGS, { map: { "Items.Sold": "boolean(no,yes)" } });
    expect(sets[0]?.properties[1]).toMatchObject({ type: "Edm.Boolean", storage: { false: "no", true: "yes" } });
    expect(warnings).toEqual([]);
  });

  test.each([
    [{ "Items.Sold": "bool" }, "The type `bool` of Items.Sold is unknown."],
    [{ "Items.Sold": "boolean(a,a)" }, "The type `boolean(a,a)` of Items.Sold is unknown."],
    [{ "Items.Sould": "boolean(0,1)" }, '`map` contains "Items.Sould", which is no property.'],
  ])("refuses the map %j", async (map, message) => {
    const error: unknown = await describeScript(FLAGS, { map }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).faults.map((fault) => fault.message)).toEqual([message]);
  });
});

describe("a key of cells of several types", () => {
  test.each([
    ["", "(1), ('1')", "rowid"],
    ["text", "('31'), (x'31')", "rowid"],
    ["int", "(x'31'), ('x')", "rowid"],
    ["numeric", "(0.5), ('x')", "rowid"],
    // SQLite has turned '1' into 1.
    ["int", "(1), ('x')", "primary key"],
  ])("%s with %s is the %s", async (type, values, kind) => {
    const service = await describeScript(
      `create table mixed (k ${type} primary key);\ninsert into mixed values ${values};\n`,
    );
    expect(service.sets.map(({ key }) => key)).toEqual([kind]);
  });
});

describe("keys", () => {
  test.each<readonly [string, string, DescribeOptions, readonly [table: string, key: readonly string[], kind: string]]>(
    [
      ["primary key", "create table a (y text, x text, primary key (x, y))", {}, ["a", ["Y", "X"], "primary key"]],
      [
        "shortest unique index",
        "create table a (x text not null, y text not null, z text not null unique, unique (x, y))",
        {},
        ["a", ["Z"], "unique index"],
      ],
      [
        "the first of indexes with as many columns",
        "create table a (x text, y text not null, z text not null);\ncreate unique index a_a on a (z);\ncreate unique index a_b on a (y)",
        {},
        ["a", ["Y"], "unique index"],
      ],
      ["no unique index with null", "create table a (x text unique, y text)", {}, ["a", ["Rowid"], "rowid"]],
      [
        "no key of doubles",
        "create table a (x double not null primary key, y int not null unique)",
        {},
        ["a", ["Y"], "unique index"],
      ],
      ["the given one", "create table a (x text, y text)", { keys: { A: ["Y"] } }, ["a", ["Y"], "given"]],
      [
        "the given one of a view",
        "create table a (x int primary key);\ncreate view v as select x from a",
        { keys: { "main.v": ["x"] } },
        ["v", ["X"], "given"],
      ],
    ],
  )("%s", async (_name, script, options, [set, expected, kind]) => {
    const service = await describeScript(`${script};\n`, options);
    expect(keyOf(service, set)).toEqual(expected);
    expect(setOf(service, set).key).toBe(kind);
  });

  test("a given key of an unknown column is ignored with a warning", async () => {
    const service = await describeScript("create table a (x int primary key);\n", { keys: { a: ["nope"] } });
    expect(warningsOf(service)).toEqual(["given-key a"]);
    expect(keyOf(service, "a")).toEqual(["X"]);
  });

  test.each([
    ["", 'rowid a --include-column "a.token"'],
    [" without rowid", 'hidden-key a --include-column "a.token"'],
  ])("a hidden key has a warning with the flag that publishes it%s", async (end, expected) => {
    const service = await describeScript(`create table a (token text primary key not null, x int)${end};\n`);
    expect(warningsOf(service)).toEqual(['secret a.token --include-column "a.token"', expected]);
  });

  test.each<readonly [table: string, cells: string, options: DescribeOptions, warning: string]>([
    [
      "a (x int primary key, y text)",
      "(1, 'a'), (x'01', 'b'), (x'02', 'c')",
      {},
      "table whose primary key x has integers and blobs, which may have the same text, so that it is no key, omitted with 3 rows → --keys unique",
    ],
    [
      "a (x primary key)",
      "(1), ('1')",
      {},
      "table whose primary key x has integers and texts, which may have the same text, so that it is no key, omitted with 2 rows: store cells of one type in x → null",
    ],
    [
      "a (x int primary key, y real)",
      "(1.5, 1), ('b', 2)",
      { keys: { a: ["x"] } },
      "table whose primary key x has reals and texts, which may have the same text, so that it is no key, omitted with 2 rows: store cells of one type in x → null",
    ],
  ])("a table without rowid whose key has cells of several kinds has a warning: %s %s", async (...given) => {
    const [table, cells, options, warning] = given;
    const service = await describeScript(
      `create table ${table} without rowid;\ninsert into a values ${cells};\n`,
      options,
    );
    expect(service.sets).toEqual([]);
    const found = service.warnings.map(({ code, message, flag }) => [code, `${message} → ${String(flag)}`]);
    const isGiven = options.keys !== undefined;
    const ignored =
      "cannot have the given key x, because different cells of x may have the same text, so it is ignored → null";
    expect(found).toEqual([...(isGiven ? [["given-key", ignored]] : []), ["no-key", warning]]);
  });

  test.each([
    ["without null", "a (x text primary key)", "insert into a values ('1')", ["X"], [], []],
    [
      "with null",
      "a (x text primary key, y text)",
      "insert into a values (null, '1')",
      ["Rowid"],
      [],
      [
        "has rows with null in its primary key x, so no key but the rowid, which VACUUM may renumber, published as Rowid",
      ],
    ],
    [
      "with null in a table without a name for the rowid",
      "a (x text primary key, rowid text, oid text, _rowid_ text)",
      "insert into a values (null, '1', '1', '1')",
      ["X"],
      ["x"],
      [],
    ],
    [
      "with null, beside a unique index",
      "a (x text primary key, y text not null unique)",
      "insert into a values (null, '1')",
      ["Y"],
      [],
      [],
    ],
  ])("a primary key %s", async (...[, table, insert, key, excludes, messages]) => {
    const service = await describeScript(`create table ${table};\n${insert};\n`);
    expect(keyOf(service, "a")).toEqual(key);
    expect(setOf(service, "a").excludesNulls).toEqual(excludes);
    expect(service.warnings.flatMap(({ code, message }) => (code === "rowid" ? [message] : []))).toEqual(messages);
  });
});

describe("navigations", () => {
  test("foreign keys lead both ways, and link tables to the other side", async () => {
    const service = await describeScript(SHOP);
    const found = service.sets.flatMap(({ setName, navigations }) =>
      navigations.map(({ name, cardinality, targetSet, partner, through }) =>
        [setName, name, cardinality, targetSet, partner, through === null ? "" : through.table.name].join(" ").trim(),
      ),
    );
    expect(found).toEqual([
      "Customers Orders many Orders customer",
      "OrderTags Order required Orders orderTags",
      "OrderTags Tag required Tags orderTags",
      "Orders Customer required Customers orders",
      "Orders OrderTags many OrderTags order",
      "Orders Tags many Tags orders order_tags",
      "Tags OrderTags many OrderTags tag",
      "Tags Orders many Orders tags order_tags",
    ]);
  });

  test.each([
    [
      "its target is not published",
      "create table a (id integer primary key, b_id int references b);\n",
      "b is not published",
    ],
    [
      "its columns have another type",
      "create table b (id text primary key);\ncreate table a (id integer primary key, b_id int references b);\n",
      "b_id and b.id have different types",
    ],
    [
      "its target is not unique",
      "create table b (id integer primary key, x int);\ncreate table a (id integer primary key, b_x int references b (x));\n",
      "b(x) is not unique",
    ],
  ])("a foreign key is dropped with a warning if %s", async (_name, script, reason) => {
    const { warnings } = await describeScript(script);
    expect(warnings.flatMap(({ code, message }) => (code === "secret" ? [] : [[code, message]]))).toEqual([
      ["foreign-key", `is no navigation: ${reason}`],
    ]);
  });

  test("foreign keys that say the same become one navigation, and two of a link table remain", async () => {
    const script = `create table a (id integer primary key);
create table b (id integer primary key, a_id int references a, foreign key (a_id) references a (id));
create table link (x int not null references a, y int not null references b references b (id), primary key (x, y));
`;
    const { sets, warnings } = await describeScript(script);
    expect(sets.flatMap(({ setName, navigations }) => navigations.map(({ name }) => `${setName} ${name}`))).toEqual([
      "As Bs",
      "As Links",
      "As YsThroughLink",
      "Bs A",
      "Bs Links",
      "Bs XesThroughLink",
      "Links A",
      "Links B",
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ["a third foreign key", "c int references a"],
    ["a column that must be given", "c text not null"],
  ])("a table with %s is not a link table", async (_name, column) => {
    const script = `create table a (id integer primary key);
create table link (x int not null references a, y int not null references a, ${column}, primary key (x, y));
`;
    const { sets } = await describeScript(script);
    expect(sets.flatMap(({ navigations }) => navigations.filter(({ through }) => through !== null))).toEqual([]);
  });

  test("a link table has the storage of its columns, and none with expressions", async () => {
    const script = (type: string, value: string): string => `create table a (id ${type} primary key not null);
create table b (id ${type} primary key not null);
create table link (a_id ${type} not null references a, b_id ${type} not null references b, primary key (a_id, b_id));
insert into a values (${value});
insert into b values (${value});
insert into link values (${value}, ${value});
`;
    const through = async (type: string, value: string): Promise<unknown> => {
      const { sets } = await describeScript(script(type, value));
      return sets.flatMap(({ navigations }) =>
        navigations.flatMap((each) => (each.through === null ? [] : [each.through.columns])),
      );
    };
    const guid = "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'";
    expect(await through("uuid", guid)).toEqual([
      { a_id: "text", b_id: "text" },
      { a_id: "text", b_id: "text" },
    ]);
    expect(await through("int", "1")).toEqual([{}, {}]);
    const local = "'2024-02-29T12:00:00'";
    expect(await through("datetime", local)).toEqual([]);
    expect(warningsOf(await describeScript(script("datetime", local)))).toContain("link-table link");
  });

  test("the primary key of a link table of SQLite needs no `not null`", async () => {
    const script = `create table actors (id integer primary key);
create table films (id integer primary key);
create table film_actor (film_id int references films, actor_id int references actors, primary key (film_id, actor_id));
`;
    const { sets } = await describeScript(script);
    const names = sets.flatMap(({ navigations }) =>
      navigations.flatMap(({ name, through }) => (through === null ? [] : [name])),
    );
    expect(names).toEqual(["Films", "Actors"]);
  });

  test("each enumeration of MariaDB is a separate type, so its foreign keys have no navigation", async () => {
    const opened = await SQLITE.open();
    try {
      await sql`create table a (x text primary key)`.execute(opened.db);
      await sql`create table b (y text primary key references a)`.execute(opened.db);
      const schema = await readDatabaseSchema(opened.db);
      const objects = schema.objects.map((object) => ({
        ...object,
        columns: object.columns.map((column) => ({ ...column, type: "enum", labels: ["on", "off"], nullable: false })),
      }));
      const { sets, warnings } = describeService({ ...schema, kind: "mysql", objects });
      expect(sets.flatMap(({ navigations }) => navigations)).toEqual([]);
      expect(warnings.map(({ message }) => message)).toEqual(["is no navigation: y and a.x have different types"]);
    } finally {
      await opened.close();
    }
  });

  test("a unique foreign key leads back to one entity", async () => {
    const script = `create table a (id integer primary key);
create table b (id integer primary key, a_id int unique references a);
`;
    const { sets } = await describeScript(script);
    expect(
      sets.flatMap(({ navigations }) => navigations.map(({ name, cardinality }) => `${name} ${cardinality}`)),
    ).toEqual(["B optional", "A optional"]);
  });
});
