import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { KeptStatements } from "../../../src/databases/read/kept-statements.ts";
import { Structures } from "../../../src/databases/read/structures.ts";
import type { NavigationProperty, StructuralProperty } from "../../../src/edm/model.ts";
import type { RowShape } from "../../../src/language/query/row-shape.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** Services over one database share its statements. Each gets the statements of its own declarations. */

const USER = { authenticate: () => ({}) };
const BOTH = { operations: ["read", "patch"] } as const;

async function openDatabase(...statements: readonly string[]): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  onTestFinished(() => db.destroy());
  for (const each of statements) await sql.raw(each).execute(db);
  return db;
}

interface Fetching {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Sends a request, and returns the body of the successful response. */
async function send(service: Fetching, path: string, method = "GET", body?: object): Promise<unknown> {
  const headers = { "Content-Type": "application/json", Prefer: "return=representation" };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await service.fetch(new Request(`http://localhost/${path}`, { method, headers, ...given }));
  const text = await response.text();
  expect({ ok: response.ok, text }).toMatchObject({ ok: true });
  return JSON.parse(text);
}

async function rowsOf(db: AnyDatabase, table: string): Promise<readonly unknown[]> {
  return (await sql`select * from ${sql.id(table)}`.execute(db)).rows;
}

class Scaled {
  readonly #factor: number;

  constructor(factor: number) {
    this.#factor = factor;
  }

  fromDatabase(cell: unknown): number {
    return Number(cell) / this.#factor;
  }

  toDatabase(value: number): number {
    return value * this.#factor;
  }
}

test("two conversions of one class are two", async () => {
  const db = await openDatabase("create table orders (id integer primary key, price integer not null)");
  await sql`insert into orders values (1, 1000)`.execute(db);
  const Order = entityType("Order", { id: edm.int32().key(), price: edm.double() });
  const make = (factor: number): Fetching => {
    const columns = { price: { convert: new Scaled(factor) } };
    return odataService({ ...USER, entitySets: [sqlEntitySet(Order, { db, table: "orders", ...BOTH, columns })] });
  };
  for (const [factor, price] of [
    [10, 1000],
    [100, 500],
  ] as const) {
    const service = make(factor);
    expect(await send(service, "Orders(1)")).toMatchObject({ Price: price / factor });
    expect(await send(service, "Orders(1)", "PATCH", { Price: 50 })).toMatchObject({ Price: 50 });
    expect(await rowsOf(db, "orders")).toEqual([{ id: 1, price: 50 * factor }]);
  }
});

test("an option may inherit its members", async () => {
  const db = await openDatabase(
    "create table orders (id integer primary key, one integer not null, two integer not null)",
  );
  await sql`insert into orders values (1, 10, 20)`.execute(db);
  const Order = entityType("Order", { id: edm.int32().key(), price: edm.int32() });
  for (const [name, price] of [
    ["one", 10],
    ["two", 20],
  ] as const) {
    const columns = { price: Object.create({ name }) as { readonly name: string } };
    const service = odataService({
      ...USER,
      entitySets: [sqlEntitySet(Order, { db, table: "orders", ...BOTH, columns })],
    });
    expect(await send(service, "Orders(1)")).toMatchObject({ Price: price });
  }
});

test.each([
  ["plain", "virtual"],
  ["virtual", "plain"],
] as const)("services over the table of a tenant may need other properties: %s, %s", async (...order) => {
  const db = await openDatabase(
    "create table orders (id integer primary key, price integer not null, cost integer not null default 7)",
  );
  const Order = entityType("Order", {
    id: edm.int32().key().computed(),
    price: edm.int32(),
    cost: edm.int32().ignored(),
  });
  const shared = {
    db: () => ({ id: "tenant", db }),
    table: "orders",
    operations: ["read", "create", "patch"] as const,
  };
  const virtual = {
    margin: {
      type: edm.int32(),
      needs: ["price", "cost"] as const,
      read: (rows: ReadonlyArray<{ readonly price: number; readonly cost: number }>) =>
        rows.map(({ price, cost }) => price - cost),
    },
  };
  const services = {
    plain: odataService({ ...USER, entitySets: [sqlEntitySet(Order, shared)] }),
    virtual: odataService({ ...USER, entitySets: [sqlEntitySet(Order, { ...shared, virtual })] }),
  };
  for (const [index, name] of order.entries()) {
    const service = services[name];
    const id = index + 1;
    expect(await send(service, "Orders", "POST", { Price: 50 })).toMatchObject({ Id: id, Price: 50 });
    const changed = await send(service, `Orders(${String(id)})`, "PATCH", { Price: 60 });
    expect(changed).toMatchObject({ Id: id, Price: 60, ...(name === "virtual" ? { Margin: 53 } : {}) });
  }
});

const GUID = "abcdefab-0000-0000-0000-000000000001";
const TEXT = { storage: "text" } as const;

test("the name of a column may look like a reference", async () => {
  const forged = "order_id > orders id";
  const db = await openDatabase(
    "create table orders (id text primary key)",
    `create table lines (id integer primary key, order_id text, "${forged}" text)`,
  );
  await sql`insert into orders values (${GUID.toUpperCase()})`.execute(db);
  await sql`insert into lines values (1, null, null)`.execute(db);
  const Order = entityType("Order", { id: edm.guid().key() });
  const Line = entityType("Line", {
    id: edm.int32().key(),
    orderId: edm.guid().nullable(),
    other: edm.guid().nullable(),
  });
  const service = odataService({
    ...USER,
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns: { id: TEXT } }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        ...BOTH,
        columns: { orderId: { name: "order_id", ...TEXT }, other: { name: forged, ...TEXT } },
        navigation: { order: hasOptional(Order, { target: "Orders", on: { orderId: "id" } }) },
      }),
    ],
  });
  await send(service, "Lines(1)", "PATCH", { OrderId: GUID });
  await send(service, "Lines(1)", "PATCH", { Other: "00000000-0000-0000-0000-000000000009" });
  expect(await rowsOf(db, "lines")).toEqual([
    { id: 1, order_id: GUID.toUpperCase(), [forged]: "00000000-0000-0000-0000-000000000009" },
  ]);
});

