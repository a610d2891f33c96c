import { Kysely, type Transaction, sql } from "kysely";
import { action, edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { MULTIPART, multipart, received, type ReceivedPart } from "./batch-model.ts";
import { eachDoor, type Door } from "./doors.ts";
import { recordingLogger } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Order = entityType("Order", { id: edm.int32().key(), note: edm.string() });
const Entry = entityType("Entry", { id: edm.int32().key(), text: edm.string() });

interface Tables {
  readonly orders: { readonly id: number; readonly note: string };
  readonly log: { readonly id: number; readonly text: string };
}

/** A service whose handlers write, and then fail if their text says so. @param isSecond whether it has another database */
async function openShop(door: Door, isSecond = false, changeSets: "atomic" | "sequential" = "atomic") {
  const { db, close } = await openSql();
  onTestFinished(close);
  const other = new Kysely<unknown>({ dialect: sqliteDialect(":memory:") });
  await sql`create table orders (id integer primary key, note text not null)`.execute(db);
  await sql`create table log (id integer primary key, text text not null)`.execute(db);
  await sql`create table seconds (id integer primary key, text text not null)`.execute(other);
  await sql`insert into orders values (1, 'first')`.execute(db);
  const write = async (transaction: unknown, id: number, text: string) => {
    const open = (transaction ?? db) as Transaction<Tables>;
    await open.insertInto("log").values({ id, text }).execute();
    if (text === "refuse") return odataError(409, "Refused", "The log refuses this text.");
    if (text === "fail") throw new Error("a secret of the log");
    return undefined;
  };
  const params = { id: edm.int32(), text: edm.string() };
  const logger = recordingLogger();
  const service = odataService({
    logger,
    batch: { changeSets },
    entitySets: [
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations: ["read", "create", "patch"],
        actions: {
          Record: action({
            bound: "entity",
            transactional: true,
            params,
            handler: (_key, { id, text }, { transaction }) => write(transaction, id, text),
          }),
        },
      }),
      ...(isSecond
        ? [sqlEntitySet(Entry, { name: "Seconds", db: other, table: "seconds", operations: ["read"] })]
        : []),
      entitySet(Entry, {
        name: "Log",
        transactional: true,
        getByKey: () => null,
        create: async (entry, { transaction }) => (await write(transaction, entry.id, entry.text)) ?? entry,
      }),
    ],
    actions: {
      Write: action({
        transactional: true,
        params,
        handler: ({ id, text }, { transaction }) => write(transaction, id, text),
      }),
      Promised: action({ params, handler: ({ id, text }, { transaction }) => write(transaction, id, text) }),
    },
  });
  const send = door.to(service);
  const change = async (request: string, body?: unknown): Promise<ReceivedPart | ReceivedPart[] | undefined> => {
    const operation = { request, id: "1", ...(body === undefined ? {} : { body }) };
    const answer = await send("/$batch", MULTIPART, "POST", multipart([[operation]]));
    expect(answer.status).toBe(200);
    return received(answer.headers["content-type"], answer.text)[0];
  };
  const log = async (): Promise<readonly unknown[]> => db.selectFrom("log").select("text").execute();
  return { change, log, db };
}

eachDoor((door) => {
  test.each<readonly [string, object, object]>([
    ["POST Log", { Id: 1, Text: "fail" }, { Id: 1, Text: "kept" }],
    ["POST Log", { Id: 1, Text: "refuse" }, { Id: 1, Text: "kept" }],
    ["POST Write", { id: 1, text: "fail" }, { id: 1, text: "kept" }],
    ["POST Write", { id: 1, text: "refuse" }, { id: 1, text: "kept" }],
    ["POST Orders(1)/Record", { id: 1, text: "fail" }, { id: 1, text: "kept" }],
    ["POST Orders(1)/Record", { id: 1, text: "refuse" }, { id: 1, text: "kept" }],
  ])("a handler that promises `transactional` is undone alone, too: %s %j", async (request, failing, passing) => {
    const { change, log } = await openShop(door);
    const isRefused = JSON.stringify(failing).includes("refuse");
    const [status, code] = isRefused ? [409, "Refused"] : [500, "InternalServerError"];
    expect(await change(request, failing)).toMatchObject({ status, id: "1", json: { error: { code } } });
    expect(await log()).toEqual([]);
    expect(await change(request, passing)).toMatchObject([{ id: "1" }]);
    expect(await log()).toEqual([{ text: "kept" }]);
  });

  test("a handler without this promise is executed without a transaction", async () => {
    const { change, log } = await openShop(door);
    expect(await change("POST Promised", { id: 1, text: "refuse" })).toMatchObject({ status: 409 });
    expect(await log()).toEqual([{ text: "refuse" }]);
  });

  test("with several databases, a handler of none of them is executed without a transaction", async () => {
    const { change, log } = await openShop(door, true);
    expect(await change("POST Log", { Id: 1, Text: "kept" })).toMatchObject([{ status: 201 }]);
    expect(await change("POST Orders(1)/Record", { id: 2, text: "refuse" })).toMatchObject({ status: 409 });
    expect(await log()).toEqual([{ text: "kept" }]);
  });

  test('`changeSets: "sequential"` undoes it as well', async () => {
    const { change, log } = await openShop(door, false, "sequential");
    expect(await change("POST Log", { Id: 1, Text: "refuse" })).toMatchObject({ status: 409 });
    expect(await log()).toEqual([]);
  });

  test("faults of its URL are those of its execution", async () => {
    const { change, db } = await openShop(door);
    expect(await change("POST Nowhere", {})).toMatchObject({ status: 404, id: "1" });
    expect(await change("DELETE Orders(1)")).toMatchObject({ status: 405, id: "1" });
    expect(await change("PATCH Orders(1)", { Note: "second" })).toMatchObject([{ status: 200 }]);
    expect(await db.selectFrom("orders").selectAll().execute()).toEqual([{ id: 1, note: "second" }]);
  });
});
