import process from "node:process";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Mail, openOrders, type OrderSystem } from "../../examples/orders/orders.ts";
import { createTables, type Tables } from "../../examples/orders/tables.ts";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../engine/executors/engines.ts";
import { runExample, send } from "./example-client.ts";

const CHAIRS = { Position: 1, ProductId: 1, Quantity: 2 };
const TABLE = { Position: 2, ProductId: 2, Quantity: 1 };

describe.each(ENGINES)("the orders of the example, over $title", ({ open }) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let system: OrderSystem;
  const mails: Mail[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    opened = await open();
    ({ db } = opened);
    await createTables(db);
    // On a filled database it changes nothing.
    await createTables(db);
    system = openOrders(db, { sendMail: (mail) => void mails.push(mail), log: (line) => logged.push(line) });
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ["lines", "orders", "audit"] as const) await db.deleteFrom(table).execute();
    await db.updateTable("counters").set({ value: 1000 }).execute();
    await db.updateTable("products").set({ stock: 3 }).execute();
    await system.service.drain();
    mails.length = 0;
    logged.length = 0;
  });

  type User = Tables["users"]["id"];
  const as = (user: User, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    send(system.service, method, path, { Authorization: `Bearer example-${user}`, ...headers }, body);
  const order = async (user: User, customer: number, ...lines: object[]): Promise<number> => {
    const { status, body } = await as(user, "POST", "Orders", { CustomerId: customer, Lines: lines });
    expect(status).toBe(201);
    return body.Number;
  };
  const totalOf = async (number: number): Promise<unknown> => (await as("eve", "GET", `Orders(${number})`)).body.Total;
  const stockOf = async (id: number): Promise<unknown> => (await as("eve", "GET", `Products(${id})`)).body.Stock;

  test("a request needs a known token", async () => {
    expect((await send(system.service, "GET", "Orders", {})).status).toBe(401);
    const unknown = await as("nobody", "GET", "Orders");
    expect([unknown.status, unknown.body.error.code]).toEqual([401, "InvalidToken"]);
  });

  test("a new order has a number, a region, prices and a total; no client sets them", async () => {
    const forged = { Number: 7, Region: "south", Status: "confirmed", Total: 1, CustomerId: 1 };
    const { status, headers, body } = await as("ann", "POST", "Orders", {
      ...forged,
      Lines: [{ ...CHAIRS, Price: 0.01 }, TABLE],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ Number: 1001, CustomerId: 1, Region: "north", Status: "open", Total: 298 });
    expect(body.Lines).toEqual([
      { OrderNumber: 1001, ...CHAIRS, Price: 49.5 },
      { OrderNumber: 1001, ...TABLE, Price: 199 },
    ]);
    const read = await as("ann", "GET", "Orders(1001)");
    expect(read.headers.get("etag")).toBe(headers.get("etag"));
    expect(await order("bob", 3, CHAIRS)).toBe(1002);
  });

  test("an order that is refused uses no number", async () => {
    const hidden = await as("ann", "POST", "Orders", { CustomerId: 3 });
    expect([hidden.status, hidden.body.error.code]).toEqual([409, "NoCustomer"]);
    const line = { ...CHAIRS, ProductId: 99 };
    const missing = await as("ann", "POST", "Orders", { CustomerId: 1, Lines: [line] });
    expect([missing.status, missing.body.error.code]).toEqual([409, "NoProduct"]);
    expect(await order("ann", 1)).toBe(1001);
  });

  test("each write of a line changes the total", async () => {
    const number = await order("ann", 1, CHAIRS);
    const path = `Lines(OrderNumber=${number},Position=2)`;
    expect(await totalOf(number)).toBe(99);
    expect((await as("ann", "POST", `Orders(${number})/Lines`, TABLE)).status).toBe(201);
    expect(await totalOf(number)).toBe(298);
    const patched = await as("ann", "PATCH", `${path}?$expand=Order($select=Total)`, { Quantity: 2 });
    expect([patched.status, patched.body.Order.Total]).toEqual([200, 497]);
    const added = { OrderNumber: number, Position: 3, ProductId: 3, Quantity: 4 };
    const posted = await as("ann", "POST", "Lines?$expand=Order($select=Total)", added);
    expect([posted.status, posted.body.Order.Total]).toEqual([201, 594]);
    expect((await as("ann", "DELETE", path)).status).toBe(204);
    expect(await totalOf(number)).toBe(196);
  });

  test("lines that clients write at once all count", async () => {
    const number = await order("ann", 1);
    const positions = Array.from({ length: 8 }, (_line, at) => at + 1);
    const statuses = await Promise.all(
      positions.map(
        async (Position) => (await as("ann", "POST", `Orders(${number})/Lines`, { ...CHAIRS, Position })).status,
      ),
    );
    expect(statuses).toEqual(positions.map(() => 201));
    expect(await totalOf(number)).toBe(8 * 99);
  });

  test("clerks see no row of another region on any path, and managers see all", async () => {
    const south = await order("bob", 3, CHAIRS);
    const lines = `Lines(OrderNumber=${south},Position=1)`;
    const counted = "$apply=aggregate($count as N)";
    const seen = async (user: User) => [
      (await as(user, "GET", "Orders")).body.value.length,
      (await as(user, "GET", "Orders/$count")).text,
      (await as(user, "GET", `Orders(${south})`)).status,
      (await as(user, "GET", "Lines")).body.value.length,
      (await as(user, "GET", "Lines/$count")).text,
      (await as(user, "GET", lines)).status,
      (await as(user, "GET", `Orders(${south})/Lines`)).status,
      (await as(user, "GET", `Orders(${south})/Lines/$count`)).status,
      (await as(user, "GET", `${lines}/Order`)).status,
      (await as(user, "GET", "Customers/$count")).text,
      (await as(user, "GET", `Orders?${counted}`)).body.value[0].N,
      (await as(user, "GET", `Lines?${counted}`)).body.value[0].N,
    ];
    expect(await seen("ann")).toEqual([0, "0", 404, 0, "0", 404, 404, 404, 404, "2", 0, 0]);
    expect(await seen("bob")).toEqual([1, "1", 200, 1, "1", 200, 200, 200, 200, "1", 1, 1]);
    expect(await seen("eve")).toEqual([1, "1", 200, 1, "1", 200, 200, 200, 200, "3", 1, 1]);
  });

  test("orders of one region change no response in another", async () => {
    const south = await order("bob", 3, CHAIRS);
    const north = south + 1;
    const paths = [
      "Orders?$count=true&$expand=Lines,Customer",
      `Orders(${north})`,
      `Orders(${north})/Lines`,
      `Orders(${north})/Lines/$count`,
      "Lines?$expand=Order($expand=Customer),Product",
      `Lines(OrderNumber=${north},Position=1)/Order`,
      "Lines?$filter=Order/Total gt 0&$orderby=Order/Total desc",
      "Orders?$filter=Lines/any(l: l/Quantity gt 1) or Lines/$count eq 0",
      "Orders?$apply=aggregate(Total with sum as Sum,$count as N)",
      "Lines?$apply=groupby((Order/Region),aggregate(Quantity with sum as Sum))",
      "Lines?$apply=groupby((Product/Name),aggregate(Price with max as Max))",
      "Customers",
      "Products",
      "Audit",
    ];
    const read = async (user: User) =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text } = await as(user, "GET", path);
          return [path, status, text];
        }),
      );
    const before = await read("bob");
    expect(await order("ann", 1, CHAIRS, TABLE)).toBe(north);
    expect(await read("bob")).toEqual(before);
    expect(await read("eve")).not.toEqual(before);
  });

  test("clerks write no row of another region, and only managers delete orders or change products", async () => {
    const south = await order("bob", 3, CHAIRS);
    const line = `Lines(OrderNumber=${south},Position=1)`;
    const statusOf = async (...request: Parameters<typeof as>) => (await as(...request)).status;
    expect(await statusOf("ann", "PATCH", `Orders(${south})`, { Note: "x" })).toBe(404);
    expect(await statusOf("ann", "PATCH", line, { Quantity: 9 })).toBe(404);
    expect(await statusOf("ann", "POST", `Orders(${south})/Lines`, TABLE)).toBe(404);
    // As for an order that does not exist.
    const refused = await as("ann", "POST", "Lines", { ...TABLE, OrderNumber: south });
    const missing = await as("ann", "POST", "Lines", { ...TABLE, OrderNumber: south + 1 });
    expect([refused.status, refused.text]).toEqual([409, missing.text]);
    expect(await statusOf("ann", "POST", `Orders(${south})/confirm`)).toBe(404);
    expect(await statusOf("bob", "DELETE", `Orders(${south})`)).toBe(403);
    await as("ann", "DELETE", line);
    expect(await totalOf(south)).toBe(99);
    expect(await statusOf("bob", "PATCH", "Products(1)", { Stock: 9 })).toBe(403);
    expect(await statusOf("eve", "PATCH", "Products(1)", { Stock: 9 })).toBe(200);
    expect(await statusOf("eve", "DELETE", `Orders(${south})`)).toBe(204);
    expect((await as("eve", "GET", "Lines/$count")).text).toBe("0");
  });

  test("only managers read costs and the audit log, which nobody writes", async () => {
    expect((await as("ann", "GET", "Products(1)")).body).not.toHaveProperty("Cost");
    expect((await as("ann", "GET", "Products?$filter=Cost gt 1")).status).toBe(403);
    expect((await as("eve", "GET", "Products(1)")).body.Cost).toBe(25);
    expect((await as("ann", "GET", "Audit")).status).toBe(403);
    expect((await as("eve", "POST", "Audit", { OrderNumber: 1, Change: "forged" })).status).toBe(403);
  });

  test("the audit log has each change of an order, and no refused one", async () => {
    const number = await order("ann", 1, CHAIRS);
    await as("ann", "PATCH", `Orders(${number})`, { Note: "urgent" });
    await as("ann", "PATCH", `Orders(${number})`, { Note: "x".repeat(201) });
    await as("ann", "POST", `Orders(${number})/confirm`);
    await as("eve", "DELETE", `Orders(${number})`);
    const { body } = await as("eve", "GET", `Audit?$filter=OrderNumber eq ${number}`);
    const entries: Array<{ UserId: string; Change: string }> = body.value;
    const changes = entries.map(({ UserId, Change }) => {
      const { before, after } = JSON.parse(Change);
      return [UserId, before?.status, before?.note, after?.status, after?.note];
    });
    expect(changes).toHaveLength(4);
    expect(changes).toEqual(
      expect.arrayContaining([
        ["ann", undefined, undefined, "open", null],
        ["ann", "open", null, undefined, "urgent"],
        ["ann", "open", "urgent", "confirmed", undefined],
        ["eve", "confirmed", "urgent", undefined, undefined],
      ]),
    );
  });

  test("a confirmed order lowers the stock, sends a mail, and keeps its lines", async () => {
    const number = await order("ann", 1, CHAIRS, TABLE);
    expect(mails).toEqual([]);
    expect((await as("ann", "POST", `Orders(${number})/confirm`)).status).toBe(204);
    await system.service.drain();
    expect(mails).toEqual([{ to: "buyer@fjord.example", subject: `Order ${number} is confirmed: 298.00` }]);
    expect([await stockOf(1), await stockOf(2)]).toEqual([1, 2]);
    const again = await as("ann", "POST", `Orders(${number})/confirm`);
    expect([again.status, again.body.error.code]).toEqual([409, "NotOpen"]);
    const line = `Lines(OrderNumber=${number},Position=1)`;
    expect((await as("ann", "PATCH", line, { Quantity: 1 })).status).toBe(409);
    expect((await as("ann", "DELETE", line)).status).toBe(409);
    expect((await as("ann", "POST", `Orders(${number})/Lines`, { ...TABLE, Position: 3 })).status).toBe(409);
    expect(await totalOf(number)).toBe(298);
    await system.service.drain();
    expect(mails).toHaveLength(1);
  });

  test("of ten orders for a stock of three, three are confirmed", async () => {
    const numbers: number[] = [];
    for (let at = 0; at < 10; at += 1) numbers.push(await order("ann", 1, TABLE));
    const answers = await Promise.all(numbers.map((number) => as("ann", "POST", `Orders(${number})/confirm`)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(3).fill(204), ...Array<number>(7).fill(409)]);
    expect(await stockOf(2)).toBe(0);
    await system.service.drain();
    expect(mails).toHaveLength(3);
    expect((await as("eve", "GET", "Orders/$count?$filter=Status eq 'confirmed'")).text).toBe("3");
  });

  test("a change set that fails confirms nothing and sends no mail", async () => {
    const number = await order("ann", 1, CHAIRS);
    const group = { atomicityGroup: "g", headers: { "Content-Type": "application/json" } };
    const confirm = { id: "1", method: "POST", url: `Orders(${number})/confirm`, ...group, body: {} };
    const note = (Note: string) => ({ id: "2", method: "PATCH", url: `Orders(${number})`, ...group, body: { Note } });
    const failed = await as("ann", "POST", "$batch", { requests: [confirm, note("x".repeat(201))] });
    const statuses = (body: { responses: Array<{ status: number }> }) => body.responses.map(({ status }) => status);
    expect(statuses(failed.body).toSorted((a, b) => a - b)).toEqual([400, 424]);
    await system.service.drain();
    expect(mails).toEqual([]);
    expect(await stockOf(1)).toBe(3);
    const kept = await as("ann", "POST", "$batch", { requests: [confirm, note("fine")] });
    expect(statuses(kept.body)).toEqual([204, 200]);
    await system.service.drain();
    expect(mails).toHaveLength(1);
    expect((await as("ann", "GET", `Orders(${number})`)).body).toMatchObject({ Status: "confirmed", Note: "fine" });
  });

  test("errors in German, and in English for others", async () => {
    const line = { ...CHAIRS, Quantity: 0 };
    const post = (body: object, language: string) => as("ann", "POST", "Orders", body, { "Accept-Language": language });
    const minimum = await post({ CustomerId: 1, Lines: [line] }, "de-AT, en;q=0.5");
    expect([minimum.status, minimum.headers.get("content-language")]).toEqual([400, "de-at"]);
    expect(minimum.body.error).toMatchObject({
      message: "Der Wert muss mindestens 1 sein.",
      target: "Lines/0/Quantity",
    });
    const long = await post({ CustomerId: 1, Note: "x".repeat(201) }, "de");
    expect(long.body.error.message).toBe("Geben Sie höchstens 200 Zeichen ein.");
    const english = await post({ CustomerId: 1, Note: "x".repeat(201) }, "en");
    expect(english.headers.get("content-language")).toBe("en");
    expect(english.headers.get("vary")).toContain("Accept-Language");
    const number = await order("ann", 1, { ...TABLE, Quantity: 4 });
    const sold = await as("ann", "POST", `Orders(${number})/confirm`, undefined, { "Accept-Language": "de" });
    expect([sold.status, sold.body.error.message]).toEqual([409, "Von Table sind nur noch 3 vorrätig."]);
    expect(await stockOf(2)).toBe(3);
  });

  test("the nightly job cancels open orders, and the log has each response", async () => {
    const open = await order("bob", 3);
    const confirmed = await order("ann", 1, CHAIRS);
    await as("ann", "POST", `Orders(${confirmed})/confirm`);
    expect(await system.cancelOpen("2001-01-01T00:00:00Z")).toBe(0);
    expect(await system.cancelOpen(new Date(Date.now() + 60_000).toISOString())).toBe(1);
    expect((await as("eve", "GET", `Orders(${open})`)).body.Status).toBe("cancelled");
    const { body } = await as("eve", "GET", "Audit?$filter=UserId eq 'nightly'");
    expect(body.value).toHaveLength(1);
    const lines = ["bob POST Orders 201", "ann POST Orders 201", "ann POST Orders 204"];
    await expect.poll(() => logged).toEqual(expect.arrayContaining(lines));
  });
});

describe("the program", () => {
  const program = ["examples/orders/main.ts", "odata/Orders", { Authorization: "Bearer example-ann" }] as const;
  const good = { status: 200, code: 0, stderr: "" };

  test("serves orders, and ends by SIGTERM without a warning", async () => {
    expect(await runExample(...program)).toEqual(good);
  });

  const server = process.env["ODATAKIT_POSTGRES"];
  test.runIf(server !== undefined)("does so over PostgreSQL, again on the same tables", async () => {
    const url = new URL(server ?? "");
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query("drop schema if exists example_orders cascade");
    await client.query("create schema example_orders");
    url.searchParams.set("options", "-c search_path=example_orders");
    try {
      for (let run = 0; run < 2; run += 1) expect(await runExample(...program, url.href)).toEqual(good);
    } finally {
      await client.query("drop schema example_orders cascade");
      await client.end();
    }
  });
});
