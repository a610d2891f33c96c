import { sql } from "kysely";
import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  odataError,
  role,
  type RowPredicate,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiDocument } from "odatakit/openapi";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "./model.ts";

const Order = entityType("Order", { id: edm.int32().key(), status: edm.string(), cost: edm.int32().nullable() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), owner: edm.string() });

const ORDERS = [
  { id: 1, status: "open", cost: 5 },
  { id: 2, status: "open", cost: 6 },
];
const LINES = [
  { id: 11, orderId: 1, owner: "ann" },
  { id: 12, orderId: 1, owner: "bob" },
  { id: 21, orderId: 2, owner: "ann" },
];

const navigation = {
  lines: hasMany<typeof Order, typeof Line>(Line, { on: { id: "orderId" }, target: "Lines" }),
};
const back = {
  order: hasRequired<typeof Line, typeof Order>(Order, { on: { orderId: "id" }, target: "Orders" }),
};
/** Bob's lines are hidden from others; only staff read costs. */
const lineRules = {
  rows: (user: { readonly id?: string }, line: { readonly owner: { eq(value: string): RowPredicate } }) =>
    line.owner.eq(user.id ?? ""),
};
const orderRules = { properties: { cost: { read: role("staff") } } };

interface Reads {
  readonly all: () => Promise<readonly (typeof ORDERS)[number][]>;
  readonly ship: (id: number, context: object) => Promise<(typeof ORDERS)[number] | null>;
}

function operationsOf({ all, ship }: Reads) {
  const orders = edm.collection(Order);
  return {
    functions: {
      self: fn({ bound: "entity", returns: Order, handler: async (id) => one(await all(), id) }),
      open: fn({ bound: "collection", returns: orders, handler: () => all() }),
      none: fn({ bound: "collection", returns: Order, handler: () => null as never }),
    },
    actions: {
      ship: action({
        bound: "entity",
        returns: Order,
        handler: async (id, _given, ctx) => (await ship(id as number, ctx)) ?? odataError(404, "NotFound", "No order."),
      }),
    },
  };
}

function one(rows: readonly (typeof ORDERS)[number][], id: unknown): (typeof ORDERS)[number] {
  const found = rows.find((row) => row.id === id);
  if (found === undefined) throw new Error("There is no such order.");
  return found;
}

function unbound({ all }: Reads) {
  return {
    first: fn({ returns: Order, authorization: [], handler: async () => one(await all(), 1) }),
    everything: fn({ returns: edm.collection(Order), authorization: [], handler: () => all() }),
    words: fn({ returns: edm.collection(edm.string()), authorization: [], handler: () => ["a"] }),
  };
}

const options = {
  prefix: "",
  logger: noFailures,
  profile: "standard",
  batch: { json: true },
  authenticate: ({ headers }: { readonly headers: Headers }) => {
    const id = headers.get("x-user");
    return id === null ? null : { id, roles: id === "boss" ? ["staff"] : [] };
  },
} as const;

function overArrays(further: Partial<ServiceOptions> = {}, ofOrders: object = {}) {
  const orders = structuredClone(ORDERS);
  const reads: Reads = {
    all: () => Promise.resolve(orders),
    ship: (id) => {
      const order = orders.find((each) => each.id === id);
      if (order !== undefined) order.status = "shipped";
      return Promise.resolve(order ?? null);
    },
  };
  return odataService({
    ...options,
    entitySets: [
      entitySet(Order, {
        queryable: () => arraySource(Order, orders),
        getByKey: (id) => orders.find((order) => order.id === id) ?? null,
        etag: ["status"],
        navigation,
        authorization: orderRules,
        ...operationsOf(reads),
        ...ofOrders,
      }),
      entitySet(Line, {
        queryable: () => arraySource(Line, LINES),
        getByKey: (id) => LINES.find((line) => line.id === id) ?? null,
        navigation: back,
        authorization: lineRules,
      }),
    ],
    functions: unbound(reads),
    ...further,
  });
}

