import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import {
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  odataService,
  type ODataService,
  type TracedStatement,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { inStatementScope, scopeStorage } from "../../../src/definition/logger.ts";
import { traceFaults } from "../../../src/definition/startup/check-service.ts";
import { createTable, ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { sentStatements } from "./sent-statements.ts";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), groupId: edm.int32() });
const Group = entityType("Group", { id: edm.int32().key(), code: edm.string() });

type Trace = (statement: TracedStatement) => void | Promise<void>;

function serve(
  db: AnyDatabase,
  onStatement: Trace,
  others: Partial<Parameters<typeof odataService>[0]> = {},
): ODataService {
  const items = sqlEntitySet(Item, {
    db,
    table: "items",
    columns: { groupId: "group_id" },
    operations: ["read", "create", "replace", "patch", "delete"],
  });
  const someItems = fn({
    returns: edm.collection(Item),
    handler: (_given, context) => context.sets(items).query({ top: 3 }),
  });
  return odataService({
    namespace: "Test",
    batch: { json: true },
    logger: recordingLogger(),
    onStatement,
    functions: { someItems },
    entitySets: [
      items,
      sqlEntitySet(Group, {
        db,
        table: "groups",
        operations: ["read", "create"],
        allowDeepInsert: true,
        navigation: { items: hasMany(Item, { on: { id: "groupId" }, target: "Items" }) },
      }),
    ],
    ...others,
  });
}

async function fill(opened: OpenDatabase): Promise<void> {
  await createTable(opened, "items", { id: "int primary key", name: "varchar(50) not null", group_id: "int not null" });
  await createTable(opened, "groups", { id: "int primary key", code: "varchar(50) not null" });
  const { db } = opened;
  await db
    .insertInto("groups")
    .values([
      { id: 0, code: "a" },
      { id: 1, code: "b" },
    ])
    .execute();
  await db
    .insertInto("items")
    .values(Array.from({ length: 9 }, (_, id) => ({ id, name: `Item ${String(id)}`, group_id: id % 2 })))
    .execute();
}

type Sent = readonly [method: string, path: string, body?: object];

async function send(
  service: ODataService,
  [method, path, body]: Sent,
): Promise<readonly [status: number, text: string]> {
  const headers = { "Content-Type": "application/json", "X-Request-Id": "the-request" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://x${encodeURI(path)}`, init));
  return [response.status, await response.text()];
}

/** Commands that the trace omits: transactions, savepoints, sessions, plans. */
const CONTROL =
  /^(?:begin|commit|rollback|savepoint|release|set (?!statement)|start|explain|pragma|select set_config|declare|fetch)/i;

/** Queries about tables, which SQLite answers from time to time. */
const ABOUT_TABLES =
  /(?:min|max)\(_rowid_\)|where 1 = 0|where rowid >= \?|select 1 from|sqlite_|dbstat|pragma|total_changes/;

/** Runs a function, and returns the texts of the statements that the database gets meanwhile. */
async function executed(db: AnyDatabase, run: () => Promise<unknown>): Promise<readonly string[]> {
  const texts: string[] = [];
  const note = (text: string): void => {
    const plain = text.replace(/^\/\*.*?\*\/ |(?<=^set statement )max_statement_time=[\d.]+, /, "");
    // In this process, a call in every loop limits the time of a long statement.
    if (!CONTROL.test(plain) && !ABOUT_TABLES.test(plain)) texts.push(plain.includes("odata_alive") ? "long" : plain);
  };
  const prototype = StatementSync.prototype;
  const spies = (["all", "get", "run", "iterate"] as const).map((name) => {
    const original = prototype[name] as (this: StatementSync, ...given: unknown[]) => unknown;
    return vi.spyOn(prototype, name).mockImplementation(function (this: StatementSync, ...given: unknown[]) {
      note(this.sourceSQL);
      return original.apply(this, given) as never;
    });
  });
  const isSqlite = db.getExecutor().adapter.constructor.name === "SynchronousSqliteAdapter";
  const sent = await sentStatements(db, run);
  if (!isSqlite) for (const query of sent) note(query.sql);
  for (const spy of spies) spy.mockRestore();
  return texts;
}

const part = (id: string, method: string, url: string, body?: object, group?: string) => ({
  id,
  method,
  url,
  ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body }),
  ...(group === undefined ? {} : { atomicityGroup: group }),
});

