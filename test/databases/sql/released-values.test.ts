import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { beforeEach, expect, test, vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** Longer than a statement may keep. */
const LONG = "long text ".repeat(1000);

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), more: edm.string().nullable() });

/** The statements that are prepared during a test. */
let prepared: StatementSync[];
let db: AnyDatabase;

beforeEach(() => {
  prepared = [];
  // oxlint-disable-next-line typescript/unbound-method -- called with the database as `this`
  const prepare = DatabaseSync.prototype.prepare;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, text) {
    const statement = prepare.call(this, text);
    // Skips the statement that tests U+0000 in `node:sqlite`: its database is closed at once.
    if (!text.startsWith("select char(97, 0")) prepared.push(statement);
    return statement;
  });
  db = new Kysely({ dialect: sqliteDialect(":memory:") });
  return async () => {
    vi.restoreAllMocks();
    await db.destroy();
  };
});

async function notes() {
  await sql`create table notes (id integer primary key, text text not null, more text, check (text <> 'bad'))`.execute(
    db,
  );
  const service = odataService({
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    entitySets: [
      sqlEntitySet(Note, {
        name: "Notes",
        db,
        table: "notes",
        operations: ["read", "create", "replace", "patch", "delete"],
      }),
    ],
  });
  return async (method: string, path: string, body?: object): Promise<number> => {
    const init = {
      method,
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    };
    const response = await service.fetch(new Request(`http://service.example/${path}`, init));
    await response.text();
    return response.status;
  };
}

/** The statements that still contain the long text. */
function holding(): readonly string[] {
  return prepared.filter(({ expandedSQL }) => expandedSQL.includes(LONG)).map(({ sourceSQL }) => sourceSQL);
}

test("statements of requests release large values, even after a failure", async () => {
  const send = await notes();
  const statuses = [
    await send("POST", "Notes", { Id: 1, Text: LONG }),
    await send("POST", "Notes", { Id: 1, Text: LONG }),
    await send("PATCH", "Notes(1)", { Text: LONG }),
    await send("PATCH", "Notes(1)", { More: LONG }),
    await send("PATCH", "Notes(1)", { Text: "bad", More: LONG }),
    await send("PUT", "Notes(1)", { Text: LONG, More: LONG }),
    await send("GET", `Notes?$filter=contains(Text,'${LONG.slice(0, 3000).replaceAll(" ", "%20")}')`),
  ];
  expect(statuses).toEqual([201, 409, 200, 200, expect.toSatisfy((status: number) => status >= 400), 200, 200]);
  expect(prepared.length).toBeGreaterThan(5);
  expect(prepared.filter(({ expandedSQL }) => expandedSQL.includes(LONG.slice(0, 3000)))).toEqual([]);
});

test("statements of Kysely release large values after a result, a failure or an abandoned stream", async () => {
  await notes();
  await db.insertInto("notes").values({ id: 1, text: LONG }).execute();
  await db.insertInto("notes").values({ id: 2, text: "b" }).execute();
  await expect(db.insertInto("notes").values({ id: 1, text: LONG }).execute()).rejects.toThrow(/UNIQUE/);
  await db.transaction().execute((trx) => trx.updateTable("notes").set({ more: LONG }).execute());
  const query = db.selectFrom("notes").select(["id", sql`${LONG}`.as("long")]);
  for await (const row of query.stream()) {
    expect(row.id).toBe(1);
    break;
  }
  expect(await query.execute()).toHaveLength(2);
  const failing = sql`insert into notes (id, text) values (3, ${LONG}), (1, ${LONG}) returning id`.compile(db);
  const stream = db.getExecutor().stream(failing, 1);
  await expect(stream.next()).rejects.toThrow(/UNIQUE/);
  expect(holding()).toEqual([]);
});

test("a statement runs again with other values after releasing its values", async () => {
  const send = await notes();
  expect(await send("POST", "Notes", { Id: 1, Text: LONG })).toBe(201);
  expect(await send("POST", "Notes", { Id: 2, Text: "b" })).toBe(201);
  expect(await send("POST", "Notes", { Id: 3, Text: LONG })).toBe(201);
  const rows = await db.selectFrom("notes").select(["id", "text"]).orderBy("id").execute();
  expect(rows).toEqual([
    { id: 1, text: LONG },
    { id: 2, text: "b" },
    { id: 3, text: LONG },
  ]);
});
