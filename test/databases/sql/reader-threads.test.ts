import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import {
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  isODataError,
  odataService,
  type ServiceDefaults,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, expect, test, vi, type MockInstance } from "vitest";
import { ByteCount } from "../../../src/base/byte-count.ts";
import { queryTimeout } from "../../../src/base/errors/odata-error.ts";
import type { PatientReader } from "../../../src/databases/connection/patient-reader.ts";
import { CATALOGUE_FACTS, type StatementFacts } from "../../../src/databases/connection/statement-facts.ts";
import type { SqliteSettings } from "../../../src/databases/sqlite/driver/prepared-statement.ts";
import { receiveError, sendError } from "../../../src/databases/sqlite/driver/reader-messages.ts";
import { ReaderThreads, threadEntry } from "../../../src/databases/sqlite/driver/reader-threads.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { processorTime } from "../../processor-time.ts";
import { NEVER, nextTimer, passTime, stopTimers, until } from "../../timers.ts";

const folder = mkdtempSync(join(tmpdir(), "reader-threads-"));
const file = join(folder, "cities.db");

const Country = entityType("Country", { id: edm.int32().key(), name: edm.string() });
const City = entityType("City", { id: edm.int32().key(), name: edm.string(), countryId: edm.int32() });

const TABLES = `
  create table country (id integer primary key, name text not null);
  create table city (id integer primary key, name text not null, country_id integer not null);
  create index city_country on city (country_id);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 100) insert into country select i, 'c' || i from n;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000) insert into city select i, 'n' || i, 1 + i % 100 from n;
`;

/** Visits 30,000 × 300 × 40 rows, and more in each: it takes long on every machine. */
const ANY = "Country/Cities/any(a:a/Name eq concat(a/Name,$it/Name))";
const ENDLESS = `/Cities?$filter=${Array.from({ length: 40 }, () => ANY).join(" or ")}&$count=true`;
const LONG = "/Cities?$filter=contains(Name,'99')&$top=1";
/** Milliseconds in which a thread must end its statement, before it is replaced. */
const GRACE = 500;
const SHORT = "/Cities(1)";

beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(TABLES);
  made.close();
});
const opened: AnyDatabase[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

function open(options: SqliteOptions = {}, defaults: ServiceDefaults = {}, path = file, more: object = {}) {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, options) });
  opened.push(db);
  return { db, ...serviceOver(db, defaults, more) };
}

function serviceOver(db: AnyDatabase, defaults: ServiceDefaults, more: object = {}) {
  const country = hasRequired(Country, { on: { countryId: "id" }, target: "Countries" });
  const cities = hasMany(City, { on: { id: "countryId" }, target: "Cities" });
  const service = odataService({
    schemaCheck: false,
    ...more,
    defaults: { queryTimeout: NEVER, ...defaults },
    entitySets: [
      sqlEntitySet(Country, { db, table: "country", name: "Countries", operations: ["read"], navigation: { cities } }),
      sqlEntitySet(City, {
        db,
        table: "city",
        name: "Cities",
        columns: { countryId: "country_id" },
        operations: ["read", "create"],
        navigation: { country },
      }),
    ],
  });
  const ask = async (
    target: string,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: unknown; retry: string | null }> => {
    const response = await service.fetch(
      new Request(`http://x${encodeURI(target)}`, signal === undefined ? {} : { signal }),
    );
    return { status: response.status, body: await response.json(), retry: response.headers.get("Retry-After") };
  };
  return { service, ask };
}

const TIMEOUT = (seconds: number): object => ({
  error: {
    code: "QueryTimeout",
    message: `The query takes the database more than ${seconds} s. Filter by a property with an index, request fewer rows with $top, or leave out counts, searches and orders along navigations.`,
  },
});

test("a long query ends after `queryTimeout`, other requests continue, and the connection is usable", async () => {
  const { ask } = open({ readerThreads: 1 }, { queryTimeout: NEVER });
  await ask(SHORT);
  stopTimers();
  const ended: string[] = [];
  const isRunning = nextTimer();
  const long = ask(ENDLESS).finally(() => ended.push("long"));
  await isRunning();
  expect(await ask(SHORT).finally(() => ended.push("short"))).toMatchObject({ status: 200 });
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  await passTime(NEVER - 1);
  expect(ended).toEqual(["short"]);
  await passTime(1);
  expect(await long).toEqual({ status: 503, body: TIMEOUT(NEVER / 1000), retry: null });
  expect(await ask(LONG)).toMatchObject({ status: 200, body: { value: [{ Name: "n99" }] } });
});

