import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES } from "../../engine/executors/engines.ts";
import { hookShop, useHookTables } from "./hook-model.ts";

describe.each(ENGINES)("hooks of many entities over $title", (engine) => {
  let db: AnyDatabase;
  let shop: ReturnType<typeof hookShop>;

  useHookTables(
    engine,
    (opened) => {
      db = opened;
      shop = hookShop(db, {
        lines: {
          before: {
            create: async ({ entity, ctx }) =>
              ctx.inTransaction(async (inner) => {
                const counter = await inner.sets(shop.customers).get(1, { forUpdate: true });
                const number = counter?.name ?? "";
                await inner.sets(shop.customers).patch(1, { name: String(Number(number) + 1) });
                return { ...entity, text: number };
              }),
          },
          after: {
            create: async ({ entity, ctx }) => {
              const order = await ctx.sets(shop.orders).get(entity.orderId, { forUpdate: true });
              await ctx.sets(shop.orders).patch(entity.orderId, { total: String(Number(order?.total) + entity.id) });
            },
          },
        },
      });
    },
    "customers (id, name) values (1, '1')",
    "orders (id, status, total, version) values (5, 'open', 0, 1)",
  );

  test("run one after another, so that none loses what another has written", async () => {
    const rows = Array.from({ length: 20 }, (_none, index) => ({ id: index + 1, orderId: 5, text: "" }));
    const saved = await shop.service.run(null, (ctx) => ctx.sets(shop.lines).createMany(rows));
    expect(saved.map(({ id, text }) => [id, text])).toEqual(rows.map(({ id }) => [id, String(id)]));
    const { json } = await shop.send("GET", "Orders(5)?$select=Total");
    expect(Number(json.Total)).toBe(210);
    const { rows: counted } = await sql<{ name: string }>`select name from customers`.execute(db);
    expect(counted).toEqual([{ name: "21" }]);
  });
});
