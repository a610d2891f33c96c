import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { action, type Context, edm, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { LongTransaction } from "../../src/kysely/sqlite/long-transaction.ts";
import { LongWrites } from "../../src/kysely/sqlite/long-writes.ts";
import type { AnyDatabase } from "../executors/engines.ts";

/** Values of more than a million characters are stored in a thread, in a transaction of their own or of a long request. */

const folder = mkdtempSync(join(tmpdir(), "long-writes-"));
const LONG = "ü😀".repeat(400_000);
const OTHER = "x".repeat(1_100_000);
const OCTETS = Buffer.alloc(1_200_000, 9);

const TABLE = `create table note (
  id integer primary key,
  text text not null check (length(text) < 1300000),
  bytes blob,
  parent integer references note (id) deferrable initially deferred,
  code text unique
)`;

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  bytes: edm.binary().nullable(),
  parent: edm.int32().nullable(),
  code: edm.string().nullable(),
});

interface Place {
  readonly name: string;
  readonly file?: string;
  readonly options: SqliteOptions;
  readonly usesThread: boolean;
}

const PLACES: readonly Place[] = [
  { name: "a file", options: {}, usesThread: true },
  { name: "a file without threads", options: { readerThreads: 0 }, usesThread: false },
  { name: "a file without a write-ahead log", options: { journalMode: "keep" }, usesThread: false },
  { name: "a database in memory", file: ":memory:", options: {}, usesThread: false },
];

const opened: AnyDatabase[] = [];
let files = 0;

