import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

const Account = entityType("Account", { id: edm.int32().key(), balance: edm.int32() });

/** The fields that each driver adds to the name of the constraint. */
const CODES = {
  sqlite: { code: "ERR_SQLITE_ERROR", errcode: 275 },
  postgres: { code: "23514" },
  // The driver uses the names of MySQL, which has another name for this number.
  mariadb: { code: expect.any(String) as unknown, errno: 4025 },
};

describe.each(ENGINES)("check constraints of $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  const warnings: (readonly [string, Readonly<Record<string, unknown>>])[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`
      create table accounts (
        id int not null primary key, balance int not null, constraint balance_not_negative check (balance >= 0)
      )`.execute(db);
  });
  beforeEach(() => {
    warnings.length = 0;
  });
  afterAll(async () => {
    await opened.close();
  });

  const post = async (exposeConstraintNames?: boolean) => {
    const service = odataService({
      exposeConstraintNames,
      entitySets: [sqlEntitySet(Account, { db, table: "accounts", operations: ["read", "create"] })],
      logger: {
        error: () => undefined,
        warn: (message, fields) => void warnings.push([message, fields]),
        info: () => undefined,
      },
    });
    const headers = { "Content-Type": "application/json", "X-Request-Id": "r1" };
    const init = { method: "POST", body: '{"Id":1,"Balance":-5}', headers };
    const response = await service.fetch(new Request("http://service.example/Accounts?secret=1", init));
    return { status: response.status, json: JSON.parse(await response.text()) as unknown };
  };

  test("logs the name of the constraint, and omits it from the response", async () => {
    const { status, json } = await post();
    expect([status, json]).toEqual([
      400,
      {
        error: {
          code: "InvalidBody",
          message: "A rule of the database rejects this write: check the values and their combination.",
        },
      },
    ]);
    expect(warnings).toEqual([
      [
        "The database rejected a write.",
        {
          requestId: "r1",
          method: "POST",
          path: "/Accounts",
          status: 400,
          set: "Accounts",
          ...CODES[engine.name],
          table: "accounts",
          constraint: "balance_not_negative",
          err: expect.any(Error) as unknown,
        },
      ],
    ]);
  });

  test("names the constraint in the response with `exposeConstraintNames`", async () => {
    const { status, json } = await post(true);
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        code: "InvalidBody",
        message:
          "The constraint 'balance_not_negative' of the database rejects this write: check the values and their combination.",
      },
    });
  });
});
