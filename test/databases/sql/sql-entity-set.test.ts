import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { DummyDriver, Kysely, MssqlAdapter, MssqlIntrospector, MssqlQueryCompiler, SqliteDialect, sql } from "kysely";
import { complexType, ConfigurationError, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { ORDER_COLUMNS, ORDERS_TABLE, Order, ordersDatabase, readerOf, type AnyDatabase } from "./orders.ts";

type Service = ReturnType<typeof odataService>;

const db = await ordersDatabase();
await sql`
  insert into "orders" values
    (1, 7, 'Chai', 'Paid', 3, '1.10', 1999, 0.5, 1, '01234567-89ab-cdef-0123-456789abcdef', '2024-02-29', '12:00:00',
     '2024-02-29T12:00:00.000Z', '2024-02-29T13:00:00+01:00', 'PT36H', 'Main Street', null, '["new","50%"]'),
    (9007199254740993, 8, null, 'Draft', null, null, -5, null, null, null, null, null, '2024-01-01T00:00:00.500Z',
     '2024-01-01 00:00:00', null, null, null, null)`.execute(db);

function serviceOf(set: Parameters<typeof odataService>[0]["entitySets"][number]): Service {
  return odataService({ entitySets: [set], propertyNaming: "camelCase", namespace: "Test" });
}

/** The members of any body; each test checks the members that it expects. */
interface Body {
  readonly value: readonly unknown[];
  readonly error: { readonly code: string; readonly message: string };
  readonly "@odata.count": number;
  readonly "@odata.nextLink": string;
  readonly shipTo: unknown;
  readonly price: unknown;
}

async function get(service: Service, target: string): Promise<{ readonly status: number; readonly json: Body }> {
  const response = await service.fetch(new Request(`http://service.example${target}`));
  return { status: response.status, json: (await response.json()) as Body };
}

const orders = sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns: ORDER_COLUMNS });
const service = serviceOf(orders);

const FIRST = {
  id: 1,
  customerId: 7,
  name: "Chai",
  status: "Paid",
  access: "Read,Write",
  price: 1.1,
  total: 19.99,
  weight: 0.5,
  paid: true,
  token: "01234567-89ab-cdef-0123-456789abcdef",
  day: "2024-02-29",
  time: "12:00:00",
  placed: "2024-02-29T12:00:00.000Z",
  changed: "2024-02-29T13:00:00+01:00",
  span: "PT36H",
  shipTo: { street: "Main Street", city: null },
  tags: ["new", "50%"],
};

