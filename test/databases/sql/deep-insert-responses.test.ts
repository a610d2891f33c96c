import { sql } from "kysely";
import {
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  role,
  type Context,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { ERROR_HEADERS, headersOf, JSON_HEADERS, ORIGIN } from "../../service/http/doors.ts";
import { noFailures } from "../../service/http/model.ts";

/**
 * The response of a deep insert shows each row as the transaction leaves it, without the properties that the user may not read. A
 * row rule refuses rows that the user would not see; it filters nothing.
 */

const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  credit: edm.int32().default(100),
});
const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  amount: edm.int32(),
  cost: edm.int32().default(9),
});
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  owner: edm.string().ignored(),
  total: edm.int32().nullable().computed(),
  version: edm.int32().computed(),
});

const TABLES = [
  "create table customers (id int primary key, name varchar(20) not null, credit int not null)",
  "create table orders (id int primary key, customer_id int, owner varchar(20) not null, total int, version int not null)",
  "create table order_lines (id int primary key, order_id int not null, amount int not null, cost int not null)",
];

const ADD_UP = "update orders set total = coalesce(total, 0) + new.amount where id = new.order_id";
const TRIGGERS: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: [`create trigger add_up after insert on order_lines begin ${ADD_UP}; end`],
  postgres: [
    `create function add_up() returns trigger language plpgsql as 'begin ${ADD_UP}; return new; end'`,
    "create trigger add_up after insert on order_lines for each row execute function add_up()",
  ],
  mariadb: [`create trigger add_up after insert on order_lines for each row ${ADD_UP}`],
};

function shop(db: AnyDatabase, hooks: object = {}) {
  const place = { db, operations: ["read", "create", "patch"] } as const;
  const clerk = { read: role("clerk") };
  const orders = sqlEntitySet(Order, {
    ...place,
    table: "orders",
    columns: { customerId: "customer_id" },
    etag: ["version"],
    rowVersion: "version",
    allowDeepInsert: true,
    set: { owner: { create: ({ user }) => user.id ?? "" } },
    authorization: {
      properties: { total: clerk },
      rows: (user, row) => row.owner.eq(user.id ?? "").and(row.id.lt(100)),
    },
    navigation: {
      lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }),
      customer: hasOptional(Customer, { target: "Customers", on: { customerId: "id" } }),
    },
    ...hooks,
  });
  const lines = sqlEntitySet(Line, {
    ...place,
    table: "order_lines",
    columns: { orderId: "order_id" },
    authorization: { properties: { cost: clerk }, rows: (_user, row) => row.amount.lt(50) },
    navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
  });
  const customers = sqlEntitySet(Customer, {
    ...place,
    table: "customers",
    authorization: { properties: { credit: clerk } },
  });
  const service = odataService({
    entitySets: [orders, lines, customers],
    logger: noFailures,
    authenticate: ({ headers }) => {
      const [id = "", roles = ""] = (headers.get("x-user") ?? "").split(":");
      return { id, roles: roles.split(",") };
    },
  });
  return (user: string, body: object, query = "") => send(service, user, `Orders${query}`, body);
}

async function send(service: ReturnType<typeof odataService>, user: string, path: string, body: object) {
  const headers = { "content-type": "application/json", "x-user": user };
  const request = new Request(`${ORIGIN}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const response = await service.fetch(request);
  const json: unknown = await response.json();
  const { "content-length": _length, ...others } = headersOf(response);
  return { status: response.status, headers: others, json };
}

const BODY = {
  Id: 1,
  Customer: { Id: 7, Name: "Ann" },
  Lines: [
    { Id: 10, Amount: 3 },
    { Id: 11, Amount: 4 },
  ],
};

function created(etag: unknown, others: object) {
  const headers = { ...JSON_HEADERS, "cache-control": "no-store" };
  const url = `${ORIGIN}/Orders(1)`;
  return {
    status: 201,
    headers: { ...headers, etag, location: url, "content-location": url },
    json: {
      "@odata.context": `${ORIGIN}/$metadata#Orders/$entity`,
      "@odata.id": url,
      "@odata.etag": etag,
      Id: 1,
      ...others,
    },
  };
}

