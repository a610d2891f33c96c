import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import {
  countRows,
  createOrderTables,
  emptyTables,
  faultOf,
  type LoggedErrors,
  ORIGIN,
  orderService,
  passingHooks,
  sendTo,
  type Send,
} from "./writes-model.ts";

const BIND = { bindEnabled: true };

describe.each(ENGINES)("links of bodies by @odata.bind over $title", (engine) => {
  const logged: LoggedErrors = { errors: [] };
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let send: Send;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine);
    send = sendTo(orderService(db, logged, BIND));
  });
  beforeEach(async () => {
    await emptyTables(db);
    logged.errors.length = 0;
    await send("POST", "Customers", { Id: 1, Name: "Ann" });
    await send("POST", "Customers", { Id: 2, Name: "Bob" });
    await send("POST", "Tags", { Name: "it's" });
    await send("POST", "Tags", { Name: "b" });
  });
  afterAll(async () => {
    await opened.close();
  });

  const customerOf = async (path: string): Promise<unknown> => (await send("GET", path)).json.CustomerId;
  const namesOf = async (path: string, name: string): Promise<readonly unknown[]> =>
    ((await send("GET", path)).json.value as ReadonlyArray<Readonly<Record<string, unknown>>>).map(
      (each) => each[name],
    );
  const newOrder = async (body: object = {}): Promise<string> => {
    const { status, json } = await send("POST", "Orders", { Number: "A1", ...body });
    expect(status).toBe(201);
    return `Orders(${String(json.Id)})`;
  };

  test.each(["Customers(1)", "/Customers(1)", "Customers(Id=1)", `${ORIGIN}/Customers(1)`])(
    "POST links to the entity of %s",
    async (url) => {
      const { status, json } = await send("POST", "Orders", { Number: "A1", "Customer@odata.bind": url });
      expect([status, json.CustomerId, json.Version]).toEqual([201, 1, 1]);
    },
  );

  test("PATCH and PUT set and remove the link with the row, and count one write", async () => {
    const order = await newOrder();
    const patched = await send("PATCH", order, { Number: "A2", "Customer@odata.bind": "Customers(2)" });
    expect(patched.json).toMatchObject({ Number: "A2", CustomerId: 2, Version: 2 });
    const removed = await send("PATCH", order, { "Customer@odata.bind": null });
    expect(removed.json).toMatchObject({ CustomerId: null, Version: 3 });
    expect(removed.headers.get("etag")).toBe((await send("GET", order)).headers.get("etag"));
    const put = await send("PUT", order, { Number: "A3", "Customer@odata.bind": "Customers(1)" });
    expect(put.json).toMatchObject({ Number: "A3", CustomerId: 1, Version: 4 });
    expect((await send("PUT", order, { Number: "A3" })).json).toMatchObject({ CustomerId: null });
  });

  test("a stale If-Match changes neither the row nor its links", async () => {
    const order = await newOrder();
    const etag = (await send("GET", order)).headers.get("etag") ?? "";
    const body = { "Customer@odata.bind": "Customers(2)", "Tags@odata.bind": ["Tags('b')"] };
    expect((await send("PATCH", order, body, { "If-Match": etag })).status).toBe(200);
    expect(await customerOf(order)).toBe(2);
    const again = { "Customer@odata.bind": "Customers(1)", "Tags@odata.bind": ["Tags('it''s')"] };
    expect((await send("PATCH", order, again, { "If-Match": etag })).status).toBe(412);
    expect([await customerOf(order), await countRows(db, "order_tags")]).toEqual([2, 1]);
  });

  test("lists add links through a link table and along `on`, once each", async () => {
    const order = await newOrder({ "Tags@odata.bind": ["Tags('it''s')", "/Tags('b')", "Tags('b')"] });
    expect(await namesOf(`${order}/Tags`, "Name")).toEqual(["b", "it's"]);
    expect((await send("PATCH", order, { "Tags@odata.bind": ["Tags('b')"] })).status).toBe(200);
    expect((await send("PATCH", order, { "Tags@odata.bind": [] })).status).toBe(200);
    expect(await countRows(db, "order_tags")).toBe(2);
    const other = await newOrder({ Number: "A2" });
    const made = await send("POST", "Customers", { Id: 3, Name: "Cy", "Orders@odata.bind": [order, `/${other}`] });
    expect(made.status).toBe(201);
    expect(await namesOf("Customers(3)/Orders", "Number")).toEqual(["A1", "A2"]);
    const upserted = await send("PUT", "Customers(4)", { Name: "Di", "Orders@odata.bind": [order] });
    expect(upserted.status).toBe(201);
    expect([await customerOf(order), await customerOf(other)]).toEqual([4, 3]);
  });

  test("a single-valued link that the other table stores", async () => {
    await send("POST", "Profiles", { Id: 8, Motto: "a" });
    await send("POST", "Profiles", { Id: 9, Motto: "b" });
    const body = { Id: 3, Name: "Cy", "Profile@odata.bind": "Profiles(8)" };
    expect((await send("POST", "Customers", body)).status).toBe(201);
    expect((await send("GET", "Customers(3)/Profile")).json).toMatchObject({ Id: 8 });
    expect((await send("PATCH", "Customers(3)", { "Profile@odata.bind": "Profiles(9)" })).status).toBe(200);
    expect((await send("GET", "Customers(3)/Profile")).json).toMatchObject({ Id: 9 });
    expect((await send("PATCH", "Customers(3)", { "Profile@odata.bind": null })).status).toBe(200);
    expect((await send("GET", "Customers(3)/Profile")).status).not.toBe(200);
  });

  test("nested entities of two levels bind, beside new entities of the same collection", async () => {
    const order = await newOrder({ Number: "old" });
    const { status, json } = await send("POST", "Customers", {
      Id: 5,
      Name: "Eve",
      "Orders@odata.bind": [order],
      Orders: [
        { Number: "n1", "Tags@odata.bind": ["Tags('b')"], Lines: [{ Position: 1, Text: "t" }] },
        { Number: "n2", Tags: [{ Name: "new" }], "Tags@odata.bind": ["Tags('b')", "Tags('it''s')"] },
      ],
    });
    expect([status, json.Orders.length]).toEqual([201, 2]);
    expect(await namesOf("Customers(5)/Orders?$orderby=Number", "Number")).toEqual(["n1", "n2", "old"]);
    const made = json.Orders as ReadonlyArray<{ readonly Id: number }>;
    const [first, second] = made.map(({ Id }) => `Orders(${String(Id)})`);
    expect(await namesOf(`${String(first)}/Tags`, "Name")).toEqual(["b"]);
    expect(await namesOf(`${String(second)}/Tags`, "Name")).toEqual(["b", "it's", "new"]);
  });

  test("a fault in any link undoes everything", async () => {
    const order = await newOrder({ Number: "old" });
    const before = [await countRows(db, "orders"), await countRows(db, "customers"), await countRows(db, "order_tags")];
    const bodies: ReadonlyArray<readonly [string, string, object, string]> = [
      ["POST", "Orders", { Number: "x", "Customer@odata.bind": "Customers(9)" }, "Customer@odata.bind"],
      ["POST", "Orders", { Number: "x", "Tags@odata.bind": ["Tags('b')", "Tags('none')"] }, "Tags@odata.bind"],
      ["PATCH", order, { Number: "y", "Tags@odata.bind": ["Tags('none')"] }, "Tags@odata.bind"],
      ["PATCH", order, { Number: "y", "Customer@odata.bind": "Customers(9)" }, "Customer@odata.bind"],
      ["PUT", order, { Number: "y", "Customer@odata.bind": "Customers(9)" }, "Customer@odata.bind"],
      [
        "POST",
        "Customers",
        { Id: 6, Name: "F", Orders: [{ Number: "n", "Tags@odata.bind": ["Tags('none')"] }] },
        "Orders/0/Tags@odata.bind",
      ],
      ["POST", "Customers", { Id: 6, Name: "F", "Orders@odata.bind": [order, "Orders(0)"] }, "Orders@odata.bind"],
    ];
    for (const [method, path, body, target] of bodies) {
      expect(faultOf(await send(method, path, body)), JSON.stringify(body)).toEqual([400, "InvalidBody", target]);
    }
    expect((await send("GET", order)).json).toMatchObject({ Number: "old", CustomerId: null, Version: 1 });
    expect([
      await countRows(db, "orders"),
      await countRows(db, "customers"),
      await countRows(db, "order_tags"),
    ]).toEqual(before);
    expect(logged.errors).toEqual([]);
  });

  test("another value of the foreign key is 400, the same value is not", async () => {
    const bind = { "Customer@odata.bind": "Customers(1)" };
    expect((await send("POST", "Orders", { Number: "a", CustomerId: 1, ...bind })).json.CustomerId).toBe(1);
    for (const CustomerId of [2, null]) {
      const answer = await send("POST", "Orders", { Number: "b", CustomerId, ...bind });
      expect(faultOf(answer)).toEqual([400, "InvalidBody", "Customer@odata.bind"]);
    }
    const order = await newOrder();
    const changed = await send("PATCH", order, { CustomerId: 2, ...bind });
    expect(faultOf(changed)).toEqual([400, "InvalidBody", "Customer@odata.bind"]);
    const removed = await send("PATCH", order, { CustomerId: 2, "Customer@odata.bind": null });
    expect(faultOf(removed)).toEqual([400, "InvalidBody", "Customer@odata.bind"]);
    expect(await customerOf(order)).toBeNull();
  });

  test("creates along a navigation bind", async () => {
    const body = { Number: "along", "Tags@odata.bind": ["Tags('b')"] };
    const { status, json } = await send("POST", "Customers(1)/Orders", body);
    expect([status, json.CustomerId]).toEqual([201, 1]);
    expect(await namesOf(`Orders(${String(json.Id)})/Tags`, "Name")).toEqual(["b"]);
    const own = await send("POST", "Customers(1)/Orders", { Number: "x", "Customer@odata.bind": "Customers(2)" });
    expect(faultOf(own)).toEqual([400, "InvalidBody", "Customer@odata.bind"]);
  });

  test("hooks of each changed row run, and see the foreign key", async () => {
    let commits = 0;
    const hooked = sendTo(orderService(db, logged, { ...BIND, ...passingHooks(() => (commits += 1)) }));
    const order = await newOrder();
    const made = await hooked("POST", "Customers", { Id: 7, Name: "G", "Orders@odata.bind": [order] });
    expect([made.status, await customerOf(order)]).toEqual([201, 7]);
    await vi.waitFor(() => expect(commits).toBe(2));
    const patched = await hooked("PATCH", order, { "Customer@odata.bind": "Customers(1)" });
    expect([patched.status, patched.json.CustomerId]).toEqual([200, 1]);
    await vi.waitFor(() => expect(commits).toBe(3));
    expect(logged.errors).toEqual([]);
  });

  test("the response and its ETag show the entity as hooks of its links leave it", async () => {
    const after = {
      patch: async ({
        ctx,
        entity,
      }: {
        readonly ctx: { readonly transaction: AnyDatabase };
        readonly entity: object;
      }) => {
        if (!("customerId" in entity) || entity.customerId === null) return;
        await ctx.transaction.updateTable("customers").set({ name: "linked" }).where("id", "=", 8).execute();
      },
    };
    const hooked = sendTo(orderService(db, logged, { ...BIND, after }));
    const order = await newOrder();
    const body = { Id: 8, Name: "new", "Orders@odata.bind": [order], Orders: [{ Number: "nested" }] };
    const made = await hooked("POST", "Customers", body);
    expect([made.status, made.json.Name, made.json.Orders.length]).toEqual([201, "linked", 1]);
    expect(made.headers.get("etag")).toBe((await send("GET", "Customers(8)")).headers.get("etag"));
    expect(logged.errors).toEqual([]);
  });

  test("an entity that is deleted before the write is no failure of the service", async () => {
    const service = orderService(db, logged, {
      ...BIND,
      before: {
        create: async ({ ctx }: { readonly ctx: { readonly transaction: AnyDatabase } }) => {
          await ctx.transaction.deleteFrom("customers").where("id", "=", 2).execute();
        },
      },
    });
    const answer = await sendTo(service)("POST", "Orders", { Number: "late", "Customer@odata.bind": "Customers(2)" });
    expect([answer.status, answer.json.error.code]).toEqual([409, "Conflict"]);
    expect(await countRows(db, "customers")).toBe(2);
    expect(logged.errors).toEqual([]);
  });

  const CRLF = "\r\n";
  const batch = (parts: readonly string[]): string => {
    const operations = parts.map(
      (part, index) =>
        `--cs${CRLF}Content-Type: application/http${CRLF}Content-Transfer-Encoding: binary${CRLF}Content-ID: ${String(index + 1)}${CRLF}${CRLF}${part}${CRLF}`,
    );
    return `--b${CRLF}Content-Type: multipart/mixed; boundary=cs${CRLF}${CRLF}${operations.join("")}--cs--${CRLF}--b--${CRLF}`;
  };
  const post = (path: string, body: object): string =>
    `POST ${path} HTTP/1.1${CRLF}Content-Type: application/json${CRLF}${CRLF}${JSON.stringify(body)}`;
  const sendBatch = (body: string) => send("POST", "$batch", body, { "Content-Type": "multipart/mixed; boundary=b" });

  test("references of a change set name entities that it creates", async () => {
    const answer = await sendBatch(
      batch([
        post("Customers", { Id: 11, Name: "K" }),
        post("Orders", { Number: "b1", "Customer@odata.bind": "$1" }),
        post("Orders", { Number: "b2", "Customer@odata.bind": "$1", "Tags@odata.bind": ["Tags('b')"] }),
        post("Customers", { Id: 12, Name: "L", "Orders@odata.bind": ["$3"] }),
      ]),
    );
    expect(answer.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(Array.from({ length: 4 }, () => "HTTP/1.1 201"));
    expect(await namesOf("Customers(11)/Orders", "Number")).toEqual(["b1"]);
    expect(await namesOf("Customers(12)/Orders", "Number")).toEqual(["b2"]);
    expect(logged.errors).toEqual([]);
  });

  test("a failing link undoes the change set", async () => {
    const answer = await sendBatch(
      batch([
        post("Customers", { Id: 11, Name: "K" }),
        post("Orders", { Number: "b1", "Customer@odata.bind": "$1" }),
        post("Orders", { Number: "b2", "Customer@odata.bind": "Customers(404)" }),
      ]),
    );
    expect(answer.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 400"]);
    expect(answer.text).toContain('"target":"Customer@odata.bind"');
    expect([await countRows(db, "customers"), await countRows(db, "orders")]).toEqual([2, 0]);
    const unknown = await sendBatch(batch([post("Orders", { Number: "b1", "Customer@odata.bind": "$7" })]));
    expect(unknown.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 400"]);
  });

  test("minimal responses have no content", async () => {
    const headers = { Prefer: "return=minimal" };
    const body = { Number: "m", "Customer@odata.bind": "Customers(1)", "Tags@odata.bind": ["Tags('b')"] };
    const { status, text, headers: answered } = await send("POST", "Orders", body, headers);
    expect([status, text]).toEqual([204, ""]);
    const path = (answered.get("location") ?? "").slice(ORIGIN.length + 1);
    expect([await customerOf(path), await countRows(db, "order_tags")]).toEqual([1, 1]);
  });
});