describe("a set over a table", () => {
  test("returns collections, entities by key and counts with all digits", async () => {
    const { json } = await get(service, "/Orders");
    expect(json.value[0]).toEqual(FIRST);
    const response = await service.fetch(new Request("http://service.example/Orders(9007199254740993)"));
    expect(await response.text()).toBe(
      '{"@odata.context":"http://service.example/$metadata#Orders/$entity",' +
        '"@odata.id":"http://service.example/Orders(9007199254740993)","id":9007199254740993,"customerId":8,"name":null,' +
        '"status":"Draft","access":null,"price":null,"total":-0.05,"weight":null,"paid":null,"token":null,"day":null,' +
        '"time":null,"placed":"2024-01-01T00:00:00.500Z","changed":"2024-01-01T00:00:00Z","span":null,"shipTo":null,"tags":[]}',
    );
    expect((await get(service, "/Orders(2)")).status).toBe(404);
    expect((await get(service, "/Orders/$count?$filter=id gt 9007199254740992")).json).toBe(1);
    expect((await get(service, "/Orders(1)?$select=shipTo/city")).json.shipTo).toEqual({ city: null });
  });

  test("returns entities in the form of the application to callers of its handlers", async () => {
    const { getByKey } = orders.options as { getByKey: (key: unknown, context?: unknown) => unknown };
    expect(await getByKey(1n)).toEqual({ ...FIRST, id: 1n, price: "1.10", total: "19.99" });
    expect(await getByKey(2n)).toBeNull();
    expect(await getByKey(9007199254740993n)).toMatchObject({ id: 9007199254740993n, shipTo: null, tags: [] });
  });

  test("supports composite keys and keys that are not integers", async () => {
    const Part = entityType("Part", {
      guid: edm.guid().key(),
      price: edm.decimal().key(),
      at: edm.dateTimeOffset().key(),
    });
    await sql`create table "parts" ("guid" text not null, "price" text not null, "at" text not null, primary key ("guid", "price", "at"))`.execute(
      db,
    );
    await sql`insert into "parts" values ('01234567-89ab-cdef-0123-456789abcdef', '1.50', '2024-02-29T12:00:00.000Z')`.execute(
      db,
    );
    const parts = serviceOf(sqlEntitySet(Part, { db, table: "parts", operations: ["read"] }));
    const key = "guid=01234567-89AB-cdef-0123-456789abcdef,price=1.5,at=2024-02-29T13:00:00%2B01:00";
    expect((await get(parts, `/Parts(${key})`)).json.price).toBe(1.5);
    expect((await get(parts, `/Parts(${key.replace("1.5", "1.51")})`)).status).toBe(404);
  });

  test("handlers and settings in the options replace its own", async () => {
    const set = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["read"],
      columns: ORDER_COLUMNS,
      name: "Old",
      maxTop: 1,
      etag: ["total"],
      getByKey: () => null,
    });
    const old = serviceOf(set);
    const { json } = await get(old, "/Old?$select=id");
    expect(json.value).toEqual([{ "@odata.etag": expect.stringMatching(/^".+"$/), id: 1 }]);
    expect(json["@odata.nextLink"]).toContain("$skiptoken=");
    expect((await get(old, "/Old(1)")).status).toBe(404);
  });

  test("has only the routes of its handlers without `read`", async () => {
    const none = serviceOf(
      sqlEntitySet(Order, { db, table: "orders", operations: [], columns: ORDER_COLUMNS, getByKey: () => null }),
    );
    expect((await get(none, "/Orders")).status).toBe(404);
  });

  test("tables may be created after their declarations", async () => {
    const late: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
    const lateService = serviceOf(
      sqlEntitySet(Order, { db: late, table: "orders", operations: ["read"], columns: ORDER_COLUMNS }),
    );
    await sql.raw(ORDERS_TABLE).execute(late);
    expect((await get(lateService, "/Orders")).json.value).toEqual([]);
  });

  test("returns a plain 500 for a cell that is not a value of its property", async () => {
    const faulty = await ordersDatabase();
    await sql`insert into "orders" ("id", "customer_id", "status", "total", "placed") values (1, 'secret', 'Paid', 1, 'now')`.execute(
      faulty,
    );
    const logged: unknown[] = [];
    const logger = {
      error: (_message: string, fields?: unknown) => void logged.push(fields),
      warn: () => {},
      info: () => {},
    };
    const broken = odataService({
      logger,
      entitySets: [sqlEntitySet(Order, { db: faulty, table: "orders", operations: ["read"], columns: ORDER_COLUMNS })],
    });
    const response = await broken.fetch(new Request("http://service.example/Orders"));
    expect([response.status, (await response.text()).includes("secret")]).toEqual([500, false]);
    expect(String((logged[0] as { err: unknown }).err)).toContain("CustomerId");
  });
});

