import { Kysely, SqliteAdapter, type Dialect } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { failingDialect, Failures } from "./failing-dialect.ts";
import { createOrderTables, orderService, sendTo, type LoggedErrors } from "./writes-model.ts";

const failures = new Failures();
const sqlite = sqliteDialect(":memory:");
// With the adapter of Kysely, reads go through the driver.
const dialect: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => sqlite.createDriver(),
  createIntrospector: (instance) => sqlite.createIntrospector(instance),
  createQueryCompiler: () => sqlite.createQueryCompiler(),
};
const db: AnyDatabase = new Kysely({ dialect: failingDialect(dialect, failures) });
const logged: LoggedErrors = { errors: [] };
const send = sendTo(orderService(db, logged));

beforeAll(async () => {
  await createOrderTables(db, { name: "sqlite" });
  await send("GET", "Orders");
});
beforeEach(() => {
  logged.errors.length = 0;
});
afterAll(async () => {
  failures.clear();
  await db.destroy();
});

const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:5432"), { code: "ECONNREFUSED" });

describe("a read fails with 503 and Retry-After", () => {
  test.each<[string, Error, RegExp]>([
    ["all addresses of a host refuse the connection", new AggregateError([refused], "several"), /cannot be reached/],
    [
      "the pool waits for a connection in vain",
      new Error("timeout exceeded when trying to connect"),
      /The pool has no connection to the database/,
    ],
    [
      "the pool of MariaDB has no connection left",
      new Error("No connections available."),
      /The pool has no connection to the database/,
    ],
    [
      "too many requests wait for the pool of MariaDB",
      new Error("Queue limit reached."),
      /The pool has no connection to the database/,
    ],
    ["the server ends the connection", new Error("Connection terminated unexpectedly"), /cannot be reached/],
    ["SQLite is locked", Object.assign(new Error("database is locked"), { errcode: 5 }), /other writes/],
    ["PostgreSQL finds a deadlock", Object.assign(new Error("deadlock detected"), { code: "40P01" }), /other writes/],
  ])("when %s", async (_what, error, message) => {
    failures.set(() => error);
    const { status, json, headers, text } = await send("GET", "Orders?$orderby=Number");
    expect([status, json?.error?.code, headers.get("retry-after")]).toEqual([503, "ServiceUnavailable", "1"]);
    expect(text).toMatch(message);
    expect(text).not.toContain(error.message);
    expect(logged.errors).toHaveLength(1);
  });
});
