import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { action, edm, entityType, hasMany, hasRequired, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { NEVER } from "../../timers.ts";

const ORIGIN = "http://shop.example";
const CALLERS = 20;
/** Milliseconds in which a request reaches the lock that another one holds. */
const A_WHILE = 200;

const Order = entityType("Order", { id: edm.int32().key(), total: edm.int32() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), amount: edm.int32() });
/** A row of a view, which a line refers to by its order. */
const Sum = entityType("Sum", { id: edm.int32().key(), amount: edm.int32() });

interface Options {
  /** The navigation that declares the foreign key: of lines, or of orders. */
  readonly by: "line" | "order" | "view";
  /** Whether a hook chooses the order of a line. */
  readonly chooses?: boolean;
  /** Who changes rows of the view. */
  readonly viewBy?: "table" | "application";
  /** Runs in the hook before a deletion of an order. */
  readonly deleting?: () => Promise<void>;
}

describe.each(ENGINES)("the entities to which new ones refer, over $title", ({ open }) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;

  beforeAll(async () => {
    opened = await open();
    ({ db } = opened);
    const tables = [
      sql`create table orders (id integer not null primary key, total integer not null)`,
      sql`create table order_lines (id integer not null primary key, order_id integer not null, amount integer not null, foreign key (order_id) references orders (id) on delete cascade)`,
      sql`create view order_sums as select order_id as id, count(*) as amount from order_lines group by order_id`,
    ];
    for (const each of tables) await each.execute(db);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ["order_lines", "orders"]) await sql`delete from ${sql.table(table)}`.execute(db);
    await sql`insert into orders values (1, 0), (2, 0)`.execute(db);
  });

  const serve = ({ by, chooses = false, viewBy = "table", deleting }: Options) => {
    const operations = ["read", "create", "patch", "delete"] as const;
    const navigation = {
      line: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
      order: {},
      view: { sum: hasRequired(Sum, { target: "Sums", on: { orderId: "id" } }) },
    }[by];
    const lines = sqlEntitySet(Line, {
      db,
      table: "order_lines",
      operations,
      columns: { orderId: "order_id" },
      navigation,
      before: chooses ? { create: ({ entity }) => ({ ...entity, orderId: 1 }) } : {},
      after: {
        create: async ({ entity: { orderId }, ctx }) => {
          const all = await ctx.set.query({ filter: (line) => line.orderId.eq(orderId) });
          await ctx.sets(orders).patch(orderId, { total: all.reduce((sum, { amount }) => sum + amount, 0) });
        },
      },
    });
    const orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations,
      navigation: by === "view" ? {} : { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
      before:
        deleting === undefined
          ? {}
          : {
              delete: async ({ key, current, ctx }) => {
                await current();
                const count = await ctx.sets(lines).count({ filter: (line) => line.orderId.eq(key) });
                await deleting();
                return count === 0 ? undefined : odataError(409, "HasLines", "The order has lines.");
              },
            },
    });
    const sums = sqlEntitySet(Sum, {
      db,
      table: "order_sums",
      operations: viewBy === "table" ? ["read", "patch"] : ["read"],
      ...(viewBy === "table" ? {} : { patch: (_key: number, delta: object) => ({ id: 1, amount: 0, ...delta }) }),
    });
    const service = odataService({
      entitySets: [orders, lines, ...(by === "view" ? [sums] : [])],
      propertyNaming: "camelCase",
      schemaCheck: false,
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      defaults: { transactionTimeout: NEVER },
    });
    return async (method: string, path: string, body: unknown = null): Promise<number> => {
      const headers = { "Content-Type": "application/json" };
      const init = { method, headers, ...(body === null ? {} : { body: JSON.stringify(body) }) };
      const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
      await response.text();
      return response.status;
    };
  };
  const totalOf = async (id: number): Promise<unknown> => {
    const { rows } = await sql<{ total: number }>`select total from orders where id = ${id}`.execute(db);
    return rows[0]?.total;
  };
  const createMany = async (create: (id: number) => Promise<number>): Promise<ReadonlySet<number>> =>
    new Set(await Promise.all(Array.from({ length: CALLERS }, (_, id) => create(id))));

  test.each(["line", "order"] as const)("are locked where the navigation of the %s declares the key", async (by) => {
    const send = serve({ by });
    expect(await createMany((id) => send("POST", "Lines", { id, orderId: 1, amount: 2 }))).toEqual(new Set([201]));
    expect(await totalOf(1)).toBe(2 * CALLERS);
  });

  test.each(["line", "order"] as const)("are locked for a create along the navigation, by the %s", async (by) => {
    const send = serve({ by });
    expect(await createMany((id) => send("POST", "Orders(1)/lines", { id, amount: 2 }))).toEqual(new Set([201]));
    expect(await totalOf(1)).toBe(2 * CALLERS);
  });

  test("are locked where a hook chooses them", async () => {
    const send = serve({ by: "line", chooses: true });
    expect(await createMany((id) => send("POST", "Lines", { id, orderId: -id, amount: 2 }))).toEqual(new Set([201]));
    expect(await totalOf(1)).toBe(2 * CALLERS);
  });

  test.each(["table", "application"] as const)("are not locked in a view whose rows the %s changes", async (viewBy) => {
    const send = serve({ by: "view", viewBy });
    expect(await send("POST", "Lines", { id: 1, orderId: 1, amount: 2 })).toBe(201);
    expect(await send("POST", "Lines", { id: 2, orderId: 1, amount: 2 })).toBe(201);
    expect(await totalOf(1)).toBe(4);
  });

  test("a deletion whose hook asks for `current()` removes no row that was added meanwhile", async () => {
    let begun = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const send = serve({
      by: "line",
      deleting: async () => {
        begun();
        await pause(A_WHILE);
      },
    });
    const deletion = send("DELETE", "Orders(2)");
    await isHeld;
    const [insertion] = await Promise.allSettled([sql`insert into order_lines values (1, 2, 2)`.execute(db)]);
    expect([await deletion, insertion.status]).toEqual([204, "rejected"]);
  });
});