test("a foreign key refers to the columns of the service of its request", async () => {
  const other = "AbcdefaB-0000-0000-0000-000000000001";
  const db = await openDatabase(
    "create table orders (id text primary key, ext text not null)",
    "create table lines (id integer primary key, order_id text)",
  );
  await sql`insert into orders values (${GUID.toUpperCase()}, ${other})`.execute(db);
  await sql`insert into lines values (1, null)`.execute(db);
  const Order = entityType("Order", { id: edm.guid().key() });
  const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.guid().nullable() });
  const lines = sqlEntitySet(Line, {
    db,
    table: "lines",
    ...BOTH,
    columns: { orderId: { name: "order_id", ...TEXT } },
    navigation: { order: hasOptional(Order, { target: "Orders", on: { orderId: "id" } }) },
  });
  for (const [name, stored] of [
    ["id", GUID.toUpperCase()],
    ["ext", other],
  ] as const) {
    const columns = { id: { name, ...TEXT } };
    const orders = sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns });
    const service = odataService({ ...USER, schemaCheck: false, entitySets: [orders, lines] });
    await send(service, "Lines(1)", "PATCH", { OrderId: GUID });
    expect(await rowsOf(db, "lines")).toEqual([{ id: 1, order_id: stored }]);
  }
});

test.each([
  ["$search", [1, 2, 3].map((each) => `Orders?$expand=Customer($expand=Orders($search=secret${String(each)}))`)],
  ["$top", [1, 2, 3].map((each) => `Orders?$expand=Customer($expand=Orders($search=secret;$top=${String(each)}))`)],
])("no key contains the %s of an expansion below a joined one", async (_name, paths) => {
  const db = await openDatabase(
    "create table customers (id integer primary key)",
    "create table orders (id integer primary key, customer_id integer not null, note text not null)",
  );
  await sql`insert into customers values (1)`.execute(db);
  await sql`insert into orders values (1, 1, 'secret1')`.execute(db);
  const Customer = entityType("Customer", { id: edm.int32().key() });
  const Order = entityType("Order", { id: edm.int32().key(), customerId: edm.int32(), note: edm.string() });
  const service = odataService({
    ...USER,
    entitySets: [
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations: ["read"],
        navigation: { orders: hasMany(Order, { target: "Orders", on: { id: "customerId" } }) },
      }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations: ["read"],
        columns: { customerId: "customer_id" },
        search: ["note"],
        navigation: { customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" } }) },
      }),
    ],
  });
  const texts = vi.spyOn(Structures.prototype, "ofText");
  onTestFinished(() => texts.mockRestore());
  const [first = "", ...others] = paths;
  await send(service, first);
  const before = new Set(texts.mock.calls.map(([text]) => text));
  for (const path of others) await send(service, path);
  const after = new Set(texts.mock.calls.map(([text]) => text));
  expect([...after].filter((text) => text.includes("secret"))).toEqual([]);
  expect([...after].filter((text) => !before.has(text))).toEqual([]);
});

