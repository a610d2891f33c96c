import fc from "fast-check";
import {
  allRows,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataError,
  odataService,
  resource,
  role,
} from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, type Door, eachDoor, expectError, type HeaderTable, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), owner: edm.string() });
const Part = entityType("Part", { code: edm.string().key() });
const Line = entityType("Line", {
  orderId: edm.int32().key(),
  n: edm.int32().key(),
  partCode: edm.string(),
});
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  backupId: edm.int32().nullable(),
  secretId: edm.int32().nullable(),
});

interface Row {
  readonly [field: string]: unknown;
}

let orders: Map<number, Row>;
let calls: unknown[];
beforeEach(() => {
  orders = new Map([[1, { id: 1, customerId: 1, backupId: null, secretId: null }]]);
  calls = [];
});

const customers = new Map(
  [
    { id: 1, owner: "ann" },
    { id: 2, owner: "ann" },
    { id: 3, owner: "bob" },
  ].map((each) => [each.id, each]),
);
const note =
  (name: string) =>
  (...given: readonly unknown[]): void => {
    calls.push([name, ...given.slice(0, -1)]);
  };

interface Declared {
  readonly orders?: object;
  readonly customers?: object;
  readonly service?: object;
}

function serve(door: Door, declared: Declared = {}) {
  const service = odataService({
    prefix: "/s",
    namespace: "Kit",
    profile: "standard",
    batch: { json: true },
    authenticate: ({ headers }: Request) => {
      const id = headers.get("x-user");
      return id === null ? null : { id, roles: id === "ann" ? ["clerk"] : [] };
    },
    logger: noFailures,
    ...declared.service,
    entitySets: [
      entitySet(Order, {
        etag: ["customerId"],
        allowDeepInsert: true,
        allowUpsert: true,
        getByKey: (id) => (orders.get(id) ?? null) as never,
        create: (given) => {
          calls.push(["create", structuredClone(given)]);
          orders.set(given.id, given);
          return given;
        },
        replace: (id, given) => {
          calls.push(["replace", id]);
          if (!orders.has(id)) return null;
          orders.set(id, given);
          return given;
        },
        patch: (id, delta) => {
          calls.push(["patch", id, { ...delta }]);
          const stored = orders.get(id);
          if (stored === undefined) return null;
          orders.set(id, { ...stored, ...delta });
          return orders.get(id) as never;
        },
        ...declared.orders,
        navigation: {
          customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
          backup: hasOptional(Customer, { on: { backupId: "id" }, target: "Customers" }),
          secret: hasOptional(Customer, { on: { secretId: "id" }, target: "Customers" }),
          lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
          parts: hasMany(Part, { target: "Parts", addRef: note("addRef") }),
          main: hasOptional(Part, { target: "Parts", setRef: note("setRef"), removeRef: note("removeRef") }),
          none: hasMany(Part, { target: "Parts" }),
          typed: hasMany(Part, { addRef: note("typed") }),
          unread: hasMany(Order, { target: "Unread", addRef: note("unread") }),
        },
      }),
      entitySet(Order, { name: "Unread", getAll: () => [] }),
      entitySet(Customer, {
        getByKey: (id) => customers.get(id) ?? odataError(404, "Gone", "Nobody."),
        ...declared.customers,
      }),
      entitySet(Line, {
        getByKey: () => null,
        navigation: { part: hasRequired(Part, { on: { partCode: "code" }, target: "Parts" }) },
      }),
      entitySet(Part, { getByKey: (code) => (code.startsWith("p") ? { code } : null) }),
    ],
  } as never);
  return (method: string, path: string, body: unknown, headers: HeaderTable = {}): Promise<Answer> =>
    door.to(service)(
      `/s/${path}`,
      { "Content-Type": "application/json", ...headers },
      method,
      typeof body === "string" ? body : JSON.stringify(body),
    );
}

const CUSTOMER = "Customer@odata.bind";
const BASE = { Id: 5, CustomerId: 1 };

