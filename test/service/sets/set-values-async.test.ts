import { Kysely, sql, type Transaction } from "kysely";
import { edm, entitySet, entityType, odataError, odataService, type Context } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { Failures, failingDialect } from "../../databases/sql/failing-dialect.ts";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { eventsIn, hookShop, ORIGIN, useHookTables } from "./hook-model.ts";

type Shop = ReturnType<typeof hookShop>;

const FAILURE = {
  error: {
    code: "InternalServerError",
    message: "The service failed to answer this request. The failure has been logged.",
  },
};

describe.each(ENGINES)("values from the database, over $title", (engine) => {
  let db: AnyDatabase;
  let shop: Shop;
  useHookTables(
    engine,
    (opened) => (db = opened),
    "customers (id, name) values (1, 'Ann'), (2, 'Bob')",
    "orders (id, customer_id, status, version) values (1, 1, 'a', 1)",
  );

  /** Writes an event in the transaction of the write, and returns the number of events. */
  const numbered = async (context: Context, text: string): Promise<number> => {
    if (context.transaction === undefined) throw new Error("No transaction is open.");
    const transaction = context.transaction as Transaction<object>;
    await sql`insert into events (text) values (${text})`.execute(transaction);
    const { rows } = await sql<{ number: unknown }>`select count(*) as number from events`.execute(transaction);
    return Number(rows[0]?.number);
  };

  /** The name of the customer of an order, which the transaction reads. */
  const nameOf = async (id: number | null | undefined, context: Context): Promise<string> => {
    if (id === null || id === undefined) return "nobody";
    const found = await context.sets(shop.customers).get(id);
    return found === null ? (odataError(409, "NoCustomer", "Choose a customer.") as never) : found.name;
  };

  const inputs: unknown[] = [];
  const open = (extra: Parameters<typeof hookShop>[1] = {}): Shop => {
    shop = hookShop(db, {
      ...extra,
      orders: {
        set: {
          code: { create: async ({ input, ctx }) => nameOf(input.customerId, ctx) },
          status: {
            update: async ({ input, key, current, ctx }) => {
              inputs.push([key, { ...input }]);
              return "customerId" in input ? nameOf(input.customerId, ctx) : (await current()).status;
            },
          },
          total: { create: async ({ ctx }) => numbered(ctx, "order") },
        },
        ...extra.orders,
      },
      lines: {
        set: {
          text: {
            create: async ({ input, ctx }) => `line ${String(input.id)}, ${String(await numbered(ctx, "line"))}`,
          },
        },
        ...extra.lines,
      },
    });
    return shop;
  };
  const statusOf = async (id: number): Promise<unknown> =>
    (await sql<{ status: unknown }>`select status from orders where id = ${id}`.execute(db)).rows[0]?.status;
  beforeEach(() => {
    inputs.length = 0;
    open();
  });

  test("POST stores them, and ignores those of the client", async () => {
    expect(await shop.send("POST", "Orders", { Id: 2, CustomerId: 2, Code: "mine", Total: 99 })).toMatchObject({
      status: 201,
      json: { Id: 2, CustomerId: 2, Code: "Bob", Status: "open", Total: 1 },
    });
    expect(await eventsIn(db)).toEqual(["order"]);
    expect((await shop.send("GET", "Orders(2)")).json).toMatchObject({ Code: "Bob", Total: 1 });
  });

  test("a deep insert calls each function once per entity, the outer entity first", async () => {
    const body = { Id: 2, CustomerId: 1, Lines: [{ Id: 8, Text: "mine" }, { Id: 7 }] };
    expect(await shop.send("POST", "Orders?$expand=Lines", body)).toMatchObject({
      status: 201,
      json: {
        Code: "Ann",
        Total: 1,
        Lines: expect.arrayContaining([
          expect.objectContaining({ Id: 8, OrderId: 2, Text: "line 8, 2" }),
          expect.objectContaining({ Id: 7, OrderId: 2, Text: "line 7, 3" }),
        ]) as unknown,
      },
    });
    expect(await eventsIn(db)).toEqual(["order", "line", "line"]);
  });

  test("a nested entity alone may have them, and so may one along a navigation", async () => {
    open({ orders: { set: { total: { create: () => 5 } } } });
    const deep = await shop.send("POST", "Orders?$expand=Lines", { Id: 2, Lines: [{ Id: 8 }] });
    expect(deep).toMatchObject({ status: 201, json: { Total: 5, Lines: [{ Text: "line 8, 1" }] } });
    expect(await shop.send("POST", "Orders(1)/Lines", { Id: 9 })).toMatchObject({
      status: 201,
      json: { Id: 9, OrderId: 1, Text: "line 9, 2" },
    });
  });

  test("a change gets them: PATCH, PUT, a property, a link", async () => {
    const etag = { "If-Match": "*" };
    expect(await shop.send("PATCH", "Orders(1)", { Status: "x", CustomerId: 2 }, etag)).toMatchObject({
      status: 200,
      json: { Status: "Bob" },
    });
    expect(await shop.send("PATCH", "Orders(1)", { Placed: null }, etag)).toMatchObject({ json: { Status: "Bob" } });
    expect(await shop.send("PUT", "Orders(1)", { CustomerId: 1 }, etag)).toMatchObject({
      status: 200,
      json: { Status: "Ann" },
    });
    expect((await shop.send("PUT", "Orders(1)/CustomerId", { value: 2 }, etag)).status).toBe(204);
    expect(await statusOf(1)).toBe("Bob");
    const link = { "@odata.id": `${ORIGIN}/Customers(1)` };
    expect((await shop.send("PUT", "Orders(1)/Customer/$ref", link, etag)).status).toBe(204);
    expect(await statusOf(1)).toBe("Ann");
    expect((await shop.send("DELETE", "Customers(1)/Orders/$ref?$id=Orders(1)")).status).toBe(204);
    expect(await statusOf(1)).toBe("nobody");
    expect(inputs.slice(0, 2)).toEqual([
      [1, { customerId: 2 }],
      [1, { placed: null }],
    ]);
    expect(inputs.at(-1)).toEqual([1, { customerId: null }]);
  });

  test("a PATCH without changes calls no function, and a hook that fills it does", async () => {
    expect((await shop.send("PATCH", "Orders(1)", {})).status).toBe(200);
    expect(inputs).toEqual([]);
    open({ orders: { ...changing, before: { patch: () => ({ customerId: 2 }) } } });
    expect((await shop.send("PATCH", "Orders(1)", {})).status).toBe(200);
    expect(await statusOf(1)).toBe("changed 2");
  });
  const changing = {
    set: {
      status: {
        update: async ({ input }: { readonly input: object }) => `changed ${String(Reflect.get(input, "customerId"))}`,
      },
    },
  };

  test("what the functions wrote is undone with the write: a failed one, and one of a missing entity", async () => {
    expect((await shop.send("POST", "Orders", { Id: 1 })).status).toBe(409);
    open({ orders: { set: { status: { update: async ({ ctx }) => String(await numbered(ctx, "change")) } } } });
    expect((await shop.send("PATCH", "Orders(9)", { CustomerId: 1 })).status).toBe(404);
    expect(
      (await shop.send("PATCH", "Orders(1)", { Id: 1, CustomerId: 1, Total: 1 }, { "If-Match": '"0"' })).status,
    ).toBe(412);
    expect(await eventsIn(db)).toEqual([]);
    expect((await shop.send("PATCH", "Orders(1)", { CustomerId: 1 })).json).toMatchObject({ Status: "1" });
    expect(await eventsIn(db)).toEqual(["change"]);
  });

  test("`current` of a missing entity ends the write, whatever the function does then", async () => {
    open({
      orders: {
        set: {
          status: {
            update: async ({ current }) =>
              current().then(
                () => "found",
                () => "missing",
              ),
          },
        },
      },
    });
    expect((await shop.send("PATCH", "Orders(9)", { CustomerId: 1 })).status).toBe(404);
    expect((await shop.send("PATCH", "Orders(1)", { CustomerId: 1 })).json).toMatchObject({ Status: "found" });
  });

  test("a PUT to a missing entity whose key the server generates ends by `current`, too", async () => {
    const Note = entityType("Order", { id: edm.int32().key().computed(), code: edm.string().nullable() });
    const notes = sqlEntitySet(Note, {
      db,
      distributed: isDistributed(db),
      table: "orders",
      operations: ["read", "replace"],
      allowUpsert: true,
      set: { code: { update: async ({ current }) => `${String((await current()).code)}, again` } },
    });
    const logged: unknown[] = [];
    const service = odataService({
      entitySets: [notes],
      logger: { error: (_message, { err }) => void logged.push(err), warn: () => {}, info: () => {} },
    });
    const put = async (id: number): Promise<readonly unknown[]> => {
      const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body: "{}" };
      const response = await service.fetch(new Request(`${ORIGIN}/Orders(${String(id)})`, init));
      return [response.status, await response.json()];
    };
    expect(await put(1)).toMatchObject([200, { Code: "null, again" }]);
    expect(await put(9)).toMatchObject([404, { error: { code: "NotFound" } }]);
    expect(logged).toEqual([]);
  });

  test("hooks and `validate` see them, and refuse them with all their writes", async () => {
    const seen: unknown[] = [];
    open({
      orders: {
        before: { create: ({ entity }) => void seen.push(["before", { ...entity }]) },
        validate: {
          create: ({ entity }) => {
            seen.push(["validate", { ...entity }]);
            const { id } = entity as { readonly id: number };
            return id === 3 ? [{ message: "Not 3.", path: ["id"] }] : [];
          },
        },
      },
    });
    const values = { id: 2, code: "Bob", total: expect.anything() as unknown };
    expect((await shop.send("POST", "Orders", { Id: 2, CustomerId: 2 })).status).toBe(201);
    expect(seen).toMatchObject([
      ["validate", values],
      ["before", values],
    ]);
    expect((await shop.send("POST", "Orders", { Id: 3, CustomerId: 2 })).status).toBe(400);
    expect(await eventsIn(db)).toEqual(["order"]);
  });

  test("one transaction of a change set contains them", async () => {
    const post = (id: number, body: object = {}) => ({ request: `POST Orders`, body: { Id: id, ...body } });
    const parts = (ids: readonly number[]) => [
      ids.map((id, index) => ({
        id: String(index + 1),
        request: `POST ${ORIGIN}/Orders HTTP/1.1`,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(post(id).body),
      })),
    ];
    const json = (ids: readonly number[]) =>
      shop.service.fetch(
        new Request(`${ORIGIN}/$batch`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({
            requests: parts(ids)
              .flat()
              .map(({ id, body }) => ({
                id,
                method: "POST",
                url: "Orders",
                atomicityGroup: "g",
                headers: { "Content-Type": "application/json" },
                body: JSON.parse(body) as unknown,
              })),
          }),
        }),
      );
    open({ service: { batch: { json: true, changeSets: "sequential" } } });
    const statuses = async (response: Response) =>
      ((await response.json()) as { responses: Array<{ status: number; body: { Total?: number } }> }).responses.map(
        ({ status, body }) => [status, body.Total],
      );
    expect(await statuses(await json([5, 6]))).toEqual([
      [201, 1],
      [201, 2],
    ]);
    expect((await statuses(await json([7, 1]))).map(([status]) => status)).toContain(409);
    expect(await eventsIn(db)).toEqual(["order", "order"]);
  });

  test("an error that a function returns is the response, without the targets of other entities", async () => {
    open({
      orders: {
        set: {
          code: {
            create: async ({ input, ctx }) => {
              if (input.id === 2) return odataError(409, "NoOrders", "We are closed.", { target: "Id" });
              await ctx
                .sets(shop.customers)
                .create({ id: 3, name: "A name that is much longer than twenty characters" });
              return "";
            },
          },
        },
      },
    });
    expect(await shop.send("POST", "Orders", { Id: 2 })).toMatchObject({
      status: 409,
      json: { error: { code: "NoOrders", message: "We are closed.", target: "Id" } },
    });
    const refused = await shop.send("POST", "Orders", { Id: 3 });
    expect([refused.status, Object.keys((refused.json as { error: object }).error)]).toEqual([
      400,
      ["code", "message"],
    ]);
  });

  test.each<readonly [string, () => unknown, string]>([
    ["a wrong type", () => 5, "`set.code.create` of Orders returned no value of Edm.String: 5 is not an Edm.String"],
    ["nothing", () => undefined, "`set.code.create` of Orders returned no value of Edm.String: undefined"],
    [
      "an error",
      () => {
        throw new Error("no database");
      },
      "no database",
    ],
  ])("%s is a logged 500, and nothing is written", async (_what, make, message) => {
    open({ orders: { set: { code: { create: async () => make() as string } } } });
    const failed = await shop.send("POST", "Orders", { Id: 2 });
    expect([failed.status, failed.json]).toEqual([500, FAILURE]);
    expect(shop.logged.map(({ fields }) => (fields["err"] as Error).message)).toEqual([
      expect.stringContaining(message),
    ]);
    expect(await statusOf(2)).toBeUndefined();
  });

  test("calls of ctx.sets run them, and trusted ones may give the values", async () => {
    const created = await shop.run(async ({ sets }) => {
      await sets(shop.orders).create({ id: 2, customerId: 2 });
      await sets(shop.orders, { trusted: true }).create({ id: 3, code: "given", total: 7 });
      await sets(shop.orders).patch(2, { customerId: 1 });
    });
    expect(created.status).toBe(204);
    expect((await shop.send("GET", "Orders?$filter=Id gt 1&$select=Code,Status,Total")).json).toMatchObject({
      value: [
        { Code: "Bob", Status: "Ann", Total: 1 },
        { Code: "given", Status: "open", Total: 7 },
      ],
    });
    expect(await eventsIn(db)).toEqual(["order"]);
  });
});

