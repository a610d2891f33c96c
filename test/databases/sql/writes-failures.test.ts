import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, odataService, type Context } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { failingDialect, Failures } from "./failing-dialect.ts";
import {
  countRows,
  createOrderTables,
  emptyTables,
  faultOf,
  ORIGIN,
  orderService,
  sendTo,
  type LoggedErrors,
} from "./writes-model.ts";

const failures = new Failures();
const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
const logged: LoggedErrors = { errors: [] };
const service = orderService(db, logged);
const send = sendTo(service);
const TABLES = ["customers", "profiles", "orders", "order_lines", "tags", "order_tags"];

const GRAPH = {
  Number: "A1",
  Customer: { Id: 1, Name: "Ann", Profile: { Id: 9, Motto: "on" } },
  Lines: [
    { Position: 1, Text: "one" },
    { Position: 2, Text: "two" },
  ],
  Tags: [{ Name: "red" }, { Name: "new" }],
};

/** An error like those of drivers. */
function driverError(message: string, others: object): Error {
  return Object.assign(new Error(message), others);
}

const BUSY = driverError("database is locked", { code: "ERR_SQLITE_ERROR", errcode: 5 });
const REFUSED = driverError("connect ECONNREFUSED 10.0.0.1:5432", { code: "ECONNREFUSED" });
const BROKEN = new Error("the secret text of a failure");

async function counts(): Promise<readonly number[]> {
  const found: number[] = [];
  for (const table of TABLES) found.push(await countRows(db, table));
  return found;
}

beforeAll(async () => {
  await createOrderTables(db, { name: "sqlite" });
});
beforeEach(async () => {
  failures.clear();
  logged.errors.length = 0;
  await emptyTables(db);
});
afterAll(async () => {
  await db.destroy();
});

describe("a deep insert with one failing command", () => {
  test("leaves nothing, whichever command it is", async () => {
    failures.clear();
    expect((await send("POST", "Orders", GRAPH)).status).toBe(201);
    const { length } = failures.commands;
    expect(failures.commands[0]).toBe("begin");
    expect(failures.commands[length - 1]).toBe("commit");
    expect(length).toBeGreaterThan(8);
    for (let failing = 0; failing < length; failing += 1) {
      await emptyTables(db);
      failures.set((_command, position) => (position === failing ? BROKEN : null));
      const answer = await send("POST", "Orders", GRAPH);
      failures.clear();
      expect(faultOf(answer), `command ${String(failing)}`).toEqual([500, "InternalServerError", undefined]);
      expect(answer.text).not.toContain("secret");
      expect(await counts(), `command ${String(failing)}`).toEqual(TABLES.map(() => 0));
    }
    expect((await send("POST", "Orders", GRAPH)).status).toBe(201);
    expect(await counts()).toEqual([1, 1, 1, 2, 2, 2]);
  });

  test("is retried as a whole after conflicts, up to three attempts", async () => {
    for (const point of ["begin", 'insert into "tags"', "commit"]) {
      await emptyTables(db);
      let left = 2;
      failures.set((command) => (command.startsWith(point) && left-- > 0 ? BUSY : null));
      expect((await send("POST", "Orders", GRAPH)).status, point).toBe(201);
      expect(failures.commands.filter((command) => command === "begin").length).toBe(3);
      failures.clear();
      expect(await counts(), point).toEqual([1, 1, 1, 2, 2, 2]);
    }
    await emptyTables(db);
    failures.set((command) => (command === "commit" ? BUSY : null));
    const { status, json, headers, text } = await send("POST", "Orders", GRAPH);
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "ServiceUnavailable", "1"]);
    expect(text).not.toContain("locked");
    expect(failures.commands.filter((command) => command === "begin").length).toBe(3);
    failures.clear();
    expect(await counts()).toEqual(TABLES.map(() => 0));
  });
});

describe("an unavailable database", () => {
  test.each([
    ["POST", "Orders", { Number: "A1" }],
    ["POST", "Orders", GRAPH],
    ["PUT", "Customers(1)", { Name: "x" }],
    ["PATCH", "Customers(1)", { Name: "x" }],
    ["DELETE", "Customers(1)", undefined],
    ["POST", "Customers(1)/Orders/$ref", { "@odata.id": "Orders(1)" }],
  ])("%s %s returns 503 with Retry-After, and is logged", async (method, target, body) => {
    // An outage is logged once. This ends the one of the case before.
    await send("PATCH", "Customers(0)", { Name: "x" });
    logged.errors.length = 0;
    failures.set(() => REFUSED);
    const { status, json, headers, text } = await send(method, target, body);
    failures.clear();
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "ServiceUnavailable", "1"]);
    expect(text).not.toMatch(/ECONN|10\.0\.0\.1/);
    expect(logged.errors).toHaveLength(1);
  });

  test("does not repeat a write with an unknown result", async () => {
    failures.set((command) => (command.startsWith("insert") ? REFUSED : null));
    await send("POST", "Orders", { Number: "A1" });
    expect(failures.commands).toHaveLength(1);
    failures.clear();
  });

  test.each([
    ["PostgreSQL", { code: "57P01" }],
    ["PostgreSQL", { code: "08006" }],
    ["MariaDB", { code: "PROTOCOL_CONNECTION_LOST", errno: -1 }],
    ["MariaDB", { code: "ER_SERVER_SHUTDOWN", errno: 1053 }],
    ["an older SQLite driver", { code: "SQLITE_IOERR_READ" }],
    ["a cause", { cause: REFUSED }],
  ])("as reported by %s", async (_name, others) => {
    failures.set(() => driverError("it says so", others));
    expect(faultOf(await send("PATCH", "Customers(1)", { Name: "x" })).slice(0, 2)).toEqual([
      503,
      "ServiceUnavailable",
    ]);
    failures.clear();
  });
});