describe("faults at startup", () => {
  const mssql: AnyDatabase = new Kysely({
    dialect: {
      createAdapter: () => new MssqlAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (instance) => new MssqlIntrospector(instance),
      createQueryCompiler: () => new MssqlQueryCompiler(),
    },
  });
  const Line = entityType("Line", { id: edm.int32().key() });
  const Loop: ReturnType<typeof complexType> = complexType("Loop", { a: edm.int32() });
  const Tree = entityType("Tree", {
    id: edm.int32().key(),
    price: edm.decimal(),
    tags: edm.collection(edm.string()),
    name: edm.string(),
    loop: edm.complex(Loop),
  });
  const base = { db, table: "orders", operations: ["read"] } as const;

  test.each<readonly [string, object, ...(readonly (readonly [string, string])[])]>([
    [
      "another database",
      { ...base, db: mssql },
      [
        "Mssql is not supported by this version.",
        "Use SQLite (sqliteDialect of odatakit/sqlite), PostgreSQL or MariaDB.",
      ],
    ],
    [
      "distributed that is no distribution",
      { ...base, distributed: "yes" },
      [
        '`distributed` is "yes".',
        'Give true, "reference" for a table that each machine has completely, or the property whose column distributes the table: { by: "customerId", with: "orders" }.',
      ],
    ],
    [
      "no database",
      { ...base, db: undefined },
      ["`db` is not a Kysely instance.", "Give `new Kysely({ dialect: sqliteDialect(file) })`."],
    ],
    [
      "a result of `withSchema`, which statements would not follow",
      { ...base, db: base.db.withSchema("other") },
      [
        "`db` has a plugin of Kysely that names tables in queries, but not in SQL fragments, such as `withSchema`: the statements would use another table.",
        'Give the Kysely instance without it, and name the schema in `table`, such as "sales.orders".',
      ],
    ],
    [
      "no table",
      { ...base, table: undefined },
      ["`from` is undefined.", "Give the name of a table, a Kysely query, or { sql, parameters }."],
    ],
    [
      "a query without its values",
      { ...base, table: undefined, from: { sql: "select 1 as id" } },
      [
        "`from` has no `parameters`.",
        "Give { sql, parameters }, with `parameters: []` for a query without placeholders.",
      ],
    ],
    [
      "values without their query",
      { ...base, table: undefined, from: { parameters: [] } },
      ["`from` has no `sql`.", "Give { sql, parameters }, with `parameters: []` for a query without placeholders."],
    ],
    [
      "an unknown option, near to one of tables",
      { ...base, rowversion: "version", colums: {} },
      ["sqlEntitySet has no option `rowversion`.", "Did you mean `rowVersion`?"],
      ["sqlEntitySet has no option `colums`.", "Did you mean `columns`?"],
    ],
    [
      "no operations",
      { ...base, operations: undefined },
      ["`operations` of sqlEntitySet is undefined.", 'List the operations that the table allows: ["read"].'],
    ],
    [
      "writing operations",
      { ...base, operations: ["read", "create", "drop"] },
      [
        '`operations` of sqlEntitySet contains "drop".',
        'List the operations that the table allows, of "read", "create", "replace", "patch", "delete".',
      ],
    ],
    [
      "rowVersion of no property",
      { ...base, rowVersion: "version" },
      [
        '`rowVersion` is "version", which is not a property of Tree.',
        "Name a property such as `version: edm.int32().computed()`.",
      ],
    ],
    [
      "rowVersion of a text",
      { ...base, rowVersion: "name" },
      [
        "`rowVersion`, `name`, is not a computed integer, or is part of the key.",
        "Name a property such as `version: edm.int32().computed()`.",
      ],
    ],
    [
      "rowVersion beside handlers that do not count",
      { ...base, rowVersion: "loop", patch: () => null, replace: () => null, create: () => null, delete: () => false },
      ...["replace", "patch"].map((handler): [string, string] => [
        `\`rowVersion\` counts the writes of the table, but \`${handler}\` is your own handler: it would neither count nor compare.`,
        `Remove \`${handler}\`, and list "${handler}" in \`operations\`. Or remove \`rowVersion\`: your statements then add 1 to the column, and repeat \`ctx.expected\` in their \`where\`.`,
      ]),
      [
        "`rowVersion`, `loop`, is not a computed integer, or is part of the key.",
        "Name a property such as `version: edm.int32().computed()`.",
      ],
    ],
    [
      "a search over what is no text of the type",
      { ...base, search: ["name", "nmae", "price", "tags", 5] },
      ["`search` names `nmae`, which Tree does not have.", "Did you mean `name`?"],
      ["`search` names `price`, which is not a single Edm.String.", "Name string properties."],
      ["`search` names `tags`, which is not a single Edm.String.", "Name string properties."],
      [
        "`search` names 5, which Tree does not have.",
        "Remove it, or use one of `id`, `price`, `tags`, `name`, `loop`.",
      ],
    ],
    [
      "a search over the whole table where a handler keeps rows back",
      { ...base, search: ["name"], queryable: () => null, getAll: () => [] },
      [
        "`search` names properties, which searches the whole table, but `getAll` may return only some of its rows.",
        "Make `search` a handler that returns the matching ones of those rows.",
      ],
    ],
    [
      "a search over nothing",
      { ...base, search: [] },
      ["`search` names no properties.", "Name the properties to search, or omit it."],
    ],
    [
      "an unknown property",
      { ...base, columns: { nam: "x" } },
      ["`columns` names `nam`, which is not a property of Tree.", "Did you mean `name`?"],
    ],
    [
      "an unknown storage",
      { ...base, columns: { price: { storage: "money" } } },
      [
        '`columns.price.storage` is "money".',
        'Give one of "text", "scaled", "real", "epoch", "json", "utc", "epoch-seconds", "julian", "sqlite-datetime", "array", "hex", or omit it.',
      ],
    ],
    [
      "a storage of another type",
      { ...base, columns: { name: { storage: "epoch" } } },
      [
        '`name`, Edm.String, cannot be stored as "epoch".',
        'Use "text" or "hex", or omit `storage`: see the table of storage forms in docs/reference/storage.md.',
      ],
    ],
    [
      "a scale that is not declared",
      { ...base, columns: { price: { storage: "scaled" } } },
      [
        '`price`, Edm.Decimal, cannot be stored as "scaled".',
        "Declare its scale: edm.decimal({ precision: 18, scale: 2 }).",
      ],
    ],
    [
      "a collection in columns",
      { ...base, columns: { tags: { storage: "text" } } },
      [
        '`tags`, a collection, cannot be stored as "text".',
        "Omit `storage`, or see the table of storage forms in docs/reference/storage.md.",
      ],
    ],
    [
      "an unknown member",
      { ...base, columns: { loop: { columns: { b: "b" } } } },
      ["`columns` names `loop.b`, which is not a property of Loop.", "Remove it, or use one of `a`."],
    ],
    [
      "members of what has none",
      { ...base, columns: { name: { columns: { b: "b" } } } },
      ["`name` has members in `columns`, but is not a complex property.", "Give the name of its one column."],
    ],
    [
      "an option that is none",
      { ...base, columns: { name: { column: "n" } } },
      ["`columns.name` has no option `column`.", "Did you mean `columns`?"],
    ],
    [
      "no name",
      { ...base, columns: { name: 5, id: { name: "" } } },
      ['`columns.id.name` is "".', "Give the name of a column."],
      ["`columns.name` is 5.", "Give the name of the column, or { name, storage, columns }."],
    ],
  ])("%s", (...[, options, ...faults]) => {
    const set = sqlEntitySet(Tree, options as Parameters<typeof sqlEntitySet<typeof Tree>>[1]);
    let error: unknown;
    try {
      serviceOf(set);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).faults).toEqual(
      (faults as ReadonlyArray<readonly [string, string]>).map(([message, fix]) => ({ set: "Trees", message, fix })),
    );
  });

  test("reports faults of the type only once", () => {
    const Bad = entityType("Bad", { id: edm.int32() });
    expect(() => serviceOf(sqlEntitySet(Bad, { ...base }))).toThrow(/key/);
  });

  test("reports other faults of the set as well", () => {
    const set = sqlEntitySet(Line, {
      ...base,
      db: undefined as never,
      navigation: { tags: hasMany(Line, { target: "Nowhere" }) },
    });
    expect(() => serviceOf(set)).toThrow(/2 faults/);
  });

  test("throws when an invalid source is made", () => {
    expect(() => sqlSource(Order, { db: mssql, from: "orders" })).toThrow(
      /sqlSource\(Order, …\): Mssql is not supported/,
    );
    expect(() => sqlSource(Order, { db, from: {} as never })).toThrow(/`from` is an object/);
  });
});

