import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { action, edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart } from "../../service/http/batch-model.ts";
import { NEVER, nextTimer, passTime, stopClock } from "../../timers.ts";

/** While another connection holds the lock of the file, writes wait, and nothing else does. */

const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string() });
const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };
const ORIGIN = "http://service.example";

/** Turns of this thread while a write waits. A wait in SQLite leaves it none. */
const TURNS = 20;
/** More milliseconds than a test waits for a lock. */
const LONG = 200_000;
/** Milliseconds: far below a wait in SQLite, which takes the whole `busyTimeout`. */
const WATCHDOG = 100_000;

const folder = mkdtempSync(join(tmpdir(), "writes-locked-"));
const opened: { destroy(): Promise<void> | void }[] = [];
let files = 0;

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.destroy();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly db: AnyDatabase;
  readonly service: ODataService;
  readonly file: string;
}

async function open(busyTimeout: number, file = newFile()): Promise<Opened> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, { busyTimeout }) });
  opened.push(db);
  await sql`create table if not exists things (id integer primary key, name text not null)`.execute(db);
  return { db, file, service: await serviceOf(db) };
}

async function serviceOf(db: AnyDatabase): Promise<ODataService> {
  const things = sqlEntitySet(Thing, { db, table: "things", operations: ["read", "create", "patch"] });
  const add = action({
    params: { id: edm.int32() },
    handler: ({ id }, outer) =>
      outer.inTransaction(async (ctx) => {
        await ctx.sets(things).create({ id, name: "added" });
      }),
  });
  const service = odataService({ prefix: "", entitySets: [things], actions: { Add: add }, logger: SILENT });
  await service.ready();
  expect((await ask(service, "GET", "/Things")).status).toBe(200);
  return service;
}

function newFile(): string {
  files += 1;
  return join(folder, `${String(files)}.db`);
}

interface Other {
  readonly release: () => void;
  readonly ids: () => readonly unknown[];
}

/** Another connection, as of another process, that runs a command. */
function lock(file: string, command = "begin immediate"): Other {
  const database = new DatabaseSync(file);
  opened.push({ destroy: () => database.close() });
  database.exec(command);
  return {
    release: () => database.exec("rollback"),
    ids: () =>
      database
        .prepare("select id from things order by id")
        .all()
        .map(({ id }) => id),
  };
}

/** Returns the response after its end: that of a batch begins at once. */
async function ask(service: ODataService, method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  const response = await service.fetch(new Request(`${ORIGIN}${path}`, { method, headers, ...init }));
  await response.clone().text();
  return response;
}

function post(service: ODataService, id: number, init: RequestInit = {}): Promise<Response> {
  return ask(service, "POST", "/Things", { body: JSON.stringify({ Id: id, Name: "n" }), ...init });
}

/** The ways of a request to write the thing 7, with the status of success. */
const WAYS: readonly (readonly [string, (service: ODataService) => Promise<Response>, number])[] = [
  ["a POST", (service) => post(service, 7), 201],
  ["ctx.inTransaction", (service) => ask(service, "POST", "/Add", { body: '{"id":7}' }), 204],
  [
    "a change set",
    (service) => {
      const body = multipart([
        [
          { request: "POST Things", id: "t", body: { Id: 7, Name: "n" } },
          { request: "PATCH $t", body: { Name: "m" } },
        ],
      ]);
      return ask(service, "POST", "/$batch", { headers: MULTIPART, body });
    },
    200,
  ],
];

async function expectUnavailable(response: Response): Promise<void> {
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
  const message = "Conflicts with other writes prevented the request. Try again later.";
  expect(await response.json()).toEqual({ error: { code: "ServiceUnavailable", message } });
}

/** Waits for turns of this thread. @returns the number of milliseconds that they took */
async function takeTurns(): Promise<number> {
  const begun = performance.now();
  for (let turn = 0; turn < TURNS; turn += 1) await pause(15);
  return performance.now() - begun;
}

describe.each(WAYS)("%s while another connection holds the lock", (_way, write, status) => {
  test("waits, and succeeds after its release; reads are answered meanwhile", async () => {
    const { service, file } = await open(LONG);
    const other = lock(file);
    const begun = performance.now();
    let isAnswered = false;
    const written = write(service).finally(() => {
      isAnswered = true;
    });
    for (let reads = 0; reads < TURNS; reads += 1) {
      expect((await ask(service, "GET", "/Things")).status).toBe(200);
      await pause(15);
    }
    expect(isAnswered).toBe(false);
    other.release();
    const response = await written;
    expect(response.status, await response.clone().text()).toBe(status);
    expect(await response.text()).not.toContain("ServiceUnavailable");
    expect(performance.now() - begun).toBeLessThan(WATCHDOG);
    expect(other.ids()).toEqual([7]);
  });

  test("is 503 after busyTimeout, and writes nothing", async () => {
    const { service, file } = await open(2000);
    const other = lock(file);
    stopClock();
    let isAnswered = false;
    const hasTimer = nextTimer();
    const written = write(service).finally(() => {
      isAnswered = true;
    });
    await hasTimer();
    await passTime(1950);
    // A wait in SQLite would have ended before.
    expect(isAnswered).toBe(false);
    await passTime(50);
    const response = await written;
    vi.useRealTimers();
    if (status === 200) expect(await response.text()).toMatch(/HTTP\/1.1 503 [\s\S]*ServiceUnavailable/);
    else {
      await expectUnavailable(response);
    }
    other.release();
    expect(other.ids()).toEqual([]);
    expect((await post(service, 8)).status).toBe(201);
    expect(other.ids()).toEqual([8]);
  });
});

