import { action, edm, entitySet, entityType, fn, hasMany, hasOptional, odataService, type Context } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ENGINES,
  createTable,
  insertRow,
  type AnyDatabase,
  type OpenDatabase,
} from "../../engine/executors/engines.ts";

/** A row rule by an ignored property hides nothing that a handler returns from `ctx.sets`. */

const Order = entityType("Order", { id: edm.int32().key(), title: edm.string() });
const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  tenant: edm.string().ignored(),
});
const Copy = entityType("Copy", { id: edm.int32().key(), tenant: edm.string().ignored() });
const Part = entityType("Part", { id: edm.int32().key(), copyId: edm.int32() });

function declareSets(db: AnyDatabase) {
  const lines = sqlEntitySet(Line, {
    db,
    table: "lines",
    columns: { orderId: "order_id" },
    operations: ["read", "create"],
    authorization: { rows: (user, line) => line.tenant.eq(user.id ?? "") },
  });
  const ofOrder = (id: number, { sets }: Context) => sets(lines).query({ filter: (line) => line.orderId.eq(id) });
  const orders = entitySet(Order, {
    getAll: () => [{ id: 1, title: "one" }],
    getByKey: (id) => ({ id, title: "one" }),
    allowDeepInsert: true,
    create: async (order, { sets }) => {
      const made = [];
      for (const line of order.lines ?? []) made.push(await sets(lines).create({ ...line, orderId: order.id }));
      return { ...order, lines: made };
    },
    navigation: {
      lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, get: ofOrder }),
      first: hasOptional(Line, { target: "Lines", get: async (id, ctx) => (await ofOrder(id, ctx))[0] ?? null }),
    },
  });
  const copies = entitySet(Copy, {
    getAll: ({ sets }) => sets(lines).query(),
    getByKey: (id, { sets }) => sets(lines).get(id),
    authorization: { rows: (user, copy) => copy.tenant.eq(user.id ?? "") },
  });
  return { lines, orders, copies };
}

describe.each(ENGINES)("results of handlers over $title", (engine) => {
  let open: OpenDatabase;
  let warnings: unknown[] = [];
  let texts: string[] = [];
  let send: (method: string, path: string, body?: object) => Promise<readonly [number, unknown]>;

  beforeAll(async () => {
    open = await engine.open();
    const tenant = "varchar(10) default 'ann' not null";
    await createTable(open, "lines", { id: "int primary key", order_id: "int not null", tenant });
    const { lines, orders, copies } = declareSets(open.db);
    const service = odataService({
      entitySets: [lines, orders, copies],
      functions: {
        all: fn({
          returns: edm.collection(Line),
          authorization: [],
          handler: (_none, { sets }) => sets(lines).query(),
        }),
      },
      actions: {
        add: action({
          returns: Line,
          authorization: [],
          handler: (_none, { sets }) => sets(lines).create({ id: 9, orderId: 1 }),
        }),
      },
      authenticate: () => ({ id: "ann" }),
      logger: {
        error: (message) => warnings.push(message),
        warn: (message) => warnings.push(message),
        info: () => undefined,
      },
    });
    send = async (method, path, body) => {
      const headers = { "Content-Type": "application/json" };
      const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
      const response = await service.fetch(new Request(`http://service.example/${path}`, init));
      const text = await response.text();
      texts.push(text);
      return [response.status, text === "" ? null : JSON.parse(text)];
    };
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    warnings = [];
    texts = [];
    await open.db.deleteFrom("lines").execute();
    await insertRow(open, "lines", [1, 1, "ann"]);
    await insertRow(open, "lines", [2, 1, "bob"]);
  });

  const line = (id: number): object => ({ Id: id, OrderId: 1 });

  test.each<readonly [string, string, string, object | undefined, readonly [number, unknown]]>([
    ["a function", "GET", "all()", undefined, [200, [line(1)]]],
    ["an action", "POST", "add", {}, [200, line(9)]],
    ["a navigation", "GET", "Orders(1)/Lines", undefined, [200, { value: [line(1)] }]],
    ["one related entity", "GET", "Orders(1)/First", undefined, [200, line(1)]],
    [
      "an expansion",
      "GET",
      "Orders?$expand=Lines,First",
      undefined,
      [200, { value: [{ Lines: [line(1)], First: line(1) }] }],
    ],
    [
      "a deep insert",
      "POST",
      "Orders",
      { Id: 1, Title: "a", Lines: [{ Id: 7, OrderId: 1 }] },
      [201, { Lines: [line(7)] }],
    ],
    ["a set over ctx.sets", "GET", "Copies", undefined, [200, { value: [{ Id: 1 }] }]],
    ["an entity of ctx.sets", "GET", "Copies(1)", undefined, [200, { Id: 1 }]],
  ])("%s", async (_name, method, path, body, [status, expected]) => {
    expect(await send(method, path, body)).toEqual([status, partly(expected)]);
    expect(warnings).toEqual([]);
    expect(texts.join("")).not.toMatch(/tenant/iu);
  });
});

/** Matches a response with further members, such as control information. */
function partly(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(partly);
  if (typeof expected !== "object" || expected === null) return expected;
  const members = Object.entries(expected).map(([name, value]) => [name, partly(value)] as const);
  return expect.objectContaining(Object.fromEntries(members));
}

test("an entity without an ignored property of the rule is hidden, and one warning names it", async () => {
  const warnings: string[] = [];
  const copies = [{ id: 1, tenant: "ann" }, { id: 2 }, { id: 3 }];
  const service = odataService({
    entitySets: [
      entitySet(Copy, {
        getAll: () => copies,
        getByKey: (id) => copies.find((copy) => copy.id === id) ?? null,
        authorization: { rows: (user, copy) => copy.tenant.ne(user.id ?? "").not() },
      }),
      entitySet(Part, {
        getAll: () => copies.map(({ id }) => ({ id, copyId: id })),
        getByKey: (id) => ({ id, copyId: id }),
        navigation: {
          copy: hasOptional(Copy, { target: "Copies", get: (id) => copies.find((copy) => copy.id === id) ?? null }),
        },
        authorization: { rows: (_user, part) => part.copy.tenant.eq("bob").not() },
      }),
    ],
    authenticate: () => ({ id: "ann" }),
    logger: { error: () => undefined, info: () => undefined, warn: (message) => warnings.push(message) },
  });
  const get = async (path: string): Promise<string> =>
    (await service.fetch(new Request(`http://service.example/${path}`))).text();
  expect(await get("Copies/$count")).toBe("1");
  expect(await get("Copies/$count")).toBe("1");
  expect(JSON.parse(await get("Copies(2)"))).toMatchObject({ error: { code: "NotFound" } });
  // A missing value hides the entity, also under `not`.
  expect(await get("Parts/$count")).toBe("1");
  expect(warnings).toEqual([
    "The row rule of Copies uses 'Copies/tenant', but for some entities the handlers return no value of this ignored property. These entities are hidden.",
    "The row rule of Parts uses 'Copies/tenant', but for some entities the handlers return no value of this ignored property. These entities are hidden.",
  ]);
});
