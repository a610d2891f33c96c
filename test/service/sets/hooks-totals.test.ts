import { sql } from "kysely";
import { edm, entitySet, entityType, odataService, type Context } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { hookShop, type HookOptions, useHookTables } from "./hook-model.ts";

type Shop = ReturnType<typeof hookShop>;

describe.each(ENGINES)("hooks of related sets over $title", (engine) => {
  let db: AnyDatabase;
  let shop: Shop;
  useHookTables(
    engine,
    (opened) => (db = opened),
    "customers (id, name) values (1, 'Ann')",
    "orders (id, customer_id, status, version) values (1, 1, 'a', 1)",
  );

  /** Stores the number of the lines of an order as its total. */
  async function sumUp({
    entity: { orderId },
    ctx,
  }: {
    readonly entity: { readonly orderId: number };
    readonly ctx: Context;
  }): Promise<void> {
    const parents = ctx.sets(shop.orders, { trusted: true });
    await parents.get(orderId, { forUpdate: true });
    const total = await ctx.sets(shop.lines, { trusted: true }).count({ filter: (line) => line.orderId.eq(orderId) });
    await parents.patch(orderId, { total });
  }
  const open = (extra: HookOptions = {}): Shop =>
    (shop = hookShop(db, { lines: { after: { create: sumUp, patch: sumUp, delete: sumUp } }, ...extra }));
  beforeEach(() => {
    open();
  });

  async function order(id: number): Promise<{ readonly etag: string | null; readonly total: unknown }> {
    const { headers, json } = await shop.send("GET", `Orders(${String(id)})`);
    return { etag: headers.get("etag"), total: (json as { Total: unknown }).Total };
  }

  test("totals are right after each write, in the response of a deep insert and in its ETag", async () => {
    const body = {
      Id: 2,
      Total: 99,
      Lines: [
        { Id: 1, Text: "a" },
        { Id: 2, Text: "b" },
      ],
    };
    const created = await shop.send("POST", "Orders", body);
    expect(created).toMatchObject({ status: 201, json: { Id: 2, Total: 2, Lines: [{ Id: 1 }, { Id: 2 }] } });
    const { etag, total } = await order(2);
    expect([created.headers.get("etag"), created.json["@odata.etag"], total]).toEqual([etag, etag, 2]);
    expect((await shop.send("POST", "Orders(2)/Lines", { Id: 3, Text: "c" })).status).toBe(201);
    expect((await order(2)).total).toBe(3);
    expect((await shop.send("PATCH", "Lines(3)", { Text: "d" })).status).toBe(200);
    expect((await order(2)).total).toBe(3);
    expect((await shop.send("DELETE", "Lines(1)")).status).toBe(204);
    expect((await order(2)).total).toBe(2);
    const deep = await shop.send("POST", "Customers?$expand=Orders", {
      Id: 7,
      Name: "Bob",
      Orders: [{ Id: 3, Lines: [{ Id: 8, Text: "e" }] }],
    });
    expect(deep).toMatchObject({ status: 201, json: { Orders: [{ Id: 3, Total: 1 }] } });
  });

  test("`after` of an entity follows those of its nested entities, and gets the row as they leave it", async () => {
    const calls: unknown[] = [];
    open({
      customers: { after: { create: ({ entity }) => void calls.push(["customer", entity.name]) } },
      orders: { after: { create: ({ entity }) => void calls.push(["order", entity.id, entity.total]) } },
      lines: {
        after: {
          create: async (call) => {
            calls.push(["line", call.entity.id]);
            await sumUp(call);
          },
        },
      },
    });
    const created = await shop.send("POST", "Customers", {
      Id: 7,
      Name: "Bob",
      Orders: [
        {
          Id: 3,
          Lines: [
            { Id: 8, Text: "a" },
            { Id: 9, Text: "b" },
          ],
        },
        { Id: 4, Lines: [{ Id: 10, Text: "c" }] },
      ],
    });
    expect(created.status).toBe(201);
    expect(calls).toEqual([
      ["line", 8],
      ["line", 9],
      ["order", 3, "2.00"],
      ["line", 10],
      ["order", 4, "1.00"],
      ["customer", "Bob"],
    ]);
  });

  test("`after.delete` gets the entity as it was, read once, and only if the hook exists", async () => {
    const seen: unknown[] = [];
    open({
      orders: {
        before: {
          delete: async ({ current, ctx }) => {
            expect((await current()).status).toBe("a");
            await ctx.sets(shop.orders, { hooks: false, trusted: true }).count();
          },
        },
        after: {
          delete: async ({ key, entity, ctx }) => {
            seen.push([key, { ...entity }, await ctx.sets(shop.orders).count()]);
          },
        },
      },
    });
    await sql`update orders set secret = 5`.execute(db);
    expect((await shop.send("DELETE", "Orders(9)")).status).toBe(404);
    expect((await shop.send("DELETE", "Orders(1)", undefined, { "If-Match": '"0"' })).status).toBe(412);
    expect((await shop.send("DELETE", "Orders(1)")).status).toBe(204);
    expect(seen).toEqual([
      [1, { id: 1, customerId: 1, status: "a", total: null, placed: null, code: null, secret: 5, version: 1 }, 0],
    ]);
  });
});

describe("`after.delete` of handlers", () => {
  const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

  function openNotes(loads: boolean, remove?: (call: { readonly entity: { readonly text: string } }) => void) {
    const reads: number[] = [];
    const errors: unknown[] = [];
    const rows = new Map([[1, { id: 1, text: "a" }]]);
    const read = (id: number) => {
      reads.push(id);
      return rows.get(id) ?? null;
    };
    const notes = entitySet(Note, {
      ...(loads ? { getByKey: read } : {}),
      delete: (id) => rows.delete(id),
      ...(remove === undefined ? {} : { after: { delete: remove } }),
    });
    const service = odataService({
      entitySets: [notes],
      logger: { error: (_message, { err }) => void errors.push(err), warn: () => {}, info: () => {} },
    });
    const send = async (): Promise<number> =>
      (await service.fetch(new Request("http://pad.example/Notes(1)", { method: "DELETE" }))).status;
    return { send, reads, errors, rows };
  }

  test("gets the entity of `getByKey`, which is called for the hook alone", async () => {
    const texts: string[] = [];
    const hooked = openNotes(true, ({ entity }) => void texts.push(entity.text));
    expect([await hooked.send(), texts, hooked.reads]).toEqual([204, ["a"], [1]]);
    const plain = openNotes(true);
    expect([await plain.send(), plain.reads]).toEqual([204, []]);
  });

  test("gets only the key without `getByKey`: reading the entity is a logged 500", async () => {
    const keys: unknown[] = [];
    const silent = openNotes(false, (call) => void keys.push(Object.keys(call)));
    expect([await silent.send(), keys]).toEqual([204, [["ctx", "key"]]]);
    const reading = openNotes(false, ({ entity }) => void keys.push(entity));
    expect(await reading.send()).toBe(500);
    expect(reading.errors).toEqual([
      new TypeError("after.delete of Notes read `entity`, but Notes has no `getByKey`. Declare it."),
    ]);
  });
});