test.each<readonly [string, object, string, readonly unknown[]]>([
  [
    "a unique value in PostgreSQL",
    { code: "23505", detail: "Key (number)=(A1) already exists." },
    "",
    [409, "Conflict", "Number"],
  ],
  [
    "one of a member",
    { code: "23505", detail: "Key (ship_city)=(x) already exists." },
    "",
    [409, "Conflict", "ShipTo/City"],
  ],
  [
    "an expression",
    { code: "23505", detail: "Key (lower(number::text))=(a1) already exists." },
    "",
    [409, "Conflict", undefined],
  ],
  [
    "a unique value in MariaDB",
    { code: "ER_DUP_ENTRY", errno: 1062 },
    "Duplicate entry 'A1' for key 'number'",
    [409, "Conflict", "Number"],
  ],
  [
    "the key in MariaDB",
    { code: "ER_DUP_ENTRY", errno: 1062 },
    "Duplicate entry '1' for key 'PRIMARY'",
    [409, "Conflict", "Id"],
  ],
  [
    "a foreign key in MariaDB",
    { code: "ER_NO_REFERENCED_ROW_2", errno: 1452 },
    "Cannot add or update a child row: a foreign key constraint fails (`t`.`orders`, CONSTRAINT `c` FOREIGN KEY (`customer_id`) REFERENCES `customers` (`id`))",
    [409, "Conflict", "CustomerId"],
  ],
  ["null in PostgreSQL", { code: "23502", column: "total" }, "", [400, "NullNotAllowed", "Total"]],
  [
    "null in a column that only the message names",
    { code: "23502" },
    'null value in column "total" of relation "orders_102008" violates not-null constraint',
    [400, "NullNotAllowed", "Total"],
  ],
  ["null in a column that nobody names", { code: "23502" }, "NULL-Wert in Spalte", [400, "NullNotAllowed", undefined]],
  [
    "a machine that is lost at the commit",
    { code: "XX000" },
    "could not commit transaction for shard 102041 on at least one active node",
    [503, "ServiceUnavailable", undefined],
  ],
  ["an internal error", { code: "XX000" }, "unexpected chunk number", [500, "InternalServerError", undefined]],
  [
    "null in MariaDB",
    { code: "ER_BAD_NULL_ERROR", errno: 1048 },
    "Column 'total' cannot be null",
    [400, "NullNotAllowed", "Total"],
  ],
  ["null in a column of no property", { code: "23502", column: "tenant" }, "", [409, "Conflict", undefined]],
  ["a text too long", { code: "22001" }, "value too long", [400, "InvalidBody", undefined]],
  [
    "a text too long in MariaDB",
    { code: "ER_DATA_TOO_LONG", errno: 1406 },
    "Data too long for column 'number' at row 1",
    [400, "InvalidBody", "Number"],
  ],
  ["a rule in PostgreSQL", { code: "23514" }, "", [400, "InvalidBody", undefined]],
  ["a trigger that refuses", { code: "P0001" }, "no!", [400, "InvalidBody", undefined]],
  [
    "an older SQLite driver",
    { code: "SQLITE_CONSTRAINT_UNIQUE" },
    "UNIQUE constraint failed: orders.number",
    [409, "Conflict", "Number"],
  ],
  ["SQL that is wrong", { code: "42703" }, "column does not exist", [500, "InternalServerError", undefined]],
])("the fault of %s", async (_name, others, message, fault) => {
  failures.set((command) => (command.startsWith("insert") ? driverError(message, others) : null));
  expect(faultOf(await send("POST", "Orders", { Number: "A1" }))).toEqual(fault);
  failures.clear();
  expect(await counts()).toEqual(TABLES.map(() => 0));
});