test("the time of each waiting write begins with its request, not with its turn", async () => {
  const { service, file } = await open(800);
  const other = lock(file);
  stopClock();
  const hasTimer = nextTimer();
  const waiting = Promise.all([1, 2, 3, 4, 5, 6].map((id) => post(service, id)));
  await hasTimer();
  await passTime(800);
  // No further time passes.
  const responses = await waiting;
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 503]);
  other.release();
  expect(other.ids()).toEqual([]);
});

test("waiting writes follow in order, and none is lost", async () => {
  const { service, file } = await open(LONG);
  const other = lock(file);
  const answered: number[] = [];
  const ids = Array.from({ length: 30 }, (_none, index) => index + 1);
  const all = ids.map(async (id) => {
    const { status } = await (id % 3 === 0
      ? ask(service, "POST", "/Add", { body: `{"id":${id}}` })
      : post(service, id));
    answered.push(id);
    return status;
  });
  await pause(100);
  expect(answered).toEqual([]);
  other.release();
  expect(await Promise.all(all)).toEqual(ids.map((id) => (id % 3 === 0 ? 204 : 201)));
  expect(other.ids()).toEqual(ids);
});

test("a client that disconnects ends its wait, in its turn and behind others", async () => {
  const { service, file } = await open(NEVER);
  const other = lock(file);
  const leave = new AbortController();
  const first = post(service, 1, { signal: leave.signal });
  const second = ask(service, "POST", "/Add", { body: '{"id":2}', signal: leave.signal });
  const third = post(service, 3);
  await pause(100);
  leave.abort();
  await Promise.allSettled([first, second]);
  other.release();
  expect((await third).status).toBe(201);
  expect(other.ids()).toEqual([3]);
});

test("two services over one file that write at the same time store every acknowledged write", async () => {
  const one = await open(LONG);
  const two = await open(LONG, one.file);
  const ids = Array.from({ length: 120 }, (_none, index) => index + 1);
  const all = ids.map(async (id) => {
    await pause(id % 7);
    const { service } = id % 2 === 0 ? one : two;
    return id % 5 === 0 ? ask(service, "POST", "/Add", { body: `{"id":${id}}` }) : post(service, id);
  });
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses).toEqual(ids.map((id) => (id % 5 === 0 ? 204 : 201)));
  expect(lock(one.file, "select 1").ids()).toEqual(ids);
});

describe("a file without a write-ahead log", () => {
  async function openPlain(busyTimeout: number): Promise<Opened> {
    const file = newFile();
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, { busyTimeout }) });
    opened.push(db);
    await sql`create table things (id integer primary key, name text not null)`.execute(db);
    expect((await sql`pragma journal_mode = delete`.execute(db)).rows).toEqual([{ journal_mode: "delete" }]);
    return { db, file, service: await serviceOf(db) };
  }

  test.each(WAYS)("%s waits with its commit for a reader", async (_way, write, status) => {
    const { service, file } = await openPlain(LONG);
    const reader = lock(file, "begin; select * from things");
    const written = write(service);
    expect(await takeTurns()).toBeLessThan(WATCHDOG);
    reader.release();
    const response = await written;
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("ServiceUnavailable");
    expect(reader.ids()).toEqual([7]);
  });

  test.each(WAYS)("%s is 503 if the reader stays, and writes nothing", async (_way, write, status) => {
    const { service, file } = await openPlain(600);
    const reader = lock(file, "begin; select * from things");
    const response = await write(service);
    if (status === 200) expect(await response.text()).toMatch(/HTTP\/1.1 503 /);
    else await expectUnavailable(response);
    reader.release();
    expect(reader.ids()).toEqual([]);
    expect((await post(service, 8)).status).toBe(201);
    expect(reader.ids()).toEqual([8]);
  });
});

describe("statements of the application", () => {
  const INSERT = "insert into things values (1, 'a')";

  test.each([
    ["of its own", [INSERT]],
    ["in a transaction of raw SQL that takes the lock", ["begin immediate", INSERT, "commit"]],
    ["in a transaction of raw SQL that gets the lock later", ["begin", INSERT, "commit"]],
  ])("wait in the same way: %s", async (_way, commands) => {
    const { db, file } = await open(LONG);
    const other = lock(file);
    const written = db.connection().execute(async (connection) => {
      for (const command of commands) await sql.raw(command).execute(connection);
    });
    expect(await takeTurns()).toBeLessThan(WATCHDOG);
    other.release();
    await written;
    expect(other.ids()).toEqual([1]);
    expect((await sql`pragma busy_timeout`.execute(db)).rows).toEqual([{ timeout: LONG }]);
  });

  test("report the error of SQLite after the time, and leave the connection usable", async () => {
    const { db, file } = await open(100);
    const other = lock(file);
    const waited = { name: "LockTimeoutError", message: "database is locked", code: "ERR_SQLITE_ERROR", errcode: 5 };
    await expect(sql.raw(INSERT).execute(db)).rejects.toMatchObject(waited);
    await expect(db.transaction().execute(() => Promise.resolve())).rejects.toMatchObject(waited);
    other.release();
    await sql.raw(INSERT).execute(db);
    expect(other.ids()).toEqual([1]);
  });
});