function overTables({ db }: OpenDatabase, further: Partial<ServiceOptions> = {}) {
  const reads: Reads = {
    all: async () => (await db.selectFrom("sr_orders").selectAll().orderBy("id").execute()) as typeof ORDERS,
    ship: async (id, ctx) => {
      const { transaction } = ctx as { readonly transaction?: typeof db };
      const on = transaction ?? db;
      await on.updateTable("sr_orders").set({ status: "shipped" }).where("id", "=", id).execute();
      const found = await on.selectFrom("sr_orders").selectAll().where("id", "=", id).executeTakeFirst();
      return (found ?? null) as (typeof ORDERS)[number] | null;
    },
  };
  const orders = sqlEntitySet(Order, {
    db,
    table: "sr_orders",
    operations: ["read", "patch"],
    etag: ["status"],
    transactional: true,
    navigation,
    authorization: orderRules,
    ...operationsOf(reads),
  });
  return odataService({
    ...options,
    entitySets: [
      orders,
      sqlEntitySet(Line, {
        db,
        table: "sr_lines",
        operations: ["read"],
        columns: { orderId: "order_id" },
        navigation: back,
        authorization: lineRules,
      }),
    ],
    functions: unbound(reads),
    ...further,
  });
}

interface Place {
  readonly title: string;
  readonly open: () => Promise<{ make(): Promise<ReturnType<typeof overArrays>>; close(): Promise<void> }>;
}

const PLACES: readonly Place[] = [
  {
    title: "arrays",
    open: () => Promise.resolve({ make: () => Promise.resolve(overArrays()), close: () => Promise.resolve() }),
  },
  ...ENGINES.map(({ title, open }): Place => ({
    title,
    open: async () => {
      const opened = await open();
      const { db } = opened;
      await sql`create table sr_orders (id integer primary key, status varchar(20) not null, cost integer)`.execute(db);
      await sql`create table sr_lines (id integer primary key, order_id integer not null, owner varchar(20) not null)`.execute(
        db,
      );
      const service = overTables(opened);
      return {
        make: async () => {
          await sql`delete from sr_orders`.execute(db);
          await sql`delete from sr_lines`.execute(db);
          for (const { id, status, cost } of ORDERS) {
            await sql`insert into sr_orders values (${id}, ${status}, ${cost})`.execute(db);
          }
          for (const { id, orderId, owner } of LINES) {
            await sql`insert into sr_lines values (${id}, ${orderId}, ${owner})`.execute(db);
          }
          return service;
        },
        close: opened.close,
      };
    },
  })),
];