describe("a source over a base query", () => {
  const rows = async (from: Parameters<typeof sqlSource<typeof Order>>[1]["from"], options = ""): Promise<unknown> => {
    const set = entitySet(Order, { queryable: () => sqlSource(Order, { db, from, columns: ORDER_COLUMNS }) });
    const { json } = await get(serviceOf(set), `/Orders?$select=id${options}`);
    const { value } = json as { readonly value: ReadonlyArray<{ readonly id: number }> };
    return value.map(({ id }) => id);
  };

  test("accepts a Kysely query with values", async () => {
    const query = db.selectFrom("orders").selectAll().where("customer_id", "=", 7);
    expect(await rows(query)).toEqual([1]);
    expect(await rows(query, "&$filter=name eq 'Chai' and customerId lt 8&$orderby=name&$top=5&$skip=0")).toEqual([1]);
    expect(await rows(query, "&$filter=name eq 'Tea'")).toEqual([]);
  });

  test("accepts the text of a query with its values", async () => {
    const text = "select * from orders where customer_id = ? -- of one customer";
    expect(await rows({ sql: text, parameters: [8] })).toEqual([9007199254740992]);
    expect(await rows({ sql: text, parameters: [7] }, "&$filter=id eq 1")).toEqual([1]);
  });

  test("accepts a view, or a table of another schema", async () => {
    await sql`create temp view "some" as select * from "orders" where "id" = 1`.execute(db);
    expect(await rows("some")).toEqual([1]);
    expect(await rows("main.orders")).toHaveLength(2);
  });

  test("allows a new source with new values per request", async () => {
    const set = entitySet(Order, {
      queryable: (ctx) => {
        const customer = Number(ctx.request.headers.get("x-customer"));
        const from = db.selectFrom("orders").selectAll().where("customer_id", "=", customer);
        return sqlSource(Order, { db, from, columns: ORDER_COLUMNS });
      },
    });
    const tenant = serviceOf(set);
    const customersFor = async (customer: number): Promise<unknown> => {
      const headers = { "x-customer": String(customer) };
      const target = "http://service.example/Orders?$select=customerId&$filter=total lt 100";
      const response = await tenant.fetch(new Request(target, { headers }));
      return ((await response.json()) as { readonly value: readonly unknown[] }).value;
    };
    expect(await customersFor(7)).toEqual([{ customerId: 7 }]);
    expect(await customersFor(8)).toEqual([{ customerId: 8 }]);
    expect(await customersFor(7)).toEqual([{ customerId: 7 }]);
  });

  test("caches statements by the text of the base query, with a limit", () => {
    const ofCustomer = (customer: number): unknown =>
      readerOf(db, db.selectFrom("orders").selectAll().where("customer_id", "=", customer)).statements;
    const first = ofCustomer(1);
    expect(ofCustomer(2)).toBe(first);
    for (let index = 0; index < 250; index += 1) readerOf(db, { sql: `select ${index} as "id"`, parameters: [] });
    expect(ofCustomer(3)).not.toBe(first);
  });
});