describe.each(ENGINES)("the response of a deep insert, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    for (const each of [...TABLES, ...TRIGGERS[engine.name]]) await sql.raw(each).execute(db);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of ["order_lines", "orders", "customers"]) await sql`delete from ${sql.id(table)}`.execute(db);
  });

  const rows = async (): Promise<readonly number[]> => {
    const counts = ["orders", "order_lines", "customers"].map(async (table) => {
      const { rows: found } = await sql<object>`select 1 as one from ${sql.id(table)}`.execute(db);
      return found.length;
    });
    return Promise.all(counts);
  };

  test("has the values that the database and its triggers leave, and properties that the user may read", async () => {
    const answer = await shop(db)("ann:clerk", BODY);
    const etag = answer.headers["etag"];
    expect(answer).toEqual(
      created(etag, {
        CustomerId: 7,
        Total: 7,
        Version: 1,
        Customer: { Id: 7, Name: "Ann", Credit: 100 },
        Lines: [
          { Id: 10, OrderId: 1, Amount: 3, Cost: 9 },
          { Id: 11, OrderId: 1, Amount: 4, Cost: 9 },
        ],
      }),
    );
    expect(etag).toMatch(/^(W\/)?"/);
  });

  test("omits the properties that the user may not read, at each level", async () => {
    const answer = await shop(db)("ann", BODY);
    expect(answer).toEqual(
      created(answer.headers["etag"], {
        CustomerId: 7,
        Version: 1,
        Customer: { Id: 7, Name: "Ann" },
        Lines: [
          { Id: 10, OrderId: 1, Amount: 3 },
          { Id: 11, OrderId: 1, Amount: 4 },
        ],
      }),
    );
  });

  test("shows what an after hook has written in the transaction", async () => {
    const change = async ({ ctx, key }: { readonly ctx: Context; readonly key: number }): Promise<void> => {
      await sql`update orders set total = 77, version = 2 where id = ${key}`.execute(ctx.transaction as AnyDatabase);
    };
    const answer = await shop(db, { after: { create: change } })("ann:clerk", BODY);
    expect(answer).toMatchObject(created(answer.headers["etag"], { Total: 77, Version: 2, CustomerId: 7 }));
  });

  test.each([
    ["the order", { ...BODY, Id: 100 }, "Orders"],
    ["a nested line", { ...BODY, Lines: [{ Id: 12, Amount: 60 }] }, "Lines"],
  ])("is 403 if a row rule hides %s, and nothing is stored", async (_which, body, set) => {
    expect(await shop(db)("ann:clerk", body)).toEqual({
      status: 403,
      headers: ERROR_HEADERS,
      json: {
        error: {
          code: "Forbidden",
          message: `You may not write this entity of ${set}: you could not see it afterwards.`,
        },
      },
    });
    expect(await rows()).toEqual([0, 0, 0]);
  });

  test("shows with $expand the related entities of the transaction", async () => {
    const answer = await shop(db)("ann:clerk", BODY, "?$select=Id,Total&$expand=Lines($select=Id)");
    const { "@odata.context": _context, ...json } = answer.json as Record<string, unknown>;
    expect([answer.status, json]).toEqual([
      201,
      {
        "@odata.id": `${ORIGIN}/Orders(1)`,
        "@odata.etag": answer.headers["etag"],
        Id: 1,
        Total: 7,
        Lines: [{ Id: 10 }, { Id: 11 }],
      },
    ]);
  });
});

describe("the entity that a `create` handler of the application returns", () => {
  const handled = (create: (body: object) => unknown) => {
    let isSaved = false;
    const orders = entitySet(Order, {
      allowDeepInsert: true,
      etag: ["version"],
      create: (body) => {
        isSaved = true;
        return create(body) as never;
      },
      getByKey: () => (isSaved ? { id: 1, customerId: null, owner: "ann", total: 1000, version: 2 } : null),
      authorization: { properties: { total: { read: role("clerk") } }, rows: (_user, row) => row.version.lt(5) },
      navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
    });
    const lines = entitySet(Line, {
      getByKey: () => null,
      authorization: { properties: { cost: { read: role("clerk") } }, rows: (_user, row) => row.amount.lt(50) },
    });
    const service = odataService({
      entitySets: [orders, lines],
      logger: noFailures,
      authenticate: ({ headers }) => ({ id: "ann", roles: [headers.get("x-user") ?? ""] }),
    });
    return (user: string) => send(service, user, "Orders", { Id: 1, Lines: [{ Id: 10, Amount: 3 }] });
  };
  const returned = {
    id: 1,
    customerId: null,
    owner: "ann",
    total: 3,
    version: 1,
    lines: [
      { id: 10, orderId: 1, amount: 3, cost: 5 },
      { id: 11, orderId: 1, amount: 60, cost: 5 },
    ],
  };

  test("is the response: nothing reads it again. Hidden lines and unreadable properties are omitted", async () => {
    const ask = handled(() => returned);
    const whole = await ask("clerk");
    const etag = whole.headers["etag"];
    const line = { Id: 10, OrderId: 1, Amount: 3 };
    expect(whole).toEqual(created(etag, { CustomerId: null, Total: 3, Version: 1, Lines: [{ ...line, Cost: 5 }] }));
    const part = await ask("");
    expect(part).toEqual(created(part.headers["etag"], { CustomerId: null, Version: 1, Lines: [line] }));
  });
});
