import {
  applyDelta,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  resource,
  role,
  singleton,
} from "odatakit";
import { beforeEach, expect, test } from "vitest";
import { type Answer, type Door, eachDoor, type HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";

const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  vip: edm.boolean().default(false),
});
const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customerId: edm.int32().nullable(),
  note: edm.string(),
  owner: edm.string().default("ann"),
});
const Line = entityType("Line", { orderId: edm.int32().key(), n: edm.int32().key(), text: edm.string() });
const Tag = entityType("Tag", { name: edm.string().key() });

interface Row {
  readonly [field: string]: unknown;
}

let customers: Row[];
let orders: Row[];
let lines: Row[];
let calls: string[];
let links: string[];
beforeEach(() => {
  customers = [
    { id: 1, name: "Ann", vip: false },
    { id: 2, name: "Bob", vip: false },
  ];
  orders = [
    { id: 1, customerId: 1, note: "a", owner: "ann" },
    { id: 2, customerId: 1, note: "b", owner: "bob" },
    { id: 3, customerId: null, note: "c", owner: "ann" },
  ];
  lines = [
    { orderId: 1, n: 1, text: "x" },
    { orderId: 1, n: 2, text: "y" },
  ];
  calls = [];
  links = ["a"];
});

/** Handlers over an array. */
function handlersOf(
  name: string,
  rows: () => Row[],
  type: typeof Customer,
  keyed: (row: Row) => unknown,
  save: (rows: Row[]) => void,
) {
  const find = (key: unknown): Row | undefined =>
    rows().find((row) => JSON.stringify(keyed(row)) === JSON.stringify(key));
  const note = (call: string): void => void calls.push(`${call} ${name}`);
  return {
    getAll: () => rows(),
    getByKey: (key: unknown) => find(key) ?? null,
    create: (given: Row) => {
      note("create");
      const made = given["id"] === undefined && name === "orders" ? { ...given, id: 10 + rows().length } : given;
      save([...rows(), made]);
      return made;
    },
    patch: (key: unknown, delta: object) => {
      note("patch");
      const changed = applyDelta(type, find(key) as never, delta as never) as unknown as Row | null;
      if (changed !== null) save(rows().map((row) => (row === find(key) ? changed : row)));
      return changed;
    },
    replace: (key: unknown, given: Row) => {
      note("replace");
      const found = find(key);
      if (found === undefined) return null;
      const whole = { ...given, ...(typeof key === "object" ? (key as object) : { id: key }) };
      save(rows().map((row) => (row === found ? whole : row)));
      return whole;
    },
    delete: (key: unknown) => {
      note("delete");
      const found = find(key);
      save(rows().filter((row) => row !== found));
      return found !== undefined;
    },
  };
}

interface Declared {
  readonly service?: object;
  readonly customers?: object;
  readonly orders?: object;
  readonly lines?: object;
}

function serve(door: Door, declared: Declared = {}) {
  const own = {
    customers: handlersOf(
      "customers",
      () => customers,
      Customer,
      ({ id }) => id,
      (all) => (customers = all),
    ),
    orders: handlersOf(
      "orders",
      () => orders,
      Order as never,
      ({ id }) => id,
      (all) => (orders = all),
    ),
    lines: handlersOf(
      "lines",
      () => lines,
      Line as never,
      ({ orderId, n }) => ({ orderId, n }),
      (all) => (lines = all),
    ),
  };
  const Customers = entitySet(Customer, {
    ...(own.customers as object),
    ...declared.customers,
    navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }) },
  });
  const service = odataService({
    prefix: "/s",
    namespace: "Kit",
    profile: "standard",
    batch: { json: true },
    defaults: { deepUpdateEnabled: true },
    authenticate: ({ headers }: Request) => {
      const id = headers.get("x-user");
      return id === null ? null : { id, roles: id === "ann" ? ["clerk"] : [] };
    },
    logger: noFailures,
    ...declared.service,
    entitySets: [
      Customers,
      entitySet(Order, {
        ...(own.orders as object),
        ...declared.orders,
        navigation: {
          customer: hasOptional(Customer, { on: { customerId: "id" }, target: "Customers" }),
          lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
          tags: hasMany(Tag, {
            target: "Tags",
            get: () => links.map((name) => ({ name })),
            addRef: (_key: unknown, id: string) => void links.push(/'(.*)'/.exec(id)?.[1] ?? id),
            removeRef: (_key: unknown, id: string) => {
              links = links.filter((name) => !id.includes(`'${name}'`));
            },
          }),
          none: hasMany(Tag, { target: "Tags" }),
          typed: hasMany(Tag),
        },
      }),
      entitySet(Line, { ...(own.lines as object), ...declared.lines }),
      entitySet(Tag, { getByKey: (name: string) => (name.length === 1 ? { name } : null) }),
    ],
    singletons: [singleton(Customer, { name: "Me", from: Customers, key: () => 1 })],
  } as never);
  return (method: string, path: string, body: unknown, headers: HeaderTable = {}): Promise<Answer> =>
    door.to(service)(`/s/${path}`, { "Content-Type": "application/json", ...headers }, method, JSON.stringify(body));
}

