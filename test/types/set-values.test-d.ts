import { edm, entitySet, entityType, hasMany, now, type Context, type CreationFacts, type Principal } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expectTypeOf, test } from "vitest";

const Order = entityType("Order", {
  id: edm.guid().key(),
  title: edm.string(),
  tenant: edm.string().ignored(),
  createdBy: edm.string(),
  createdAt: edm.dateTimeOffset(),
  day: edm.date().nullable(),
  count: edm.int32().nullable(),
  total: edm.decimal().computed(),
});

declare const ctx: Context;
declare const db: Parameters<typeof sqlEntitySet>[1]["db"];

const orders = entitySet(Order, {
  set: {
    id: { create: () => "" },
    tenant: { create: ({ user }) => user.id ?? "" },
    createdBy: {
      create: ({ user, now: instant, ctx: { request } }) => {
        expectTypeOf(user).toEqualTypeOf<Principal>();
        expectTypeOf(instant).toEqualTypeOf<Date>();
        return request.id;
      },
    },
    createdAt: { create: now, update: now },
    total: { create: () => 1.5, update: () => "2" },
  },
  create: (order, context) => {
    expectTypeOf(order.createdBy).toEqualTypeOf<string>();
    expectTypeOf(order.createdAt).toEqualTypeOf<string>();
    expectTypeOf(context.user).toEqualTypeOf<Principal | null>();
    return { ...order, total: "1" };
  },
  patch: (_id, delta) => {
    expectTypeOf(delta.createdAt).toEqualTypeOf<string | undefined>();
    return null;
  },
});
const tables = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["create", "patch"],
  set: { createdBy: { create: ({ user }) => user.id ?? "" }, day: { update: now } },
  navigation: { others: hasMany(Order, { on: { id: "title" }, target: "Others" }) },
});

describe("set", () => {
  test("names properties of the type, with functions that return their values", () => {
    // @ts-expect-error -- an unknown property
    entitySet(Order, { set: { author: { create: () => "" } } });
    // @ts-expect-error -- a value of another type
    entitySet(Order, { set: { count: { create: () => "1" } } });
    // @ts-expect-error -- an instant is not a number
    entitySet(Order, { set: { count: { create: now } } });
    // @ts-expect-error -- the property is never null
    sqlEntitySet(Order, { db, table: "orders", operations: [], set: { createdBy: { create: () => null } } });
    // @ts-expect-error -- an unknown function
    entitySet(Order, { set: { count: { delete: () => 1 } } });
    entitySet(Order, { set: { count: { create: () => null }, day: { create: () => new Date(), update: undefined } } });
  });

  test("makes its properties optional for ctx.sets", async () => {
    const { sets } = ctx;
    await sets(orders).create({ title: "a" });
    await sets(orders, { trusted: true }).create({ title: "a", id: "1", tenant: "t", createdAt: new Date(), total: 1 });
    await sets(orders, { trusted: true }).patch("1", { tenant: "t", total: "1" });
    await sets(orders, { trusted: true }).patch("1", { title: "b", createdAt: new Date(), createdBy: "x" });
    await sets(tables, { trusted: true }).patch("1", { day: new Date(), createdAt: new Date() });
    await sets(tables, { trusted: true }).patch("1", { day: null, createdAt: "" });
    await sets(tables).create({ id: "1", title: "a", createdAt: "" });
    await sets(tables).create({ id: "1", title: "a", createdAt: "", createdBy: "x", others: [{ title: "b" }] });
    await sets(tables.describe("x")).patch("1", { title: "b" });
    // @ts-expect-error -- a required member is absent
    await sets(orders).create({});
    // @ts-expect-error -- an ignored property without `set`
    await sets(tables).create({ id: "1", title: "a", createdAt: "", tenant: "t" });
    // @ts-expect-error -- a value of another type
    await sets(orders).create({ title: "a", tenant: 1 });
    // @ts-expect-error -- an ignored property without `set`
    await sets(tables).patch("1", { tenant: "t" });
    // @ts-expect-error -- an instant is not a number
    await sets(tables).patch("1", { count: new Date() });
    // @ts-expect-error -- the property is never null
    await sets(tables).patch("1", { createdBy: null });
    // @ts-expect-error -- the key
    await sets(tables).patch("1", { id: "2" });
    // @ts-expect-error -- an unknown property
    await sets(orders).patch("1", { author: "x" });
  });

  test("receives what the client sent, and the context of the handlers of the set", () => {
    const options = {
      count: {
        create: async ({ input, ctx: context }: CreationFacts<typeof Order>) => {
          expectTypeOf(input.title).toEqualTypeOf<string>();
          return context.sets(orders).count();
        },
      },
    };
    entitySet(Order, { set: options });
    entitySet(Order, {
      set: {
        count: {
          create: async ({ input, ctx: context }) => {
            expectTypeOf(input.title).toEqualTypeOf<string>();
            expectTypeOf(input.day).toEqualTypeOf<string | null>();
            const found = await context.sets(orders).get("1");
            expectTypeOf(found?.count).toEqualTypeOf<number | null | undefined>();
            return found?.count ?? null;
          },
          update: async ({ input, key, current, ctx: context }) => {
            expectTypeOf(input.title).toEqualTypeOf<string | undefined>();
            expectTypeOf(key).toEqualTypeOf<string>();
            expectTypeOf((await current()).count).toEqualTypeOf<number | null>();
            expectTypeOf((await context.set.get("1"))?.title).toEqualTypeOf<string | undefined>();
            return 1;
          },
        },
      },
    });
    entitySet(Order, {
      set: {
        // @ts-expect-error -- a promise of a value of another type
        count: { create: async () => "1" },
      },
    });
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["create"],
      // @ts-expect-error -- an unknown property
      set: { count: { create: async ({ input }) => input.amount } },
    });
  });
});