/** As if every read took so many milliseconds. */
function clockOf(milliseconds: number): MockInstance<() => number> {
  const begun = performance.now();
  const clock = vi.spyOn(performance, "now").mockReturnValueOnce(begun).mockReturnValueOnce(begun);
  return clock.mockReturnValue(begun + milliseconds);
}

/** Reads as fast as a machine does that nothing else uses. */
function soon<T>(read: () => T): T {
  const clock = clockOf(0);
  const value = read();
  clock.mockRestore();
  return value;
}

const PAGE: StatementFacts = { ...CATALOGUE_FACTS, isOfCatalogue: false, tables: [["it", '"city"']], limits: [0] };

test("a page that took too long continues in a thread", async () => {
  const { db } = open();
  const reader = db.getExecutor().adapter as unknown as PatientReader;
  const read = (limit: number): ReturnType<PatientReader["read"]> =>
    reader.read('select "id" as "c0" from "city" as "it" order by "id" limit ?', [limit], {}, PAGE);
  expect(soon(() => read(5000))).toHaveLength(5000);
  const clock = clockOf(50);
  expect(read(5000)).toHaveLength(5000);
  clock.mockRestore();
  const again = read(5000);
  expect(again).toBeInstanceOf(Promise);
  expect(await again).toHaveLength(5000);
});

test("without `queryTimeout` a query may take its time", async () => {
  const { ask } = open({}, { queryTimeout: null });
  expect(await ask(LONG)).toMatchObject({ status: 200 });
});

test("a query reads what was written before it", async () => {
  const path = join(folder, "written.db");
  const made = new DatabaseSync(path);
  made.exec(TABLES);
  made.close();
  const { service, ask } = open({}, {}, path);
  for (let id = 30_001; id <= 30_010; id += 1) {
    const body = JSON.stringify({ Id: id, Name: `new ${id}`, CountryId: 1 });
    const headers = { "Content-Type": "application/json" };
    const created = await service.fetch(new Request("http://x/Cities", { method: "POST", headers, body }));
    expect(created.status).toBe(201);
    expect(await ask(`/Cities?$filter=endswith(Name,'ew ${id}')`)).toMatchObject({ body: { value: [{ Id: id }] } });
  }
});

test("a query of a client that goes away is stopped", async () => {
  const { ask } = open({ readerThreads: 1 }, { queryTimeout: NEVER });
  const gone = new AbortController();
  const long = ask(ENDLESS, gone.signal).catch(() => "gone");
  const waiting = new AbortController();
  const queued = ask(ENDLESS, waiting.signal).catch(() => "gone");
  await pause(300);
  waiting.abort();
  gone.abort();
  // The only thread is free again.
  expect(await ask(LONG)).toMatchObject({ status: 200 });
  await Promise.all([long, queued]);
});

test("too many waiting queries are refused, and a late one ends in the queue", async () => {
  const { ask } = open({ readerThreads: 1, maxQueuedQueries: 1 }, { queryTimeout: NEVER });
  stopTimers();
  const first = ask(ENDLESS);
  const second = ask(ENDLESS);
  const third = await ask(LONG);
  expect(third).toEqual({
    status: 503,
    body: {
      error: {
        code: "ServiceUnavailable",
        message: "Too many long queries wait for the database. Try again later, or narrow the query.",
      },
    },
    retry: "5",
  });
  await passTime(NEVER);
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([503, 503]);
});

test("the parts of concat wait as other queries do", async () => {
  const { ask } = open({ readerThreads: 1, maxQueuedQueries: 1 }, { queryTimeout: NEVER, applyEnabled: true });
  stopTimers();
  const first = ask(ENDLESS);
  const second = ask(ENDLESS);
  const third = await ask("/Cities?$apply=concat(aggregate($count as N),groupby((CountryId)))");
  expect(third).toEqual({
    status: 503,
    body: {
      error: {
        code: "ServiceUnavailable",
        message: "Too many long queries wait for the database. Try again later, or narrow the query.",
      },
    },
    retry: "5",
  });
  await passTime(NEVER);
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([503, 503]);
});

function settingsOfOneThread(): SqliteSettings {
  return {
    file,
    readonly: false,
    busyTimeout: 1000,
    synchronous: "full",
    journalMode: "wal",
    statements: 10,
    readerThreads: 1,
    maxQueuedQueries: 100,
  };
}