const faultOf = ({ status, json }: Answer): readonly unknown[] => [status, json?.error?.code, json?.error?.target];

eachDoor((door) => {
  test("the handlers of each set write, in order", async () => {
    const send = serve(door);
    const body = {
      Name: "Anna",
      Orders: [
        { Id: 2, Note: "B", Lines: [{ N: 1, Text: "new" }] },
        { Note: "n", Lines: [{ N: 5, Text: "z" }] },
      ],
    };
    const { status, json } = await send("PATCH", "Customers(1)", body);
    expect([status, json]).toMatchObject([200, { Id: 1, Name: "Anna" }]);
    expect(calls).toEqual([
      "patch customers",
      "patch orders",
      "patch orders",
      "create lines",
      "create orders",
      "create lines",
    ]);
    expect(orders).toMatchObject([
      { id: 1, customerId: null },
      { id: 2, customerId: 1, note: "B" },
      { id: 3, customerId: null },
      { id: 13, customerId: 1, note: "n" },
    ]);
    expect(lines.slice(2)).toEqual([
      { orderId: 2, n: 1, text: "new" },
      { orderId: 13, n: 5, text: "z" },
    ]);
  });

  test("a part of the key follows from the entity around it", async () => {
    const send = serve(door);
    expect(
      (
        await send("PATCH", "Orders(1)", {
          Lines: [
            { N: 2, Text: "Y" },
            { N: 3, Text: "Z" },
          ],
        })
      ).status,
    ).toBe(200);
    expect(lines).toEqual([
      { orderId: 1, n: 2, text: "Y" },
      { orderId: 1, n: 3, text: "Z" },
    ]);
    expect((await send("PUT", "Orders(1)", { Note: "p", Lines: [{ OrderId: 1, N: 3, Text: "W" }] })).status).toBe(200);
    expect([lines, orders[0]]).toMatchObject([[{ orderId: 1, n: 3, text: "W" }], { note: "p" }]);
  });

  test("single entities, links by own handlers, and a singleton", async () => {
    const send = serve(door);
    expect((await send("PATCH", "Orders(3)", { Customer: { Id: 2, Name: "Bo" }, Tags: [{ Name: "b" }] })).status).toBe(
      200,
    );
    expect([orders[2], customers[1], links]).toMatchObject([{ customerId: 2 }, { name: "Bo" }, ["b"]]);
    expect((await send("PATCH", "Orders(3)", { Customer: { Id: 7, Name: "Cy" } })).status).toBe(200);
    expect(orders[2]).toMatchObject({ customerId: 7 });
    expect((await send("PATCH", "Me", { "Orders@delta": [{ Note: "mine" }] })).json).toMatchObject({ Id: 1 });
    expect(orders.at(-1)).toMatchObject({ customerId: 1, note: "mine" });
  });

  test("without the setting, nested entities stay as they were", async () => {
    const send = serve(door, { service: { profile: "specification", defaults: {} } });
    expect(
      (await send("PATCH", "Orders(1)", { Note: "n", Lines: [], "Lines@delta": [{ N: 9, Text: "z" }] })).status,
    ).toBe(200);
    expect((await send("PUT", "Orders(1)", { Note: "n", Lines: [{ N: 9, Text: "z" }] })).status).toBe(200);
    expect(lines.length).toBe(2);
    const strict = serve(door, { service: { defaults: {} } });
    expect(faultOf(await strict("PATCH", "Orders(1)", { "Lines@odata.delta": [{ N: 9 }] }))).toEqual([
      501,
      "NotImplemented",
      "Lines@odata.delta",
    ]);
    expect(faultOf(await strict("PATCH", "Orders(1)", { Lines: [{ N: 9 }] }))).toEqual([
      501,
      "NotImplemented",
      "Lines",
    ]);
  });

  test("what no handler writes is refused before anything is written", async () => {
    const cases: ReadonlyArray<readonly [Declared, object, string]> = [
      [{}, { Typed: [{ Name: "a" }] }, "Typed"],
      [{}, { None: [] }, "None"],
      [{}, { Tags: [{ Name: "new tag" }] }, "Tags(0)"],
      [{ lines: { patch: undefined } }, { Lines: [{ N: 1, Text: "z" }] }, "Lines(0)"],
      [{ lines: { create: undefined } }, { "Lines@delta": [{ N: 9, Text: "z" }] }, "Lines(0)"],
      [{ lines: { transactional: true } }, { "Lines@delta": [{ N: 1, Text: "z" }] }, "Lines@delta"],
    ];
    for (const [declared, body, target] of cases) {
      const send = serve(door, declared);
      expect([body, faultOf(await send("PATCH", "Orders(1)", body))]).toEqual([body, [501, "NotImplemented", target]]);
    }
    expect(lines.map(({ text }) => text)).toEqual(["x", "y"]);
  });

  test("rules of the target sets hold, and hidden entities are missing", async () => {
    const rules = {
      read: role("clerk"),
      update: resource((_user, row: Row) => row["note"] !== "a"),
      delete: role("boss"),
    };
    const rows = (user: { readonly id?: string } | null, row: { readonly owner: { eq(value: string): unknown } }) =>
      row.owner.eq(user?.id ?? "");
    const send = serve(door, { orders: { authorization: rules } });
    const as = (id: string): HeaderTable => ({ "X-User": id });
    const patched = (body: object, id = "ann") => send("PATCH", "Customers(1)", body, as(id));
    expect(faultOf(await patched({ "Orders@delta": [{ Id: 1, Note: "A" }] }))).toEqual([403, "Forbidden", "Orders(0)"]);
    expect((await patched({ "Orders@delta": [{ Id: 2, Note: "B" }] })).status).toBe(200);
    expect(faultOf(await patched({ Orders: [{ Id: 1 }, { Id: 2 }] }, "bob"))).toEqual([403, "Forbidden", "Orders"]);
    const deleted = { "Orders@delta": [{ Id: 2, "@removed": { reason: "deleted" } }] };
    expect(faultOf(await patched(deleted))).toEqual([403, "Forbidden", "Orders(0)"]);
    const hiding = serve(door, { orders: { authorization: { rows } } });
    const stranger = await hiding("PATCH", "Customers(1)", { "Orders@delta": [{ Id: 2, Note: "z" }] }, as("ann"));
    const missing = await hiding("PATCH", "Customers(1)", { "Orders@delta": [{ Id: 99, Note: "z" }] }, as("ann"));
    expect([stranger.status, stranger.json]).toEqual([400, missing.json]);
    expect((await hiding("PATCH", "Customers(1)", { Orders: [{ Id: 1 }] }, as("ann"))).status).toBe(200);
    expect(orders.map(({ customerId }) => customerId)).toEqual([1, 1, null]);
  });

  test("property rules and validation judge nested entities", async () => {
    const send = serve(door, {
      lines: {
        authorization: { properties: { text: { update: role("clerk"), create: role("clerk") } } },
        validate: {
          create: ({ entity }: { readonly entity: Row }) =>
            entity["text"] === "bad" ? [{ message: "Bad.", path: ["text"] }] : undefined,
        },
      },
    });
    const changed = { "Lines@delta": [{ N: 1, Text: "X" }] };
    expect(faultOf(await send("PATCH", "Orders(1)", changed, { "X-User": "bob" }))).toEqual([
      403,
      "Forbidden",
      "Lines(0)/Text",
    ]);
    expect((await send("PATCH", "Orders(1)", changed, { "X-User": "ann" })).status).toBe(200);
    const bad = {
      "Lines@delta": [
        { N: 8, Text: "good" },
        { N: 9, Text: "bad" },
      ],
    };
    expect(faultOf(await send("PATCH", "Orders(1)", bad, { "X-User": "ann" }))).toEqual([
      400,
      "InvalidBody",
      "Lines(1)/Text",
    ]);
  });

  test("sets that need a precondition need the ETag of each nested entity", async () => {
    const send = serve(door, { lines: { etag: ["text"], requireIfMatch: true } });
    expect((await send("PATCH", "Orders(1)", { "Lines@delta": [{ N: 1, Text: "z" }] })).status).toBe(428);
    expect((await send("PATCH", "Orders(1)", { Lines: [{ N: 1 }] })).status).toBe(428);
    expect(lines.length).toBe(2);
  });

  test("nothing is written if the entity of the URL is missing or has changed", async () => {
    const send = serve(door, { orders: { etag: ["note"] } });
    const body = { Customer: { Id: 2, Name: "Bo" } };
    expect((await send("PATCH", "Orders(9)", body)).status).toBe(404);
    expect((await send("PATCH", "Orders(1)", body, { "If-Match": '"x"' })).status).toBe(412);
    expect(calls).toEqual([]);
  });

  test("a page of a collection does not replace it", async () => {
    const send = serve(door);
    const body = { Lines: [{ N: 1 }], "Lines@odata.nextLink": "http://service.example/s/Orders(1)/Lines?$skip=1" };
    expect(faultOf(await send("PATCH", "Orders(1)", body))).toEqual([400, "InvalidBody", "Lines"]);
    expect(lines.length).toBe(2);
  });

  test("the number of named entities is limited, in a batch together", async () => {
    const send = serve(door);
    const tags = (count: number): object => ({ "Tags@odata.bind": Array.from({ length: count }, () => "Tags('b')") });
    const body = { ...tags(998), "Lines@delta": [{ N: 1, Text: "z" }, { N: 2 }, { N: 3, Text: "w" }] };
    expect(faultOf(await send("PATCH", "Orders(1)", body))).toEqual([400, "InvalidBody", "Lines@delta"]);
    const orders = [1, 2].map((id) => ({ Id: id, ...tags(500) }));
    expect(faultOf(await send("PATCH", "Customers(1)", { Orders: orders }))).toEqual([400, "InvalidBody", "Orders(1)"]);
    const part = (id: string, count: number): object => ({ id, method: "patch", url: "Orders(1)", body: tags(count) });
    const { json } = await send("POST", "$batch", { requests: [part("a", 600), part("b", 401), part("c", 400)] });
    expect(json.responses).toMatchObject([{ status: 200 }, { status: 400 }, { status: 200 }]);
  });
});