describe("values from handlers", () => {
  const Product = entityType("Product", { id: edm.int32().key(), price: edm.int32() });
  const Line = entityType("Line", {
    id: edm.int32().key(),
    productId: edm.int32(),
    price: edm.int32(),
    note: edm.string().nullable(),
  });

  function openShop(loads = true) {
    const errors: unknown[] = [];
    const lines = new Map<number, { id: number; productId: number; price: number; note: string | null }>();
    const products = entitySet(Product, { getByKey: (id) => (id > 2 ? null : { id, price: id * 10 }) });
    let runs = 0;
    const priceOf = async (id: number | undefined, ctx: Context): Promise<number> => {
      runs += 1;
      const product = id === undefined ? null : await ctx.sets(products).get(id);
      if (product === null) throw odataError(409, "NoProduct", "There is no such product.", { target: "ProductId" });
      return product.price;
    };
    const set = entitySet(Line, {
      ...(loads ? { getByKey: (id: number) => lines.get(id) ?? null } : {}),
      create: (line) => {
        const saved = { ...line };
        lines.set(line.id, saved);
        return saved;
      },
      replace: (id, line) => {
        if (!lines.has(id)) return null;
        const saved = { ...line, id };
        lines.set(id, saved);
        return saved;
      },
      patch: (id, delta) => {
        const found = lines.get(id);
        if (found === undefined) return null;
        const saved = { ...found, ...(delta as object) };
        lines.set(id, saved);
        return saved;
      },
      set: {
        price: {
          create: async ({ input, ctx }) => priceOf(input.productId, ctx),
          update: async ({ input, current, ctx }) =>
            input.productId === undefined ? (await current()).price : priceOf(input.productId, ctx),
        },
      },
    });
    const service = odataService({
      entitySets: [products, set],
      logger: { error: (_message, { err }) => void errors.push(err), warn: () => {}, info: () => {} },
    });
    const send = async (method: string, path: string, body: object) => {
      const headers = { "Content-Type": "application/json" };
      const request = new Request(`http://shop.example/${path}`, { method, headers, body: JSON.stringify(body) });
      const response = await service.fetch(request);
      return [response.status, await response.json()] as const;
    };
    return { send, lines, errors, runs: () => runs };
  }

  test("the price of a line follows from its product", async () => {
    const { send, lines, runs } = openShop();
    expect(await send("POST", "Lines", { Id: 1, ProductId: 2, Price: 1 })).toMatchObject([201, { Price: 20 }]);
    expect(await send("PATCH", "Lines(1)", { ProductId: 1, Price: 1 })).toMatchObject([200, { Price: 10 }]);
    expect(await send("PATCH", "Lines(1)", { Note: "n" })).toMatchObject([200, { Price: 10, Note: "n" }]);
    expect(runs()).toBe(2);
    expect(await send("PUT", "Lines(1)", { ProductId: 2 })).toMatchObject([200, { Price: 20 }]);
    expect(await send("POST", "Lines", { Id: 2, ProductId: 3 })).toEqual([
      409,
      { error: { code: "NoProduct", message: "There is no such product.", target: "ProductId" } },
    ]);
    expect([...lines.keys()]).toEqual([1]);
    expect((await send("PATCH", "Lines(9)", { ProductId: 1 }))[0]).toBe(404);
  });

  test("values that facets forbid reach no `async` function, and fail no other one with a 500", async () => {
    const Note = entityType("Note", {
      id: edm.int32().key(),
      name: edm.string({ maxLength: 3 }),
      upper: edm.string({ maxLength: 3 }),
      number: edm.int32(),
    });
    const errors: unknown[] = [];
    const issue = { message: "Not this.", path: ["id"] };
    let numbers = 0;
    const next = async (): Promise<number> => (numbers += 1);
    const upper = ({ input }: { readonly input: object }): string => String(Reflect.get(input, "name")).toUpperCase();
    const notesOf = (name: string, number: object) =>
      entitySet(Note, {
        name,
        getByKey: (id) => ({ id, name: "n", upper: "N", number: 0 }),
        create: (note) => note,
        replace: (id, note) => ({ ...note, id }),
        patch: (id, delta) => ({ id, name: "n", upper: "N", number: 0, ...(delta as object) }),
        validate: { create: () => [issue], patch: () => [issue] },
        set: { upper: { create: upper, update: upper }, number },
      });
    const service = odataService({
      profile: "standard",
      entitySets: [notesOf("Async", { create: next, update: next }), notesOf("Sync", { create: () => 1 })],
      logger: { error: (_message, { err }) => void errors.push(err), warn: () => {}, info: () => {} },
    });
    const send = async (method: string, path: string): Promise<readonly unknown[]> => {
      const init = { method, headers: { "Content-Type": "application/json" }, body: '{"Id":1,"Name":"long"}' };
      const response = await service.fetch(new Request(`http://shop.example/${path}`, init));
      return [response.status, await response.json()];
    };
    for (const set of ["Async", "Sync"]) {
      for (const [method, key] of [
        ["POST", ""],
        ["PUT", "(1)"],
        ["PATCH", "(1)"],
      ] as const) {
        expect(await send(method, `${set}${key}`)).toMatchObject([400, { error: { target: "Name" } }]);
      }
    }
    expect([numbers, errors]).toEqual([0, []]);
  });

  test("`current` of an entity that is deleted during a PUT ends it", async () => {
    let reads = 0;
    const set = entitySet(Line, {
      getByKey: (id) => (reads++ === 0 ? { id, productId: 1, price: 1, note: null } : null),
      replace: (id, line) => ({ ...line, id }),
      allowUpsert: true,
      set: { price: { create: () => 1, update: async ({ current }) => (await current()).price } },
    });
    const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"ProductId":1}' };
    const response = await odataService({ entitySets: [set] }).fetch(new Request("http://shop.example/Lines(1)", init));
    expect([response.status, reads]).toEqual([404, 2]);
  });

  test("an ignored value that a function reads must be returned", async () => {
    const errors: unknown[] = [];
    const Secret = entityType("Secret", {
      id: edm.int32().key(),
      note: edm.string(),
      text: edm.string(),
      inner: edm.string().ignored(),
    });
    const set = entitySet(Secret, {
      getByKey: (id): { id: number; note: string; text: string } => ({ id, note: "n", text: "t" }),
      patch: () => null,
      set: { text: { update: async ({ current }) => (await current()).inner } },
    });
    const service = odataService({
      entitySets: [set],
      logger: { error: (_message, { err }) => void errors.push(err), warn: () => {}, info: () => {} },
    });
    const init = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"Note":"m"}' };
    expect((await service.fetch(new Request("http://shop.example/Secrets(1)", init))).status).toBe(500);
    expect(errors).toEqual([
      new TypeError("The handlers of Secrets return no `inner`, which a function of `set` reads."),
    ]);
  });

  test("`current` needs a way to read the entity", async () => {
    const { send, errors } = openShop(false);
    await send("POST", "Lines", { Id: 1, ProductId: 2 });
    expect((await send("PATCH", "Lines(1)", { Id: 1, ProductId: 1 }))[0]).toBe(200);
    expect(errors).toEqual([]);
    expect((await send("PATCH", "Lines(1)", { Note: "n" }))[0]).toBe(500);
    expect(errors).toEqual([
      new Error("A function of `set` of Lines called `current`, but Lines has no `getByKey`. Declare it, or `read`."),
    ]);
  });
});

test("a function runs again when the transaction is tried again", async () => {
  const BUSY = Object.assign(new Error("database is locked"), { errcode: 5, code: "ERR_SQLITE_ERROR" });
  const failures = new Failures();
  const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
  onTestFinished(() => db.destroy());
  await sql`create table memos (id integer primary key, number int not null)`.execute(db);
  const Memo = entityType("Memo", { id: edm.int32().key(), number: edm.int32() });
  let runs = 0;
  const memos = sqlEntitySet(Memo, {
    db,
    table: "memos",
    operations: ["create"],
    set: { number: { create: async () => (runs += 1) } },
  });
  const service = odataService({ entitySets: [memos], schemaCheck: false });
  let left = 2;
  failures.set((command) => (command === "commit" && left-- > 0 ? BUSY : null));
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Id":1}' };
  const response = await service.fetch(new Request("http://memos.example/Memos", init));
  expect([response.status, await response.json(), runs]).toMatchObject([201, { Number: 3 }, 3]);
});
