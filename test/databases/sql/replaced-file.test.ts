import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Kysely, type LogEvent, sql } from "kysely";
import { action, type Context, edm, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** SQLite writes on to a file that was replaced or deleted: such a write is 503, and nothing is written. */

const folder = mkdtempSync(join(tmpdir(), "replaced-file-"));
const LONG = "x".repeat(1_100_000);
const TABLE = `create table note (
  id integer primary key, text text not null, parent integer references note (id) deferrable initially deferred)`;

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), parent: edm.int32().nullable() });

const opened: AnyDatabase[] = [];
let places = 0;

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface OpenOptions {
  /** Makes the path that is opened, within a new folder that contains `shop.db`. */
  readonly pathIn?: (place: string) => string;
  readonly options?: SqliteOptions;
  readonly log?: (event: LogEvent) => void;
}

interface Logged {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Opened {
  readonly db: AnyDatabase;
  readonly service: ODataService;
  /** The folder with `shop.db`. */
  readonly place: string;
  readonly logged: Logged[];
}

/** Opens a new file with two notes. */
async function open({
  pathIn = (place) => join(place, "shop.db"),
  options = {},
  log,
}: OpenOptions = {}): Promise<Opened> {
  places += 1;
  const place = join(folder, String(places));
  mkdirSync(place);
  const made = new DatabaseSync(join(place, "shop.db"));
  made.exec(`${TABLE}; insert into note values (1, 'first', null), (2, 'second', null)`);
  made.close();
  const db: AnyDatabase = new Kysely({
    dialect: sqliteDialect(pathIn(place), options),
    ...(log !== undefined && { log }),
  });
  opened.push(db);
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const notes = sqlEntitySet(Note, {
    db,
    table: "note",
    operations,
    allowDeepInsert: true,
    navigation: { answers: hasMany(Note, { on: { id: "parent" }, target: "Notes" }) },
  });
  const work = action({
    authorization: [],
    handler: async (_given, context: Context) => {
      await context.inTransaction(async (inside) => {
        await inside.sets(notes).create({ id: 8, text: "in a transaction", parent: null });
      });
    },
  });
  const logged: Logged[] = [];
  const service = odataService({
    prefix: "",
    batch: { json: true },
    entitySets: [notes],
    actions: { work },
    logger: {
      error: (message, fields) => logged.push({ message, fields }),
      warn: () => undefined,
      info: () => undefined,
    },
  });
  await service.ready();
  // The first write opens the connection of writes, and the thread for long values.
  expect((await send(service, "PATCH", "/Notes(1)", { Text: "changed" })).status).toBe(200);
  return { db, service, place, logged };
}

function send(service: ODataService, method: string, path: string, body?: object): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return Promise.resolve(service.fetch(new Request(`http://notes.example${path}`, init)));
}

/** Changes of the file. The old file stays at `kept.db`, where no service opens it. */
const EVENTS: Readonly<Record<string, (place: string) => void>> = {
  "another file replaces it": (place) => {
    renameSync(join(place, "shop.db"), join(place, "kept.db"));
    const other = new DatabaseSync(join(place, "other.db"));
    other.exec(`${TABLE}; insert into note values (1, 'of the other file', null)`);
    other.close();
    renameSync(join(place, "other.db"), join(place, "shop.db"));
  },
  "it is deleted": (place) => unlinkSync(join(place, "shop.db")),
  "it is moved": (place) => renameSync(join(place, "shop.db"), join(place, "kept.db")),
  "its folder is moved": (place) => renameSync(place, `${place}-moved`),
};

const change = (id: string, body: object): object => ({
  id,
  atomicityGroup: "g",
  method: "POST",
  url: "/Notes",
  headers: { "content-type": "application/json" },
  body,
});