eachDoor((door) => {
  test("own handlers get the foreign key in the body", async () => {
    const send = serve(door);
    const created = await send("POST", "Orders", { Id: 5, [CUSTOMER]: "Customers(2)", "Backup@odata.bind": null });
    expect([created.status, created.json.CustomerId, created.json.BackupId]).toEqual([201, 2, null]);
    const body = { "Backup@odata.bind": "/s/Customers(1)" };
    expect((await send("PATCH", "Orders(5)", body)).json).toMatchObject({ CustomerId: 2, BackupId: 1 });
    expect((await send("PATCH", "Orders(5)", { "Backup@odata.bind": null })).json).toMatchObject({ BackupId: null });
    const replaced = await send("PUT", "Orders(5)", { [CUSTOMER]: `${ORIGIN}/s/Customers(1)` });
    expect(replaced.json).toMatchObject({ CustomerId: 1 });
    const upserted = await send("PUT", "Orders(6)", { [CUSTOMER]: "Customers(2)" });
    expect([upserted.status, upserted.json.CustomerId]).toEqual([201, 2]);
    expect(calls).toMatchObject([
      ["create", { id: 5, customerId: 2, backupId: null }],
      ["patch", 5, { backupId: 1 }],
      ["patch", 5, { backupId: null }],
      ["replace", 5],
      ["create", { id: 6, customerId: 2 }],
    ]);
  });

  test("handlers of links get the URL as sent, after the entity is saved", async () => {
    const send = serve(door);
    const body = { ...BASE, "Parts@odata.bind": ["Parts('p1')", "/s/Parts('p2')"], "Main@odata.bind": "Parts('p3')" };
    expect((await send("POST", "Orders", body)).status).toBe(201);
    expect((await send("PATCH", "Orders(5)", { "Main@odata.bind": null })).status).toBe(200);
    expect(calls.slice(1)).toEqual([
      ["addRef", 5, "Parts('p1')"],
      ["addRef", 5, "/s/Parts('p2')"],
      ["setRef", 5, "Parts('p3')"],
      ["patch", 5, {}],
      ["removeRef", 5],
    ]);
  });

  test("nested entities bind", async () => {
    const send = serve(door);
    const lines = [{ N: 1, "Part@odata.bind": "Parts('p1')" }];
    expect((await send("POST", "Orders", { ...BASE, Lines: lines })).status).toBe(201);
    expect(calls).toMatchObject([["create", { lines: [{ orderId: 5, n: 1, partCode: "p1" }] }]]);
    expectError(await send("POST", "Orders", { ...BASE, Lines: [{ N: 1, "Part@odata.bind": "Parts('x')" }] }), {
      status: 400,
      code: "InvalidBody",
      target: "Lines(0)/Part@odata.bind",
      message: /no entity/,
    });
  });

  test.each([
    ["an unknown navigation", { "Custmer@odata.bind": "Customers(1)" }, /did you mean Customer@odata\.bind/],
    ["a property", { "CustomerId@odata.bind": "Customers(1)" }, /no navigation property/],
    ["a number", { [CUSTOMER]: 1 }, /1 is not the URL/],
    ["an object", { [CUSTOMER]: { "@odata.id": "Customers(1)" } }, /is not the URL/],
    ["a list for one entity", { [CUSTOMER]: ["Customers(1)"] }, /is not the URL/],
    ["a text for a list", { "Parts@odata.bind": "Parts('p1')" }, /an array of URLs/],
    ["null for a list", { "Parts@odata.bind": null }, /an array of URLs/],
    ["an item that is no text", { "Parts@odata.bind": ["Parts('p1')", 7] }, /7 is not an array of URLs/],
    ["another set", { [CUSTOMER]: "Parts('p1')" }, /leads to Customers/],
    ["another service", { [CUSTOMER]: "http://evil.example/s/Customers(1)" }, /not below the service root/],
    ["another path", { [CUSTOMER]: "/other/Customers(1)" }, /not below the service root/],
    ["a set", { [CUSTOMER]: "Customers" }, /not the URL of one entity/],
    ["a navigation", { [CUSTOMER]: "Orders(1)/Customer" }, /not the URL of one entity/],
    ["a query", { [CUSTOMER]: "Customers(1)?$select=Id" }, /without a query/],
    ["a key of another type", { [CUSTOMER]: "Customers('1')" }, /./],
    ["nothing", { [CUSTOMER]: "" }, /./],
    ["a reference outside of a batch", { [CUSTOMER]: "$1" }, /./],
    ["a missing entity", { [CUSTOMER]: "Customers(9)" }, /Customers has no entity with this key/],
    ["an entity beside", { "Backup@odata.bind": "Customers(1)", Backup: { Id: 8, Owner: "x" } }, /or nest a new one/],
    ["another foreign key", { [CUSTOMER]: "Customers(2)" }, /CustomerId has another value/],
    ["too many", { "Parts@odata.bind": Array.from({ length: 1001 }, () => "Parts('p1')") }, /at most 1000/],
    ["a long URL", { [CUSTOMER]: `Customers(${"1".repeat(20_000)})` }, /characters/],
  ])("refuses %s", async (_name, members, message) => {
    const send = serve(door);
    const [target = ""] = Object.keys(members);
    const answer = await send("POST", "Orders", { ...BASE, ...members });
    expectError(answer, { status: 400, code: "InvalidBody", target, message });
    expect(calls).toEqual([]);
  });

  test("a link that may not be removed is NullNotAllowed", async () => {
    const send = serve(door);
    for (const [method, path] of [
      ["POST", "Orders"],
      ["PATCH", "Orders(1)"],
      ["PUT", "Orders(1)"],
    ] as const) {
      const answer = await send(method, path, { ...(method === "POST" && BASE), [CUSTOMER]: null });
      expectError(answer, { status: 400, code: "NullNotAllowed", target: CUSTOMER, message: /null/ });
    }
    expect(calls).toEqual([]);
  });

  test.each([
    ["without a handler", { "None@odata.bind": ["Parts('p1')"] }, /writes no links/],
    ["without a target set", { "Typed@odata.bind": ["Parts('p1')"] }, /knows no entity set/],
    ["to a set that is not read by key", { "Unread@odata.bind": ["Unread(1)"] }, /cannot be read by key/],
    ["in the form of OData 4.01", { "Customer@bind": "Customers(1)" }, /unsupported/],
    ["in a complex value of no type", { "@a.b": { "x@odata.bind": "y" } }, /unsupported/],
  ])("a link %s is 501", async (_name, members, message) => {
    const send = serve(door);
    const answer = await send("POST", "Orders", { ...BASE, ...members });
    expect([answer.status, answer.json.error.code]).toEqual([501, "NotImplemented"]);
    expect(answer.json.error.message).toMatch(message);
    expect(calls).toEqual([]);
  });

  test("all faults of a body are listed, those of links too", async () => {
    const send = serve(door);
    const answer = await send("POST", "Orders", { Id: "x", [CUSTOMER]: 7, "Parts@odata.bind": "x" });
    const details = answer.json.error.details as ReadonlyArray<{ readonly target: string }>;
    const targets = details.map(({ target }) => target);
    expect([answer.status, targets]).toEqual([400, ["Id", CUSTOMER, "Parts@odata.bind"]]);
  });

  test("bindEnabled: false, and the default profile, refuse every link", async () => {
    for (const send of [
      serve(door, { orders: { bindEnabled: false } }),
      serve(door, { service: { profile: "specification" } }),
      serve(door, { service: { defaults: { bindEnabled: false } } }),
    ]) {
      const answer = await send("POST", "Orders", { Id: "x", [CUSTOMER]: "Customers(1)" });
      expectError(answer, { status: 501, code: "NotImplemented", target: CUSTOMER, message: /unsupported/ });
    }
    const enabled = serve(door, { service: { profile: "specification" }, orders: { bindEnabled: true } });
    expect((await enabled("POST", "Orders", { Id: 5, [CUSTOMER]: "Customers(2)" })).status).toBe(201);
  });

  describe("rules", () => {
    const owned = { authorization: { rows: (user: { id?: string } | null, row: never) => ownedBy(user, row) } };
    const ownedBy = (user: { id?: string } | null, row: never) =>
      user?.id === "admin" ? allRows : (row as { owner: { eq(id: string): never } }).owner.eq(user?.id ?? "");

    test("a hidden entity is a missing one", async () => {
      const send = serve(door, { customers: owned });
      const texts = [];
      for (const id of [3, 9]) {
        const answer = await send("POST", "Orders", { Id: 5, [CUSTOMER]: `Customers(${id})` }, { "X-User": "ann" });
        texts.push(answer.text);
        expectError(answer, { status: 400, code: "InvalidBody", target: CUSTOMER, message: /no entity/ });
      }
      expect(texts[0]).toBe(texts[1]);
      expect(calls).toEqual([]);
      const own = await send("POST", "Orders", { Id: 5, [CUSTOMER]: "Customers(3)" }, { "X-User": "bob" });
      expect(own.status).toBe(201);
    });

    test("the target set must let the user read", async () => {
      const send = serve(door, { customers: { authorization: { read: role("clerk") } } });
      const body = { Id: 5, [CUSTOMER]: "Customers(2)" };
      expectError(await send("POST", "Orders", body, { "X-User": "bob" }), {
        status: 403,
        code: "Forbidden",
        target: CUSTOMER,
        message: /Customers/,
      });
      expect((await send("POST", "Orders", body)).status).toBe(401);
      expect(calls).toEqual([]);
      expect((await send("POST", "Orders", body, { "X-User": "ann" })).status).toBe(201);
    });

    test("a rule of the entity judges it", async () => {
      const read = resource((user, each: Row) => each["owner"] === user.id);
      const send = serve(door, { customers: { authorization: { read, rows: () => allRows } } });
      const bind = (id: number, user: string) =>
        send("PATCH", "Orders(1)", { [CUSTOMER]: `Customers(${id})` }, { "X-User": user });
      expect((await bind(2, "bob")).status).toBe(403);
      expect((await bind(2, "ann")).status).toBe(200);
      expectError(await bind(9, "ann"), { status: 400, code: "InvalidBody", target: CUSTOMER, message: /no entity/ });
      expect(calls).toEqual([["patch", 1, { customerId: 2 }]]);
    });

    test("a foreign key that the user may not write cannot be bound", async () => {
      const authorization = { properties: { secretId: { create: role("clerk"), update: role("clerk") } } };
      const send = serve(door, { orders: { authorization } });
      const target = "Secret@odata.bind";
      const body = { [target]: "Customers(2)" };
      for (const [method, path, more] of [
        ["POST", "Orders", BASE],
        ["PATCH", "Orders(1)", {}],
        ["PUT", "Orders(1)", { CustomerId: 1 }],
        ["PUT", "Orders(7)", { CustomerId: 1 }],
      ] as const) {
        const answer = await send(method, path, { ...more, ...body }, { "X-User": "bob" });
        expectError(answer, { status: 403, code: "Forbidden", target, message: /SecretId/ });
      }
      expect(calls).toEqual([]);
      expect((await send("PATCH", "Orders(1)", body, { "X-User": "ann" })).json.SecretId).toBe(2);
    });
  });

  test("references of a JSON batch name entities of earlier requests", async () => {
    const send = serve(door);
    const post = (id: string, body: object, more: object = {}) => ({
      id,
      method: "POST",
      url: "Orders",
      body,
      ...more,
    });
    const requests = [
      { id: "c", method: "PATCH", url: "Orders(1)", body: { "Backup@odata.bind": "Customers(1)" } },
      post("a", { Id: 5, "Backup@odata.bind": "$nobody", CustomerId: 1 }),
      post("b", { ...BASE, "Main@odata.bind": "Parts('p1')" }),
    ];
    const { json } = await send("POST", "$batch", { requests });
    const statuses = (json.responses as readonly Row[]).map(({ id, status }) => [id, status]);
    expect(statuses).toEqual([
      ["c", 200],
      ["a", 424],
      ["b", 201],
    ]);
  });

  test("no text of a bound URL is a failure of the service", async () => {
    const send = serve(door);
    const piece = fc.oneof(
      fc.constantFrom(
        "Customers",
        "(",
        ")",
        "1",
        "'",
        "''",
        "/",
        "//",
        "..",
        ".",
        "?",
        "#",
        "%",
        "%2F",
        "$",
        "$1",
        "=",
        ",",
        "Id=",
        ":",
        "http://",
        ORIGIN,
        "/s/",
        "\u0000",
        "@p",
        " ",
      ),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const url = pieces.join("");
        const answer = await send("PATCH", "Orders(1)", { [CUSTOMER]: url });
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 400) expect(answer.json.error.target).toBe(CUSTOMER);
      }),
      { numRuns: 200 },
    );
  });
});
