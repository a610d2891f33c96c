import { sql } from "kysely";
import { edm, entityType, odataService, type ServiceDefaults } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { recordingLogger } from "../../service/http/model.ts";
import { createTable, ENGINES, insertRow, type AnyDatabase, type DatabaseName } from "./engines.ts";

/** Nothing is printed about queries that were cancelled. */
let printed: MockInstance;
beforeEach(() => {
  printed = vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(() => {
  const { calls } = printed.mock;
  printed.mockRestore();
  if (calls.length > 0) throw new Error(`Something was printed: ${JSON.stringify(calls)}`);
});

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });

/** How to make a statement slow on servers, and the number of such statements. */
const SLEEPS: Readonly<Partial<Record<DatabaseName, readonly [sleep: string, running: string]>>> = {
  postgres: [
    "pg_sleep(600)::text",
    "select count(*) as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%sleepers%'",
  ],
  mariadb: [
    "cast(sleep(600) as char(9))",
    "select count(*) as n from information_schema.processlist where command in ('Query', 'Execute') and id <> connection_id() and info like '%sleepers%' and db = database()",
  ],
};
/** Embedded databases run one statement at a time, so none can be cancelled. */
const SERVERS = ENGINES.filter(({ title }) => title === "PostgreSQL" || title === "MariaDB");
const WATCHDOG_MS = 120_000;

async function until(condition: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > WATCHDOG_MS) throw new Error("It did not come about.");
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

const serviceOver = (db: AnyDatabase, table: string, defaults: ServiceDefaults = {}) =>
  odataService({
    defaults,
    entitySets: [sqlEntitySet(Item, { db, table, operations: ["read"] })],
    schemaCheck: false,
    logger: recordingLogger(),
  });

/** Opens a server with a table of one row, and the view `sleepers`, whose statements take long. */
async function openSleepers(engine: (typeof SERVERS)[number]) {
  const [sleep, running] = SLEEPS[engine.name] ?? ["", ""];
  const database = await engine.open();
  const { db } = database;
  await createTable(database, "items", { id: "integer primary key", name: "varchar(20)" });
  await insertRow(database, "items", [1, "one"]);
  await sql`create view sleepers as select id, ${sql.raw(sleep)} as name from items`.execute(db);
  /** Whether a statement over the view is running. */
  const isRunning = async (): Promise<boolean> => {
    const { rows } = await sql<{ n: unknown }>`${sql.raw(running)}`.execute(db);
    return Number(rows[0]?.n) > 0;
  };
  return { db, isRunning, isIdle: async () => !(await isRunning()), close: () => database.close() };
}

test.each(ENGINES)("$title: a request that can be given up is answered like any other", async (engine) => {
  const database = await engine.open();
  await createTable(database, "items", { id: "integer primary key", name: "varchar(20)" });
  await insertRow(database, "items", [1, "one"]);
  const service = serviceOver(database.db, "items");
  for (const target of ["Items", "Items(1)", "Items/$count"]) {
    const { signal } = new AbortController();
    const { status } = await service.fetch(new Request(`http://service.example/${target}`, { signal }));
    expect(status, target).toBe(200);
  }
  await database.close();
});

test("of a server, the statement of a client that goes away ends", async () => {
  for (const engine of SERVERS) {
    const { db, isRunning, isIdle, close } = await openSleepers(engine);
    const gone = new AbortController();
    const request = new Request("http://service.example/Items", { signal: gone.signal });
    const answer = serviceOver(db, "sleepers").fetch(request);
    await until(isRunning);
    gone.abort();
    await answer;
    await until(isIdle);
    await close();
  }
});

test("a server ends a statement after `queryTimeout`, and its connection is usable", async () => {
  for (const engine of SERVERS) {
    const { db, isIdle, close } = await openSleepers(engine);
    const service = serviceOver(db, "sleepers", { queryTimeout: 500 });
    const begun = performance.now();
    const response = await service.fetch(new Request("http://service.example/Items"));
    expect([response.status, await response.json()], engine.title).toMatchObject([
      503,
      { error: { code: "QueryTimeout" } },
    ]);
    expect(performance.now() - begun).toBeLessThan(WATCHDOG_MS / 2);
    await until(isIdle);
    await close();
  }
});

test("clients that go away from all connections of a pool leave them to others", async () => {
  for (const engine of SERVERS) {
    const { db, isIdle, close } = await openSleepers(engine);
    const service = serviceOver(db, "sleepers", { queryTimeout: 1500 });
    const gone = new AbortController();
    const requests = Array.from({ length: 8 }, () =>
      service.fetch(new Request("http://service.example/Items", { signal: gone.signal })),
    );
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    gone.abort();
    await Promise.all(requests);
    const other = await serviceOver(db, "items").fetch(new Request("http://service.example/Items(1)"));
    expect([engine.title, other.status]).toEqual([engine.title, 200]);
    await until(isIdle);
    await close();
  }
});