test("statements of wide rows are forgotten before those of narrow ones", () => {
  const made = (columns: number, joined = 0): number => {
    const layout = (count: number): Pick<RowShape, "columns"> => ({
      columns: new Map(
        Array.from({ length: count }, (_, index) => {
          const column = { kind: "scalar", index, toValue: () => null } as const;
          return [{ name: `Column${String(index)}` } as StructuralProperty, column];
        }),
      ),
    });
    const related = new Map([[{} as NavigationProperty, { ...layout(joined), isPresent: () => true }]]);
    const rowShape = { ...layout(columns), joined: related };
    const kept = new KeptStatements();
    let count = 0;
    const make = (): { readonly sql: string; readonly slots: readonly unknown[]; readonly rowShape: RowShape } => {
      count += 1;
      return { sql: "select 1", slots: [], rowShape };
    };
    for (const _round of [1, 2]) {
      for (let index = 0; index < 1000; index += 1) kept.get("rows", ["page", String(index)], undefined, make);
    }
    return count;
  };
  expect(made(5)).toBe(1000);
  expect(made(150)).toBe(2000);
  expect(made(5, 145)).toBe(2000);
});

test("the migration of one tenant changes no answer of another", async () => {
  const table = "create table orders (id integer primary key, name text not null collate nocase)";
  const row = "insert into orders values (1, 'Abc')";
  const databases = { a: await openDatabase(table, row), b: await openDatabase(table, row) };
  const Order = entityType("Order", { id: edm.int32().key(), name: edm.string() });
  const service = odataService({
    authenticate: ({ headers }) => ({ id: headers.get("x-user") === "a" ? ("a" as const) : ("b" as const) }),
    entitySets: [
      sqlEntitySet(Order, {
        db: ({ user }) => {
          const { id } = user as { readonly id: "a" | "b" };
          return { id, db: databases[id] };
        },
        table: "orders",
        operations: ["read"],
      }),
    ],
  });
  const read = async (user: string, path: string): Promise<unknown> => {
    const response = await service.fetch(new Request(`http://localhost/${path}`, { headers: { "x-user": user } }));
    return ((await response.json()) as { readonly value: unknown }).value;
  };
  const found = [{ Id: 1, Name: "Abc" }];
  for (const user of ["b", "a"]) expect(await read(user, "Orders")).toMatchObject(found);
  for (const each of [
    "create table copied (id integer primary key, name text not null)",
    "insert into copied select * from orders",
    "drop table orders",
    "alter table copied rename to orders",
  ]) {
    await sql.raw(each).execute(databases.a);
  }
  const filters = ["Name eq 'ABC'", "Name eq 'Abc'", "Name ne 'ABC'"];
  const answers = [[], found, found];
  for (const [index, filter] of filters.entries()) {
    for (const user of ["a", "b"]) {
      expect(await read(user, `Orders?$filter=${filter}`), `${user}: ${filter}`).toMatchObject(answers[index] ?? []);
    }
  }
});