afterEach(async () => {
  vi.restoreAllMocks();
  for (const db of opened.splice(0)) await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Opened {
  readonly db: AnyDatabase;
  readonly file: string;
  readonly service: ODataService;
  readonly inThread: ReturnType<typeof spyOnThread>;
  /** The transactions of several statements in the thread. */
  readonly transactions: ReturnType<typeof spyOnTransactions>;
  /** Sets the work of the action `Work`. */
  readonly perform: (work: Work) => void;
}

/** The work of an action within `ctx.inTransaction`, with the open transaction. */
type Work = (context: Context, transaction: AnyDatabase) => Promise<unknown>;

function spyOnThread() {
  return vi.spyOn(LongWrites.prototype, "run");
}

function spyOnTransactions() {
  return vi.spyOn(LongTransaction, "begin");
}

async function open({ file, options }: Pick<Place, "file" | "options"> = { options: {} }): Promise<Opened> {
  files += 1;
  const name = file ?? join(folder, `${String(files)}.db`);
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(name, options) });
  opened.push(db);
  await sql.raw(TABLE).execute(db);
  const notes = sqlEntitySet(Note, {
    db,
    table: "note",
    name: "Notes",
    operations: ["read", "create", "patch"],
    etag: ["text", "code"],
    allowDeepInsert: true,
    navigation: { answers: hasMany(Note, { on: { id: "parent" }, target: "Notes" }) },
  });
  const ruled = sqlEntitySet(Note, {
    db,
    table: "note",
    name: "Coded",
    operations: ["read", "create", "patch"],
    authorization: { rows: (_user, row) => row.code.ne("hidden") },
  });
  let current: Work = () => Promise.resolve();
  const work = action({
    authorization: [],
    params: { text: edm.string() },
    handler: async (_given, context) => {
      await context.inTransaction((inside) => current(inside, inside.transaction as AnyDatabase));
    },
  });
  const service = odataService({
    batch: { json: true },
    authenticate: () => ({ id: "ann" }),
    entitySets: [notes, ruled],
    actions: { work },
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
  await service.ready();
  await ask(service, "POST", "/Notes", { Id: 1, Text: "short" });
  const perform = (next: Work): void => {
    current = next;
  };
  return { db, file: name, service, inThread: spyOnThread(), transactions: spyOnTransactions(), perform };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request. @param headers further headers, and the signal */
async function ask(
  service: ODataService,
  method: string,
  target: string,
  body?: object,
  {
    signal,
    ...headers
  }: (Readonly<Record<string, string>> & { readonly signal?: never }) | { readonly signal: AbortSignal } = {},
): Promise<Answer> {
  const response = await service.fetch(
    new Request(`http://notes.example${target}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(signal !== undefined && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Answer["body"]),
  };
}

describe.each(PLACES)("a long value in $name", (place) => {
  test("is stored and returned as it was sent", async () => {
    const { db, service, inThread } = await open(place);
    const made = await ask(service, "POST", "/Notes", { Id: 2, Text: LONG, Bytes: OCTETS.toString("base64url") });
    expect([made.status, made.headers.get("Location")]).toEqual([201, "http://notes.example/Notes(2)"]);
    expect(made.body["Text"] === LONG).toBe(true);
    expect(Buffer.from(String(made.body["Bytes"]), "base64url").equals(OCTETS)).toBe(true);
    const [row] = await db.selectFrom("note").selectAll().where("id", "=", 2).execute();
    expect(row).toMatchObject({ id: 2, parent: null, code: null });
    expect([row?.["text"] === LONG, Buffer.from(row?.["bytes"] as Uint8Array).equals(OCTETS)]).toEqual([true, true]);
    const changed = await ask(service, "PATCH", "/Notes(2)", { Text: OTHER, Bytes: null });
    expect([changed.status, changed.body["Bytes"], changed.body["Text"] === OTHER]).toEqual([200, null, true]);
    const read = await ask(service, "GET", "/Notes(2)");
    expect([read.status, read.body["Text"] === OTHER]).toEqual([200, true]);
    expect(inThread).toHaveBeenCalledTimes(place.usesThread ? 2 : 0);
  });

  test("is refused like a short one, and leaves nothing", async () => {
    const { db, service } = await open(place);
    const key = await ask(service, "POST", "/Notes", { Id: 1, Text: LONG });
    expect([key.status, (key.body["error"] as { readonly code: string }).code]).toEqual([409, "Conflict"]);
    await ask(service, "POST", "/Notes", { Id: 3, Text: "c", Code: "c" });
    expect((await ask(service, "POST", "/Notes", { Id: 4, Text: LONG, Code: "c" })).status).toBe(409);
    const check = await ask(service, "POST", "/Notes", { Id: 5, Text: "x".repeat(1_400_000) });
    const short = await ask(service, "POST", "/Notes", { Id: 5, Text: "x", Parent: 99 });
    const long = await ask(service, "POST", "/Notes", { Id: 5, Text: LONG, Parent: 99 });
    expect(check.status).toBe(400);
    expect([long.status, long.body]).toEqual([short.status, short.body]);
    expect((await ask(service, "PATCH", "/Notes(7)", { Text: LONG }, { "If-Match": "*" })).status).toBe(412);
    const rows = await db
      .selectFrom("note")
      .select(["id", sql`length(text)`.as("size")])
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      { id: 1, size: 5 },
      { id: 3, size: 1 },
    ]);
    // The connection has no open transaction: another write succeeds.
    expect((await ask(service, "POST", "/Notes", { Id: 6, Text: LONG })).status).toBe(201);
  });

  test("is written under the condition of the request", async () => {
    const { service } = await open(place);
    const made = await ask(service, "POST", "/Notes", { Id: 2, Text: LONG });
    const tag = String(made.headers.get("ETag"));
    expect((await ask(service, "PATCH", "/Notes(2)", { Code: "a" }, { "If-Match": tag })).status).toBe(200);
    const late = await ask(service, "PATCH", "/Notes(2)", { Text: OTHER }, { "If-Match": tag });
    expect(late.status).toBe(412);
    const { body, headers } = await ask(service, "GET", "/Notes(2)");
    expect([body["Code"], body["Text"] === LONG]).toEqual(["a", true]);
    const next = await ask(service, "PATCH", "/Notes(2)", { Text: OTHER }, { "If-Match": String(headers.get("ETag")) });
    expect([next.status, next.body["Text"] === OTHER]).toEqual([200, true]);
  });

  test("is part of the transaction of a change set", async () => {
    const { db, service, transactions } = await open(place);
    const part = (id: number, text: string, parent: number | null): object => ({
      id: String(id),
      atomicityGroup: "g",
      method: "POST",
      url: "Notes",
      headers: { "content-type": "application/json" },
      body: { Id: id, Text: text, Parent: parent },
    });
    const sent = { requests: [part(2, LONG, null), part(3, "s", 2)] };
    const { status, body } = await ask(service, "POST", "/$batch", sent);
    const parts = body["responses"] as readonly { readonly status: number }[];
    expect([status, parts.map((each) => each.status)]).toEqual([200, [201, 201]]);
    const failing = { requests: [part(4, LONG, null), part(1, "s", 2)] };
    await ask(service, "POST", "/$batch", failing);
    expect(await db.selectFrom("note").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    const [row] = await db.selectFrom("note").select("text").where("id", "=", 2).execute();
    expect(row?.["text"] === LONG).toBe(true);
    expect(transactions).toHaveBeenCalledTimes(place.usesThread ? 2 : 0);
  });

  test("is part of the transaction of a deep insert", async () => {
    const { db, service, transactions, inThread } = await open(place);
    const graph = (id: number, last: number): object => ({
      Id: id,
      Text: LONG,
      Answers: [
        { Id: id + 1, Text: OTHER },
        { Id: last, Text: "short", Bytes: OCTETS.toString("base64url") },
      ],
    });
    const made = await ask(service, "POST", "/Notes", graph(2, 4));
    expect([made.status, made.body["Text"] === LONG]).toEqual([201, true]);
    const answers = made.body["Answers"] as readonly Readonly<Record<string, unknown>>[];
    expect(answers.map((each) => [each["Id"], each["Parent"]])).toEqual([
      [3, 2],
      [4, 2],
    ]);
    expect([answers[0]?.["Text"] === OTHER, answers[1]?.["Bytes"] === OCTETS.toString("base64url")]).toEqual([
      true,
      true,
    ]);
    const failed = await ask(service, "POST", "/Notes", graph(10, 1));
    expect([failed.status, (failed.body["error"] as { readonly code: string }).code]).toEqual([409, "Conflict"]);
    const orphan = await ask(service, "POST", "/Notes", { ...graph(20, 22), Parent: 99 });
    const short = await ask(service, "POST", "/Notes", {
      Id: 20,
      Text: "a",
      Parent: 99,
      Answers: [{ Id: 21, Text: "b" }],
    });
    expect([orphan.status, orphan.body]).toEqual([short.status, short.body]);
    const rows = await db.selectFrom("note").select(["id", "parent"]).orderBy("id").execute();
    expect(rows).toEqual([
      { id: 1, parent: null },
      { id: 2, parent: null },
      { id: 3, parent: 2 },
      { id: 4, parent: 2 },
    ]);
    expect(transactions).toHaveBeenCalledTimes(place.usesThread ? 3 : 0);
    expect(inThread).toHaveBeenCalledTimes(0);
  });

  test("is written with row rules", async () => {
    const { service, transactions } = await open(place);
    expect((await ask(service, "POST", "/Coded", { Id: 2, Text: LONG, Code: "a" })).status).toBe(201);
    expect((await ask(service, "POST", "/Coded", { Id: 3, Text: LONG, Code: "hidden" })).status).toBe(403);
    const changed = await ask(service, "PATCH", "/Coded(2)", { Text: OTHER });
    expect([changed.status, changed.body["Text"] === OTHER]).toEqual([200, true]);
    expect((await ask(service, "PATCH", "/Coded(2)", { Text: LONG, Code: "hidden" })).status).toBe(403);
    expect((await ask(service, "GET", "/Notes/$count")).body).toBe(2);
    const { body } = await ask(service, "GET", "/Coded(2)");
    expect([body["Code"], body["Text"] === OTHER]).toEqual(["a", true]);
    expect(transactions).toHaveBeenCalledTimes(place.usesThread ? 4 : 0);
  });

  test("is written by the transaction of an action, which sees its own rows", async () => {
    const { db, service, transactions, perform } = await open(place);
    const seen: unknown[] = [];
    perform(async (context, transaction) => {
      const inserted = await transaction.insertInto("note").values({ id: 7, text: LONG }).executeTakeFirst();
      seen.push([inserted.insertId, inserted.numInsertedOrUpdatedRows]);
      const updated = await transaction
        .updateTable("note")
        .set({ text: OTHER, code: "é" })
        .where("id", "=", 7)
        .execute();
      seen.push(updated.map(({ numUpdatedRows }) => numUpdatedRows));
      const bytes = OCTETS.subarray(8, 16);
      seen.push(
        await sql`insert into note (id, text, bytes) values (${8n}, 'x', ${bytes}) returning id, bytes`.execute(
          transaction,
        ),
      );
      const failed = transaction.insertInto("note").values({ id: 7, text: "again" }).execute();
      seen.push(await failed.catch((error: unknown) => (error as { readonly errcode: number }).errcode));
      await sql`savepoint part`.execute(transaction);
      await transaction.deleteFrom("note").execute();
      await sql`rollback to part`.execute(transaction);
      const streamed = transaction.selectFrom("note").select("id").orderBy("id").stream(2);
      for await (const { id } of streamed) seen.push(id);
      for await (const { id } of transaction.selectFrom("note").select("id").orderBy("id").stream(1)) {
        seen.push(["first", id]);
        break;
      }
      const large = sql<{ readonly n: unknown }>`select 9007199254740993 as n, ${LONG} as text`.execute(transaction);
      seen.push((await large).rows.map(({ n }) => n));
      expect(context.transaction).toBe(transaction);
    });
    expect((await ask(service, "POST", "/work", { text: LONG })).status).toBe(204);
    const row = { id: 8, bytes: new Uint8Array(8).fill(9) };
    expect(seen).toEqual([
      [7n, 1n],
      [1n],
      { rows: [row], numAffectedRows: 1n },
      1555,
      1,
      7,
      8,
      ["first", 1],
      [9007199254740993n],
    ]);
    perform(async (_context, transaction) => {
      await transaction.insertInto("note").values({ id: 9, text: LONG }).execute();
      throw new Error("The work fails.");
    });
    expect((await ask(service, "POST", "/work", { text: LONG })).status).toBe(500);
    expect(await db.selectFrom("note").select(["id", "code"]).orderBy("id").execute()).toEqual([
      { id: 1, code: null },
      { id: 7, code: "é" },
      { id: 8, code: null },
    ]);
    expect(transactions).toHaveBeenCalledTimes(place.usesThread ? 2 : 0);
  });

  test("is undone with its transaction if a trigger or a deferred constraint demands it", async () => {
    const { db, service, perform } = await open(place);
    await sql
      .raw(`create trigger guard before insert on note when new.code = 'bad'
      begin select raise(rollback, 'not that'); end`)
      .execute(db);
    for (const text of ["short", LONG]) {
      perform(async (_context, transaction) => {
        await transaction.insertInto("note").values({ id: 2, text }).execute();
        await transaction.insertInto("note").values({ id: 3, text, code: "bad" }).execute();
      });
      expect((await ask(service, "POST", "/work", { text })).status).toBe(500);
      perform(async (_context, transaction) => {
        await transaction.insertInto("note").values({ id: 2, text, parent: 99 }).execute();
      });
      expect((await ask(service, "POST", "/work", { text })).status).toBe(409);
      perform(async (_context, transaction) => {
        await transaction
          .insertInto("note")
          .values({ id: 3, text, code: "bad" })
          .execute()
          .catch(() => undefined);
      });
      expect((await ask(service, "POST", "/work", { text })).status).toBe(500);
    }
    expect(await db.selectFrom("note").select("id").execute()).toEqual([{ id: 1 }]);
    expect((await ask(service, "POST", "/Notes", { Id: 4, Text: LONG })).status).toBe(201);
  });

  test("is written by statements of the application with the results of any other", async () => {
    const { db, inThread } = await open(place);
    const inserted = await db.insertInto("note").values({ id: 7, text: LONG }).executeTakeFirst();
    expect([inserted.insertId, inserted.numInsertedOrUpdatedRows]).toEqual([7n, 1n]);
    const updated = await db.updateTable("note").set({ text: OTHER }).where("id", ">", 0).executeTakeFirst();
    expect(updated.numUpdatedRows).toBe(2n);
    const [row] = await db.updateTable("note").set({ text: LONG }).where("id", "=", 7).returning("id").execute();
    expect(row).toEqual({ id: 7 });
    const raw = await sql`update note set text = ${OTHER} where id = 99`.execute(db);
    expect([raw.rows, raw.numAffectedRows]).toEqual([[], 0n]);
    expect(inThread).toHaveBeenCalledTimes(place.usesThread ? 4 : 0);
  });
});

/** Another connection, as of another process, that runs a command. */
function lock(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("begin immediate");
  return database;
}

test("short writes beside a long one are all stored", async () => {
  const { db, service, inThread } = await open();
  const long = ask(service, "POST", "/Notes", { Id: 1000, Text: LONG });
  const short = Array.from({ length: 50 }, (_, index) =>
    ask(service, "POST", "/Notes", { Id: 2 + index, Text: `n${String(index)}` }),
  );
  const again = ask(service, "POST", "/Notes", { Id: 1001, Text: OTHER });
  const statuses = (await Promise.all([long, ...short, again])).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(inThread).toHaveBeenCalledTimes(2);
  const [{ count }] = (await db
    .selectFrom("note")
    .select(sql<number>`count(*)`.as("count"))
    .execute()) as [{ count: number }];
  expect(count).toBe(53);
});

test("a long write waits for the lock of another process, while reads are answered", async () => {
  const { file, service } = await open({ options: { busyTimeout: 2000 } });
  const other = lock(file);
  const writing = ask(service, "POST", "/Notes", { Id: 2, Text: LONG });
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await ask(service, "GET", "/Notes(1)")).status).toBe(200);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  other.exec("rollback");
  other.close();
  expect((await writing).status).toBe(201);
});

test("a long write is 503 after busyTimeout, or ends with its client, and writes nothing", async () => {
  const { db, file, service } = await open({ options: { busyTimeout: 300 } });
  const other = lock(file);
  const late = await ask(service, "POST", "/Notes", { Id: 2, Text: LONG });
  expect([late.status, late.headers.get("Retry-After")]).toEqual([503, "1"]);
  const leaving = new AbortController();
  const left = ask(service, "POST", "/Notes", { Id: 3, Text: LONG }, { signal: leaving.signal }).catch(() => "left");
  setTimeout(() => leaving.abort(), 50);
  await left;
  other.exec("rollback");
  other.close();
  expect((await ask(service, "POST", "/Notes", { Id: 4, Text: LONG })).status).toBe(201);
  expect(await db.selectFrom("note").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 4 }]);
});

test("a connection with temporary triggers or attached files stores long values itself", async () => {
  const { db, service, inThread } = await open();
  await sql`create temp table seen (id integer)`.execute(db);
  await sql`create temp trigger note_seen after insert on main.note begin insert into seen values (new.id); end`.execute(
    db,
  );
  expect((await ask(service, "POST", "/Notes", { Id: 2, Text: LONG })).status).toBe(201);
  expect(await db.selectFrom("seen").selectAll().execute()).toEqual([{ id: 2 }]);
  const second = await open();
  await sql`attach ${join(folder, "attached.db")} as other`.execute(second.db);
  await sql`create table other.copy (text text)`.execute(second.db);
  await sql`insert into other.copy values (${LONG})`.execute(second.db);
  expect(inThread).toHaveBeenCalledTimes(0);
});

test("a long write obeys the settings of the connection", async () => {
  const { db, service, inThread } = await open();
  await sql`pragma foreign_keys = off`.execute(db);
  expect((await ask(service, "POST", "/Notes", { Id: 2, Text: LONG, Parent: 99 })).status).toBe(201);
  await sql`pragma foreign_keys = on`.execute(db);
  expect((await ask(service, "POST", "/Notes", { Id: 3, Text: LONG, Parent: 99 })).status).toBe(409);
  expect(inThread).toHaveBeenCalledTimes(2);
});

test("a long write in a transaction of raw SQL is part of it", async () => {
  const { db, inThread } = await open();
  await db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    await connection.insertInto("note").values({ id: 2, text: LONG }).execute();
    await sql`rollback`.execute(connection);
  });
  expect(await db.selectFrom("note").select("id").execute()).toEqual([{ id: 1 }]);
  expect(inThread).toHaveBeenCalledTimes(0);
});

test("a long write that runs when the database is closed is complete or absent, and the process can end", async () => {
  const { db, file, service } = await open();
  const writing = ask(service, "POST", "/Notes", { Id: 2, Text: LONG });
  await new Promise((resolve) => {
    setTimeout(resolve, 10);
  });
  await db.destroy();
  const { status } = await writing;
  const database = new DatabaseSync(file);
  const found = database.prepare("select count(*) as found from note where id = 2").get();
  database.close();
  expect(found).toEqual({ found: status === 201 ? 1 : 0 });
});

/** A change set of two long notes. */
function changeSet(...ids: readonly number[]): object {
  const request = (id: number): object => ({
    id: String(id),
    atomicityGroup: "g",
    method: "POST",
    url: "Notes",
    body: { Id: id, Text: LONG },
  });
  return { requests: ids.map(request) };
}

/** Returns the statuses of the responses of a batch. */
function statusesOf({ body }: Answer): readonly number[] {
  return (body["responses"] as readonly { readonly status: number }[]).map(({ status }) => status);
}

test("short writes and reads beside a long change set are all answered", async () => {
  const { db, service, transactions } = await open();
  const long = ask(service, "POST", "/$batch", changeSet(1000, 1001));
  const short = Array.from({ length: 50 }, (_, index) =>
    ask(service, "POST", "/Notes", { Id: 2 + index, Text: `n${String(index)}` }),
  );
  expect((await ask(service, "GET", "/Notes(1)")).status).toBe(200);
  const again = ask(service, "POST", "/$batch", changeSet(1002, 1003));
  expect(statusesOf(await long)).toEqual([201, 201]);
  expect(new Set((await Promise.all(short)).map(({ status }) => status))).toEqual(new Set([201]));
  expect(statusesOf(await again)).toEqual([201, 201]);
  expect(transactions).toHaveBeenCalledTimes(2);
  expect(
    await db
      .selectFrom("note")
      .select(sql`count(*)`.as("count"))
      .execute(),
  ).toEqual([{ count: 55 }]);
});

test("a long change set waits for the lock of another process, and is 503 after busyTimeout", async () => {
  const { db, file, service } = await open({ options: { busyTimeout: 400 } });
  const other = lock(file);
  expect(statusesOf(await ask(service, "POST", "/$batch", changeSet(2, 3)))).toEqual([503, 503]);
  const waiting = ask(service, "POST", "/$batch", changeSet(4, 5));
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  other.exec("rollback");
  other.close();
  expect(statusesOf(await waiting)).toEqual([201, 201]);
  expect(await db.selectFrom("note").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 4 }, { id: 5 }]);
});

test("a transaction that makes a temporary table or attaches a file runs in the main thread", async () => {
  const { db, service, transactions, perform } = await open();
  let runs = 0;
  perform(async (_context, transaction) => {
    runs += 1;
    await sql`/* for later */ create temp table seen as select ${LONG} as text`.execute(transaction);
    await transaction.insertInto("note").values({ id: 2, text: OTHER }).execute();
  });
  expect((await ask(service, "POST", "/work", { text: LONG })).status).toBe(204);
  expect(await db.selectFrom("note").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 2 }]);
  expect(
    await db
      .selectFrom("seen")
      .select(sql`length(text)`.as("size"))
      .execute(),
  ).toEqual([{ size: 800_000 }]);
  expect([runs, transactions.mock.calls.length]).toEqual([2, 1]);
});

test("a long value that a short request makes is stored in the main thread", async () => {
  const { db, service, transactions, inThread, perform } = await open();
  perform(async (_context, transaction) => {
    await transaction.insertInto("note").values({ id: 2, text: LONG }).execute();
  });
  expect((await ask(service, "POST", "/work", { text: "short" })).status).toBe(204);
  expect(await db.selectFrom("note").select("id").execute()).toEqual([{ id: 1 }, { id: 2 }]);
  expect([transactions.mock.calls.length, inThread.mock.calls.length]).toEqual([0, 0]);
});

test("a service that logs statements stores long values in the thread, too", async () => {
  const { file, service: first } = await open();
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file), log: () => undefined });
  opened.push(db);
  const notes = sqlEntitySet(Note, { db, table: "note", name: "Notes", operations: ["read", "create"] });
  const service = odataService({ batch: { json: true }, entitySets: [notes] });
  await service.ready();
  const transactions = spyOnTransactions();
  transactions.mockClear();
  expect(statusesOf(await ask(service, "POST", "/$batch", changeSet(2, 3)))).toEqual([201, 201]);
  expect(transactions).toHaveBeenCalledTimes(1);
  expect((await ask(first, "GET", "/Notes/$count")).body).toBe(3);
});

test("a long transaction that is open when the database is closed is undone, and the process can end", async () => {
  const { db, file, service, perform } = await open();
  let close = (): void => undefined;
  const closing = new Promise<void>((resolve) => {
    close = resolve;
  });
  perform(async (_context, transaction) => {
    await transaction.insertInto("note").values({ id: 2, text: LONG }).execute();
    close();
    await db.destroy();
    await transaction.insertInto("note").values({ id: 3, text: LONG }).execute();
  });
  const working = ask(service, "POST", "/work", { text: LONG });
  await closing;
  expect((await working).status).toBe(500);
  const database = new DatabaseSync(file);
  expect(database.prepare("select id from note").all()).toMatchObject([{ id: 1 }]);
  database.close();
});