test("requests take turns", async () => {
  const entry = threadEntry();
  if (entry === null) throw new Error("There is no file for the thread.");
  const threads = new ReaderThreads(settingsOfOneThread(), entry);
  const order: string[] = [];
  const read = async (name: string, { signal }: AbortController): Promise<void> => {
    await threads.read(
      { sql: "select count(*) from city where name like '%x'", values: [], isFirst: false },
      { signal, timeout: null },
    );
    order.push(name);
  };
  const [many, one] = [new AbortController(), new AbortController()];
  await Promise.all([read("a1", many), read("a2", many), read("a3", many), read("a4", many), read("b1", one)]);
  expect(order).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  await threads.close();
  await expect(read("c", one)).rejects.toThrow("was closed");
  one.abort();
  const stopped = new ReaderThreads(settingsOfOneThread(), entry);
  await expect(stopped.read({ sql: "select 1", values: [], isFirst: true }, { signal: one.signal })).rejects.toThrow(
    "aborted",
  );
});

test("one client holds at most half of the queue, and another client is next", async () => {
  const threads = new ReaderThreads(settingsOfOneThread(), threadEntry() ?? new URL("file:///none"));
  const ended: string[] = [];
  const read = async (client: string): Promise<string> => {
    const wanted = { sql: "select count(*) from city where name like '%x'", values: [], isFirst: false };
    const { signal } = new AbortController();
    try {
      await threads.read(wanted, { signal, timeout: null, caller: { client } });
      ended.push(client);
      return "read";
    } catch (error) {
      const { status, headers } = error as { readonly status: number; readonly headers: object };
      return `${String(status)} ${JSON.stringify(headers)}`;
    }
  };
  const many = Array.from({ length: 140 }, () => read("a"));
  const others = [read("b"), read("c"), read("b")];
  const answers = await Promise.all(many);
  // One runs, and 50 wait.
  expect(answers.slice(0, 51)).toEqual(Array.from({ length: 51 }, () => "read"));
  expect(new Set(answers.slice(51))).toEqual(new Set(['503 {"Retry-After":"5"}']));
  expect(await Promise.all(others)).toEqual(["read", "read", "read"]);
  expect(ended.slice(0, 6)).toEqual(["a", "a", "b", "c", "a", "b"]);
  expect(ended).toHaveLength(54);
  await threads.close();
});

test("a statement behind those of another client has its whole time from its start on", async () => {
  const { service } = open({ readerThreads: 1 }, { queryTimeout: NEVER }, file, USERS);
  const ask = async (target: string, user: string): Promise<number> => {
    const response = await service.fetch(new Request(`http://x${encodeURI(target)}`, { headers: { "X-User": user } }));
    return response.status;
  };
  await ask(SHORT, "ann");
  stopTimers();
  const slow = Array.from({ length: 140 }, () => ask(ENDLESS, "ann"));
  const other = ask(LONG, "bob");
  // One runs, and 50 wait.
  await until(() => vi.getTimerCount() === 52);
  await passTime(NEVER);
  expect(await other).toBe(200);
  expect(new Set(await Promise.all(slow))).toEqual(new Set([503]));
});

const USERS = { authenticate: ({ headers }: { readonly headers: Headers }) => ({ id: headers.get("x-user") ?? "" }) };

test.each<readonly [string, object, Record<string, string>, Record<string, string>]>([
  ["user", USERS, { "X-User": "ann" }, { "X-User": "bob" }],
  [
    "address behind a trusted proxy",
    { trustProxy: true },
    { "X-Forwarded-For": "2001:db8::1" },
    { "X-Forwarded-For": "192.0.2.1" },
  ],
])("with 140 slow requests of one %s, that of another is the next", async (_what, options, first, second) => {
  const { service } = open({ readerThreads: 1 }, { queryTimeout: null }, file, options);
  const ended: string[] = [];
  const ask = async (name: string, headers: Record<string, string>): Promise<number> => {
    const { status } = await service.fetch(new Request(`http://x${encodeURI(LONG)}`, { headers }));
    if (status === 200) ended.push(name);
    return status;
  };
  await service.fetch(new Request(`http://x${SHORT}`, { headers: second }));
  const many = Array.from({ length: 140 }, () => ask("many", first));
  expect(await ask("one", second)).toBe(200);
  expect(ended.filter((name) => name === "many").length).toBeLessThanOrEqual(2);
  const statuses = await Promise.all(many);
  expect([200, 503].map((status) => statuses.filter((each) => each === status).length)).toEqual([51, 89]);
});