async function send(
  service: ReturnType<typeof overArrays>,
  target: string,
  given: { readonly user?: string; readonly method?: string; readonly body?: object; readonly prefer?: string } = {},
) {
  const { user = "ann", method = "GET", body, prefer } = given;
  const request = new Request(`http://x${encodeURI(target)}`, {
    method,
    headers: {
      "X-User": user,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(prefer === undefined ? {} : { Prefer: prefer }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  const text = await response.text();
  const json: unknown = text === "" ? null : JSON.parse(text);
  return { status: response.status, json, headers: response.headers };
}

describe.each(PLACES)("results of operations over $title", ({ open }) => {
  let place: Awaited<ReturnType<Place["open"]>>;
  let service: ReturnType<typeof overArrays>;
  beforeAll(async () => {
    place = await open();
  });
  beforeEach(async () => {
    service = await place.make();
  });
  afterAll(() => place.close());

  const etag = { "@odata.etag": expect.any(String) as unknown };
  const line = (id: number, orderId: number) => ({ Id: id, OrderId: orderId, Owner: "ann" });

  test("take $select and $expand, with the rules of each set", async () => {
    const context = "http://x/$metadata#Orders(Status,Lines)";
    expect(await send(service, "/Orders/open()?$select=Status&$expand=Lines")).toMatchObject({
      status: 200,
      json: {
        "@odata.context": context,
        value: [
          { ...etag, "@odata.id": "http://x/Orders(1)", Status: "open", Lines: [line(11, 1)] },
          { ...etag, "@odata.id": "http://x/Orders(2)", Status: "open", Lines: [line(21, 2)] },
        ],
      },
    });
    const single = await send(service, "/Orders(1)/self()?$expand=Lines($select=Id;$expand=Order($select=Id))");
    expect(single.json).toMatchObject({ Id: 1, Status: "open", Lines: [{ Id: 11, Order: { Id: 1 } }] });
    const entity = await send(service, "/Orders(1)?$expand=Lines($select=Id;$expand=Order($select=Id))");
    expect(single.json).toEqual(entity.json);
    expect(single.headers.get("etag")).toBe(entity.headers.get("etag"));
    expect((await send(service, "/Orders(1)/self()?$select=Cost", { user: "boss" })).json).toMatchObject({ Cost: 5 });
    expect((await send(service, "/Orders(1)/self()?$select=Cost")).status).toBe(403);
    expect((await send(service, "/Orders(1)/self()?$expand=Lines($expand=Order($select=Cost))")).status).toBe(403);
    expect((await send(service, "/Orders/none()?$select=Id")).status).toBe(204);
  });

  test("of unbound operations, too", async () => {
    expect((await send(service, "/first()?$select=Id&$expand=Lines($select=Id)")).json).toEqual({
      "@odata.context": "http://x/$metadata#Default.Order(Id,Lines(Id))",
      Id: 1,
      Lines: [{ Id: 11 }],
    });
    expect((await send(service, "/everything()?$select=Id&$expand=Lines($select=Id)")).json).toMatchObject({
      value: [
        { Id: 1, Lines: [{ Id: 11 }] },
        { Id: 2, Lines: [{ Id: 21 }] },
      ],
    });
  });

  test("of actions, with the entities after the action", async () => {
    const target = "/Orders(1)/ship?$select=Status&$expand=Lines($select=Id)";
    const shipped = await send(service, target, { method: "POST" });
    expect(shipped).toMatchObject({ status: 200, json: { Status: "shipped", Lines: [{ Id: 11 }] } });
    const minimal = await send(service, target, { method: "POST", prefer: "return=minimal" });
    expect([minimal.status, minimal.json]).toEqual([204, null]);
    const whole = await send(service, target, { method: "POST", prefer: "return=representation" });
    expect([whole.status, whole.headers.get("preference-applied")]).toEqual([200, "return=representation"]);
  });

  test("refuse other options before the call", async () => {
    for (const option of ["$filter=true", "$top=1", "$count=true", "$compute=1 as A", "$orderby=Id"]) {
      expect([option, (await send(service, `/Orders/open()?${option}`)).status]).toEqual([option, 501]);
    }
    expect((await send(service, "/Orders(1)/ship?$select=Nope", { method: "POST" })).status).toBe(400);
    expect((await send(service, "/Orders(1)/ship?$expand=Nope", { method: "POST" })).status).toBe(400);
    expect((await send(service, "/words()?$select=Id")).status).toBe(400);
    expect((await send(service, "/Orders(1)?$select=Status")).json).toMatchObject({ Status: "open" });
  });
});

describe.each(ENGINES)("an action in a change set over $title", ({ open }) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open();
    const { db } = opened;
    await sql`create table sr_orders (id integer primary key, status varchar(20) not null, cost integer)`.execute(db);
    await sql`create table sr_lines (id integer primary key, order_id integer not null, owner varchar(20) not null)`.execute(
      db,
    );
    await sql`insert into sr_orders values (1, 'open', 5), (2, 'open', 6)`.execute(db);
    await sql`insert into sr_lines values (11, 1, 'ann'), (12, 1, 'bob')`.execute(db);
  });
  afterEach(() => opened.close());

  const headers = { "Content-Type": "application/json" };
  const ship = "Orders(1)/ship?$select=Status&$expand=Lines($select=Id)";
  const patch = (id: number) => ({
    id: `patch${String(id)}`,
    atomicityGroup: "a",
    method: "PATCH",
    url: `Orders(${String(id)})`,
    headers: { ...headers, Prefer: "return=representation" },
    body: { Status: "sent" },
  });
  const changes = [{ id: "ship", atomicityGroup: "a", method: "POST", url: ship }, patch(1), patch(2)];
  const batch = async (maxResponseEntities: number, further: readonly object[] = []) => {
    const service = overTables(opened, { defaults: { maxResponseEntities } });
    return send(service, "/$batch", { method: "POST", body: { requests: [...changes, ...further] } });
  };

  test("has the expansions of its transaction", async () => {
    expect((await batch(100)).json).toMatchObject({
      responses: [
        { status: 200, body: { Status: "sent", Lines: [{ Id: 11 }] } },
        { status: 200, body: { Status: "sent" } },
        { status: 200, body: { Status: "sent" } },
      ],
    });
  });

  test("counts its entities once, although its response is made again", async () => {
    const read = { id: "read", method: "GET", url: "Orders/open()" };
    // 1 order with 1 line, 2 orders, and the 2 orders of the read.
    const statuses = async (most: number) => (await batch(most, [read])).json;
    expect(await statuses(6)).toMatchObject({ responses: [{}, {}, {}, { status: 200 }] });
    expect(await statuses(5)).toMatchObject({
      responses: [{}, {}, {}, { status: 400, body: { error: { code: "InvalidQueryOption" } } }],
    });
  });

  test("undoes the change set for an error of an expansion; a single action stays", async () => {
    const stored = async () =>
      (await sql<{ status: string }>`select status from sr_orders where id = 1`.execute(opened.db)).rows;
    expect((await batch(1)).json).toMatchObject({
      responses: [{ status: 400, body: { error: { code: "InvalidQueryOption" } } }, { status: 424 }, { status: 424 }],
    });
    expect(await stored()).toEqual([{ status: "open" }]);
    const service = overTables(opened, { defaults: { maxResponseEntities: 1 } });
    expect((await send(service, `/${ship}`, { method: "POST" })).status).toBe(400);
    expect(await stored()).toEqual([{ status: "shipped" }]);
  });
});

describe("results of operations", () => {
  test("obey allowlists, settings and limits of the set", async () => {
    const read = async (ofOrders: object, target: string, defaults: ServiceOptions["defaults"] = {}) =>
      (await send(overArrays({ defaults }, ofOrders), target)).status;
    const target = "/Orders/open()?$select=Status&$expand=Lines";
    expect(await read({}, target)).toBe(200);
    expect(await read({ selectProperties: ["id"] }, target)).toBe(400);
    expect(await read({ expandProperties: [] }, target)).toBe(400);
    expect(await read({ expandEnabled: false }, target)).toBe(501);
    expect(await read({}, target, { maxExpandDepth: 1 })).toBe(200);
    expect(await read({}, "/Orders/open()?$expand=Lines($expand=Order)", { maxExpandDepth: 1 })).toBe(400);
    expect(await read({}, target, { maxResponseEntities: 3 })).toBe(400);
    expect(await read({}, target, { maxResponseEntities: 4 })).toBe(200);
  });

  test("of a batch count their entities once, with their expansions", async () => {
    const service = overArrays({ defaults: { maxResponseEntities: 4 } });
    const url = "Orders/open()?$select=Status&$expand=Lines";
    const requests = [
      { id: "1", method: "GET", url },
      { id: "2", method: "GET", url: "Orders/open()?$select=Status" },
    ];
    // 2 orders with 1 line each: none is left.
    expect((await send(service, "/$batch", { method: "POST", body: { requests } })).json).toMatchObject({
      responses: [
        { status: 200, body: { value: [{ Lines: [{ Id: 11 }] }, { Lines: [{ Id: 21 }] }] } },
        { status: 400, body: { error: { code: "InvalidQueryOption" } } },
      ],
    });
  });

  test("of a type with several sets have the rules of all, and no navigations", async () => {
    const several = overArrays({
      entitySets: [
        entitySet(Order, { name: "Some", getAll: () => ORDERS, authorization: orderRules }),
        entitySet(Order, { name: "Others", getAll: () => ORDERS, navigation: {} }),
      ],
    });
    expect((await send(several, "/first()?$select=Status")).json).toMatchObject({ Status: "open" });
    expect((await send(several, "/first()")).json).not.toHaveProperty("Cost");
    expect((await send(several, "/first()?$select=Cost")).status).toBe(403);
    expect((await send(several, "/first()?$select=Cost", { user: "boss" })).json).toMatchObject({ Cost: 5 });
    expect((await send(several, "/first()?$expand=Lines")).status).toBe(400);
  });

  test("take neither in the default profile", async () => {
    const service = overArrays({ profile: "specification" });
    for (const option of ["$select=Id", "$expand=Lines"]) {
      expect((await send(service, `/Orders/open()?${option}`)).json).toMatchObject({
        error: { code: "UnsupportedQueryOption" },
      });
    }
  });

  test("have the options in OpenAPI", () => {
    const namesOf = (service: ReturnType<typeof overArrays>, path: string, method: string): readonly unknown[] => {
      const { paths } = openApiDocument(service) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly object[] }>>>>;
      };
      const text = JSON.stringify(paths[path]?.[method]?.parameters ?? []);
      return ["$select", "$expand", "$top"].filter((name) => text.includes(name));
    };
    for (const [path, method] of [
      ["/Orders/open", "get"],
      ["/Orders({Id})/ship", "post"],
      ["/first", "get"],
    ] as const) {
      expect([path, namesOf(overArrays(), path, method)]).toEqual([path, ["$select", "$expand"]]);
      expect([path, namesOf(overArrays({ profile: "specification" }), path, method)]).toEqual([path, []]);
    }
    expect(namesOf(overArrays(), "/words", "get")).toEqual([]);
  });
});
