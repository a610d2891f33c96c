import type { Context } from "odatakit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { createShopTables, shopOver, type Script, type Shop } from "./shop-model.ts";

describe.each(ENGINES)("sets of a handler over $title", (engine) => {
  let open: OpenDatabase;
  let db: AnyDatabase;
  let shop: Shop;

  beforeAll(async () => {
    open = await engine.open();
    ({ db } = open);
    await createShopTables(db, engine);
    shop = shopOver(db);
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    await db.deleteFrom("order_lines").execute();
    await db.deleteFrom("orders").execute();
    const row = { status: "open", total: "10.50", placed: null, street: null, city: null, version: 1 };
    await db
      .insertInto("orders")
      .values([
        {
          ...row,
          id: 1,
          owner: "ann",
          placed: engine.name === "mariadb" ? "2024-05-01 12:00:00" : "2024-05-01T12:00:00.000Z",
        },
        { ...row, id: 2, owner: "bob" },
        { ...row, id: 3, owner: "ann", status: "closed", city: "Oslo", total: "7.25" },
        { ...row, id: 4, owner: "ann", total: "9.00" },
      ])
      .execute();
    await db.insertInto("order_lines").values({ id: 1, order_id: 1, text: "chair" }).execute();
  });

  const resultOf = (script: Script, user = "ann"): Promise<unknown> => shop.resultOf(script, user);

  test("get returns canonical values, and null for a missing or hidden entity", async () => {
    expect(await resultOf(({ sets }) => sets(shop.orders).get(1))).toEqual({
      id: 1,
      owner: "ann",
      status: "open",
      total: "10.50",
      placed: "2024-05-01T12:00:00.000Z",
      shipTo: null,
      version: 1,
    });
    expect(await resultOf(({ sets }) => sets(shop.orders).get(3))).toMatchObject({
      shipTo: { street: null, city: "Oslo" },
    });
    expect(await resultOf(({ sets }) => sets(shop.orders).get(2))).toBeNull();
    expect(await resultOf(({ sets }) => sets(shop.orders).get(9))).toBeNull();
    expect(await resultOf(({ sets }) => sets(shop.orders, { trusted: true }).get(2))).toMatchObject({ owner: "bob" });
  });

  test.each<readonly [string, (shop: Shop, context: Context) => Promise<unknown>, unknown]>([
    ["all visible entities", ({ orders }, { sets }) => sets(orders).query(), [1, 3, 4]],
    ["all entities, trusted", ({ orders }, { sets }) => sets(orders, { trusted: true }).query(), [1, 2, 3, 4]],
    ["a condition", ({ orders }, { sets }) => sets(orders).query({ filter: (o) => o.status.eq("open") }), [1, 4]],
    [
      "conditions",
      ({ orders }, { sets }) => sets(orders).query({ filter: (o) => o.total.gt("8").and(o.placed.isNull()) }),
      [4],
    ],
    ["an order", ({ orders }, { sets }) => sets(orders).query({ orderBy: "total desc" }), [1, 4, 3]],
    ["orders", ({ orders }, { sets }) => sets(orders).query({ orderBy: ["status", "id desc"] }), [3, 4, 1]],
    ["a page", ({ orders }, { sets }) => sets(orders).query({ orderBy: "id", skip: 1, top: 1 }), [3]],
    ["more than maxTop", ({ orders }, { sets }) => sets(orders).query({ top: 3 }), [1, 3, 4]],
    ["none", ({ orders }, { sets }) => sets(orders).query({ top: 0 }), []],
    ["no row by a list", ({ orders }, { sets }) => sets(orders).query({ filter: (o) => o.status.in([]) }), []],
    ["along a navigation", ({ lines }, { sets }) => sets(lines).query({ filter: (l) => l.order.owner.eq("ann") }), [1]],
    [
      "along a navigation to a hidden row",
      ({ lines }, { sets }) => sets(lines).query({ filter: (l) => l.order.owner.eq("bob") }),
      [],
    ],
  ])("query: %s", async (_name, query, ids) => {
    const found = (await resultOf(async (context) => query(shop, context))) as Array<{ readonly id: number }>;
    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  test("count returns the number of entities that query returns", async () => {
    expect(await resultOf(({ sets }) => sets(shop.orders).count())).toBe(3);
    expect(await resultOf(({ sets }) => sets(shop.orders).count({ filter: (o) => o.total.lt("10") }))).toBe(2);
    expect(await resultOf(({ sets }) => sets(shop.orders, { trusted: true }).count())).toBe(4);
  });

  test("values of a filter are never parsed", async () => {
    const text = "x' or 1 eq 1 --";
    expect(await resultOf(({ sets }) => sets(shop.orders).query({ filter: (o) => o.status.eq(text) }))).toEqual([]);
  });

  test("create fills in defaults, returns the saved entity and accepts nested entities", async () => {
    const created = await resultOf(({ sets }) =>
      sets(shop.orders).create({
        id: 5,
        owner: "ann",
        total: "12.50",
        placed: new Date("2024-06-01T00:00:00Z"),
        shipTo: { city: "Bergen" },
        lines: [{ id: 7, text: "lamp" }],
      }),
    );
    expect(created).toEqual({
      id: 5,
      owner: "ann",
      status: "open",
      total: "12.50",
      placed: "2024-06-01T00:00:00.000Z",
      shipTo: { street: null, city: "Bergen" },
      version: 1,
    });
    expect(await resultOf(({ sets }) => sets(shop.lines).get(7))).toEqual({ id: 7, orderId: 5, text: "lamp" });
  });

  test("patch changes the given members, and returns null for a missing or hidden entity", async () => {
    expect(await resultOf(({ sets }) => sets(shop.orders).patch(1, { status: "paid" }))).toMatchObject({
      status: "paid",
      total: "10.50",
      version: 2,
    });
    expect(await resultOf(({ sets }) => sets(shop.orders).patch(2, { status: "paid" }))).toBeNull();
    expect(
      await resultOf(({ sets }) => sets(shop.orders, { trusted: true }).patch(2, { status: "paid" })),
    ).toMatchObject({
      owner: "bob",
      status: "paid",
    });
  });

  test("a write with expected values is 412 if the entity has changed", async () => {
    const patch = (version: number) => (context: Context) =>
      context.sets(shop.orders).patch(1, { status: "paid" }, { expected: { version } });
    expect(await resultOf(patch(1))).toMatchObject({ version: 2 });
    expect(await resultOf(patch(1))).toBe("412 PreconditionFailed");
    const remove = (version: number) => (context: Context) =>
      context.sets(shop.orders).delete(1, { expected: { version } });
    await db.deleteFrom("order_lines").execute();
    expect(await resultOf(remove(1))).toBe("412 PreconditionFailed");
    expect(await resultOf(remove(2))).toBe(true);
    expect(await resultOf(remove(2))).toBe("412 PreconditionFailed");
  });

  test("delete returns whether the entity existed", async () => {
    expect(await resultOf(({ sets }) => sets(shop.orders).delete(4))).toBe(true);
    expect(await resultOf(({ sets }) => sets(shop.orders).delete(4))).toBe(false);
    expect(await resultOf(({ sets }) => sets(shop.orders).delete(2))).toBe(false);
    expect(await resultOf(({ sets }) => sets(shop.orders, { trusted: true }).delete(2))).toBe(true);
  });

  test.each<readonly [string, string, (shop: Shop, context: Context) => Promise<unknown>, unknown]>([
    ["a category without its role", "bob", ({ orders }, { sets }) => sets(orders).delete(2), "403 Forbidden"],
    ["a category, trusted", "bob", ({ orders }, { sets }) => sets(orders, { trusted: true }).delete(2), true],
    ["reading", "bob", ({ accounts }, { sets }) => sets(accounts).get(1), "403 Forbidden"],
    ["querying", "bob", ({ accounts }, { sets }) => sets(accounts).query(), "403 Forbidden"],
    ["counting", "bob", ({ accounts }, { sets }) => sets(accounts).count(), "403 Forbidden"],
    ["a resource rule of update", "ann", ({ orders }, { sets }) => sets(orders).patch(3, {}), "403 Forbidden"],
    [
      "the same, trusted",
      "ann",
      ({ orders }, { sets }) => sets(orders, { trusted: true }).patch(3, { status: "x" }),
      { id: 3 },
    ],
    [
      "a resource rule of create",
      "ann",
      ({ lines }, { sets }) => sets(lines).create({ id: 9, orderId: 1, text: "forbidden" }),
      "403 Forbidden",
    ],
    [
      "an entity that the user would not see",
      "ann",
      ({ orders }, { sets }) => sets(orders).create({ id: 9, owner: "bob", total: "1" }),
      "403 Forbidden",
    ],
    ["the same by a patch", "ann", ({ orders }, { sets }) => sets(orders).patch(1, { owner: "bob" }), "403 Forbidden"],
    [
      "a nested entity",
      "ann",
      ({ orders }, { sets }) =>
        sets(orders).create({ id: 9, owner: "ann", total: "1", lines: [{ id: 9, text: "forbidden" }] }),
      "403 Forbidden",
    ],
    [
      "a filter that leads to a closed set",
      "bob",
      ({ lines }, { sets }) => sets(lines).query({ filter: (line) => line.account.balance.gt(0n) }),
      "403 Forbidden",
    ],
    [
      "the same, counted",
      "bob",
      ({ lines }, { sets }) => sets(lines).count({ filter: (line) => line.account.balance.gt(0n) }),
      "403 Forbidden",
    ],
    [
      "a key that is taken",
      "ann",
      ({ orders }, { sets }) => sets(orders).create({ id: 1, owner: "ann", total: "1" }),
      "409 Conflict",
    ],
    [
      "a value that is too long",
      "ann",
      ({ orders }, { sets }) => sets(orders).create({ id: 9, owner: "a".repeat(21), total: "1" }),
      "400 InvalidBody",
    ],
    [
      "a required member that is absent",
      "ann",
      ({ orders }, { sets }) => sets(orders).create({ id: 9, owner: "ann" } as never),
      "400 InvalidBody",
    ],
  ])("rules apply as to a request: %s", async (_name, user, call, expected) => {
    const result = await resultOf(async (context) => call(shop, context), user);
    if (typeof expected === "object") expect(result).toMatchObject(expected as object);
    else expect(result).toBe(expected);
  });
});
