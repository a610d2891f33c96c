import { edm, entitySet, entityType, hasMany, odataService, resource } from "odatakit";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { hookShop, useHookTables } from "./hook-model.ts";

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly json: { readonly "@odata.etag"?: string; readonly Total?: number };
}

const judge = async ({ current }: { readonly current: () => Promise<unknown> }): Promise<undefined> => {
  await current();
};

describe.each(ENGINES)("a write whose `after` hooks write its row, over $title", (engine) => {
  let db: AnyDatabase;
  useHookTables(
    engine,
    (opened) => (db = opened),
    "orders (id, status, version) values (1, 'a', 1)",
    "order_lines (id, order_id, text) values (3, 1, 'x')",
  );

  /** A shop whose hooks count: the hook of an order writes it again, that of a line adds to its order. */
  function countingShop(isShowing: boolean, judged: object = {}) {
    const again = async ({ key, ctx }: { readonly key: number; readonly ctx: unknown }) => {
      const { sets } = ctx as Parameters<Parameters<typeof shop.run>[0]>[0];
      await sets(shop.orders, { hooks: false }).patch(key, { total: "7.5" });
      return isShowing ? { status: "shown" } : undefined;
    };
    const line = async ({ entity, ctx }: { readonly entity: { readonly orderId: number }; readonly ctx: unknown }) => {
      const { sets } = ctx as Parameters<Parameters<typeof shop.run>[0]>[0];
      await sets(shop.orders, { hooks: false }).patch(entity.orderId, { total: "9.5" });
    };
    const hooks = {
      orders: { after: { patch: again, replace: again, create: again }, ...judged },
      service: { authenticate: () => ({ id: "ann" }) },
      lines: { after: { create: line } },
    };
    const shop: ReturnType<typeof hookShop> = hookShop(db, hooks);
    return shop;
  }

  /** Asserts that the response has the ETag of the stored row twice, and that a client can use it. */
  async function checkTags({ send }: ReturnType<typeof countingShop>, id: number, sent: Sent): Promise<void> {
    const read = await send("GET", `Orders(${String(id)})`);
    const etag = read.headers.get("etag") ?? "none";
    expect(sent.headers.get("etag")).toBe(etag);
    if (sent.status !== 204) expect(sent.json["@odata.etag"]).toBe(etag);
    expect((await send("PATCH", `Orders(${String(id)})`, { Status: "z" }, { "If-Match": etag })).status).toBe(200);
  }

  test.each([
    [true, "nothing", {}],
    [false, "nothing", {}],
    [true, "`validate`", { validate: { patch: judge } }],
    [true, "a rule", { authorization: { update: resource(() => true) } }],
  ])(
    "answers with the row as the hooks leave it; another value is shown: %s; the stored entity is judged by: %s",
    async (isShowing, _by, judged) => {
      const shop = countingShop(isShowing, judged);
      const { send } = shop;
      for (const [method, path, body, status] of [
        ["PATCH", "Orders(1)", { Status: "b" }, 200],
        ["PUT", "Orders(1)", { Status: "b" }, 200],
        ["PUT", "Orders(1)/Status", { value: "b" }, 204],
        ["DELETE", "Orders(1)/CustomerId", undefined, 204],
        ["PATCH", "Orders(1)?$select=Total,Status", { Status: "b" }, 200],
      ] as const) {
        const sent = await send(method, path, body);
        expect(sent.status).toBe(status);
        if (status === 200) expect(sent.json).toMatchObject({ Total: 7.5, Status: isShowing ? "shown" : "b" });
        await checkTags(shop, 1, sent);
      }
      const minimal = await send("PATCH", "Orders(1)", { Status: "b" }, { Prefer: "return=minimal" });
      expect(minimal.status).toBe(204);
      await checkTags(shop, 1, minimal);
      const created = await send("POST", "Orders", { Id: 2, Lines: [{ Id: 5, OrderId: 2, Text: "y" }] });
      expect([created.status, created.json]).toMatchObject([
        201,
        { Status: isShowing ? "shown" : "open", Lines: [{ Id: 5, Text: "y" }] },
      ]);
      expect((await send("GET", "Orders(2)")).json).toMatchObject({ Total: created.json.Total });
      await checkTags(shop, 2, created);
      const upserted = await send("PUT", "Orders(4)", { Status: "b" });
      expect([upserted.status, upserted.json]).toMatchObject([201, { Total: 7.5 }]);
      await checkTags(shop, 4, upserted);
      expect(shop.logged).toEqual([]);
    },
  );
});

test("over objects, the entity is read again by `getByKey`, nested entities included", async () => {
  const Order = entityType("Order", {
    id: edm.int32().key(),
    total: edm.int32().nullable(),
    version: edm.int32().nullable(),
  });
  const Line = entityType("Line", { id: edm.int32().key(), amount: edm.int32(), version: edm.int32().nullable() });
  const stored = new Map<number, { id: number; total: number | null; version: number }>();
  const kept = new Map<number, { id: number; amount: number; version: number }>();
  const lines = entitySet(Line, {
    etag: ["version"],
    getByKey: (id) => kept.get(id) ?? null,
    create: (line) => ({ ...line }),
    after: {
      create: ({ entity }) => {
        kept.set(entity.id, { ...entity, version: 2 });
        const order = stored.get(1);
        if (order !== undefined) stored.set(1, { ...order, total: (order.total ?? 0) + entity.amount, version: 5 });
        return { amount: 0 };
      },
    },
  });
  const orders = entitySet(Order, {
    etag: ["version"],
    allowDeepInsert: true,
    getByKey: (id) => stored.get(id) ?? null,
    create: (order) => {
      stored.set(order.id, { id: order.id, total: 0, version: 1 });
      return { ...order, total: 0, version: 1 };
    },
    navigation: { lines: hasMany(Line, { target: "Lines" }) },
  });
  const service = odataService({ entitySets: [orders, lines] });
  const body = JSON.stringify({
    Id: 1,
    Lines: [
      { Id: 1, Amount: 3 },
      { Id: 2, Amount: 4 },
    ],
  });
  const headers = { "Content-Type": "application/json" };
  const created = await service.fetch(new Request("http://a.example/Orders", { method: "POST", headers, body }));
  const read = async (path: string): Promise<string | null> =>
    (await service.fetch(new Request(`http://a.example/${path}`))).headers.get("etag");
  expect(created.status).toBe(201);
  expect(created.headers.get("etag")).toBe(await read("Orders(1)"));
  expect(await created.json()).toMatchObject({
    "@odata.etag": await read("Orders(1)"),
    Total: 7,
    Version: 5,
    Lines: [
      { "@odata.etag": await read("Lines(1)"), Amount: 0, Version: 2 },
      { "@odata.etag": await read("Lines(2)"), Amount: 0, Version: 2 },
    ],
  });
});