describe("asynchronous rows", () => {
  test("a transaction sees its own rows and returns the same", async () => {
    await db.transaction().execute(async (transaction) => {
      await sql`insert into "orders" ("id", "customer_id", "status", "total", "placed", "name") values (3, 9, 'Paid', 1, '2024-01-01T00:00:00.000Z', 'in it')`.execute(
        transaction,
      );
      const inside = serviceOf(
        sqlEntitySet(Order, { db: transaction, table: "orders", operations: ["read"], columns: ORDER_COLUMNS }),
      );
      const { json } = await get(inside, "/Orders?$filter=name ge 'a' and id lt 5&$count=true&$top=1&$select=name");
      expect(json).toEqual({
        "@odata.context": "http://service.example/$metadata#Orders(name)",
        "@odata.count": 1,
        value: [{ "@odata.id": "http://service.example/Orders(3)", name: "in it" }],
      });
      expect((await get(inside, "/Orders(1)")).json).toMatchObject(FIRST);
      expect((await get(inside, "/Orders(2)")).status).toBe(404);
      expect((await get(inside, "/Orders?$top=0&$count=true")).json["@odata.count"]).toBe(3);
      await sql`delete from "orders" where "id" = 3`.execute(transaction);
    });
  });

  test("another SQLite dialect returns the same, except where our functions are required", async () => {
    const raw = new DatabaseSync(":memory:");
    raw.exec(ORDERS_TABLE);
    raw.exec(`insert into orders (id, customer_id, name, status, price, total, placed)
      values (9007199254740993, 7, 'Chai', 'Paid', '1.10', 1999, '2024-02-29T12:00:00.000Z')`);
    const database = {
      close: () => raw.close(),
      prepare: (text: string) => {
        const statement = raw.prepare(text);
        return {
          reader: true,
          all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
          run: () => ({ changes: 0, lastInsertRowid: 0 }),
          iterate: () => [][Symbol.iterator](),
        };
      },
    };
    const other: AnyDatabase = new Kysely({ dialect: new SqliteDialect({ database }) });
    const set = sqlEntitySet(Order, { db: other, table: "orders", operations: ["read"], columns: ORDER_COLUMNS });
    const bare = serviceOf(set);
    const casts = "contains(cast(id,'Edm.String'),'') and cast('5',Edm.Int32) eq 5";
    const filter = `name eq 'Chai' and total gt 1 and id add 1 gt 5 and year(placed) eq 2024 and ${casts}`;
    const { json } = await get(bare, `/Orders?$select=id,price,total&$count=true&$filter=${filter}`);
    expect(json).toMatchObject({ "@odata.count": 1, value: [{ price: 1.1, total: 19.99 }] });
    for (const [refused, message] of [
      ["tolower(name) eq 'chai'", "The database behind this set cannot evaluate 'tolower'."],
      ["cast(name,Edm.Int32) eq 1", "The database behind this set cannot evaluate 'cast' of these types."],
      ["price gt 1", "The database behind this set cannot evaluate a Decimal that is stored as text, or computed."],
    ]) {
      const answer = await get(bare, `/Orders?$filter=${String(refused)}`);
      expect(answer).toEqual({ status: 400, json: { error: { code: "UnsupportedQueryOption", message } } });
    }
    await other.destroy();
  });

  test("runs nothing for a disconnected client", async () => {
    await db.transaction().execute(async (transaction) => {
      const inside = odataService({
        logger: { error: () => {}, warn: () => {}, info: () => {} },
        entitySets: [
          sqlEntitySet(Order, { db: transaction, table: "orders", operations: ["read"], columns: ORDER_COLUMNS }),
        ],
      });
      const controller = new AbortController();
      controller.abort();
      const response = await inside.fetch(
        new Request("http://service.example/Orders?$count=true", { signal: controller.signal }),
      );
      expect(response.status).toBe(500);
    });
  });
});
