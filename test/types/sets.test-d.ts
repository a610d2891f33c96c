import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  type AfterHooks,
  type BeforeHooks,
  type Context,
  type EntityType,
  type ODataError,
  type ReadOptions,
  type ResultOf,
  type RuleContext,
  type SetContext,
  type Transaction,
  type TransactionContext,
  type WriteContext,
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
  test("creates many entities as it creates one", async () => {
    const one = await ctx.sets(orders).create({ id: 1n, customerId: "", placed: "" });
    const many = await ctx.sets(orders).createMany([{ id: 1n, customerId: "", placed: "" }]);
    expectTypeOf(many).toEqualTypeOf<ReadonlyArray<typeof one>>();
    // @ts-expect-error -- an entity lacks a property
    await ctx.sets(orders).createMany([{ id: 1n }]);
  });

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
    await sets(orders, { trusted: true }).create({ ...order, version: 1 });
    await sets(orders, { trusted: true }).patch(1n, { version: 2 });
    // @ts-expect-error -- a computed member of another type
    await sets(orders, { trusted: true }).patch(1n, { version: "x" });
    // @ts-expect-error -- a computed member
    await sets(orders, { hooks: false }).patch(1n, { version: 2 });
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

describe("ctx.set", () => {
  test("is the set of each handler, without an annotation of its result", () => {
    const own = entitySet(Order, {
      queryable: async ({ set }) => {
        expectTypeOf(await set.get(1n)).toExtend<{ readonly id: bigint; readonly status: string } | null>();
        return arraySource(Order, []);
      },
      getAll: async ({ set }) => {
        const found = await set.query({ filter: (order) => order.status.eq("open"), orderBy: "placed desc" });
        return found.map((order) => ({ ...order, tenant: "a" }));
      },
      applyQuery: async (_query, { set }) => ({ items: await set.query() }),
      getByKey: async (id, { set }) => {
        expectTypeOf(id).toEqualTypeOf<bigint>();
        return set.get(id);
      },
      create: async (order, ctx) => {
        // @ts-expect-error -- a key of another type
        await ctx.set.get("1");
        // @ts-expect-error -- an unknown property
        await ctx.set.query({ orderBy: "state" });
        const saved = await ctx.inTransaction(async (inner) => inner.set.create(order));
        return saved;
      },
      replace: async (id, _order, { set, expected }) =>
        set.patch(id, { status: "paid" }, { expected: { ...expected } }),
      patch: async (id, delta, { set }) => set.patch(id, delta),
      delete: async (id, { set }) => set.delete(id),
      search: async (_search, { set }) => set.query(),
      navigation: {
        customer: hasRequired(Customer, {
          target: "Customers",
          get: async (id, { set }) => {
            const order = await set.get(id);
            expectTypeOf(order).toExtend<{ readonly customerId: string } | null>();
            return order === null ? null : { id: order.customerId, region: "" };
          },
          setRef: async (id, _target, { set }) => void (await set.patch(id, { status: "paid" })),
          removeRef: async (id, { set }) => void (await set.delete(id)),
        }),
        lines: hasMany(Line, {
          target: "Lines",
          getBatch: async (ids, { set }) => {
            const found = await set.query({ filter: (order) => order.id.in(ids) });
            return new Map(found.map(({ id }) => [id, [{ order: id, position: 1, text: "" }]]));
          },
          create: async (id, line, { set }) => ((await set.get(id)) === null ? null : line),
        }),
      },
      functions: {
        open: fn({
          bound: "collection",
          params: { status: edm.string() },
          returns: edm.int32(),
          handler: async ({ status }, { set }) => set.count({ filter: (order) => order.status.eq(status) }),
        }),
      },
      actions: {
        pay: action({
          bound: "entity",
          returns: Order,
          handler: async (id, _parameters, { set }) => {
            const paid = await set.patch(id, { status: "paid" });
            // @ts-expect-error -- an unknown member
            await set.patch(id, { state: "paid" });
            return paid;
          },
        }),
      },
    });
    expectTypeOf(own.entityType).toEqualTypeOf<typeof Order>();
  });

  test("follows the navigations of the set in filters, and takes nested entities", () => {
    entitySet(Order, {
      create: async (order, { set }) => {
        await set.count({ filter: (each) => each.customer.region.eq("north") });
        await set.create({ ...order, lines: [{ position: 1, text: "a" }] });
        // @ts-expect-error -- an unknown navigation
        await set.count({ filter: ({ client: _none, status }) => status.eq("north") });
        return null;
      },
      navigation: {
        customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers", get: () => null }),
        lines: hasMany(Line, { on: { id: "order" }, target: "Lines", get: () => [] }),
      },
    });
  });

  test("has its type in handlers over a table", () => {
    const own = sqlEntitySet(Line, {
      db,
      table: "lines",
      operations: ["read"],
      patch: async ({ order, position }, delta, { set }) => {
        expectTypeOf(position).toEqualTypeOf<number>();
        return set.patch({ order, position }, delta);
      },
      search: async (_search, { set }) => set.query(),
      actions: {
        clear: action({ bound: "collection", handler: async (_parameters, { set }) => void (await set.count()) }),
      },
    });
    expectTypeOf(own.entityType).toEqualTypeOf<typeof Line>();
  });

  test("is that of operations declared outside of their set", () => {
    const pay = action(Order, {
      bound: "entity",
      handler: async (id, _parameters, { set }) => void (await set.get(id)),
    });
    entitySet(Order, { actions: { pay } });
    // @ts-expect-error -- an operation of another type
    entitySet(Line, { actions: { pay } });
  });

  test("is absent from unbound operations, rules and other contexts", () => {
    fn({
      returns: edm.int32(),
      handler: (_parameters, unbound) => {
        expectTypeOf(unbound).toEqualTypeOf<Context>();
        return 1;
      },
    });
    expectTypeOf<Context>().not.toHaveProperty("set");
    expectTypeOf<RuleContext>().not.toHaveProperty("set");
  });

  test("handlers outside of a set name their context", () => {
    const getAll = async ({ set }: SetContext<typeof Order>) => set.query({ top: 1 });
    const remove = async (id: bigint, { set, expected }: WriteContext<typeof Order>) => {
      expectTypeOf(expected?.status).toEqualTypeOf<string | undefined>();
      return set.delete(id);
    };
    const getByKey = (_id: bigint, _ctx: Context) => null;
    entitySet(Order, { getAll, delete: remove, getByKey, navigation: { customer: hasRequired(Customer) } });
    // @ts-expect-error -- a handler of another type
    entitySet(Line, { getAll });
  });
});

