import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { LongWrites } from "../../src/kysely/sqlite/long-writes.ts";
import type { AnyDatabase } from "../executors/engines.ts";

/** Values of more than a million characters are stored in a thread, in a transaction of their own. */

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
}

function spyOnThread() {
  return vi.spyOn(LongWrites.prototype, "run");
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
  });
  const service = odataService({
    batch: { json: true },
    entitySets: [notes],
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
  await service.ready();
  await ask(service, "POST", "/Notes", { Id: 1, Text: "short" });
  return { db, file: name, service, inThread: spyOnThread() };
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
    const { db, service } = await open(place);
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
