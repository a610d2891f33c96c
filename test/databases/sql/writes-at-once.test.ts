import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery, type Dialect, DummyDriver, Kysely, type LogEvent, PostgresAdapter, sql } from "kysely";
import { edm, entityType, now as instant, odataService, type Context, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { synchronousWriterOf } from "../../../src/databases/connection/synchronous-reader.ts";
import type { ODataRequest } from "../../../src/http/odata-request.ts";
import type { ODataResponse } from "../../../src/http/odata-response.ts";
import { Failures, failingDialect } from "./failing-dialect.ts";

/**
 * A plain write to SQLite runs at once. It waits for any use of its connection, and never becomes part of it. With a file the
 * response follows the commit.
 */

interface Tables {
  item: { id: number; name: string; version: number };
}

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string(),
  version: edm.int32().computed(),
});
const CREATE = "create table item (id integer primary key, name text not null unique, version integer not null)";

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

const folder = mkdtempSync(join(tmpdir(), "writes-at-once-"));
const opened: Kysely<Tables>[] = [];
let files = 0;

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly db: Kysely<Tables>;
  readonly service: ODataService;
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly file: string;
}

interface OpenOptions {
  readonly file?: string;
  readonly dialectOf?: (file: string) => Dialect;
  readonly log?: (event: LogEvent) => void;
}

/** A service over a new database after its first write: item 1. */
async function open({ file = newFile(), dialectOf = sqliteDialect, log }: OpenOptions = {}): Promise<Opened> {
  const db = new Kysely<Tables>({ dialect: dialectOf(file), ...(log !== undefined && { log }) });
  opened.push(db);
  await sql.raw(CREATE).execute(db);
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const set = sqlEntitySet(Item, { db, table: "item", operations, rowVersion: "version", etag: ["version"] });
  const service = odataService({ prefix: "", entitySets: [set], logger: SILENT });
  expect((await service.handle(post(1))).status).toBe(201);
  return { db, service, handlers: set.options as Opened["handlers"], file };
}

function newFile(): string {
  files += 1;
  return join(folder, `${String(files)}.db`);
}

interface Asked {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: () => AbortSignal;
  readonly isAborted?: boolean;
}

/** A request with a synchronous body. */
function request(method: string, target: string, { body, headers = {}, signal, isAborted }: Asked = {}): ODataRequest {
  const bytes = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  const all: Readonly<Record<string, string>> = {
    ...headers,
    ...(body !== undefined && { "content-type": "application/json", "content-length": String(bytes.length) }),
  };
  return {
    method,
    target,
    scheme: "http",
    host: "service.example",
    header: (name) => all[name],
    headers: new Headers(all),
    get signal() {
      return signal === undefined ? new AbortController().signal : signal();
    },
    ...(isAborted !== undefined && { isAborted }),
    hasBody: body !== undefined,
    readBody: () => bytes,
  };
}

function post(id: number, asked: Asked = {}): ODataRequest {
  return request("POST", "/Items", { ...asked, body: { Id: id, Name: `item ${String(id)}` } });
}

/** The asynchronous response. */
function later(answer: ODataResponse | Promise<ODataResponse>): Promise<ODataResponse> {
  if (answer instanceof Promise) return answer;
  throw new Error("The answer came at once.");
}

async function idsOf({ file }: Opened): Promise<readonly unknown[]> {
  const other = new DatabaseSync(file);
  try {
    return other
      .prepare("select id from item order by id")
      .all()
      .map(({ id }) => id);
  } finally {
    other.close();
  }
}

function jsonOf({ body }: ODataResponse): unknown {
  return JSON.parse(body as string);
}