/** Requests, with the least number of their statements. */
const REQUESTS: readonly (readonly [title: string, sent: Sent, statements: number])[] = [
  ["a page", ["GET", "/Items?$filter=Id gt 2"], 1],
  ["a page with its total", ["GET", "/Items?$top=2&$count=true"], 1],
  ["a page with its total and many rows", ["GET", "/Items?$top=500&$count=true"], 1],
  ["a number", ["GET", "/Items/$count?$filter=Id gt 2"], 1],
  ["an entity", ["GET", "/Items(3)"], 1],
  ["a page with an expansion", ["GET", "/Groups?$expand=Items($top=1;$count=true;$orderby=Name)"], 1],
  ["related entities", ["GET", "/Groups(1)/Items"], 1],
  ["a function", ["GET", "/someItems()"], 1],
  ["a creation", ["POST", "/Items", { Id: 50, Name: "new", GroupId: 1 }], 1],
  ["a replacement", ["PUT", "/Items(3)", { Name: "new", GroupId: 1 }], 1],
  ["a change", ["PATCH", "/Items(3)", { Name: "new" }], 1],
  ["a deletion", ["DELETE", "/Items(3)"], 1],
  ["a deep insert", ["POST", "/Groups", { Id: 7, Code: "c", Items: [{ Id: 70, Name: "deep", GroupId: 7 }] }], 2],
  ["a refused write", ["POST", "/Items", { Id: 1, Name: "twice", GroupId: 1 }], 1],
  [
    "a change set",
    [
      "POST",
      "/$batch",
      {
        requests: [
          part("1", "POST", "/Items", { Id: 60, Name: "a", GroupId: 1 }, "g"),
          part("2", "PATCH", "/Items(2)", { Name: "b" }, "g"),
          part("3", "GET", "/Items(4)"),
        ],
      },
    ],
    3,
  ],
];

describe.each(ENGINES)("the trace of statements over $title", ({ open }) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open();
    await fill(opened);
  });
  afterEach(() => opened.close());

  test("every statement is reported exactly once", async () => {
    const traced: TracedStatement[] = [];
    const service = serve(opened.db, (statement) => void traced.push(statement));
    // The first requests also inspect the tables, with statements that belong to no request.
    for (const [, sent] of REQUESTS.filter(([, [method]]) => method === "GET")) await send(service, sent);
    for (const [title, sent, least] of REQUESTS) {
      for (const time of ["first", "second"]) {
        traced.length = 0;
        const texts = await executed(opened.db, () => send(service, sent));
        const reported = traced.map(({ sql: text }) => text);
        expect(reported, `${title}, ${time}`).toHaveLength(texts.length);
        expect(reported, `${title}, ${time}`).toEqual(expect.arrayContaining(texts.filter((text) => text !== "long")));
        if (time === "first") expect(reported.length, title).toBeGreaterThanOrEqual(least);
        for (const { ms, request } of traced) {
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(request.id).toBe("the-request");
        }
      }
    }
  });

  test("`rows` counts the returned or written rows", async () => {
    const traced: TracedStatement[] = [];
    const service = serve(opened.db, (statement) => void traced.push(statement));
    const rows = async (sent: Sent): Promise<readonly number[]> => {
      traced.length = 0;
      await send(service, sent);
      return traced.map((each) => each.rows);
    };
    expect(await rows(["GET", "/Items?$filter=Id gt 2"])).toEqual([6]);
    expect(await rows(["GET", "/Items?$select=Name&$top=4"])).toEqual([4]);
    expect(await rows(["GET", "/Items?$filter=Id gt 99"])).toEqual([0]);
    expect(await rows(["GET", "/Items(99)"])).toEqual([0]);
    expect(await rows(["GET", "/Items(1)"])).toEqual([1]);
    expect((await rows(["DELETE", "/Items(1)"])).at(-1)).toBe(1);
  });

  test("a failed statement is reported with its error", async () => {
    const traced: TracedStatement[] = [];
    const service = serve(opened.db, (statement) => void traced.push(statement), { schemaCheck: false });
    const [refused] = await send(service, ["POST", "/Items", { Id: 1, Name: "twice", GroupId: 1 }]);
    expect(refused).toBe(409);
    expect(traced.map(({ rows }) => rows)).toEqual([0]);
    expect(traced[0]?.error).toBeInstanceOf(Error);
    traced.length = 0;
    await sql`drop table items`.execute(opened.db);
    const [status] = await send(service, ["GET", "/Items?$top=3&$count=true"]);
    expect(status).toBe(500);
    expect(traced.length).toBeGreaterThan(0);
    for (const { error } of traced) expect(error).toBeInstanceOf(Error);
  });

  test("a long page has all its rows", async () => {
    const { db } = opened;
    const values = Array.from({ length: 500 }, (_, index) => index);
    for (let start = 100; start < 3600; start += 500) {
      const rows = values.map((index) => ({ id: start + index, name: "x", group_id: index % 7 }));
      await db.insertInto("items").values(rows).execute();
    }
    const traced: TracedStatement[] = [];
    const service = serve(db, (statement) => void traced.push(statement), { defaults: { maxTop: null } });
    for (const path of ["/Items?$orderby=GroupId", "/Items"]) {
      traced.length = 0;
      const [status, text] = await send(service, ["GET", path]);
      expect(status).toBe(200);
      expect((JSON.parse(text) as { value: readonly object[] }).value).toHaveLength(3509);
      // Some ways read the first rows a second time.
      const most =
        path === "/Items"
          ? traced.reduce((sum, { rows }) => sum + rows, 0)
          : Math.max(...traced.map(({ rows }) => rows));
      expect(most).toBeGreaterThanOrEqual(3509);
      expect(traced.some(({ sql: text }) => CONTROL.test(text))).toBe(false);
      expect(new Set(traced.map(({ request }) => request.target)).size).toBe(1);
    }
  });

  test("the request of a statement is the operation of a batch", async () => {
    const traced: TracedStatement[] = [];
    const service = serve(opened.db, (statement) => void traced.push(statement));
    const requests = [part("1", "GET", "/Items(1)"), part("2", "PATCH", "/Items(2)", { Name: "b" })];
    expect((await send(service, ["POST", "/$batch", { requests }]))[0]).toBe(200);
    expect(new Set(traced.map(({ request: { method, target } }) => `${method} ${target}`))).toEqual(
      new Set(["GET /Items(1)", "PATCH /Items(2)"]),
    );
    expect(traced.map(({ parameters }) => parameters).flat()).toContain("b");
  });
});