const WRITES: Readonly<Record<string, readonly [method: string, path: string, body?: object]>> = {
  POST: ["POST", "/Notes", { Id: 7, Text: "seventh" }],
  "POST of a long value": ["POST", "/Notes", { Id: 7, Text: LONG }],
  "deep insert": ["POST", "/Notes", { Id: 7, Text: "seventh", Answers: [{ Id: 8, Text: "eighth" }] }],
  "long deep insert": ["POST", "/Notes", { Id: 7, Text: LONG, Answers: [{ Id: 8, Text: "eighth" }] }],
  "POST along a navigation": ["POST", "/Notes(1)/Answers", { Id: 7, Text: "seventh" }],
  PATCH: ["PATCH", "/Notes(1)", { Text: "again" }],
  PUT: ["PUT", "/Notes(1)", { Text: "again", Parent: null }],
  "PUT of a property": ["PUT", "/Notes(1)/Text", { value: "again" }],
  DELETE: ["DELETE", "/Notes(2)"],
  "a link": ["POST", "/Notes(1)/Answers/$ref", { "@odata.id": "Notes(2)" }],
  "ctx.inTransaction": ["POST", "/work", {}],
};

describe.each(["wal", "keep"] as const)('after a change of the file (journalMode "%s")', (journalMode) => {
  describe.each(Object.entries(EVENTS))("%s", (_event, happen) => {
    test.each(Object.entries(WRITES))("%s is 503, and nothing is written", async (_name, [method, path, body]) => {
      const { service, place, logged } = await open({ options: { journalMode } });
      const before = await (await send(service, "GET", "/Notes")).text();
      happen(place);
      const response = await send(service, method, path, body);
      expect([response.status, response.headers.get("Retry-After"), await response.json()]).toEqual([
        503,
        "1",
        {
          error: {
            code: "ServiceUnavailable",
            message: "The database cannot be reached at the moment. Try again later.",
          },
        },
      ]);
      expect(logged.map(({ fields }) => String(fields["err"] instanceof Error && fields["err"].stack))).toHaveLength(1);
      expect(JSON.stringify(logged.map(({ fields }) => causesOf(fields["err"])))).toContain(
        `The SQLite file ${join(place, "shop.db")} `,
      );
      // The open file is as before.
      expect(await (await send(service, "GET", "/Notes")).text()).toBe(before);
      // The next write does not succeed either.
      expect((await send(service, "POST", "/Notes", { Id: 9, Text: "ninth" })).status).toBe(503);
    });

    test("a change set is 503, and nothing is written", async () => {
      const { service, place } = await open({ options: { journalMode } });
      const before = await (await send(service, "GET", "/Notes")).text();
      happen(place);
      for (const text of ["seventh", LONG]) {
        const requests = [change("1", { Id: 7, Text: text }), change("2", { Id: 8, Text: "eighth" })];
        const response = await send(service, "POST", "/$batch", { requests });
        const { responses } = (await response.json()) as { responses: readonly { readonly status: number }[] };
        expect(responses.map(({ status }) => status)).toContain(503);
        expect(responses.map(({ status }) => status)).not.toContain(201);
      }
      expect(await (await send(service, "GET", "/Notes")).text()).toBe(before);
    });

    test("statements of the application fail with the path, and write nothing", async () => {
      const { db, service, place } = await open({ options: { journalMode } });
      const before = await (await send(service, "GET", "/Notes")).text();
      happen(place);
      const path = join(place, "shop.db");
      const insert = sql`insert into note values (7, 'seventh', null)`;
      await expect(insert.execute(db)).rejects.toThrow(path);
      await expect(sql`insert into note values (7, ${LONG}, null)`.execute(db)).rejects.toThrow(path);
      await expect(sql`insert into note values (7, 'x', null) returning id`.execute(db)).rejects.toThrow(path);
      await expect(db.transaction().execute((transaction) => insert.execute(transaction))).rejects.toThrow(path);
      await expect(sql`create table other (id)`.execute(db)).rejects.toThrow(path);
      expect(await (await send(service, "GET", "/Notes")).text()).toBe(before);
    });
  });
});