describe.each(["file", "memory"])("a database (%s)", (kind) => {
  const inPlace = (): OpenOptions => (kind === "file" ? {} : { file: ":memory:" });

  test("POST, PATCH, PUT and DELETE of one row write at once", async () => {
    const { service } = await open(inPlace());
    const created = await later(service.handle(post(2)));
    expect([created.status, jsonOf(created)]).toEqual([201, expect.objectContaining({ Id: 2, Version: 1 })]);
    const stale = { "if-match": created.headers["ETag"] ?? "" };
    const patched = await later(service.handle(request("PATCH", "/Items(2)", { body: { Name: "b" }, headers: stale })));
    expect([patched.status, jsonOf(patched)]).toEqual([200, expect.objectContaining({ Name: "b", Version: 2 })]);
    const replaced = await later(service.handle(request("PUT", "/Items(2)", { body: { Name: "c" } })));
    expect([replaced.status, jsonOf(replaced)]).toEqual([200, expect.objectContaining({ Name: "c", Version: 3 })]);
    const headers = { "if-match": replaced.headers["ETag"] ?? "" };
    expect((await service.handle(request("DELETE", "/Items(2)", { headers: stale }))).status).toBe(412);
    expect((await later(service.handle(request("DELETE", "/Items(2)", { headers })))).status).toBe(204);
    expect((await later(service.handle(request("DELETE", "/Items(2)")))).status).toBe(204);
    expect((await service.handle(request("PATCH", "/Items(2)", { body: { Name: "d" } }))).status).toBe(404);
  });

  test("a write waits for the end of an open stream", async () => {
    const { db, service } = await open(inPlace());
    expect((await later(service.handle(post(2)))).status).toBe(201);
    const ids: number[] = [];
    let answer: Promise<ODataResponse> | undefined;
    for await (const { id } of db.selectFrom("item").select("id").orderBy("id").stream(1)) {
      ids.push(id);
      answer ??= later(service.handle(post(3)));
    }
    expect(ids).toEqual([1, 2]);
    expect((await answer)?.status).toBe(201);
    expect((await later(service.handle(post(4)))).status).toBe(201);
  });

  test.each(["commits", "rolls back"])("a transaction of the application that %s has no part in it", async (end) => {
    const { db, service } = await open(inPlace());
    const failure = new Error("rolled back");
    let answer: Promise<ODataResponse> | undefined;
    let isAnswered = false;
    const transaction = db.transaction().execute(async (trx) => {
      await trx.insertInto("item").values({ id: 10, name: "of the transaction", version: 1 }).execute();
      answer = later(service.handle(post(2))).finally(() => {
        isAnswered = true;
      });
      await trx.updateTable("item").set({ name: "changed" }).where("id", "=", 10).execute();
      expect(isAnswered).toBe(false);
      if (end === "rolls back") throw failure;
    });
    const ended = await transaction.then(
      () => "commits",
      (error: unknown) => (error === failure ? "rolls back" : error),
    );
    expect(ended).toBe(end);
    expect((await answer)?.status).toBe(201);
    const rows = await db.selectFrom("item").select("id").orderBy("id").execute();
    expect(rows.map(({ id }) => id)).toEqual(end === "commits" ? [1, 2, 10] : [1, 2]);
    expect((await later(service.handle(post(3)))).status).toBe(201);
  });
});

