import {
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  type Context,
  type ODataError,
  type ResultOf,
  type RuleContext,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expectTypeOf, test } from "vitest";

const Customer = entityType("Customer", { id: edm.guid().key(), region: edm.string() });
const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.guid(),
  status: edm.string().default("open"),
  total: edm.decimal().nullable(),
  placed: edm.dateTimeOffset(),
  version: edm.int32().computed(),
  tenant: edm.string().ignored(),
});
const Line = entityType("Line", { order: edm.int64().key(), position: edm.int32().key(), text: edm.string() });

declare const ctx: Context;
declare const db: Parameters<typeof sqlEntitySet>[1]["db"];

const orders = entitySet(Order, {
  navigation: {
    customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
    lines: hasMany(Line, { on: { id: "order" }, target: "Lines" }),
  },
});
const lines = sqlEntitySet(Line, { db, table: "lines", operations: ["read"] });

describe("ctx.sets", () => {
  test("has the key, the entity and the body of the declared set", async () => {
    const order = await ctx.sets(orders).get(1n);
    expectTypeOf(order).toEqualTypeOf<{
      readonly id: bigint;
      readonly customerId: string;
      readonly status: string;
      readonly total: string | null;
      readonly placed: string;
      readonly version: number;
      readonly tenant: string;
    } | null>();
    expectTypeOf(await ctx.sets(lines).get({ order: 1n, position: 2 })).toExtend<{
      readonly text: string;
    } | null>();
    // @ts-expect-error -- an Int64 is a bigint
    await ctx.sets(orders).get("1");
    // @ts-expect-error -- the key has two values
    await ctx.sets(lines).get(1n);
  });

  test("creates with the members that the service does not fill in, including nested entities", async () => {
    const { sets } = ctx;
    const order = { id: 1n, customerId: "", placed: new Date() };
    await sets(orders).create(order);
    await sets(orders).create({ ...order, status: "paid", total: 1.5, lines: [{ position: 1, text: "a" }] });
    // @ts-expect-error -- a required member is absent
    await sets(orders).create({ id: 1n, customerId: "" });
    // @ts-expect-error -- a computed member
    await sets(orders).create({ ...order, version: 1 });
    // @ts-expect-error -- an ignored member
    await sets(orders).create({ ...order, tenant: "a" });
    // @ts-expect-error -- a member of another type
    await sets(orders).create({ ...order, lines: [{ position: "1" }] });
  });

  test("patches and deletes by key", async () => {
    const { sets } = ctx;
    expectTypeOf(await sets(orders).patch(1n, { status: "paid" }, { expected: { version: 1 } })).toExtend<{
      readonly id: bigint;
    } | null>();
    expectTypeOf(await sets(orders).delete(1n)).toEqualTypeOf<boolean>();
    // @ts-expect-error -- the key never changes
    await sets(orders).patch(1n, { id: 2n });
    // @ts-expect-error -- an unknown member
    await sets(orders).patch(1n, { state: "paid" });
  });

  test("queries by properties of the set and of single-valued navigations", async () => {
    const { sets } = ctx;
    const found = await sets(orders).query({
      filter: (order) => order.status.eq("open").and(order.customer.region.in(["north"])),
      orderBy: ["placed desc", "id"],
      top: 5,
      skip: 1,
    });
    expectTypeOf(found[0]!).toExtend<{ readonly id: bigint }>();
    expectTypeOf(await sets(orders).count({ filter: (order) => order.total.isNull() })).toEqualTypeOf<number>();
    await sets(orders, { trusted: true }).query({ orderBy: "placed" });
    // @ts-expect-error -- an unknown property
    await sets(orders).query({ filter: ({ state: _none, status }) => status.eq("open") });
    // @ts-expect-error -- a string instead of a condition
    await sets(orders).query({ filter: "status eq 'open'" });
    // @ts-expect-error -- an unknown property
    await sets(orders).query({ orderBy: "state desc" });
    // @ts-expect-error -- options of requests
    await sets(orders).query({ $top: 1 });
  });

  test("accepts only declared sets", () => {
    // @ts-expect-error -- a name
    ctx.sets("Orders");
    // @ts-expect-error -- a type
    ctx.sets(Order);
  });

  test("may be used by the handlers of the set itself, with the type of their result", () => {
    const notes = entitySet(Customer, {
      getByKey: () => null,
      create: async (customer, { sets }): Promise<ResultOf<typeof Customer>> => {
        const known = await sets(notes).get(customer.id);
        return known ?? customer;
      },
    });
    expectTypeOf(notes.entityType).toEqualTypeOf<typeof Customer>();
  });
});

describe("ctx.inTransaction", () => {
  test("returns the result of the work", async () => {
    expectTypeOf(await ctx.inTransaction(async (inner) => inner.sets(orders).count())).toEqualTypeOf<number>();
    expectTypeOf(await ctx.inTransaction(() => "x", { over: lines, timeout: null })).toEqualTypeOf<string>();
    expectTypeOf(await ctx.inTransaction(() => (Math.random() > 2 ? ({} as ODataError) : 1))).toEqualTypeOf<
      ODataError | number
    >();
  });

  test("is not available in rules", () => {
    expectTypeOf<RuleContext>().not.toHaveProperty("sets");
    expectTypeOf<RuleContext>().not.toHaveProperty("inTransaction");
    expectTypeOf<Context>().toExtend<RuleContext>();
  });
});
