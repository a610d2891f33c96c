import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely } from "kysely";
import { type Context, edm, entityType, hasMany, action, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createTable,
  type AnyDatabase,
  type DatabaseEngine,
  ENGINES,
  type OpenDatabase,
} from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";
import { isDistributed } from "../distributed/watched-database.ts";

/**
 * Writes after the insert of a key that no number represents: SQLite reports the last row id with each result, also with
 * that of `begin`.
 */

const folder = mkdtempSync(join(tmpdir(), "large-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LARGE = 9007199254740993n;
const LONG = "x".repeat(1_100_000);

const Note = entityType("Note", { id: edm.int64().key(), text: edm.string(), parent: edm.int64().nullable() });

const FILES: readonly DatabaseEngine[] = (["wal", "keep"] as const).map((journalMode) => ({
  name: "sqlite",
  title: `a file of SQLite (journalMode "${journalMode}")`,
  open: () => {
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(join(folder, `${journalMode}.db`), { journalMode }) });
    return Promise.resolve({ db, close: () => db.destroy() });
  },
}));

describe.each([...FILES, ...ENGINES])("a key beyond the integers of a number over $title", (engine) => {
  let database: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    database = await engine.open();
    const text = engine.name === "mariadb" ? "longtext" : "text";
    await createTable(database, "note", {
      id: engine.name === "sqlite" ? "integer primary key" : "bigint primary key",
      text: `${text} not null`,
      parent: "bigint",
    });
    const { db } = database;
    const notes = sqlEntitySet(Note, {
      db,
      distributed: isDistributed(db),
      table: "note",
      operations: ["read", "create", "replace", "patch", "delete"],
      allowDeepInsert: true,
      navigation: { answers: hasMany(Note, { on: { id: "parent" }, target: "Notes" }) },
    });
    const work = action({
      authorization: [],
      handler: (_given, context: Context) =>
        context.inTransaction(async (inside) => {
          await inside.sets(notes).create({ id: LARGE + 30n, text: "in a transaction", parent: null });
          await inside.sets(notes).create({ id: LARGE + 31n, text: "in a transaction", parent: null });
        }),
    });
    service = odataService({
      prefix: "",
      batch: { json: true },
      entitySets: [notes],
      actions: { work },
      logger: noFailures,
    });
  });
  afterAll(() => database.close());

  async function send(method: string, path: string, body?: string): Promise<readonly [number, string]> {
    const headers = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" };
    const response = await service.fetch(
      new Request(`http://notes.example${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
    );
    return [response.status, await response.text()];
  }

  test("each write succeeds after it, and each read", async () => {
    const note = (offset: bigint, text = "a"): string =>
      `{"Id":${String(LARGE + offset)},"Text":"${text}","Parent":null}`;
    expect(await send("POST", "/Notes", note(0n))).toEqual([201, note(0n)]);
    expect(await send("POST", "/Notes", note(2n))).toEqual([201, note(2n)]);
    expect(await send("PATCH", `/Notes(${String(LARGE)})`, '{"Text":"b"}')).toEqual([200, note(0n, "b")]);
    expect(await send("PUT", `/Notes(${String(LARGE)})`, '{"Text":"c"}')).toEqual([200, note(0n, "c")]);
    expect(await send("DELETE", `/Notes(${String(LARGE + 2n)})`)).toEqual([204, ""]);
    expect((await send("POST", "/Notes", note(4n, LONG)))[0]).toBe(201);
    expect((await send("PATCH", `/Notes(${String(LARGE)})`, `{"Text":"${LONG}"}`))[0]).toBe(200);
    const graph = (offset: bigint, text: string): string =>
      `{"Id":${String(LARGE + offset)},"Text":"${text}","Answers":[${note(offset + 1n).replace(',"Parent":null', "")}]}`;
    expect((await send("POST", "/Notes", graph(6n, "d")))[0]).toBe(201);
    expect((await send("POST", "/Notes", graph(8n, LONG)))[0]).toBe(201);
    const link = `{"@odata.id":"Notes(${String(LARGE)})"}`;
    expect(await send("POST", `/Notes(${String(LARGE + 6n)})/Answers/$ref`, link)).toEqual([204, ""]);
    for (const [offset, text] of [
      [20n, "e"],
      [22n, LONG],
    ] as const) {
      const requests = [offset, offset + 1n].map((each) => ({
        id: String(each),
        atomicityGroup: "g",
        method: "POST",
        url: "/Notes",
        headers: { "content-type": "application/json;IEEE754Compatible=true" },
        body: { Id: String(LARGE + each), Text: text },
      }));
      const [status, responses] = await send("POST", "/$batch", JSON.stringify({ requests }));
      expect([status, responses.match(/"status":\d+/g)]).toEqual([200, ['"status":201', '"status":201']]);
    }
    expect(await send("POST", "/work", "{}")).toEqual([204, ""]);
    const ids = [0n, 4n, 6n, 7n, 8n, 9n, 20n, 21n, 22n, 23n, 30n, 31n].map((offset) => LARGE + offset);
    expect(await send("GET", "/Notes?$select=Id&$orderby=Id")).toEqual([
      200,
      `{"value":[${ids.map((id) => `{"Id":${String(id)}}`).join(",")}]}`,
    ]);
    expect(
      await send(
        "GET",
        `/Notes?$filter=Id eq ${String(LARGE + 6n)}&$select=Id&$expand=Answers($select=Id;$orderby=Id)`,
      ),
    ).toEqual([
      200,
      `{"value":[{"Id":${String(LARGE + 6n)},"Answers":[{"Id":${String(LARGE)}},{"Id":${String(LARGE + 7n)}}]}]}`,
    ]);
  });
});