describe("ctx.inTransaction", () => {
  test("passes a context whose transaction is present", async () => {
    await ctx.inTransaction((inner) => {
      expectTypeOf(inner).toEqualTypeOf<TransactionContext>();
      expectTypeOf(inner.transaction).toEqualTypeOf<Transaction>();
      return inner.inTransaction((innermost) => {
        expectTypeOf(innermost.transaction).toEqualTypeOf<Transaction>();
      });
    });
    const work = async (inner: Context) => inner.sets(orders).count();
    expectTypeOf(await ctx.inTransaction(work)).toEqualTypeOf<number>();
  });

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

describe("hooks", () => {
  test("have the types of their set", () => {
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["create", "replace", "patch", "delete"],
      navigation: { lines: hasMany(Line, { on: { id: "order" }, target: "Lines" }) },
      before: {
        create: ({ entity, ctx: own }) => {
          expectTypeOf(entity.status).toEqualTypeOf<string>();
          expectTypeOf(entity.lines?.[0]?.text).toEqualTypeOf<string | undefined>();
          expectTypeOf<typeof own.set.get>().parameters.toEqualTypeOf<
            [key: bigint, options?: ReadOptions | undefined]
          >();
          return { ...entity, total: null };
        },
        replace: async ({ key, entity, current }) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          expectTypeOf((await current())?.tenant).toEqualTypeOf<string | undefined>();
          return entity;
        },
        patch: async ({ delta, current }) => {
          expectTypeOf((await current()).version).toEqualTypeOf<number>();
          return { ...delta, status: "x" };
        },
        delete: async ({ current, key }) => {
          expectTypeOf((await current()).id).toEqualTypeOf<bigint>(key);
        },
      },
      after: {
        create: ({ entity }) => {
          expectTypeOf(entity.tenant).toEqualTypeOf<string>();
          return { total: 5 };
        },
        delete: ({ key, ctx: own }) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          own.afterCommit((later) =>
            expectTypeOf<typeof later.set.get>().parameters.toEqualTypeOf<
              [key: bigint, options?: ReadOptions | undefined]
            >(),
          );
        },
      },
    });
  });

  test("may be declared apart from their set, also for several sets", () => {
    const own: BeforeHooks<typeof Order> = { create: ({ entity }) => ({ ...entity, status: "new" }) };
    const stamped = <E extends EntityType>(text: string): AfterHooks<E> => ({
      create: ({ key, entity, ctx: { afterCommit } }) => afterCommit(() => console.log(text, key, entity)),
      delete: ({ key }) => console.log(text, key),
    });
    const navigation = { lines: hasMany(Line, { on: { id: "order" }, target: "Lines" }) };
    const operations = ["create", "patch", "delete"] as const;
    const table = { db, table: "orders", operations };
    sqlEntitySet(Order, { ...table, navigation, before: own, after: stamped("order") });
    sqlEntitySet(Line, { ...table, after: stamped("line") });
    entitySet(Order, { before: own, after: stamped("order") });
    const after: AfterHooks<typeof Order> = {
      replace: ({ key }) => {
        expectTypeOf(key).toEqualTypeOf<bigint>();
        return { status: "x" };
      },
    };
    entitySet(Order, { after });
  });

  test("of wrong names and results do not compile", () => {
    // @ts-expect-error -- no such write
    entitySet(Order, { before: { update: () => undefined } });
    entitySet(Order, { before: { patch: () => ({ version: 1 }) } });
    // @ts-expect-error -- a computed property of another type
    entitySet(Order, { before: { patch: () => ({ version: "x" }) } });
    // @ts-expect-error -- a wrong type
    entitySet(Order, { before: { patch: () => ({ status: 1 }) } });
    // @ts-expect-error -- an incomplete entity
    entitySet(Order, { before: { replace: () => ({ status: "x" }) } });
    // @ts-expect-error -- no value
    entitySet(Order, { after: { delete: () => 5 } });
  });
});
