import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { createShopTables, shopOver, type Shop } from "../../service/sets/shop-model.ts";
import { Failures, failingDialect } from "./failing-dialect.ts";

const failures = new Failures();
const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
let shop: Shop;

const failure = (message: string, fields: object): Error => Object.assign(new Error(message), fields);
const BUSY = failure("database is locked", { code: "ERR_SQLITE_ERROR", errcode: 5 });
const BROKEN = failure("FOREIGN KEY constraint failed", { code: "ERR_SQLITE_ERROR", errcode: 787 });
const GONE = failure("connect ECONNREFUSED", { code: "ECONNREFUSED" });

beforeAll(async () => {
  await createShopTables(db, { name: "sqlite" });
  shop = shopOver(db);
});
beforeEach(async () => {
  failures.clear();
  await db.deleteFrom("accounts").execute();
});
afterAll(() => db.destroy());

/** The result of a transaction that adds an account, and the number of its attempts. */
async function add(point: (command: string) => Error | null): Promise<readonly [result: unknown, attempts: number]> {
  failures.set(point);
  const result = await shop.resultOf((context) =>
    context.inTransaction(async (inner) => {
      await inner.sets(shop.accounts).create({ id: 1, balance: 1n });
      return "done";
    }),
  );
  const attempts = failures.commands.filter((command) => command === "begin").length;
  failures.clear();
  return [result, attempts];
}

const rows = () => db.selectFrom("accounts").selectAll().execute();

test.each<[name: string, command: string, error: Error, result: unknown, attempts: number]>([
  ["a constraint that fails at the end", "commit", BROKEN, "409 Conflict", 1],
  ["a conflict with another transaction at the end", "commit", BUSY, "503 ServiceUnavailable", 3],
  ["a database that is gone at the end", "commit", GONE, "503 ServiceUnavailable", 1],
  ["an unknown error at the end", "commit", new Error("odd"), "Error: odd", 1],
  ["a database that cannot be reached", "begin", GONE, "503 ServiceUnavailable", 1],
  ["a conflict after the work", "release savepoint odatakit_beginning", BUSY, "503 ServiceUnavailable", 3],
])("%s undoes the transaction", async (_name, failing, error, result, attempts) => {
  expect(await add((command) => (command === failing ? error : null))).toEqual([result, attempts]);
  expect(await rows()).toEqual([]);
});

test("a transaction that the database ended says that its error was caught", async () => {
  const lost = failure("no such savepoint: odatakit_beginning", { code: "ERR_SQLITE_ERROR", errcode: 1 });
  const [result] = await add((command) => (command.startsWith("release savepoint odatakit_beginning") ? lost : null));
  expect(result).toMatch(/The database ended the transaction after an error .*: rethrow the error/u);
});

test("a transaction is retried after a conflict", async () => {
  let conflicts = 1;
  expect(await add((command) => (command === "commit" && conflicts-- > 0 ? BUSY : null))).toEqual(["done", 2]);
  expect(await rows()).toHaveLength(1);
});
