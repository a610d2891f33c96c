import { sql } from "kysely";
import { edm, entitySet, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { SEVERITY } from "../../service/http/doors.ts";
import { noFailures } from "../../service/http/model.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  owner: edm.string({ maxLength: 10 }),
  total: edm.int32({ minimum: 0 }),
  secret: edm.int32().nullable().ignored(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), qty: edm.int32() });
const Job = entityType("Job", { id: edm.int32().key() });

describe.each(ENGINES)("rules for writes of tables over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  /** The arguments of `validate.patch`: the delta, and the stored entity. */
  const seen: unknown[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`create table orders (id int not null primary key, owner varchar(10) not null, total int not null, secret int)`.execute(
      db,
    );
    await sql`create table order_lines (id int not null primary key, order_id int not null, qty int not null)`.execute(
      db,
    );
  });
  beforeEach(async () => {
    seen.length = 0;
    await sql`delete from order_lines`.execute(db);
    await sql`delete from orders`.execute(db);
    await sql`insert into orders values (1, 'ann', 5, 7), (2, 'bob', 6, 8)`.execute(db);
  });
  afterAll(() => opened.close());

  const shop = () => {
    const operations = ["read", "create", "replace", "patch", "delete"] as const;
    const lines = sqlEntitySet(Line, {
      db,
      table: "order_lines",
      operations,
      columns: { orderId: "order_id" },
      validate: { create: ({ entity }) => (entity.qty < 1 ? [{ message: "Order one.", path: ["qty"] }] : []) },
      navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
    });
    const orders = sqlEntitySet(Order, {
      db,
      table: "orders",
      operations,
      allowDeepInsert: true,
      authorization: { rows: (user, order) => order.owner.eq(user.id ?? "") },
      validate: {
        create: ({ entity }) => (entity.total > 99 ? [{ message: "Too much.", path: ["total"] }] : []),
        patch: async ({ delta, current }) => {
          const stored = await current();
          seen.push([delta, stored]);
          const falls = stored !== null && delta.total !== undefined && delta.total < stored.total;
          return falls ? [{ message: `Not below ${String(stored.total)}.`, path: ["total"] }] : [];
        },
      },
      navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
    });
    const jobs = entitySet(Job, {
      getByKey: async (id, ctx) => {
        await ctx.inTransaction(async ({ sets }) => {
          await sets(orders).patch(1, { total: 50 });
          await sets(orders).patch(1, { total: id });
        });
        return { id };
      },
    });
    return odataService({
      profile: "standard",
      entitySets: [orders, lines, jobs],
      authenticate: () => ({ id: "ann" }),
      batch: { json: true },
      logger: noFailures,
    });
  };

  const send = async (method: string, path: string, body?: object) => {
    const init = {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await shop().fetch(new Request(`http://service.example/${path}`, init));
    const text = await response.text();
    return { status: response.status, json: text === "" ? null : (JSON.parse(text) as unknown) };
  };
  const rows = async () => ({
    orders: (await sql<{ id: number; total: number }>`select id, total from orders order by id`.execute(db)).rows,
    lines: (await sql`select id from order_lines`.execute(db)).rows,
  });
  const unchanged = {
    orders: [
      { id: 1, total: 5 },
      { id: 2, total: 6 },
    ],
    lines: [],
  };

  test("refuse a deep insert with all its issues, and write nothing", async () => {
    const Lines = [
      { Id: 1, Qty: 1 },
      { Id: 2, Qty: 0 },
    ];
    expect(await send("POST", "Orders", { Id: 3, Owner: "ann", Total: 100, Lines })).toEqual({
      status: 400,
      json: {
        error: {
          code: "InvalidBody",
          message: "The body has 2 faults. 'details' lists them.",
          details: [
            { code: "InvalidBody", message: "Too much.", target: "Total", ...SEVERITY },
            { code: "InvalidBody", message: "Order one.", target: "Lines(1)/Qty", ...SEVERITY },
          ],
        },
      },
    });
    expect(await send("POST", "Orders(1)/Lines", { Id: 1, Qty: 0 })).toEqual({
      status: 400,
      json: { error: { code: "InvalidBody", message: "Order one.", target: "Qty" } },
    });
    expect(await rows()).toEqual(unchanged);
  });

  test("load the stored entity, ignored properties included", async () => {
    expect((await send("PATCH", "Orders(1)", { Total: 9 })).status).toBe(200);
    expect(await send("PATCH", "Orders(1)", { Total: 8 })).toEqual({
      status: 400,
      json: { error: { code: "InvalidBody", message: "Not below 9.", target: "Total" } },
    });
    expect(await send("PUT", "Orders(1)/Total", { value: 7 })).toEqual({
      status: 400,
      json: { error: { code: "InvalidBody", message: "Not below 9.", target: "Total" } },
    });
    const stored = { id: 1, owner: "ann", secret: 7 };
    expect(seen).toEqual([
      [{ total: 9 }, { ...stored, total: 5 }],
      [{ total: 8 }, { ...stored, total: 9 }],
      [{ total: 7 }, { ...stored, total: 9 }],
    ]);
  });

  test("do not see an entity that the user does not see", async () => {
    expect((await send("PATCH", "Orders(2)", { Total: 1 })).status).toBe(404);
    expect(seen).toEqual([[{ total: 1 }, null]]);
    expect(await rows()).toEqual(unchanged);
  });

  test("load the entity in the transaction of a change set, and undo the change set", async () => {
    const change = (id: string, total: number) => ({
      id,
      atomicityGroup: "g",
      method: "PATCH",
      url: "Orders(1)",
      headers: { "Content-Type": "application/json" },
      body: { Total: total },
    });
    const { json } = await send("POST", "$batch", { requests: [change("a", 50), change("b", 49)] });
    expect(seen.map((each) => (each as [unknown, { total: number }])[1].total)).toEqual([5, 50]);
    expect(JSON.stringify(json)).toContain("Not below 50.");
    expect(await rows()).toEqual(unchanged);
  });

  test("load the entity in the transaction of a handler", async () => {
    expect(await send("GET", "Jobs(49)")).toEqual({
      status: 400,
      json: { error: { code: "InvalidBody", message: "Not below 50.", target: "Total" } },
    });
    expect(await rows()).toEqual(unchanged);
    expect((await send("GET", "Jobs(51)")).status).toBe(200);
    expect((await rows()).orders[0]).toEqual({ id: 1, total: 51 });
  });
});
