import { CompiledQuery, type DatabaseConnection, Kysely, type MysqlPool, type MysqlPoolConnection, sql } from "kysely";
import { mariadbDialect } from "odatakit/mariadb";
import { postgresDialect, type PostgresOptions } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  plainDoubleText,
  readBytes,
  readYear,
  scaledText,
  shortIntegerText,
} from "../../../src/databases/cells/text-cells.ts";
import { writeFlatKeyList, writeKeyList } from "../../../src/databases/cells/write-key-list.ts";
import { reasonOf } from "../../../src/databases/sqlite/driver/reader-faults.ts";
import { cutsTexts } from "../../../src/databases/sqlite/driver/sqlite-database.ts";

/** A connection of a dialect, with the methods that Kysely calls to end its statements. */
type Cancellable = DatabaseConnection & {
  collectSessionInfo(): Promise<void>;
  cancelQuery(provide: (use: (other: DatabaseConnection) => Promise<void>) => Promise<void>): Promise<void>;
};

/** A client of PostgreSQL whose statements wait, except the query of its process id. */
function fakePool(members: object = {}) {
  const client = {
    processID: 7,
    query: (statement: unknown) =>
      typeof statement === "string" ? new Promise(() => {}) : Promise.resolve({ command: "SELECT", rows: [[7]] }),
    release: vi.fn(),
    on: () => undefined,
  };
  const pool = {
    connect: () => Promise.resolve(client),
    end: () => Promise.resolve(),
    on: () => undefined,
    ...members,
  };
  return pool as unknown as PostgresOptions["pool"];
}

async function runningOver(options: PostgresOptions): Promise<Cancellable> {
  const connection = (await postgresDialect(options).createDriver().acquireConnection()) as Cancellable;
  await connection.collectSessionInfo();
  void connection.executeQuery(CompiledQuery.raw("select pg_sleep(60)"));
  return connection;
}

const asked: unknown[] = [];
class ControlClient {
  constructor(settings: object) {
    asked.push(settings);
  }
  readonly connect = (): Promise<void> => Promise.resolve();
  readonly query = (text: string): Promise<void> => {
    asked.push(text);
    return Promise.resolve();
  };
  readonly end = (): void => void asked.push("end");
}

