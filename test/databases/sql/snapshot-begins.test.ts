import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { passTime, stopTimers, until } from "../../timers.ts";

/** The rows of a page. */
const MANY = 3;

/** A user that waits for the connection. */
interface Waiting {
  readonly resolve: (connection: DatabaseConnection) => void;
  readonly reject: (error: Error) => void;
}

/** A pool with one connection, which another user may have. */
class TakenPool {
  readonly statements: string[] = [];
  readonly #waiting: Array<Waiting> = [];
  readonly #connection: DatabaseConnection = {
    executeQuery: <Row>(query: CompiledQuery) => {
      // The caller decides on the type of its rows.
      const rows: readonly unknown[] = this.#rowsOf(query.sql);
      return Promise.resolve({ rows: rows as Row[] });
    },
    streamQuery: () => {
      throw new Error("Nothing is streamed.");
    },
  };
  #isTaken = false;

  get waiting(): number {
    return this.#waiting.length;
  }

  open(): AnyDatabase {
    const note = (what: string) => (): Promise<void> => {
      this.statements.push(what);
      return Promise.resolve();
    };
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
          releaseConnection: nothing,
          beginTransaction: note("begin"),
          commitTransaction: note("commit"),
          rollbackTransaction: note("rollback"),
        }),
      },
    });
  }

  /** Another user takes the connection. */
  take(): void {
    this.#isTaken = true;
  }

  /** The other user returns the connection. */
  give(): void {
    this.#isTaken = false;
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#connection);
  }

  /** The connection is lost. The next one is free. */
  refuse(error: Error): void {
    this.#isTaken = false;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #acquire(): Promise<DatabaseConnection> {
    if (!this.#isTaken) return Promise.resolve(this.#connection);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #rowsOf(text: string): readonly object[] {
    this.statements.push(text.slice(0, 60));
    if (!text.includes('"items"')) return [];
    return Array.from({ length: MANY }, (_, id) => ({ c0: String(id), c1: "x", c2: MANY + 1, c3: MANY + 1 }));
  }
}

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

/** A page and a total of rows behind $skip, which are read in one state of the database. */
const IN_ONE_STATE = "$apply=identity&$count=true&$skip=1";

function open(defaults: { readonly queryTimeout?: number | null }) {
  const pool = new TakenPool();
  const set = sqlEntitySet(Item, { db: pool.open(), table: "items", operations: ["read"], applyEnabled: true });
  const logger = recordingLogger();
  const service = odataService({ entitySets: [set], logger, schemaCheck: false, defaults });
  const read = (signal?: AbortSignal): Promise<Response> =>
    service.fetch(new Request(`http://service.example/Items?${IN_ONE_STATE}`, signal === undefined ? {} : { signal }));
  return { pool, read, logger };
}

/** A transaction whose client has left ends at once, and the next page finds a free connection. */
async function expectFree({ pool, read }: ReturnType<typeof open>): Promise<void> {
  expect(pool.statements).not.toContain("begin");
  pool.give();
  await expect.poll(() => pool.statements).toContain("rollback");
  expect(pool.statements.slice(-2)).toEqual(["begin", "rollback"]);
  const next = await read();
  expect(next.status).toBe(200);
  await next.text();
  await expect.poll(() => pool.statements.filter((each) => each === "rollback").length).toBe(2);
}

test("a client that leaves while its page waits for a connection leaves no transaction", async () => {
  const shop = open({ queryTimeout: null });
  const gone = new AbortController();
  shop.pool.take();
  const answer = shop.read(gone.signal);
  await expect.poll(() => shop.pool.waiting).toBe(1);
  gone.abort();
  expect((await answer).status).toBe(500);
  expect(shop.logger.errors).toEqual([]);
  await expectFree(shop);
});

test("a page that gets no connection in time is 503, and leaves no transaction", async () => {
  const shop = open({ queryTimeout: 200 });
  shop.pool.take();
  stopTimers();
  const late = shop.read();
  await until(() => shop.pool.waiting === 1);
  await passTime(200);
  const answer = await late;
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "QueryTimeout" } }]);
  expect(shop.pool.waiting).toBe(1);
  await expectFree(shop);
});

test("a page whose transaction cannot begin leaves no transaction", async () => {
  const shop = open({});
  shop.pool.take();
  const answer = shop.read();
  await expect.poll(() => shop.pool.waiting).toBe(1);
  shop.pool.refuse(new Error("a secret of the pool"));
  const { status } = await answer;
  expect(status).toBeGreaterThanOrEqual(500);
  const next = await shop.read();
  expect(next.status).toBe(200);
  await next.text();
});

test("a page whose client left before it began opens no transaction", async () => {
  const shop = open({});
  const gone = new AbortController();
  gone.abort();
  await expect(shop.read(gone.signal)).resolves.toMatchObject({ status: 500 });
  expect(shop.pool.statements).not.toContain("begin");
});