describe("the trace of statements", () => {
  const folder = mkdtempSync(join(tmpdir(), "trace-"));
  const LENGTH = 25_000;
  let db: AnyDatabase;
  beforeAll(async () => {
    db = new Kysely({ dialect: sqliteDialect(join(folder, "trace.db"), { readerThreads: 1 }) });
    await sql`create table items (id integer primary key, name text not null, group_id integer not null)`.execute(db);
    await sql`create table groups (id integer primary key, code text not null)`.execute(db);
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LENGTH})
      insert into items select i, 'Item ' || i, (i * 7919) % 1009 from n`.execute(db);
  });
  afterAll(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });

  /** Returns the statements that read a page, without the counts of its rows. */
  const pages = (traced: readonly TracedStatement[]) =>
    traced.filter(({ sql: text }) => !text.startsWith("select count("));

  const open = (others: Parameters<typeof serve>[2] = {}) => {
    const traced: TracedStatement[] = [];
    const service = serve(db, (statement) => void traced.push(statement), { defaults: { maxTop: null }, ...others });
    return { traced, service };
  };

  test("a statement in a reader thread is reported once", async () => {
    const { traced, service } = open();
    const [status] = await send(service, ["GET", "/Items/$count?$filter=contains(Name,'9')"]);
    expect(status).toBe(200);
    expect(traced.map(({ rows, sql: text }) => [rows, text.includes("odata_alive")])).toEqual([[1, true]]);
  });

  test.each([
    ["a large page", "/Items?$orderby=GroupId"],
    ["a large page with a total", "/Items?$orderby=GroupId&$select=Name&$count=true"],
    ["a large page in the order of the key", "/Items"],
  ])("%s is one statement, with all its rows", async (_title, path) => {
    const { traced, service } = open({ defaults: { maxTop: null, maxPageSize: 50_000 } });
    const [status] = await send(service, ["GET", path]);
    expect(status).toBe(200);
    expect(pages(traced).map(({ rows }) => rows)).toEqual([LENGTH]);
  });

  test("writes that commit together are traced with their requests", async () => {
    const { traced, service } = open();
    const ids = [90_001, 90_002, 90_003];
    await send(service, ["GET", "/Items(1)"]);
    traced.length = 0;
    await Promise.all(
      ids.map((id) => send(service, ["POST", `/Items?id=${String(id)}`, { Id: id, Name: "w", GroupId: 1 }])),
    );
    expect(traced.map(({ rows, request }) => [request.target, rows])).toEqual(
      ids.map((id) => [`/Items?id=${String(id)}`, 1]),
    );
  });

  test("handlers of the application that read a source are traced", async () => {
    const source = sqlSource(Item, { db, from: "items", columns: { groupId: "group_id" } });
    const { traced, service } = open({ entitySets: [entitySet(Item, { queryable: () => source })], functions: {} });
    await send(service, ["GET", "/Items?$top=2"]);
    expect(traced.map(({ rows }) => rows)).toEqual([2]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("a function that %s does not change the response, and is logged", async (_title, onStatement: Trace) => {
    const logger = recordingLogger();
    const service = serve(db, onStatement, { logger, schemaCheck: false });
    expect(await send(service, ["GET", "/Items(1)/Name/$value"])).toEqual([200, "Item 1"]);
    await expect.poll(() => logger.errors).toHaveLength(1);
    const [record] = logger.errors;
    expect(record).toMatchObject({
      message: "onStatement failed.",
      fields: { requestId: "the-request", method: "GET", path: "/Items(1)/Name/$value", set: "Items" },
    });
  });

  test("a logger that throws does not change the response either", async () => {
    const fail = (): never => {
      throw new Error("broken");
    };
    const service = serve(db, fail, { logger: { error: fail, warn: fail, info: fail }, schemaCheck: false });
    expect((await send(service, ["GET", "/Items(1)"]))[0]).toBe(200);
  });

  test("a runtime without `AsyncLocalStorage` refuses the option", () => {
    expect(scopeStorage({ process: { getBuiltinModule: () => undefined } })).toBeUndefined();
    expect([...traceFaults({ onStatement: () => undefined }, false)]).toHaveLength(1);
    expect([...traceFaults({}, false)]).toHaveLength(0);
    expect(inStatementScope({ report: () => undefined }, () => 7)).toBe(7);
  });

  test("rejects an `onStatement` that is not a function", () => {
    expect(() => serve(db, "log" as unknown as Trace)).toThrow(/onStatement/);
  });
});
