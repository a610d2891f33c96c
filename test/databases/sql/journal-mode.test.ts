import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const ROWS = 30_000;
const folder = mkdtempSync(join(tmpdir(), "journal-"));
const opened: AnyDatabase[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function makeFile(name: string, mode: string): string {
  const path = join(folder, `${name}-${mode}.db`);
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = ${mode}; create table notes (id integer primary key, text text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
    insert into notes select i, 'Note ' || i from n; analyze`);
  database.close();
  return path;
}

/** Returns the journal mode that the file records: 2 is a write-ahead log. @see https://sqlite.org/fileformat.html */
const hasLog = (path: string): boolean => readFileSync(path)[18] === 2;

function serve(path: string, options: SqliteOptions): ODataService {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, options) });
  opened.push(db);
  const operations = ["read", "create", "patch"] as const;
  return odataService({
    defaults: { maxTop: null, maxPageSize: 50_000 },
    logger: recordingLogger(),
    entitySets: [
      sqlEntitySet(Note, { db, table: "notes", operations: options.readonly === true ? ["read"] : operations }),
    ],
  });
}

async function send(service: ODataService, method: string, path: string, body?: object): Promise<[number, unknown]> {
  const init = { method, headers: { "Content-Type": "application/json" } };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const response = await service.fetch(new Request(`http://x${encodeURI(path)}`, sent));
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}

describe("the journal mode of a file", () => {
  test.each([
    ["by default, a writable file gets a write-ahead log", "delete", {}, true],
    ["`wal` does the same", "delete", { journalMode: "wal" }, true],
    ["`keep` leaves a rollback journal", "delete", { journalMode: "keep" }, false],
    ["`keep` leaves another rollback journal", "persist", { journalMode: "keep" }, false],
    ["`keep` leaves a write-ahead log", "wal", { journalMode: "keep" }, true],
    ["a file that is opened read-only is not changed", "delete", { readonly: true }, false],
  ] as const)("%s", async (title, mode, options: SqliteOptions, expected) => {
    const path = makeFile(title.replaceAll(/\W/g, ""), mode);
    const service = serve(path, options);
    expect((await send(service, "GET", "/Notes(7)"))[0]).toBe(200);
    if (options.readonly !== true) {
      expect((await send(service, "POST", "/Notes", { Id: 0, Text: "new" }))[0]).toBe(201);
      expect((await send(service, "PATCH", "/Notes(7)", { Text: "changed" }))[0]).toBe(200);
    }
    const [status, page] = await send(service, "GET", "/Notes?$filter=contains(Text,'9')&$count=true&$orderby=Text");
    expect(status).toBe(200);
    expect(page).toMatchObject({ "@odata.count": expect.any(Number) });
    const [all, list] = await send(service, "GET", "/Notes");
    expect(all).toBe(200);
    expect((list as { value: readonly object[] }).value).toHaveLength(options.readonly === true ? ROWS : ROWS + 1);
    await Promise.all(opened.splice(0).map((db) => db.destroy()));
    expect(hasLog(path)).toBe(expected);
  });

  test("with `keep`, a long read and writes at the same time do not fail", async () => {
    const service = serve(makeFile("both", "delete"), { journalMode: "keep" });
    const ids = Array.from({ length: 20 }, (_, index) => 100_000 + index);
    const results = await Promise.all([
      ...ids.map((id) => send(service, "POST", "/Notes", { Id: id, Text: "new" })),
      ...ids.map(() => send(service, "GET", "/Notes?$orderby=Text&$filter=contains(Text,'77')")),
    ]);
    expect(new Set(results.map(([status]) => status))).toEqual(new Set([200, 201]));
  });

  test("with `keep`, a reader of another process delays a commit until `busyTimeout`", async () => {
    const path = makeFile("reader", "delete");
    const service = serve(path, { journalMode: "keep", busyTimeout: 100 });
    expect((await send(service, "GET", "/Notes(7)"))[0]).toBe(200);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("begin; select * from notes limit 1");
    expect((await send(service, "POST", "/Notes", { Id: 0, Text: "new" }))[0]).toBe(503);
    reader.exec("rollback");
    reader.close();
    expect((await send(service, "POST", "/Notes", { Id: 0, Text: "new" }))[0]).toBe(201);
  });

  test("with `keep`, a new file has the journal of SQLite", async () => {
    const path = join(folder, "new.db");
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, { journalMode: "keep" }) });
    opened.push(db);
    await sql`create table notes (id integer primary key)`.execute(db);
    expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: "delete" }]);
  });

  test("reports a `journalMode` that does not exist", () => {
    const options = { journalMode: "delete" } as unknown as SqliteOptions;
    expect(() => sqliteDialect("x.db", options)).toThrow('`journalMode` cannot be "delete". Give "wal" or "keep".');
  });
});
