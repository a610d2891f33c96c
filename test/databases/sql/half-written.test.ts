import { sql } from "kysely";
import { action, type Context, edm, entitySet, entityType, hasMany, isODataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const Order = entityType("Order", { id: edm.int32().key() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32().nullable() });
/** Notes have a handler and no table, so no deep insert of tables creates them. */
const Note = entityType("Note", { id: edm.int32().key(), lineId: edm.int32().nullable() });

const GRAPH = { Id: 1, Lines: [{ Id: 1 }, { Id: 2, Notes: [{ Id: 1 }] }] };
const FAULT = {
  error: {
    code: "InvalidBody",
    message: "Nested entities cannot be created here: omit them.",
    target: "Lines/1/Notes",
  },
};

describe.each(ENGINES)("a deep insert whose third level has no table, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: ReturnType<typeof odataService>;
  let run: (context: Context) => Promise<void>;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`create table half_orders (id int primary key)`.execute(db);
    await sql`create table half_lines (id int primary key, ${sql.id("orderId")} int)`.execute(db);
    const operations = ["read", "create", "patch"] as const;
    const orders = sqlEntitySet(Order, {
      db,
      table: "half_orders",
      operations,
      allowDeepInsert: true,
      navigation: { lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }) },
    });
    const lines = sqlEntitySet(Line, {
      db,
      table: "half_lines",
      operations,
      allowDeepInsert: true,
      navigation: { notes: hasMany(Note, { on: { id: "lineId" }, target: "Notes" }) },
    });
    const notes = entitySet(Note, { getAll: () => [], create: (note) => note });
    const graph = { id: 1, lines: [{ id: 1 }, { id: 2, notes: [{ id: 1 }] }] };
    run = async (context) => {
      await context.inTransaction(async (inner) => {
        await inner.sets(lines).create({ id: 7, orderId: null });
        await inner
          .sets(orders)
          .create(graph as never)
          .catch((error: unknown) => {
            if (!isODataError(error)) throw error;
          });
      });
    };
    service = odataService({
      prefix: "",
      logger: noFailures,
      entitySets: [orders, lines, notes],
      actions: {
        Catch: action({ handler: (_parameters, context) => run(context) }),
        Call: action({
          // A handler of the set itself joins the transaction, without a savepoint of `ctx.sets`.
          handler: (_parameters, context) =>
            context.inTransaction(async (inner) => {
              const { create } = orders.options as { readonly create: (entity: object, context: Context) => unknown };
              const fault = await Promise.resolve(create(graph, inner)).catch((error: unknown) => error);
              if (!isODataError(fault)) throw fault;
            }),
        }),
      },
    });
  });
  beforeEach(async () => {
    await sql`delete from half_orders`.execute(db);
    await sql`delete from half_lines`.execute(db);
  });
  afterAll(() => opened.close());

  const send = async (target: string, body: object) => {
    const response = await service.fetch(
      new Request(`http://service.example/${target}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  };
  const idsIn = async (table: string) => {
    const { rows } = await sql<{ readonly id: number }>`select id from ${sql.table(table)} order by id`.execute(db);
    return rows.map(({ id }) => id);
  };
  const stored = async () => ({ orders: await idsIn("half_orders"), lines: await idsIn("half_lines") });

  test("leaves nothing after a request", async () => {
    expect(await send("Orders", GRAPH)).toEqual({ status: 400, body: FAULT });
    expect(await stored()).toEqual({ orders: [], lines: [] });
  });

  test("leaves only the other writes of a transaction that catches the error", async () => {
    expect(await send("Catch", {})).toEqual({ status: 204, body: null });
    expect(await stored()).toEqual({ orders: [], lines: [7] });
  });

  test("leaves nothing after a handler of the set that is called in a transaction", async () => {
    expect(await send("Call", {})).toEqual({ status: 204, body: null });
    expect(await stored()).toEqual({ orders: [], lines: [] });
  });
});
