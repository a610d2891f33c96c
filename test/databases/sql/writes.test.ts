import { sql } from "kysely";
import type { Context } from "odatakit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import {
  countRows,
  createOrderTables,
  emptyTables,
  faultOf,
  orderService,
  passingHooks,
  sendTo,
  type LoggedErrors,
  type Send,
} from "./writes-model.ts";

const GONE = { "If-Match": '"gone"' };

describe.each([...ENGINES, ...DISTRIBUTED])("writes to tables of $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let send: Send;
  const logged: LoggedErrors = { errors: [] };

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine, true);
    send = sendTo(orderService(db, logged));
  });
  beforeEach(async () => {
    logged.errors.length = 0;
    await emptyTables(db);
    await send("POST", "Customers", { Id: 1, Name: "Ann" });
    await send("POST", "Customers", { Id: 2, Name: "Bob" });
  });
  afterAll(async () => {
    await opened.close();
  });

  /** An order with its path and ETag. */
  async function newOrder(
    number: string,
    others: object = {},
  ): Promise<{ readonly path: string; readonly etag: string; readonly id: number }> {
    const { status, json, headers, text } = await send("POST", "Orders", { Number: number, ...others });
    expect(status, text).toBe(201);
    return { path: `Orders(${String(json.Id)})`, etag: headers.get("etag") ?? "", id: json.Id };
  }

  test("create returns the stored row: generated key, first version, defaults and nulls", async () => {
    const { status, json, headers } = await send("POST", "Orders", {
      Number: "A1",
      CustomerId: 1,
      Total: 12.5,
      Placed: "2024-02-29T13:00:00+01:00",
      Version: 77,
      ShipTo: { Street: "Main", City: null },
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      Number: "A1",
      CustomerId: 1,
      Placed: "2024-02-29T12:00:00.000Z",
      Code: null,
      Version: 1,
      ShipTo: { Street: "Main", City: null },
    });
    expect(json.Id).toEqual(expect.any(Number));
    expect(headers.get("location")).toBe(`http://service.example/Orders(${String(json.Id)})`);
    const read = await send("GET", `Orders(${String(json.Id)})`);
    expect(read.json).toEqual(json);
    expect(read.headers.get("etag")).toBe(headers.get("etag"));
  });

  test("replace writes all members except key, computed and immutable ones; patch those of the body", async () => {
    const { path } = await newOrder("A1", {
      CustomerId: 1,
      Total: "5",
      Code: "first",
      ShipTo: { Street: "S", City: "C" },
    });
    const patched = await send("PATCH", path, { Number: "A2" });
    expect(patched.json).toMatchObject({
      Number: "A2",
      CustomerId: 1,
      Code: "first",
      Version: 2,
      ShipTo: { Street: "S" },
    });
    const replaced = await send("PUT", path, { Number: "A3", Code: "second" });
    expect(replaced.json).toMatchObject({
      Number: "A3",
      CustomerId: null,
      Total: null,
      ShipTo: null,
      Code: "first",
      Version: 3,
    });
    expect((await send("GET", path)).json).toEqual(replaced.json);
    // Writing equal values is an ordinary write, not a missing row.
    expect((await send("PATCH", path, { Number: "A3" })).json).toMatchObject({ Version: 4 });
    expect((await send("PATCH", path, {})).json).toMatchObject({ Number: "A3", Version: 4 });
    expect((await send("PUT", `${path}/Number`, { value: "A4" })).status).toBe(204);
    expect((await send("DELETE", `${path}/Total`)).status).toBe(204);
    expect((await send("GET", path)).json).toMatchObject({ Number: "A4", Version: 6 });
  });

  test("returns 404 for a missing row, 412 with If-Match, and 204 for its deletion", async () => {
    const missing = "Orders(424242)";
    for (const [method, body] of [
      ["PUT", { Number: "X" }],
      ["PATCH", { Number: "X" }],
      ["PATCH", {}],
    ] as const) {
      expect(faultOf(await send(method, missing, body))).toEqual([404, "NotFound", undefined]);
      expect(faultOf(await send(method, missing, body, GONE))).toEqual([412, "PreconditionFailed", undefined]);
    }
    expect((await send("DELETE", missing)).status).toBe(204);
    expect(faultOf(await send("DELETE", missing, undefined, GONE))).toEqual([412, "PreconditionFailed", undefined]);
    expect(await countRows(db, "orders")).toBe(0);
  });

  test("an upsert creates a missing row", async () => {
    expect((await send("PUT", "Customers(5)", { Name: "Eve" })).status).toBe(201);
    expect((await send("PUT", "Customers(5)", { Name: "Eva" })).status).toBe(200);
    expect(faultOf(await send("PUT", "Customers(5)", { Name: "X" }, { "If-None-Match": "*" }))[0]).toBe(412);
    expect((await send("GET", "Customers(5)")).json).toMatchObject({ Name: "Eva" });
  });

  test.each(["Orders", "PricedOrders"])("the ETag of %s guards each write", async (set) => {
    const { id } = await newOrder("A1", { Total: "1.10", Placed: "2024-02-29T12:00:00Z", Code: "c" });
    const path = `${set}(${String(id)})`;
    const first = (await send("GET", path)).headers.get("etag") ?? "";
    const patched = await send("PATCH", path, { Total: "2.00" }, { "If-Match": first });
    expect(patched.status).toBe(200);
    const second = patched.headers.get("etag") ?? "";
    expect(second).not.toBe(first);
    for (const [method, body] of [
      ["PUT", { Number: "X" }],
      ["PATCH", { Number: "X" }],
      ["DELETE", undefined],
    ] as const) {
      expect(faultOf(await send(method, path, body, { "If-Match": first }))).toEqual([
        412,
        "PreconditionFailed",
        undefined,
      ]);
    }
    expect((await send("PUT", path, { Number: "A2", Total: "3", Placed: null }, { "If-Match": second })).status).toBe(
      200,
    );
    const third = (await send("GET", path)).headers.get("etag") ?? "";
    expect((await send("PATCH", path, {}, { "If-Match": third })).status).toBe(200);
    expect((await send("DELETE", path, undefined, { "If-Match": third })).status).toBe(204);
    expect(await countRows(db, "orders")).toBe(0);
  });

  test.each(["Orders", "PricedOrders"])(
    "of two writers of %s with one ETag exactly one wins, each time",
    async (set) => {
      const rounds = caseCount(set === "Orders" || engine.name === "sqlite" ? 1000 : 200);
      const { id } = await newOrder("A1", { Total: "0", Placed: "2024-02-29T12:00:00Z" });
      const path = `${set}(${String(id)})`;
      let etag = (await send("GET", path)).headers.get("etag") ?? "";
      for (let round = 1; round <= rounds; round += 1) {
        const headers = { "If-Match": etag };
        const answers = await Promise.all([
          send("PATCH", path, { Total: `${String(round)}.01` }, headers),
          send("PATCH", path, { Total: `${String(round)}.02` }, headers),
        ]);
        const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right);
        expect(statuses, `round ${String(round)}`).toEqual([200, 412]);
        etag = answers.find(({ status }) => status === 200)?.headers.get("etag") ?? "";
      }
      expect((await send("GET", path)).json).toMatchObject({ Version: rounds + 1 });
    },
    300_000,
  );

  test.each(["Orders", "PricedOrders"])(
    "of two writers of %s with one ETag and hooks the winner is the editor, and the loser leaves nothing",
    async (set) => {
      const rounds = caseCount(engine.name === "sqlite" ? 200 : 100);
      let committed = 0;
      const leaveTag = async ({ ctx }: { readonly ctx: Context }): Promise<void> => {
        const name = ctx.user?.id ?? "";
        await sql`insert into tags (name) values (${name})`.execute(ctx.transaction as AnyDatabase);
      };
      const passing = passingHooks(() => void (committed += 1));
      const service = orderService(db, logged, { ...passing, after: { patch: leaveTag } }, true);
      const write = sendTo(service);
      const created = await write("POST", "Orders", { Number: "A1", Author: "x", Editor: "x" }, { "X-User": "ann" });
      const path = `${set}(${String(created.json.Id)})`;
      let etag = (await write("GET", path)).headers.get("etag") ?? "";
      const winners: string[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        const patch = (user: string, total: string) =>
          write("PATCH", path, { Total: total, Editor: "x" }, { "If-Match": etag, "X-User": user });
        const users = [`bob ${String(round)}`, `eve ${String(round)}`];
        const answers = await Promise.all(
          users.map((user, index) => patch(user, `${String(round)}.0${String(index)}`)),
        );
        expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 412]);
        const won = answers.findIndex(({ status }) => status === 200);
        winners.push(users[won] ?? "");
        const { json, headers } = answers[won] ?? created;
        expect(json).toMatchObject({ Author: "ann", Editor: users[won], Version: round + 1 });
        expect((await write("GET", path)).json).toEqual(json);
        etag = headers.get("etag") ?? "";
      }
      await service.drain();
      expect(committed).toBe(rounds + 1);
      const { rows } = await sql<{ readonly name: string }>`select name from tags`.execute(db);
      expect(rows.map(({ name }) => name).toSorted()).toEqual(winners.toSorted());
      expect(logged.errors).toEqual([]);
    },
    300_000,
  );

  test("lets one of a delete and a patch with the same ETag succeed", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { path, etag } = await newOrder(`R${String(round)}`);
      const headers = { "If-Match": etag };
      const answers = await Promise.all([
        send("DELETE", path, undefined, headers),
        send("PATCH", path, { Total: "1" }, headers),
      ]);
      const wins = answers.filter(({ status }) => status < 300);
      expect(wins.length).toBe(1);
      expect(answers.map(({ status }) => status)).toContain(412);
    }
  });

  test("the row version wraps around to 1 after the maximum of its type", async () => {
    const { path } = await newOrder("A1");
    await sql`update orders set row_version = 2147483646`.execute(db);
    expect((await send("PATCH", path, { Total: 1 })).json).toMatchObject({ Version: 2_147_483_647 });
    expect((await send("PATCH", path, { Total: 2 })).json).toMatchObject({ Version: 1 });
  });

  test("$metadata lists the operations of the tables", async () => {
    const { text } = await send("GET", "$metadata");
    // For the sets themselves: another annotation lists entities that navigations cannot create.
    for (const [term, restriction] of [
      ["Insert", "Insertable"],
      ["Update", "Updatable"],
      ["Delete", "Deletable"],
    ] as const) {
      const told = new RegExp(
        `V1\\.${term}Restrictions">\\s*<Record>\\s*<PropertyValue Property="${restriction}" Bool="(\\w+)"`,
        "g",
      );
      const values = Array.from(text.matchAll(told), ([, value]) => value);
      // Every operation is possible, which is the default of the vocabulary.
      expect(values).toEqual([]);
    }
    expect(text).toContain("Org.OData.Core.V1.OptimisticConcurrency");
  });

  test("reports rejections of the database without its text", async () => {
    const { path, id } = await newOrder("A1", { CustomerId: 1 });
    const unique = await send("POST", "Orders", { Number: "A1" });
    expect(faultOf(unique)).toEqual([409, "Conflict", "Number"]);
    const foreign = await send("POST", "Orders", { Number: "A2", CustomerId: 99 });
    expect(faultOf(foreign).slice(0, 2)).toEqual([409, "Conflict"]);
    const patched = await send("PATCH", path, { CustomerId: 99 });
    expect(faultOf(patched).slice(0, 2)).toEqual([409, "Conflict"]);
    expect((await send("POST", "Lines", { OrderId: id, Position: 1, Text: "t" })).status).toBe(201);
    const used = await send("DELETE", path);
    expect(faultOf(used)).toEqual([409, "Conflict", undefined]);
    const checked = await send("POST", "Lines", { OrderId: id, Position: 2, Text: "t", Quantity: 0 });
    expect(faultOf(checked).slice(0, 2)).toEqual([400, "InvalidBody"]);
    const key = await send("POST", "Customers", { Id: 1, Name: "Other" });
    expect(faultOf(key).slice(0, 2)).toEqual([409, "Conflict"]);
    for (const { text } of [unique, foreign, patched, used, checked, key]) {
      expect(text).not.toMatch(/constraint|orders|customers|insert|select|sqlite|duplicate|violat/i);
    }
    expect(logged.errors).toEqual([]);
  });

  test("rejects a value that its column cannot store exactly, and writes nothing", async () => {
    const { path, etag } = await newOrder("A1", { Total: "1.25" });
    const { json } = await send("GET", path);
    expect(faultOf(await send("PATCH", path, { ShipTo: { Street: null, City: null } }))).toEqual([
      400,
      "InvalidBody",
      "ShipTo",
    ]);
    expect(faultOf(await send("PATCH", path, String.raw`{"Code":"x","Number":"\ud800"}`))).toEqual([
      400,
      "InvalidBody",
      "Number",
    ]);
    expect(faultOf(await send("PATCH", path, { Placed: "-0500-01-01T00:00:00Z" }))[0]).toBe(
      engine.name === "postgres" ? 200 : 400,
    );
    await send("PATCH", path, { Placed: null });
    expect(faultOf(await send("PATCH", path, { Total: 1.255 }))[0]).toBe(400);
    const again = (await send("GET", path)).json;
    expect({ ...again, Version: 0, "@odata.etag": "" }).toEqual({ ...json, Version: 0, "@odata.etag": "" });
    expect(etag).toMatch(/^"/);
  });

  test("treats SQL in bodies, keys and conditions as plain values", async () => {
    const texts = [
      "'; drop table tags; --",
      '" or 1=1 --',
      "\\",
      "%_",
      "`x`",
      "${x}",
      "$1",
      "?",
      "a\nb",
      "ü😀",
      "x' || 'y",
      "/* */",
      " ",
    ];
    for (const text of texts) {
      const key = `Tags('${encodeURIComponent(text.replaceAll("'", "''"))}')`;
      expect((await send("POST", "Tags", { Name: text })).status, text).toBe(201);
      expect((await send("GET", key)).json.Name).toBe(text);
      const customer = await send("PUT", "Customers(1)", { Name: text });
      expect(customer.json.Name).toBe(text);
      const headers = { "If-Match": customer.headers.get("etag") ?? "" };
      expect((await send("PATCH", "Customers(1)", { Name: `${text}!` }, headers)).json.Name).toBe(`${text}!`);
      expect((await send("DELETE", key)).status).toBe(204);
      expect(faultOf(await send("GET", key))[0]).toBe(404);
    }
    expect(await countRows(db, "tags")).toBe(0);
    expect(await countRows(db, "customers")).toBe(2);
  });
});