test("a violation at the end of a transaction is a conflict, and hidden names stay hidden", async () => {
  const Node = entityType("Node", { id: edm.int32().key(), parentId: edm.int32().nullable().ignored() });
  const Leaf = entityType("Leaf", { id: edm.int32().key(), nodeId: edm.int32().ignored() });
  const own: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table nodes (id integer primary key, secret_parent integer unique references nodes (id) deferrable initially deferred)`.execute(
    own,
  );
  await sql`create table leaves (id integer primary key, secret_node integer not null references nodes (id))`.execute(
    own,
  );
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const ask = sendTo(
    odataService({
      logger: {
        error: (_message, { err }) => logged.errors.push(err),
        warn: () => undefined,
        info: () => undefined,
      },
      entitySets: [
        sqlEntitySet(Node, {
          db: own,
          table: "nodes",
          operations,
          columns: { parentId: "secret_parent" },
          allowDeepInsert: true,
          navigation: {
            children: hasMany(Node, { on: { id: "parentId" }, target: "Nodes" }),
            leaves: hasMany(Leaf, { on: { id: "nodeId" }, target: "Leaves" }),
          },
        }),
        sqlEntitySet(Leaf, {
          name: "Leaves",
          db: own,
          table: "leaves",
          operations,
          columns: { nodeId: "secret_node" },
        }),
      ],
    }),
  );
  expect((await ask("POST", "Nodes", { Id: 1, Children: [{ Id: 2 }], Leaves: [{ Id: 1 }] })).status).toBe(201);
  const twice = await ask("POST", "Nodes", { Id: 3, Children: [{ Id: 4 }, { Id: 5 }] });
  expect(faultOf(twice)).toEqual([409, "Conflict", undefined]);
  const link = await ask("DELETE", "Nodes(1)/Leaves/$ref?$id=Leaves(1)");
  expect(faultOf(link)).toEqual([400, "NullNotAllowed", undefined]);
  const bare = await ask("POST", "Leaves", { Id: 9 });
  expect(faultOf(bare)).toEqual([409, "Conflict", undefined]);
  for (const { text } of [twice, link, bare]) expect(text).not.toMatch(/secret|ParentId|NodeId/i);
  // Only the state at the end of the transaction counts.
  expect(faultOf(await ask("DELETE", "Nodes(1)")).slice(0, 2)).toEqual([409, "Conflict"]);
  expect(logged.errors).toEqual([]);
  await own.destroy();
});

test("a deferred violation at the end of a transaction is a conflict", async () => {
  const violation = driverError("FOREIGN KEY constraint failed", { code: "ERR_SQLITE_ERROR", errcode: 787 });
  failures.set((command) => (command === "commit" ? violation : null));
  expect(faultOf(await send("POST", "Orders", GRAPH))).toEqual([409, "Conflict", undefined]);
  failures.clear();
  expect(await counts()).toEqual(TABLES.map(() => 0));
});

test("begins no write for a disconnected client", async () => {
  const controller = new AbortController();
  controller.abort();
  const request = new Request(`${ORIGIN}/Customers`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ Id: 1, Name: "Ann" }),
    signal: controller.signal,
  });
  failures.clear();
  await service.fetch(request).catch(() => undefined);
  expect(failures.commands).toEqual([]);
  expect(await countRows(db, "customers")).toBe(0);
});

describe("a transaction of the application", () => {
  const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
  const options = { db, table: "customers", operations: ["read", "create", "patch", "delete"] } as const;
  const table = sqlEntitySet(Customer, options).options as {
    readonly create: (entity: object, context: object) => Promise<object>;
    readonly patch: (key: number, delta: object, context: object) => Promise<object | null>;
  };

  /** Registers a customer: completely or not at all. */
  async function register(
    customer: object,
    { user, signal, request, service: by }: Context,
    transaction: AnyDatabase,
  ): Promise<object> {
    const joined = { user, signal, request, service: by, transaction };
    const created = await table.create(customer, joined);
    await table.patch(1, { name: "first" }, joined);
    if ("name" in created && created.name === "fails") throw new Error("The application changed its mind.");
    return created;
  }

  test("is used by the handlers of the table, which begin no other and retry nothing", async () => {
    const own = odataService({
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      entitySets: [
        sqlEntitySet(Customer, {
          ...options,
          create: (customer, context) =>
            db.transaction().execute((transaction) => register(customer, context, transaction)) as Promise<never>,
        }),
      ],
    });
    const ask = sendTo(own);
    failures.clear();
    expect((await ask("POST", "Customers", { Id: 1, Name: "Ann" })).json).toMatchObject({ Id: 1, Name: "Ann" });
    expect(failures.commands.filter((command) => command === "begin")).toHaveLength(1);
    expect((await ask("GET", "Customers(1)")).json).toMatchObject({ Name: "first" });
    expect((await ask("POST", "Customers", { Id: 2, Name: "fails" })).status).toBe(500);
    expect(await countRows(db, "customers")).toBe(1);
    let left = 1;
    failures.set((command) => (command.startsWith("insert") && left-- > 0 ? BUSY : null));
    expect((await ask("POST", "Customers", { Id: 3, Name: "Cid" })).status).toBe(503);
    expect(failures.commands.filter((command) => command === "begin")).toHaveLength(1);
    failures.clear();
    expect(await countRows(db, "customers")).toBe(1);
  });
});
