import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import {
  type Answer,
  countRows,
  createOrderTables,
  emptyTables,
  faultOf,
  type LoggedErrors,
  orderService,
  passingHooks,
  sendTo,
  type Send,
} from "./writes-model.ts";

const DEEP = { deepUpdateEnabled: true, bindEnabled: true };

describe.each(ENGINES)("deep update over $title", (engine) => {
  const logged: LoggedErrors = { errors: [] };
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let send: Send;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine);
    send = sendTo(orderService(db, logged, DEEP));
  });
  beforeEach(async () => {
    await emptyTables(db);
    logged.errors.length = 0;
    await send("POST", "Customers", { Id: 1, Name: "Ann" });
    await send("POST", "Customers", { Id: 2, Name: "Bob" });
    for (const name of ["a", "b", "c"]) await send("POST", "Tags", { Name: name });
  });
  afterAll(async () => {
    await opened.close();
  });

  const newOrder = async (body: object = {}): Promise<string> => {
    const { status, json } = await send("POST", "Orders", { Number: "A1", ...body });
    expect(status).toBe(201);
    return `Orders(${String(json.Id)})`;
  };
  const linesOf = async (order: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await send("GET", `${order}/Lines?$orderby=Position`)).json.value;
  const textsOf = async (order: string): Promise<readonly unknown[]> =>
    (await linesOf(order)).map(({ Position, Text }) => [Position, Text]);
  const namesOf = async (path: string, name = "Name"): Promise<readonly unknown[]> =>
    ((await send("GET", `${path}?$orderby=${name}`)).json.value as ReadonlyArray<Record<string, unknown>>).map(
      (each) => each[name],
    );
  const expectOk = (answer: Answer): Answer => {
    expect([answer.status, answer.text.slice(0, 300), logged.errors]).toEqual([200, expect.any(String), []]);
    return answer;
  };

  test("an array replaces a collection: entities are changed, created and deleted", async () => {
    const order = await newOrder({ Lines: [1, 2, 3].map((n) => ({ Position: n, Text: `t${String(n)}` })) });
    const [one, two] = await linesOf(order);
    const lines = [{ Id: two?.["Id"], Position: 5 }, { Id: one?.["Id"] }, { Position: 2, Text: "new" }];
    expectOk(await send("PATCH", order, { Number: "A2", Lines: lines }));
    expect(await textsOf(order)).toEqual([
      [1, "t1"],
      [2, "new"],
      [5, "t2"],
    ]);
    expectOk(await send("PATCH", order, { Lines: [] }));
    expect([await textsOf(order), await countRows(db, "order_lines")]).toEqual([[], 0]);
  });

  test("absent entities that can exist alone lose their link only", async () => {
    const [first, second] = [await newOrder({ CustomerId: 1 }), await newOrder({ Number: "A2", CustomerId: 1 })];
    const id = Number(/\d+/.exec(second)?.[0]);
    expectOk(await send("PATCH", "Customers(1)", { Orders: [{ Id: id, Number: "B2" }, { Number: "B3" }] }));
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["B2", "B3"]);
    expect((await send("GET", first)).json).toMatchObject({ Number: "A1", CustomerId: null });
  });

  test("an existing entity joins the collection, also by its @odata.id", async () => {
    const order = await newOrder({ CustomerId: 2 });
    const other = await newOrder({ Number: "A2" });
    const body = { Orders: [{ "@odata.id": order }, { "@odata.id": `/${other}`, Number: "B2" }] };
    expectOk(await send("PATCH", "Customers(1)", body));
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["A1", "B2"]);
    expect(await namesOf("Customers(2)/Orders", "Number")).toEqual([]);
  });

  test("a delta changes what it names", async () => {
    const order = await newOrder({ Lines: [1, 2, 3].map((n) => ({ Position: n, Text: `t${String(n)}` })) });
    const [one, two] = await linesOf(order);
    const lines = [
      { "@odata.removed": { reason: "deleted" }, Id: one?.["Id"] },
      { Id: two?.["Id"], Text: "changed" },
      { Position: 1, Text: "new" },
    ];
    expectOk(await send("PATCH", order, { "Lines@odata.delta": lines }));
    expect(await textsOf(order)).toEqual([
      [1, "new"],
      [2, "changed"],
      [3, "t3"],
    ]);
    const again = [{ "@removed": { reason: "deleted" }, Id: one?.["Id"] }];
    expectOk(await send("PATCH", order, { "Lines@delta": again }));
    expect(await countRows(db, "order_lines")).toBe(3);
  });

  test("a delta removes a link, or deletes the entity", async () => {
    const [first, second] = [await newOrder({ CustomerId: 1 }), await newOrder({ Number: "A2", CustomerId: 1 })];
    const removed = { "@odata.id": first, "@removed": { reason: "changed" } };
    expectOk(await send("PATCH", "Customers(1)", { "Orders@delta": [removed] }));
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["A2"]);
    const deleted = { "@odata.id": second, "@removed": { reason: "deleted" } };
    expectOk(await send("PATCH", "Customers(1)", { "Orders@delta": [deleted] }));
    expect([await countRows(db, "orders"), (await send("GET", first)).status]).toEqual([1, 200]);
    const stranger = { "@odata.id": first, "@removed": { reason: "deleted" } };
    expectOk(await send("PATCH", "Customers(1)", { "Orders@delta": [stranger] }));
    expect(await countRows(db, "orders")).toBe(1);
  });

  test("a table of links: existing, new and absent entities", async () => {
    const order = await newOrder({ "Tags@odata.bind": ["Tags('a')", "Tags('b')"] });
    expectOk(await send("PATCH", order, { Tags: [{ Name: "b" }, { Name: "c" }, { Name: "new" }] }));
    expect(await namesOf(`${order}/Tags`)).toEqual(["b", "c", "new"]);
    expect(await namesOf("Tags")).toEqual(["a", "b", "c", "new"]);
    const delta = [{ Name: "b", "@removed": { reason: "changed" } }, { Name: "a" }];
    expectOk(await send("PATCH", order, { "Tags@odata.delta": delta }));
    expect(await namesOf(`${order}/Tags`)).toEqual(["a", "c", "new"]);
    expectOk(await send("PATCH", order, { Tags: [{ Name: "a" }], "Tags@odata.bind": ["Tags('b')"] }));
    expect(await namesOf(`${order}/Tags`)).toEqual(["a", "b"]);
  });

  test("the entity of the own foreign key is changed, created, replaced and unlinked", async () => {
    const order = await newOrder({ CustomerId: 1 });
    const { json } = expectOk(await send("PATCH", order, { Customer: { Id: 1, Name: "Anna" } }));
    expect(json).toMatchObject({ CustomerId: 1, Version: 1 });
    expect((await send("GET", "Customers(1)")).json.Name).toBe("Anna");
    const made = expectOk(await send("PATCH", order, { Customer: { Id: 7, Name: "new" } }));
    expect(made.json).toMatchObject({ CustomerId: 7, Version: 2 });
    const linked = expectOk(await send("PATCH", order, { Number: "A2", Customer: { Id: 2 } }));
    expect(linked.json).toMatchObject({ Number: "A2", CustomerId: 2, Version: 3 });
    expect((await send("GET", "Customers(2)")).json.Name).toBe("Bob");
    expect(expectOk(await send("PATCH", order, { Customer: null })).json).toMatchObject({ CustomerId: null });
  });

  test("the single entity that refers to another is created, changed, replaced and unlinked", async () => {
    expectOk(await send("PATCH", "Customers(1)", { Profile: { Id: 8, Motto: "a" } }));
    expectOk(await send("PATCH", "Customers(1)", { Profile: { Id: 8, Motto: "b" } }));
    expect((await send("GET", "Customers(1)/Profile")).json).toMatchObject({ Id: 8, Motto: "b" });
    expectOk(await send("PATCH", "Customers(1)", { Profile: { Id: 9, Motto: "c" } }));
    expect((await send("GET", "Customers(1)/Profile")).json).toMatchObject({ Id: 9 });
    expectOk(await send("PATCH", "Customers(1)", { Profile: null }));
    expect((await send("GET", "Customers(1)/Profile")).status).not.toBe(200);
    expect(await countRows(db, "profiles")).toBe(2);
  });

  test("PUT replaces nested entities, and leaves collections that it does not contain", async () => {
    const order = await newOrder({ CustomerId: 1, Lines: [{ Position: 1, Text: "a", Quantity: 5 }] });
    const [line] = await linesOf(order);
    expectOk(
      await send("PUT", order, {
        Number: "A2",
        Lines: [{ Id: line?.["Id"], Position: 4, Text: "b", OrderId: line?.["OrderId"] }],
      }),
    );
    expect(await linesOf(order)).toMatchObject([{ Position: 4, Text: "b", Quantity: 1 }]);
    expect((await send("GET", order)).json).toMatchObject({ Number: "A2", CustomerId: null });
    expectOk(await send("PUT", order, { Number: "A3" }));
    expect((await linesOf(order)).length).toBe(1);
    const put = await send("PUT", "Customers(3)", { Name: "Cy", Orders: [{ "@odata.id": order }, { Number: "n" }] });
    expect([put.status, await namesOf("Customers(3)/Orders", "Number")]).toEqual([201, ["A3", "n"]]);
  });

  test("several levels, with links to existing entities", async () => {
    const order = await newOrder({ CustomerId: 1, Lines: [{ Position: 1, Text: "a" }] });
    const id = Number(/\d+/.exec(order)?.[0]);
    const [line] = await linesOf(order);
    const orders = [
      {
        Id: id,
        Number: "B1",
        Lines: [
          { Id: line?.["Id"], Text: "b" },
          { Position: 2, Text: "c" },
        ],
      },
      { Number: "B2", "Tags@odata.bind": ["Tags('a')"], Lines: [{ Position: 1, Text: "d" }], Tags: [{ Name: "t" }] },
    ];
    expectOk(await send("PATCH", "Customers(1)", { Name: "Anna", Orders: orders }));
    expect(await textsOf(order)).toEqual([
      [1, "b"],
      [2, "c"],
    ]);
    const found = (await send("GET", "Customers(1)?$expand=Orders($orderby=Number;$expand=Lines,Tags($orderby=Name))"))
      .json;
    expect(found).toMatchObject({
      Name: "Anna",
      Orders: [
        { Number: "B1", Lines: [{ Text: "b" }, { Text: "c" }], Tags: [] },
        { Number: "B2", Lines: [{ Text: "d" }], Tags: [{ Name: "a" }, { Name: "t" }] },
      ],
    });
  });

  test("a fault anywhere undoes everything, and names the place", async () => {
    const order = await newOrder({ CustomerId: 1, Lines: [{ Position: 1, Text: "a" }] });
    const id = Number(/\d+/.exec(order)?.[0]);
    const [line] = await linesOf(order);
    const own = line?.["Id"];
    const cases: ReadonlyArray<readonly [string, object, readonly unknown[]]> = [
      [order, { Lines: [{ Id: own, Text: null }] }, [400, "NullNotAllowed", "Lines/0/Text"]],
      [order, { Lines: [{ Position: 1 }] }, [400, "InvalidBody", "Lines/0/Text"]],
      [order, { Lines: [{ Id: own }, { Id: own }] }, [400, "InvalidBody", "Lines/1"]],
      [order, { Lines: [{ Id: 999, Text: "x" }] }, [400, "InvalidBody", "Lines/0"]],
      [order, { Lines: [{ Id: own, OrderId: 77 }] }, [400, "InvalidBody", "Lines/0"]],
      [order, { Lines: [{ Id: own, Quantity: 0 }] }, [400, "InvalidBody", "Lines/0"]],
      [order, { Lines: null }, [400, "NullNotAllowed", "Lines"]],
      [order, { Lines: {} }, [400, "InvalidBody", "Lines"]],
      [order, { Lines: [1] }, [400, "InvalidBody", "Lines/0"]],
      [order, { Lines: [], "Lines@delta": [] }, [400, "InvalidBody", "Lines@delta"]],
      [order, { "Line@delta": [] }, [400, "InvalidBody", "Line@delta"]],
      [order, { Lines: [{ Id: own, "@removed": { reason: "deleted" } }] }, [400, "InvalidBody", "Lines"]],
      [order, { "Lines@delta": [{ Id: own, "@removed": { reason: "x" } }] }, [400, "InvalidBody", "Lines/0"]],
      [
        order,
        { "Lines@delta": [{ Id: own, "@removed": { reason: "changed" } }] },
        [400, "NullNotAllowed", "Lines/0/OrderId"],
      ],
      [order, { Customer: { Id: 1, Name: null } }, [400, "NullNotAllowed", "Customer/Name"]],
      [order, { Customer: { Id: 1 }, "Customer@odata.bind": "Customers(1)" }, [400, "InvalidBody", "Customer"]],
      [
        "Customers(1)",
        { Name: "x", Orders: [{ Id: id, Lines: [{ Id: own }, { Position: 1, Text: "b" }] }] },
        [409, "Conflict", "Orders/0/Lines/1/OrderId"],
      ],
    ];
    for (const [path, body, fault] of cases) {
      expect([body, faultOf(await send("PATCH", path, { ...body }))]).toEqual([body, fault]);
    }
    expect([await textsOf(order), (await send("GET", "Customers(1)")).json.Name]).toEqual([[[1, "a"]], "Ann"]);
    expect(logged.errors).toEqual([]);
  });

  test("a delta deletes only related entities of a table of links", async () => {
    const order = await newOrder({ "Tags@odata.bind": ["Tags('a')"] });
    expectOk(await send("PATCH", order, { "Tags@odata.delta": [{ Name: "b", "@removed": { reason: "deleted" } }] }));
    expect([await namesOf("Tags"), await namesOf(`${order}/Tags`)]).toEqual([["a", "b", "c"], ["a"]]);
  });

  test("the ETag of a missing entity creates none, and that of another collection moves it", async () => {
    const order = await newOrder({ CustomerId: 1 });
    const missing = await send("PATCH", order, { Tags: [{ Name: "new", "@odata.etag": 'W/"1"' }] });
    expect([missing.status, await namesOf("Tags")]).toEqual([412, ["a", "b", "c"]]);
    const etag = (await send("GET", order)).headers.get("etag");
    const moved = { "@odata.id": order, "@odata.etag": etag, Number: "B1" };
    expectOk(await send("PATCH", "Customers(2)", { "Orders@delta": [moved] }));
    expect([await namesOf("Customers(1)/Orders", "Number"), await namesOf("Customers(2)/Orders", "Number")]).toEqual([
      [],
      ["B1"],
    ]);
    expect((await send("PATCH", "Customers(1)", { "Orders@delta": [moved] })).status).toBe(412);
  });

  test("the ETag of a nested entity is its precondition", async () => {
    const order = await newOrder({ CustomerId: 1 });
    const id = Number(/\d+/.exec(order)?.[0]);
    const etag = (await send("GET", order)).headers.get("etag");
    const body = (tag: unknown): object => ({ Name: "x", Orders: [{ Id: id, "@odata.etag": tag, Number: "B1" }] });
    expectOk(await send("PATCH", "Customers(1)", body(etag)));
    const stale = await send("PATCH", "Customers(1)", body(etag));
    expect([stale.status, stale.json.error.target, String(stale.json.error.message).startsWith("Orders/0: ")]).toEqual([
      412,
      undefined,
      true,
    ]);
    const removed = { Id: id, "@odata.etag": etag, "@removed": { reason: "deleted" } };
    expect((await send("PATCH", "Customers(1)", { "Orders@delta": [removed] })).status).toBe(412);
    const kept = { Id: id, "@odata.etag": etag };
    expect((await send("PATCH", "Customers(1)", { Orders: [kept] })).status).toBe(412);
    const outer = (await send("GET", "Customers(1)")).headers.get("etag") ?? "";
    expectOk(
      await send("PATCH", "Customers(1)", { Name: "y", Orders: [{ Id: id, Number: "B2" }] }, { "If-Match": outer }),
    );
    expect((await send("PATCH", "Customers(1)", { Orders: [] }, { "If-Match": outer })).status).toBe(412);
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["B2"]);
  });

  test("hooks of each set run in the transaction, and its failure undoes them", async () => {
    let commits = 0;
    const hooked = sendTo(orderService(db, logged, { ...DEEP, ...passingHooks(() => (commits += 1)) }));
    const order = await newOrder({
      CustomerId: 1,
      Lines: [
        { Position: 1, Text: "a" },
        { Position: 2, Text: "b" },
      ],
    });
    const [line] = await linesOf(order);
    const lines = [
      { Id: line?.["Id"], Text: "c" },
      { Position: 3, Text: "d" },
    ];
    expectOk(
      await hooked("PATCH", order, {
        Number: "A2",
        Lines: lines,
        Customer: { Id: 1, Name: "Anna" },
        Tags: [{ Name: "a" }],
      }),
    );
    await vi.waitFor(() => expect(commits).toBe(5));
    expect(await textsOf(order)).toEqual([
      [1, "c"],
      [3, "d"],
    ]);
    const failing = {
      Number: "A3",
      Lines: [
        { Position: 9, Text: "e" },
        { Position: 9, Text: "f" },
      ],
    };
    expect((await hooked("PATCH", order, failing)).status).toBe(409);
    expect([commits, (await textsOf(order)).length]).toEqual([5, 2]);
  });

  test("a batch writes it with other operations, or nothing", async () => {
    const boundary = "b";
    const part = (id: number, method: string, url: string, body: object): string =>
      `--c\r\nContent-Type: application/http\r\nContent-ID: ${String(id)}\r\n\r\n${method} ${url} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n`;
    const changeSet = (...parts: readonly string[]): string =>
      `--${boundary}\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join("")}--c--\r\n--${boundary}--`;
    const headers = { "Content-Type": `multipart/mixed; boundary=${boundary}` };
    const order = { Number: "n1", Lines: [{ Position: 1, Text: "a" }] };
    const good = changeSet(
      part(1, "POST", "Orders", order),
      part(2, "PATCH", "$1", { Lines: [{ Position: 2, Text: "b" }] }),
      part(3, "PATCH", "Customers(1)", { Orders: [{ "@odata.id": "$1", Number: "n2" }] }),
    );
    const done = await send("POST", "$batch", good, headers);
    expect([done.status, done.text.match(/HTTP\/1.1 \d+/g)]).toEqual([
      200,
      ["HTTP/1.1 201", "HTTP/1.1 200", "HTTP/1.1 200"],
    ]);
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["n2"]);
    expect(await countRows(db, "order_lines")).toBe(1);
    const bad = changeSet(
      part(1, "PATCH", "Customers(1)", { Orders: [] }),
      part(2, "PATCH", "Customers(2)", { Orders: [{ Number: "n3", Lines: [{ Position: 1 }] }] }),
    );
    expect((await send("POST", "$batch", bad, headers)).text).toContain("Orders/0/Lines/0/Text");
    expect(await namesOf("Customers(1)/Orders", "Number")).toEqual(["n2"]);
  });
});