describe.each(["file", "memory"])("two writers with one ETag, hooks and values of `set` (%s)", (kind) => {
  const Signed = entityType("Item", {
    id: edm.int32().key(),
    name: edm.string(),
    version: edm.int32().computed(),
    updatedBy: edm.string(),
    updatedAt: edm.dateTimeOffset({ precision: 3 }),
  });

  interface SignedTables {
    item: { id: number; name: string; version: number; updatedBy: string; updatedAt: string };
    note: { text: string };
  }

  async function openSigned() {
    const db = new Kysely<SignedTables>({ dialect: sqliteDialect(kind === "file" ? newFile() : ":memory:") });
    opened.push(db);
    await sql.raw(CREATE.replace(/\)$/, `, "updatedBy" text not null, "updatedAt" text not null)`)).execute(db);
    await sql.raw("create table note (text text not null)").execute(db);
    const committed: string[] = [];
    const leaveNote = async (ctx: Context, text: string): Promise<void> => {
      const by = ctx.user?.id ?? "";
      const transaction = ctx.transaction as Kysely<SignedTables>;
      await transaction
        .insertInto("note")
        .values({ text: `${text} by ${by}` })
        .execute();
      ctx.afterCommit(() => void committed.push(`${text} by ${by}`));
    };
    const set = sqlEntitySet(Signed, {
      db,
      table: "item",
      operations: ["read", "create", "replace", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
      set: {
        updatedBy: { create: ({ user }) => user.id ?? "", update: ({ user }) => user.id ?? "" },
        updatedAt: { create: instant, update: instant },
      },
      before: {
        create: ({ entity }) => ({ ...entity }),
        replace: async ({ entity, current, ctx }) => {
          await current();
          await leaveNote(ctx, "replace");
          return { ...entity };
        },
        patch: async ({ delta, current, ctx }) => {
          await current();
          await leaveNote(ctx, "patch");
          return { ...delta };
        },
        delete: async ({ current, ctx }) => {
          await current();
          await leaveNote(ctx, "delete");
        },
      },
      after: { create: () => ({}), replace: () => ({}), patch: () => ({}) },
    });
    const service = odataService({
      prefix: "",
      entitySets: [set],
      logger: SILENT,
      authenticate: ({ headers }) => ({ id: headers.get("x-user") ?? "" }),
    });
    return { db, service, committed };
  }

  test.each([
    ["PATCH", "PATCH"],
    ["PUT", "PATCH"],
    ["PATCH", "PUT"],
    ["PATCH", "DELETE"],
    ["DELETE", "PUT"],
  ])("%s and %s: the winner is stored, and the hooks of the loser leave nothing", async (first, second) => {
    const { db, service, committed } = await openSigned();
    const rounds = 5;
    const left: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const created = await service.handle(post(round, { headers: { "x-user": "ann" } }));
      expect([created.status, jsonOf(created)]).toEqual([
        201,
        expect.objectContaining({ UpdatedBy: "ann", Version: 1 }),
      ]);
      const send = async (method: string, user: string): Promise<ODataResponse> => {
        const headers = { "if-match": created.headers["ETag"] ?? "", "x-user": user };
        const body = { Name: `${user} ${String(round)}`, UpdatedBy: "eve" };
        const asked = method === "DELETE" ? { headers } : { headers, body };
        return service.handle(request(method, `/Items(${String(round)})`, asked));
      };
      const writers = [
        [first, "bob"],
        [second, "eva"],
      ] as const;
      const answers = await Promise.all(writers.map(async ([method, user]) => send(method, user)));
      const won = answers.findIndex(({ status }) => status < 300);
      const [method = "", user = ""] = writers[won] ?? [];
      expect(answers[1 - won]?.status).toBe(412);
      left.push(`${{ PATCH: "patch", PUT: "replace", DELETE: "delete" }[method] ?? ""} by ${user}`);
      const stored = await db.selectFrom("item").selectAll().where("id", "=", round).execute();
      expect(stored).toEqual(
        method === "DELETE"
          ? []
          : [
              {
                id: round,
                name: `${user} ${String(round)}`,
                version: 2,
                updatedBy: user,
                updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
              },
            ],
      );
    }
    await service.drain();
    expect(committed).toEqual(left);
    const notes = await db.selectFrom("note").select("text").execute();
    expect(notes.map(({ text }) => text)).toEqual(left);
  });
});

test("does not write at once into a transaction begun by raw SQL", async () => {
  const all = await open();
  await all.db.executeQuery(CompiledQuery.raw("begin"));
  const answer = later(all.service.handle(post(2)));
  expect((await answer).status).toBe(201);
  expect(await idsOf(all)).toEqual([1]);
  await all.db.executeQuery(CompiledQuery.raw("rollback"));
  expect(await idsOf(all)).toEqual([1]);
  expect((await all.service.handle(post(2))).status).toBe(201);
});

describe("a process that locks the file", () => {
  const impatient = (file: string): Dialect => sqliteDialect(file, { busyTimeout: 0 });

  test("is waited for: a failed synchronous write is retried asynchronously", async () => {
    const all = await open({ dialectOf: impatient });
    const other = new DatabaseSync(all.file);
    other.exec("begin immediate");
    const answer = later(all.service.handle(post(2)));
    // The first attempt has failed by then.
    await nextTurn();
    other.exec("rollback");
    other.close();
    expect((await answer).status).toBe(201);
    expect(await idsOf(all)).toEqual([1, 2]);
  });

  test("permanently makes the write return 503 with Retry-After and write nothing", async () => {
    const all = await open({ dialectOf: impatient });
    const other = new DatabaseSync(all.file);
    other.exec("begin immediate");
    const { status, headers } = await later(all.service.handle(post(2)));
    expect([status, headers["Retry-After"]]).toEqual([503, "1"]);
    other.exec("rollback");
    other.close();
    expect(await idsOf(all)).toEqual([1]);
  });
});