/** Returns the messages of an error and of its causes. */
function causesOf(error: unknown): readonly string[] {
  return error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
}

test("writes that share a transaction are all 503", async () => {
  const { service, place } = await open();
  EVENTS["another file replaces it"]?.(place);
  const responses = await Promise.all(
    [7, 8, 9].map((id) => send(service, "POST", "/Notes", { Id: id, Text: String(id) })),
  );
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
});

test("writes through Kysely, which logs them, are 503", async () => {
  const statements: string[] = [];
  const { service, place } = await open({ log: ({ query }) => statements.push(query.sql) });
  EVENTS["another file replaces it"]?.(place);
  statements.length = 0;
  expect((await send(service, "POST", "/Notes", { Id: 7, Text: "seventh" })).status).toBe(503);
  expect(statements).toHaveLength(1);
});

test("a transaction that the replacement meets is undone", async () => {
  const { db, place } = await open();
  const transaction = db.transaction().execute(async (inside) => {
    await sql`insert into note values (7, 'seventh', null)`.execute(inside);
    EVENTS["another file replaces it"]?.(place);
  });
  await expect(transaction).rejects.toThrow(`${join(place, "shop.db")} is now another file`);
});

test("a link that leads to another file is noticed", async () => {
  const { service, place } = await open({
    pathIn: (in_) => {
      symlinkSync("shop.db", join(in_, "current.db"));
      return join(in_, "current.db");
    },
  });
  expect((await send(service, "POST", "/Notes", { Id: 7, Text: "seventh" })).status).toBe(201);
  copyFileSync(join(place, "shop.db"), join(place, "other.db"));
  unlinkSync(join(place, "current.db"));
  symlinkSync("other.db", join(place, "current.db"));
  expect((await send(service, "POST", "/Notes", { Id: 8, Text: "eighth" })).status).toBe(503);
});

test("a file that returns is written again", async () => {
  const { service, place } = await open();
  renameSync(join(place, "shop.db"), join(place, "kept.db"));
  expect((await send(service, "POST", "/Notes", { Id: 7, Text: "seventh" })).status).toBe(503);
  renameSync(join(place, "kept.db"), join(place, "shop.db"));
  expect((await send(service, "POST", "/Notes", { Id: 7, Text: "seventh" })).status).toBe(201);
});

describe("is not a change of the file", () => {
  test.each<[string, OpenOptions]>([
    ["a database in memory", { pathIn: () => ":memory:" }],
    ["a relative path", { pathIn: (place) => relative(process.cwd(), join(place, "shop.db")) }],
    ["a URI", { pathIn: (place) => pathToFileURL(join(place, "shop.db")).href }],
  ])("%s", async (name, options) => {
    if (name === "a database in memory") {
      const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
      opened.push(db);
      await sql.raw(TABLE).execute(db);
      await sql`insert into note values (1, 'first', null)`.execute(db);
      return;
    }
    const { service } = await open(options);
    for (const [id, text] of [
      [7, "seventh"],
      [8, LONG],
    ] as const) {
      expect((await send(service, "POST", "/Notes", { Id: id, Text: text })).status).toBe(201);
    }
  });

  test("another working folder of the process", async () => {
    const { service } = await open({ pathIn: (place) => relative(process.cwd(), join(place, "shop.db")) });
    const before = process.cwd();
    process.chdir(tmpdir());
    try {
      expect((await send(service, "POST", "/Notes", { Id: 7, Text: "seventh" })).status).toBe(201);
    } finally {
      process.chdir(before);
    }
  });

  test("a replaced file that is only read", async () => {
    const { place } = await open();
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(join(place, "shop.db"), { readonly: true }) });
    opened.push(db);
    const texts = sql`select text from note order by id`;
    const { rows } = await texts.execute(db);
    EVENTS["another file replaces it"]?.(place);
    expect((await texts.execute(db)).rows).toEqual(rows);
    expect(await db.transaction().execute(async (inside) => (await texts.execute(inside)).rows)).toEqual(rows);
  });
});
