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
import { expect, test } from "vitest";
import type { AnyDatabase } from "../executors/engines.ts";
import { recordingLogger } from "../http/model.ts";

/** A database whose statements run until they are cancelled. */
class EndlessDatabase {
  /** Statements that have started. */
  begun = 0;
  /** Statements that were cancelled. */
  cancelled = 0;
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
        acquireConnection: () => Promise.resolve(connection),
        releaseConnection: nothing,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
      }),
    };
  }

  #cancel(): Promise<void> {
    this.cancelled += 1;
    this.#end(new Error("canceling statement due to user request"));
    return Promise.resolve();
  }
}

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

function open(isCancelling: boolean) {
  const database = new EndlessDatabase();
  const db: AnyDatabase = new Kysely({ dialect: database.dialect(isCancelling) });
  const set = sqlEntitySet(Item, { db, table: "items", operations: ["read"] });
  const logger = recordingLogger();
  // This database has no catalogue for the check: its statements never return.
  return { database, logger, service: odataService({ entitySets: [set], logger, schemaCheck: false }) };
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
          if (tries > 1) return dialect.createDriver().acquireConnection();
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