test("large rows come in parts, whole and in order, and nothing of them reaches the next statement", async () => {
  const threads = new ReaderThreads(settingsOfOneThread(), threadEntry() ?? new URL("file:///none"));
  const read = async (most: number, size: number): Promise<readonly (readonly unknown[])[]> => {
    const text = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      select i, printf('%.*c', ${String(size)}, char(97 + i % 26)) from n`;
    const bytes = new ByteCount(most);
    const room = { left: most, rows: Infinity, row: { width: 2, besides: 0 } };
    const rows = await threads.read({ sql: text, values: [], isFirst: false, room }, { bytes });
    expect([bytes.isOver, bytes.used > 0]).toEqual([rows.length < 3000, true]);
    return rows;
  };
  const expected = (size: number) =>
    Array.from({ length: 3000 }, (_, index) => [index + 1, String.fromCodePoint(97 + ((index + 1) % 26)).repeat(size)]);
  expect(await read(64e6, 4000)).toEqual(expected(4000));
  expect(await read(64e6, 10)).toEqual(expected(10));
  // The statement begins again at an integer that no number can represent.
  const beyond = { left: 64e6, rows: Infinity, row: { width: 2, besides: 0 } };
  const text = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
    select case i when 2500 then 9223372036854775807 else i end, printf('%.*c', 4000, 'x') from n`;
  const large = await threads.read(
    { sql: text, values: [], isFirst: false, room: beyond },
    { bytes: new ByteCount(64e6) },
  );
  expect(large.map(([id]) => id)).toEqual(
    Array.from({ length: 3000 }, (_, index) => (index === 2499 ? 9_223_372_036_854_775_807n : index + 1)),
  );
  const some = await read(6e6, 4000);
  expect(some).toEqual(expected(4000).slice(0, some.length));
  expect(some.length).toBeGreaterThan(1000);
  await threads.close();
});

test("errors of a statement keep their meaning", async () => {
  const threads = new ReaderThreads(settingsOfOneThread(), threadEntry() ?? new URL("file:///none"));
  const read = (text: string): Promise<unknown> => threads.read({ sql: text, values: [], isFirst: true }, {});
  await expect(read("select * from absent")).rejects.toMatchObject({ message: "no such table: absent", errcode: 1 });
  await expect(read("select 1 where 1 = 0")).resolves.toEqual([]);
  await expect(read("select 9223372036854775807, x'00', null, 1.5, 'a'")).resolves.toEqual([
    [9_223_372_036_854_775_807n, new Uint8Array(1), null, 1.5, "a"],
  ]);
  await threads.close();
  const broken = new ReaderThreads(
    { ...settingsOfOneThread(), file: join(folder, "none.db") },
    threadEntry() ?? new URL("file:///none"),
  );
  await expect(broken.read({ sql: "select 1", values: [], isFirst: true }, {})).rejects.toThrow(
    "Cannot open the SQLite database",
  );
  await broken.close();
});

test.each<readonly [sent: unknown, received: object]>([
  [queryTimeout(5000), { name: "ODataError", status: 503, code: "QueryTimeout" }],
  [Object.assign(new Error("busy"), { errcode: 5, other: 1 }), { name: "Error", message: "busy", errcode: 5 }],
  ["a string", { name: "Error", message: "a string" }],
])("the error %s passes between threads", (sent, received) => {
  const error = receiveError(structuredClone(sendError(sent)));
  expect(error).toMatchObject(received);
  expect(isODataError(error)).toBe(isODataError(sent));
});

test("closing the database ends a running query and a waiting one", async () => {
  const { db, ask } = open({ readerThreads: 1 });
  const asked = [ask(ENDLESS), ask(ENDLESS)];
  await pause(300);
  await db.destroy();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([500, 500]);
});

test("a statement that cannot be stopped is given up, and its thread replaced", async () => {
  const path = join(folder, "view.db");
  const made = new DatabaseSync(path);
  made.exec(`create table one (id integer primary key); insert into one values (1);
    create view slow as with recursive n(i) as (select 1 union all select i + 1 from n where i < 15000000)
      select max(i) as id from n, one`);
  made.close();
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, { readerThreads: 1 }) });
  opened.push(db);
  const Slow = entityType("Slow", { id: edm.int32().key() });
  const service = odataService({
    schemaCheck: false,
    defaults: { queryTimeout: NEVER },
    entitySets: [
      entitySet(Slow, { name: "Slow", queryable: () => sqlSource(Slow, { db, from: "slow" }) }),
      entitySet(Slow, {
        name: "Fast",
        queryable: () =>
          sqlSource(Slow, {
            db,
            from: {
              sql: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select max(i) as id from n",
              parameters: [],
            },
          }),
      }),
    ],
  });
  const ask = async (target: string): Promise<number> => (await service.fetch(new Request(`http://x${target}`))).status;
  stopTimers();
  const isRunning = nextTimer();
  const slow = ask("/Slow");
  await isRunning();
  // The thread starts, and runs the statement.
  await pause(200);
  await passTime(NEVER);
  expect(await slow).toBe(503);
  await passTime(GRACE);
  expect(await ask("/Fast")).toBe(200);
});

