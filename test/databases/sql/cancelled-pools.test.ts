import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { passTime, stopTimers, until } from "../../timers.ts";

/** A statement that runs until it is ended. */
interface Running {
  readonly end: (error: Error | null) => void;
}

/** A pool of connections whose statements run until they are cancelled from another connection, or end by themselves. */
class SmallPool {
  readonly running = new Map<number, Running>();
  readonly cancelled: number[] = [];
  readonly #free: DatabaseConnection[];
  readonly #waiting: Array<(connection: DatabaseConnection) => void> = [];
  isFast = true;

  constructor(size: number) {
    this.#free = Array.from({ length: size }, (_, number) => this.#connection(number));
  }

  /** The connections that nothing uses. */
  get free(): number {
    return this.#free.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  open(): AnyDatabase {
    const nothing = (): Promise<void> => Promise.resolve();
    return new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
        createDriver: () => ({
          init: nothing,
          destroy: nothing,
          acquireConnection: () => this.#acquire(),
          releaseConnection: (connection) => this.#release(connection),
          beginTransaction: nothing,
          commitTransaction: nothing,
          rollbackTransaction: nothing,
        }),
      },
    });
  }

  #acquire(): Promise<DatabaseConnection> {
    const connection = this.#free.shift();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(connection: DatabaseConnection): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
    return Promise.resolve();
  }

  #connection(number: number): DatabaseConnection {
    return {
      executeQuery: <R>() => (this.isFast ? Promise.resolve({ rows: [] }) : this.#run<R>(number)),
      streamQuery: () => {
        throw new Error("Nothing is streamed.");
      },
      cancelQuery: (provide) =>
        provide(() => {
          this.cancelled.push(number);
          this.running.get(number)?.end(new Error("canceling statement due to user request"));
          return Promise.resolve();
        }),
    };
  }

  #run<R>(number: number): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      const end = (error: Error | null): void => {
        this.running.delete(number);
        if (error === null) resolve({ rows: [] });
        else reject(error);
      };
      this.running.set(number, { end });
    });
  }
}

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

function serviceOver(pool: SmallPool, queryTimeout: number | null) {
  const set = sqlEntitySet(Item, { db: pool.open(), table: "items", operations: ["read"] });
  const logger = recordingLogger();
  return odataService({ entitySets: [set], logger, schemaCheck: false, defaults: { queryTimeout } });
}

const ITEMS = "http://service.example/Items";

test.each([
  [1, "clients leave"],
  [2, "clients leave"],
  [3, "clients leave"],
  [1, "the time is over"],
  [2, "the time is over"],
  [3, "the time is over"],
])("if %i reads use all connections and %s, their cancellations wait for none of them", async (size, reason) => {
  const pool = new SmallPool(size);
  const isTimeout = reason === "the time is over";
  stopTimers();
  const service = serviceOver(pool, isTimeout ? 20 : null);
  expect((await service.fetch(new Request(ITEMS))).status).toBe(200);
  pool.isFast = false;
  const gone = new AbortController();
  const answers = Array.from({ length: size }, () => service.fetch(new Request(ITEMS, { signal: gone.signal })));
  await until(() => pool.running.size === size);
  if (isTimeout) await passTime(20);
  else gone.abort();
  for (const answer of answers) expect((await answer).status).toBe(isTimeout ? 503 : 500);
  // Each cancellation needs a connection, and all have a statement. The limit of the database ends these.
  expect([pool.free, pool.waiting, pool.cancelled]).toEqual([0, size, []]);
  for (const { end } of pool.running.values()) end(new Error("canceling statement due to statement timeout"));
  await until(() => pool.free === size);
  expect([pool.waiting, pool.cancelled]).toEqual([0, []]);
  pool.isFast = true;
  expect((await service.fetch(new Request(ITEMS))).status).toBe(200);
});

test("a cancellation that waited for a connection cancels its statement, if that still runs", async () => {
  const pool = new SmallPool(2);
  const service = serviceOver(pool, null);
  expect((await service.fetch(new Request(ITEMS))).status).toBe(200);
  pool.isFast = false;
  const gone = new AbortController();
  const left = service.fetch(new Request(ITEMS, { signal: gone.signal }));
  await until(() => pool.running.size === 1);
  const [first] = [...pool.running.keys()];
  const other = service.fetch(new Request(ITEMS));
  await until(() => pool.running.size === 2);
  gone.abort();
  expect((await left).status).toBe(500);
  expect([pool.waiting, pool.cancelled]).toEqual([1, []]);
  for (const [number, { end }] of pool.running) if (number !== first) end(null);
  expect((await other).status).toBe(200);
  await until(() => pool.free === 2);
  expect(pool.cancelled).toEqual([first]);
});