const Parcel = entityType("Parcel", { id: edm.int32().key(), region: edm.int32(), weight: edm.int32() });
const Item = entityType("Item", { id: edm.int32().key(), parcelId: edm.int32() });

test.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "a parent that a column outside of its key distributes stays unlocked, and `forUpdate` is 501, over $title",
  async ({ open }) => {
    const { db, close } = await open();
    onTestFinished(close);
    await sql`create table parcels (id integer not null primary key, region integer not null, weight integer not null)`.execute(
      db,
    );
    await sql`create table items (id integer not null primary key, parcel_id integer not null)`.execute(db);
    await sql`insert into parcels values (1, 1, 1)`.execute(db);
    const parcels = sqlEntitySet(Parcel, {
      db,
      table: "parcels",
      operations: ["read", "patch"],
      distributed: { by: "region" },
      actions: {
        lock: action({
          bound: "entity",
          handler: (id, _parameters, outer) =>
            outer.inTransaction(async (ctx) => {
              await ctx.set.get(id, { forUpdate: true });
            }),
        }),
      },
    });
    const items = sqlEntitySet(Item, {
      db,
      table: "items",
      operations: ["read", "create"],
      columns: { parcelId: "parcel_id" },
      distributed: { by: "id" },
      navigation: { parcel: hasRequired(Parcel, { target: "Parcels", on: { parcelId: "id" } }) },
      after: { create: () => undefined },
    });
    const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
    const service = odataService({ entitySets: [parcels, items], schemaCheck: false, logger });
    const post = async (path: string, body: object): Promise<number> => {
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      return (await service.fetch(new Request(`${ORIGIN}/${path}`, init))).status;
    };
    expect(await post("Items", { Id: 1, ParcelId: 1 })).toBe(201);
    expect(await post("Parcels(1)/lock", {})).toBe(501);
  },
);
