import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
} from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { passTime, stopTimers } from "../../timers.ts";

/** Kysely prints the errors of queries that it cancels itself. */
let printed: MockInstance;
beforeEach(() => {
  printed = vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(() => {
  const { calls } = printed.mock;
  printed.mockRestore();
  if (calls.length > 0) throw new Error(`Something was printed: ${JSON.stringify(calls)}`);
});

/** A database whose statements run until they are cancelled. */
class EndlessDatabase {
  /** Statements that have started. */
  begun = 0;
  /** Statements that were cancelled. */
  cancelled = 0;
  /** Connections that queries requested, and that they gave back. */
  acquired = 0;
  released = 0;
  failsToCancel = false;
  /** When the next connection is there, and when a cancellation is confirmed. */
  connected: Promise<void> = Promise.resolve();
  confirmed: Promise<void> = Promise.resolve();
  readonly started: Promise<void>;
  #start: () => void = () => {};
  #end: (error: Error) => void = () => {};

  constructor() {
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
  }

  /** A PostgreSQL dialect over it. @param isCancelling whether its driver can cancel a statement */
  dialect(isCancelling: boolean): Dialect {
    const connection: DatabaseConnection = {
      executeQuery: () => {
        this.begun += 1;
        this.#start();
        return new Promise((_resolve, reject) => {
          this.#end = reject;
        });
      },
      streamQuery: () => {
        throw new Error("Nothing is streamed.");
      },
      ...(isCancelling ? { cancelQuery: () => this.#cancel() } : {}),
    };
    const nothing = (): Promise<void> => Promise.resolve();
    return {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        destroy: nothing,
        acquireConnection: () => {
          this.acquired += 1;
          return this.connected.then(() => connection);
        },
        releaseConnection: () => {
          this.released += 1;
          return nothing();
        },
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
      }),
    };
  }

  #cancel(): Promise<void> {
    this.cancelled += 1;
    if (this.failsToCancel) return Promise.reject(new TypeError("Cannot read properties of undefined"));
    this.end(new Error("canceling statement due to user request"));
    return this.confirmed;
  }

  /** Ends the running statement. */
  end(error: Error): void {
    this.#end(error);
  }
}

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

function open(isCancelling: boolean, queryTimeout: number | null = null) {
  const database = new EndlessDatabase();
  const db: AnyDatabase = new Kysely({ dialect: database.dialect(isCancelling) });
  const set = sqlEntitySet(Item, { db, table: "items", operations: ["read"] });
  const logger = recordingLogger();
  // This database has no catalogue for the check: its statements never return.
  return {
    database,
    logger,
    service: odataService({ entitySets: [set], logger, schemaCheck: false, defaults: { queryTimeout } }),
  };
}

test.each([
  ["/Items", true, 1],
  ["/Items/$count", true, 1],
  ["/Items?$count=true&$top=0", true, 1],
  ["/Items", false, 0],
])(
  "cancels the statement of %s after the client disconnects, if the driver can: %s",
  async (target, isCancelling, most) => {
    const { database, logger, service } = open(isCancelling);
    const gone = new AbortController();
    const answer = service.fetch(new Request(`http://service.example${target}`, { signal: gone.signal }));
    await database.started;
    expect(database.cancelled).toBe(0);
    gone.abort();
    // The client has disconnected.
    expect((await answer).status).toBe(500);
    expect([database.begun, database.cancelled]).toEqual([1, most]);
    // This is not a failure of the service.
    expect(logger.errors).toEqual([]);
  },
);

test("retries a database that was unavailable at first", async () => {
  const { database } = open(true);
  const dialect = database.dialect(true);
  let tries = 0;
  const db: AnyDatabase = new Kysely({
    dialect: {
      ...dialect,
      createDriver: () => ({
        ...dialect.createDriver(),
        acquireConnection: async () => {
          tries += 1;
          // A read whose connection is refused runs once more.
          if (tries > 2) return dialect.createDriver().acquireConnection();
          throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        },
      }),
    },
  });
  const set = sqlEntitySet(Item, { db, table: "items", operations: ["read"] });
  const service = odataService({ entitySets: [set], logger: recordingLogger(), schemaCheck: false });
  const gone = new AbortController();
  const ask = () => service.fetch(new Request("http://service.example/Items", { signal: gone.signal }));
  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const answer = ask();
  await database.started;
  gone.abort();
  expect((await answer).status).toBe(500);
  expect(database.cancelled).toBe(1);
});

test("a cancellation that fails prints nothing, and the next request has its connection", async () => {
  const { database, logger, service } = open(true);
  database.failsToCancel = true;
  const gone = new AbortController();
  const answer = service.fetch(new Request("http://service.example/Items", { signal: gone.signal }));
  await database.started;
  gone.abort();
  expect((await answer).status).toBe(500);
  expect([database.cancelled, database.released]).toEqual([1, 0]);
  database.end(new Error("canceling statement due to statement timeout"));
  await expect.poll(() => database.released).toBe(1);
  expect(logger.errors).toEqual([]);
});

test("a connection returns to the pool after its cancellation, which another query must not meet", async () => {
  const { database, service } = open(true);
  let confirm: () => void = () => {};
  database.confirmed = new Promise((resolve) => {
    confirm = resolve;
  });
  const gone = new AbortController();
  const answer = service.fetch(new Request("http://service.example/Items", { signal: gone.signal }));
  await database.started;
  gone.abort();
  expect((await answer).status).toBe(500);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect([database.cancelled, database.released]).toEqual([1, 0]);
  confirm();
  await expect.poll(() => database.released).toBe(1);
});

test("a client that leaves while its query waits for a connection sends no query", async () => {
  const { database, service } = open(true);
  let connect: () => void = () => {};
  database.connected = new Promise((resolve) => {
    connect = resolve;
  });
  const gone = new AbortController();
  const answer = service.fetch(new Request("http://service.example/Items", { signal: gone.signal }));
  await expect.poll(() => database.acquired).toBe(1);
  gone.abort();
  expect((await answer).status).toBe(500);
  connect();
  await expect.poll(() => database.released).toBe(1);
  expect([database.begun, database.cancelled]).toEqual([0, 0]);
});

test("a late query is 503, and is cancelled", async () => {
  const { database, service } = open(true, 30);
  stopTimers();
  const answer = service.fetch(new Request("http://service.example/Items"));
  await database.started;
  await passTime(30);
  const response = await answer;
  expect([response.status, await response.json()]).toMatchObject([503, { error: { code: "QueryTimeout" } }]);
  expect(database.cancelled).toBe(1);
  await expect.poll(() => database.released).toBe(1);
});
