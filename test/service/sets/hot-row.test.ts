import { sql } from "kysely";
import { action, edm, entityType, hasMany, hasRequired, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { NEVER } from "../../timers.ts";
import { MULTIPART, multipart, received } from "../http/batch-model.ts";

const CALLERS = 30;
const ORIGIN = "http://shop.example";

const Product = entityType("Product", {
  id: edm.int32().key(),
  stock: edm.int32(),
  price: edm.int32(),
  version: edm.int32().computed(),
});
const Order = entityType("Order", { id: edm.int32().key(), total: edm.int32(), count: edm.int32() });
const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  productId: edm.int32(),
  amount: edm.int32(),
});

/** The status of a response, and the code of its error. */
interface Found {
  readonly status: number;
  readonly code: string | undefined;
}

describe.each(ENGINES)("a row that many requests write at once, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  const logged: unknown[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    const tables = [
      sql`create table products (id integer not null primary key, stock integer not null, price integer not null, version integer not null)`,
      sql`create table orders (id integer not null primary key, total integer not null, count integer not null)`,
      sql`create table order_lines (id integer not null primary key, order_id integer not null, product_id integer not null, amount integer not null, foreign key (order_id) references orders (id), foreign key (product_id) references products (id))`,
    ];
    for (const each of tables) await each.execute(db);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    logged.length = 0;
    for (const table of ["order_lines", "orders", "products"]) await sql`delete from ${sql.table(table)}`.execute(db);
    await sql`insert into products values (1, 100, 2, 1), (2, 3, 5, 1)`.execute(db);
    await sql`insert into orders values (1, 0, 0)`.execute(db);
  });

  /** @param sums how the hook of lines updates their order */
  const shop = (sums: "adds" | "sums" | "none" = "none") => {
    const operations = ["read", "create", "patch", "delete"] as const;
    const lines = sqlEntitySet(Line, {
      db,
      table: "order_lines",
      operations,
      columns: { orderId: "order_id", productId: "product_id" },
      navigation: {
        order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }),
        product: hasRequired(Product, { target: "Products", on: { productId: "id" } }),
      },
      after:
        sums === "none"
          ? {}
          : {
              create: async ({ entity: { orderId, amount }, ctx }) => {
                if (sums === "adds") {
                  const order = await ctx.sets(orders).get(orderId, { forUpdate: true });
                  if (order === null) throw new Error("There is no order.");
                  await ctx.sets(orders).patch(orderId, { total: order.total + amount, count: order.count + 1 });
                  return;
                }
                const all = await ctx.set.query({ filter: (line) => line.orderId.eq(orderId) });
                const total = all.reduce((sum, line) => sum + line.amount, 0);
                await ctx.sets(orders).patch(orderId, { total, count: all.length });
              },
            },
    });
    const orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations,
      allowDeepInsert: true,
      navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
      before: {
        patch: async ({ delta, current }) => {
          const stored = (await current()) as { readonly count: number } | null;
          return delta.total === undefined && stored !== null ? { ...delta, count: stored.count + 1 } : undefined;
        },
      },
    });
    const products = sqlEntitySet(Product, {
      db,
      table: "products",
      operations,
      rowVersion: "version",
      etag: ["version"],
      actions: {
        order: action({
          bound: "entity",
          params: { amount: edm.int32(), line: edm.int32() },
          returns: edm.int32(),
          handler: (id, { amount, line }, outer) =>
            outer.inTransaction(async (ctx) => {
              const product = await ctx.set.get(id, { forUpdate: true });
              if (product === null || product.stock < amount) {
                return odataError(409, "OutOfStock", "The stock is too low.");
              }
              await ctx.set.patch(id, { stock: product.stock - amount });
              await ctx.sets(lines).create({ id: line, orderId: 1, productId: id, amount });
              return ctx.sets(lines).count({ filter: (each) => each.productId.eq(id) });
            }),
        }),
        reserve: action({
          bound: "entity",
          params: { isolation: edm.string() },
          handler: (id, { isolation }, outer) =>
            outer.inTransaction(
              async (ctx) => {
                const product = await ctx.set.get(id);
                await ctx.set.patch(id, { stock: (product?.stock ?? 0) - 1 });
              },
              { isolation: isolation as "serializable" },
            ),
        }),
      },
    });
    const logger = {
      error: (message: string, fields: object) => logged.push([message, fields]),
      warn: () => 0,
      info: () => 0,
    };
    const service = odataService({
      entitySets: [products, orders, lines],
      logger,
      propertyNaming: "camelCase",
      defaults: { transactionTimeout: NEVER },
    });
    const send = async (method: string, path: string, body: unknown, headers = {}): Promise<Found> => {
      const init = { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
      const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
      const text = await response.text();
      const { error } = (text === "" ? {} : JSON.parse(text)) as { readonly error?: { readonly code: string } };
      return { status: response.status, code: error?.code };
    };
    return { service, send };
  };

  /** Sends requests at once. @returns how many had each status, or code of an error */
  async function atOnce(
    count: number,
    send: (index: number) => Promise<Found>,
  ): Promise<Readonly<Record<string, number>>> {
    const all = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    const counted: Record<string, number> = {};
    for (const { status, code } of all) {
      const name = code === undefined ? String(status) : `${String(status)} ${code}`;
      counted[name] = (counted[name] ?? 0) + 1;
    }
    return counted;
  }
  const rowOf = async (table: string, id: number): Promise<unknown> => {
    const { rows } = await sql`select * from ${sql.table(table)} where id = ${id}`.execute(db);
    return rows[0];
  };

  test("30 callers of the action `order` all buy", async () => {
    const { send } = shop();
    const buy = (line: number) => send("POST", "Products(1)/order", { amount: 2, line });
    expect(await atOnce(CALLERS, buy)).toEqual({ 200: CALLERS });
    expect(await rowOf("products", 1)).toMatchObject({ stock: 40 });
    expect(logged).toEqual([]);
  });

  test("of ten callers for a stock of three, three buy", async () => {
    const { send } = shop();
    const buy = (line: number) => send("POST", "Products(2)/order", { amount: 1, line });
    expect(await atOnce(10, buy)).toEqual({ 200: 3, "409 OutOfStock": 7 });
    expect(await rowOf("products", 2)).toMatchObject({ stock: 0 });
  });

  test.each(["adds", "sums"] as const)("a hook of 30 lines that %s updates the total of their order", async (sums) => {
    const { send } = shop(sums);
    const post = (id: number) => send("POST", "Lines", { id, orderId: 1, productId: 1, amount: 2 });
    expect(await atOnce(CALLERS, post)).toEqual({ 201: CALLERS });
    expect(await rowOf("orders", 1)).toMatchObject({ total: 60, count: CALLERS });
    expect(logged).toEqual([]);
  });

  test("a hook of lines in change sets and along the navigation updates the total, too", async () => {
    const { send, service } = shop("adds");
    const line = (id: number) => ({ id, productId: 1, amount: 1 });
    const batch = async (index: number): Promise<Found> => {
      const request = "POST Lines";
      const bodies = [0, 1].map((each) => ({ request, body: { ...line(100 + 2 * index + each), orderId: 1 } }));
      const init = { method: "POST", headers: MULTIPART, body: multipart([bodies]) };
      const response = await service.fetch(new Request(`${ORIGIN}/$batch`, init));
      const [set] = received(response.headers.get("content-type") ?? undefined, await response.text()) as [unknown];
      const [first] = Array.isArray(set) ? (set as Found[]) : [set as Found];
      return { status: first?.status ?? 0, code: undefined };
    };
    const way = (index: number) => (index % 2 === 0 ? batch(index) : send("POST", "Orders(1)/lines", line(index)));
    expect(await atOnce(20, way)).toEqual({ 201: 20 });
    expect(await rowOf("orders", 1)).toMatchObject({ total: 30, count: 30 });
  });

  test("deep inserts for one product at once, with hooks of their lines", async () => {
    const { send } = shop("adds");
    const post = (index: number) => {
      const lines = [0, 1].map((each) => ({ id: 2 * index + each, productId: 1 + each, amount: 1 }));
      return send("POST", "Orders", {
        id: 10 + index,
        total: 0,
        count: 0,
        lines: index % 2 === 0 ? lines : lines.toReversed(),
      });
    };
    expect(await atOnce(CALLERS, post)).toEqual({ 201: CALLERS });
    expect(await rowOf("orders", 10)).toMatchObject({ total: 2, count: 2 });
  });

  test("hooks that ask for `current()` lose no update", async () => {
    const { send } = shop();
    expect(await atOnce(CALLERS, () => send("PATCH", "Orders(1)", {}))).toEqual({ 200: CALLERS });
    expect(await rowOf("orders", 1)).toMatchObject({ count: CALLERS });
  });

  test("one of 20 writers with the same ETag succeeds", async () => {
    const { send, service } = shop();
    const etag = (await service.fetch(new Request(`${ORIGIN}/Products(1)`))).headers.get("ETag");
    const patch = (stock: number) => send("PATCH", "Products(1)", { stock }, { "If-Match": etag });
    const counted = await atOnce(20, patch);
    expect(counted).toEqual({ 200: 1, "412 PreconditionFailed": 19 });
  });

  test.each(["repeatable read", "serializable"])("work without locks loses no update with `%s`", async (isolation) => {
    const { send } = shop();
    const reserve = () => send("POST", "Products(1)/reserve", { isolation });
    expect(await atOnce(CALLERS, reserve)).toEqual({ 204: CALLERS });
    expect(await rowOf("products", 1)).toMatchObject({ stock: 100 - CALLERS });
    expect(logged).toEqual([]);
  });
});