describe("postgresDialect", () => {
  test.each<readonly [options: object, message: string]>([
    [{ pool: fakePool(), cursr: 1 }, "postgresDialect: there is no option `cursr`. Did you mean `cursor`?"],
    [
      { pool: fakePool(), xyzzy: 1 },
      "postgresDialect: there is no option `xyzzy`. Use `pool`, `cursor`, `controlClient`, `onCreateConnection`, `onReserveConnection`.",
    ],
    [{}, 'postgresDialect: `pool` is no pool of pg. Give `new Pool({ connectionString })` of "pg".'],
    [
      { pool: { connect: () => null } },
      'postgresDialect: `pool` is no pool of pg. Give `new Pool({ connectionString })` of "pg".',
    ],
  ])("refuses %o", (options, message) => {
    expect(() => postgresDialect(options as PostgresOptions)).toThrow(message);
  });

  test.each<readonly [name: string, pool: object, more: object, settings: object]>([
    [
      "that of the pool, with its settings",
      { Client: ControlClient, options: { host: "a", password: "p", connectionTimeoutMillis: 70 } },
      {},
      { host: "a", password: "p", connectionTimeoutMillis: 70 },
    ],
    ["another one", {}, { controlClient: ControlClient }, { password: undefined, connectionTimeoutMillis: 5000 }],
  ])("cancels by a client: %s", async (_name, pool, more, settings) => {
    asked.length = 0;
    const connection = await runningOver({ pool: fakePool(pool), ...more });
    await connection.cancelQuery(() => Promise.reject(new Error("not asked")));
    expect(asked).toEqual([settings, "select pg_cancel_backend(7)", "end"]);
  });

  test("cancels by a connection of Kysely if the pool has no `Client`", async () => {
    const connection = await runningOver({ pool: fakePool() });
    const executeQuery = vi.fn(() => Promise.resolve({ rows: [] }));
    await connection.cancelQuery((use) => use({ executeQuery } as unknown as DatabaseConnection));
    expect(executeQuery).toHaveBeenCalledWith(expect.objectContaining({ sql: "select pg_cancel_backend(7)" }));
  });

  test("calls the hooks, and streams with a cursor only", async () => {
    const [onCreateConnection, onReserveConnection] = [vi.fn(), vi.fn()];
    const options = { pool: fakePool(), onCreateConnection, onReserveConnection };
    const connection = await postgresDialect(options).createDriver().acquireConnection();
    expect([onCreateConnection.mock.calls.length, onReserveConnection.mock.calls.length]).toEqual([1, 1]);
    const stream = connection.streamQuery(CompiledQuery.raw("select 1"), 10);
    await expect(stream.next()).rejects.toThrow("need the option `cursor` of postgresDialect");
  });

  test("a stream reads its cursor to the end, and closes it, also if it is left", async () => {
    const close = vi.fn(() => Promise.resolve());
    class Rows {
      readonly #parts = [[{ id: 1 }], [{ id: 2 }], []];
      readonly read = (): Promise<readonly object[]> => Promise.resolve(this.#parts.shift() ?? []);
      readonly close = close;
    }
    const client = { processID: 7, query: (cursor: unknown) => cursor, release: vi.fn(), on: () => undefined };
    const pool = fakePool({ connect: () => Promise.resolve(client) });
    const options = { pool, cursor: Rows } as unknown as PostgresOptions;
    const connection = await postgresDialect(options).createDriver().acquireConnection();
    const parts: unknown[] = [];
    for await (const part of connection.streamQuery(CompiledQuery.raw("select 1"), 10)) parts.push(part);
    expect([parts, close.mock.calls.length]).toEqual([[{ rows: [{ id: 1 }] }, { rows: [{ id: 2 }] }], 1]);
    for await (const part of connection.streamQuery(CompiledQuery.raw("select 1"), 10)) {
      expect(part).toEqual({ rows: [{ id: 1 }] });
      break;
    }
    expect(close).toHaveBeenCalledTimes(2);
  });

  test("a commit that the server answers with a rollback fails, and counts may be absent", async () => {
    const answers: Readonly<Record<string, object>> = {
      commit: { command: "ROLLBACK", rowCount: null, rows: [] },
      "delete from a": { command: "DELETE", rowCount: null },
    };
    const client = {
      processID: 7,
      query: (text: string) => Promise.resolve(answers[text]),
      release: vi.fn(),
      on: () => undefined,
    };
    const driver = postgresDialect({
      pool: fakePool({ connect: () => Promise.resolve(client) }),
    }).createDriver();
    const connection = (await driver.acquireConnection()) as Cancellable;
    const deleted = await connection.executeQuery(CompiledQuery.raw("delete from a"));
    expect(deleted).toEqual({ numAffectedRows: 0n, rows: [] });
    await expect(driver.commitTransaction(connection)).rejects.toThrow(Error);
    // Nothing runs that could be cancelled.
    asked.length = 0;
    await connection.cancelQuery(() => Promise.reject(new Error("not asked")));
    expect(asked).toEqual([]);
    await expect(driver.releaseConnection({} as DatabaseConnection)).rejects.toThrow("belongs to another driver");
  });

  test("a destroyed Kysely gives no connection that its pool returns late", async () => {
    const release = vi.fn();
    let give: (client: object) => void = () => undefined;
    const pool = fakePool({
      connect: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    });
    const driver = postgresDialect({ pool }).createDriver();
    const connection = driver.acquireConnection();
    await driver.destroy();
    give({ processID: 7, release, on: () => undefined });
    await expect(connection).rejects.toThrow("The Kysely instance is destroyed.");
    expect(release).toHaveBeenCalledTimes(1);
  });
});

function notAsked(): never {
  throw new Error("not asked");
}

describe("mariadbDialect", () => {
  test("refuses an unknown option without a similar name", () => {
    const options = { pool: { getConnection: () => undefined }, xyzzy: 1 };
    const message = "mariadbDialect: there is no option `xyzzy`. Use `pool`, `statements`, `controlConnection`.";
    expect(() => mariadbDialect(options as unknown as { pool: MysqlPool })).toThrow(message);
  });

  test("closes a connection whose session cannot be made safe", async () => {
    const destroy = vi.fn();
    const connection = {
      query: (_sql: string, _values: unknown, done: (error: Error | null) => void) => done(new Error("no session")),
      destroy,
    } as unknown as MysqlPoolConnection;
    const pool = {
      getConnection: (done: (error: null, found: MysqlPoolConnection) => void) => done(null, connection),
      end: (done: () => void) => done(),
    } as unknown as MysqlPool;
    const db = new Kysely<object>({
      dialect: mariadbDialect({ pool, controlConnection: notAsked }),
    });
    onTestFinished(() => db.destroy());
    await expect(sql`select 1`.execute(db)).rejects.toThrow("no session");
    expect(destroy).toHaveBeenCalledOnce();
  });
});

describe("sqliteDialect", () => {
  test.each([
    ["odata_double(x'00')", "bytes"],
    ["odata_decimal_unscale('a', 2)", "no INTEGER"],
  ])("%s reports an unreadable value", async (call, what) => {
    const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
    onTestFinished(() => db.destroy());
    await expect(sql.raw(`select ${call}`).execute(db)).rejects.toThrow(what);
  });

  test("a runtime without node:sqlite cuts no texts", () => {
    expect(cutsTexts({ version: "v18.0.0" })).toBe(false);
  });

  test("an abort without an error has one", () => {
    const controller = new AbortController();
    controller.abort("gone");
    expect(reasonOf(controller.signal)).toMatchObject({ message: "The request was aborted.", cause: "gone" });
  });
});

describe("cells", () => {
  test("keys are JSON whose numbers have all digits", () => {
    const keys = [[12345678901234567890n, 1.5, -Infinity, Infinity, "a", true, new Uint8Array([255]), null]];
    expect(writeKeyList(keys)).toBe('[[12345678901234567890,1.5,-9e999,9e999,"a",true,"ff",null]]');
    expect(writeFlatKeyList([[1], [2]])).toBe("[1,2]");
    expect(writeFlatKeyList(keys)).toBe(writeKeyList(keys));
  });

  test("malformed cells are read as null", () => {
    expect([readBytes("0"), readBytes(1), readYear(1)]).toEqual([null, null, null]);
    expect([scaledText(0)("12", false), scaledText(2)("1", false)]).toEqual(["12", null]);
  });

  test.each(["1", "-2", "100000000.5", "999999999.999999", "0.000001", "-0.5", "12.05"])(
    "the text %s of a double is its JSON",
    (cell) => {
      expect(plainDoubleText(cell)).toBe(String(Number(cell)));
    },
  );

  test.each(["0", "-0", "0.0", "1.0", "1.50", "0.0000001", "1e21", "1234567890", "NaN", "", "1.", 1, null])(
    "the cell %s is no such text",
    (cell) => {
      expect(plainDoubleText(cell)).toBeNull();
    },
  );

  test("integers within the bounds of their type are their JSON", () => {
    const [byte, int16] = [shortIntegerText(0n, 255n), shortIntegerText(-32_768n, 32_767n)];
    expect(["0", "99", "-9", "100", "05", 7, null].map(byte)).toEqual(["0", "99", null, null, null, null, null]);
    expect(["0", "-9999", "32768", "10000", "-0"].map(int16)).toEqual(["0", "-9999", null, null, null]);
  });
});