describe("a disconnected client", () => {
  test.each([
    ["by its signal", { signal: () => AbortSignal.abort() }],
    ["by what the adapter knows", { signal: () => AbortSignal.abort(), isAborted: true }],
  ])("has nothing written (%s)", async (_by, asked) => {
    const all = await open();
    await all.service.handle(post(2, asked));
    expect(await idsOf(all)).toEqual([1]);
  });

  test("does not require a signal if the adapter knows that the client is connected", async () => {
    const { service } = await open();
    let signals = 0;
    const signal = (): AbortSignal => {
      signals += 1;
      return new AbortController().signal;
    };
    expect((await service.handle(post(2, { signal, isAborted: false }))).status).toBe(201);
    expect(signals).toBe(0);
  });
});

describe("a failing write", () => {
  test.each<[string, ODataRequest, readonly [number, string]]>([
    ["a key that is taken", post(1), [409, "Conflict"]],
    ["a value that is taken", request("POST", "/Items", { body: { Id: 2, Name: "item 1" } }), [409, "Conflict"]],
  ])("is reported as before: %s", async (_what, asked, told) => {
    const { service } = await open();
    const { status, body } = await service.handle(asked);
    const { error } = JSON.parse(body as string) as { error: { code: string } };
    expect([status, error.code]).toEqual(told);
  });

  test("rejects a promise, so that applications that call the handlers can catch the error", async () => {
    const { handlers } = await open();
    type Call = (...given: readonly unknown[]) => Promise<unknown>;
    const context = {} as Context;
    const { create, patch, delete: remove } = handlers as Readonly<Record<string, Call>>;
    await expect(create?.({ id: 1, name: "again" }, context).catch(String)).resolves.toContain("unique");
    await expect(patch?.({}, { name: "x" }, context).catch(String)).resolves.toContain("key");
    await expect(remove?.({}, context).catch(String)).resolves.toContain("key");
  });
});

describe("observers of statements", () => {
  test("include the log of Kysely", async () => {
    const texts: string[] = [];
    const { service } = await open({ log: ({ query }) => texts.push(query.sql) });
    expect((await later(service.handle(post(2)))).status).toBe(201);
    expect(texts.filter((text) => text.startsWith("insert"))).toHaveLength(2);
  });

  test("include a driver that wraps the driver of SQLite", async () => {
    const failures = new Failures();
    const { service } = await open({ dialectOf: (file) => failingDialect(sqliteDialect(file), failures) });
    failures.clear();
    expect((await later(service.handle(post(2)))).status).toBe(201);
    expect(failures.commands).toEqual([expect.stringMatching(/^insert/)]);
  });
});

describe("the writer of an instance", () => {
  test("exists after its connection was inspected, but not for a transaction", async () => {
    const { db } = await open();
    expect(synchronousWriterOf(db)).toMatchObject({ mayWrite: true });
    await db.transaction().execute(async (trx) => {
      synchronousWriterOf(trx);
      await trx.selectFrom("item").select("id").execute();
      expect(synchronousWriterOf(trx)).toBeNull();
      expect(synchronousWriterOf(db)).toMatchObject({ mayWrite: false });
    });
    expect(synchronousWriterOf(db)).toMatchObject({ mayWrite: true });
  });

  test("is not looked up where connections are expensive", async () => {
    let asked = 0;
    class CountingDriver extends DummyDriver {
      override acquireConnection(): ReturnType<DummyDriver["acquireConnection"]> {
        asked += 1;
        return super.acquireConnection();
      }
    }
    const dialect: Dialect = {
      ...sqliteDialect(":memory:"),
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new CountingDriver(),
    };
    const db = new Kysely<Tables>({ dialect });
    opened.push(db);
    expect(synchronousWriterOf(db)).toBeNull();
    await db.selectFrom("item").select("id").execute();
    expect([synchronousWriterOf(db), asked]).toEqual([null, 1]);
  });

  test("may not write a read-only database", async () => {
    const { file } = await open();
    const db = new Kysely<Tables>({ dialect: sqliteDialect(file, { readonly: true }) });
    opened.push(db);
    expect(synchronousWriterOf(db)).toBeNull();
    await db.selectFrom("item").select("id").execute();
    expect(synchronousWriterOf(db)).toMatchObject({ mayWrite: false });
  });
});