test.each<readonly [name: string, options: SqliteOptions, path: string]>([
  ["a database in memory", {}, ":memory:"],
  ["a service without reader threads", { readerThreads: 0 }, file],
])("%s: the query stops the process no longer than `queryTimeout`", async (_name, options, path) => {
  const { db, ask } = open(options, { queryTimeout: 300 }, path);
  if (path === ":memory:") {
    for (const text of TABLES.split(";").slice(0, -1)) await sql.raw(text).execute(db);
  }
  const begun = processorTime();
  expect(await ask(ENDLESS)).toMatchObject({ status: 503, body: TIMEOUT(0.3) });
  expect(processorTime() - begun).toBeLessThan(10_000);
  expect(await serviceOver(db, {}).ask(LONG)).toMatchObject({ status: 200 });
});

test("a file without a write-ahead log is read in threads if the service only reads it", async () => {
  const path = join(folder, "plain.db");
  const made = new DatabaseSync(path);
  made.exec(`pragma journal_mode = delete; ${TABLES}`);
  made.close();
  const { ask } = open({ readonly: true, readerThreads: 1 }, { queryTimeout: NEVER }, path);
  await ask(SHORT);
  stopTimers();
  const ended: string[] = [];
  const isRunning = nextTimer();
  const long = ask(ENDLESS).finally(() => ended.push("long"));
  await isRunning();
  expect(await ask(SHORT).finally(() => ended.push("short"))).toMatchObject({ status: 200 });
  await passTime(NEVER - 1);
  expect(ended).toEqual(["short"]);
  await passTime(1);
  expect(await long).toMatchObject({ status: 503, body: TIMEOUT(NEVER / 1000) });
  // A writable service sets the log.
  const writable = open({}, {}, path);
  expect(await writable.ask(LONG)).toMatchObject({ status: 200 });
  expect(await sql`pragma journal_mode`.execute(writable.db)).toMatchObject({ rows: [{ journal_mode: "wal" }] });
});

test("a file that loses its write-ahead log is read in the main thread", async () => {
  const path = join(folder, "lost.db");
  const made = new DatabaseSync(path);
  made.exec(TABLES);
  made.close();
  const { db, ask } = open({}, { queryTimeout: 300 }, path);
  await sql`pragma journal_mode = delete`.execute(db);
  const threads: unknown[] = [];
  const note = (thread: unknown): unknown => threads.push(thread);
  process.on("worker", note);
  expect(await ask(ENDLESS)).toMatchObject({ status: 503, body: TIMEOUT(0.3) });
  expect(await serviceOver(db, {}).ask(LONG)).toMatchObject({ status: 200 });
  process.off("worker", note);
  expect(threads).toEqual([]);
});

test("a long read within a transaction ends, too, and the transaction goes on", async () => {
  const { db } = open();
  const text =
    'select count(*) from "city" as "a" cross join "city" as "b" cross join "city" as "c" where likelihood(iif("c"._rowid_ % 1021, 1, odata_alive()), 1.0)';
  await db.transaction().execute(async (trx) => {
    await sql`insert into country values (1001, 'new')`.execute(trx);
    await expect(sql.raw(text).execute(trx)).rejects.toMatchObject({ code: "QueryTimeout" });
    const { rows } = await sql`select name from country where id = 1001`.execute(trx);
    expect(rows).toEqual([{ name: "new" }]);
    await sql`delete from country where id = 1001`.execute(trx);
  });
});

test("a bundle without the file of the threads has none", () => {
  expect(threadEntry("file:///bundle/server.js")).toBeNull();
  expect(threadEntry("https://example.com/server.js")).toBeNull();
  expect(threadEntry()?.pathname).toMatch(/\/reader-thread\.ts$/);
});

test("the schema check of a large database starts no thread", async () => {
  const started = vi.fn<() => void>();
  process.on("worker", started);
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
  opened.push(db);
  const cities = sqlEntitySet(City, {
    db,
    table: "city",
    columns: { countryId: "country_id" },
    operations: ["read"],
  });
  await odataService({ entitySets: [cities] }).ready();
  process.off("worker", started);
  expect(started).not.toHaveBeenCalled();
});
