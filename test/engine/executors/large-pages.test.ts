import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService, type ServiceDefaults } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NEVER } from "../../timers.ts";
import { createTable, ENGINES, type AnyDatabase, type OpenDatabase } from "./engines.ts";

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  amount: edm.decimal({ precision: 9, scale: 2 }),
  big: edm.int64(),
  at: edm.dateTimeOffset({ precision: 0 }),
});
const Word = entityType("Word", { text: edm.string().key(), id: edm.int32() });

const LENGTH = 4500;

const notes = Array.from({ length: LENGTH }, (_, index) => ({
  id: index * 2 - 50,
  text: index % 5 === 0 ? null : `é "${String(index)}"`,
  amount: `${String(index)}.50`,
  big: BigInt(index) * 2_000_000_000_000_007n,
  at: `2024-01-${String(1 + (index % 28)).padStart(2, "0")}T12:00:00Z`,
}));
const words = notes.map(({ id }, index) => ({ text: `${index % 2 === 0 ? "a" : "B"}${String(index)}`, id }));

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

function serviceOver(db: AnyDatabase, defaults: ServiceDefaults = {}) {
  return odataService({
    logger: silent,
    schemaCheck: false,
    defaults: { maxTop: null, queryTimeout: NEVER, ...defaults },
    entitySets: [
      sqlEntitySet(Note, { db, table: "notes", operations: ["read"] }),
      sqlEntitySet(Word, { db, table: "words", operations: ["read"] }),
    ],
  });
}

const inMemory = odataService({
  defaults: { maxTop: null },
  entitySets: [
    // A set that is read by key has ids, as a table does.
    entitySet(Note, { queryable: () => arraySource(Note, notes), getByKey: () => null }),
    entitySet(Word, { queryable: () => arraySource(Word, words), getByKey: () => null }),
  ],
});

type Service = ReturnType<typeof serviceOver>;

const get = (service: Service, path: string, signal?: AbortSignal): Promise<Response> =>
  service.fetch(new Request(`http://x${encodeURI(path)}`, signal && { signal }));

interface Body {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.count"?: number;
}

const QUERIES = [
  "/Notes",
  "/Notes?$count=true",
  "/Notes?$filter=Id gt 100&$skip=7&$count=true",
  "/Notes?$filter=Id gt 100 and Id lt 2099",
  "/Notes?$filter=Id gt 100 and Id lt 2101&$count=true",
  "/Notes?$top=1001&$select=Text",
  "/Notes?$top=3000&$skip=1000&$orderby=Id desc",
  "/Notes?$skip=9000&$count=true",
  "/Notes?$orderby=At desc,Id&$select=At,Id",
  "/Notes?$filter=contains(Text,'7')&$orderby=Amount desc&$top=1200",
  "/Notes?$format=application/json;IEEE754Compatible=true",
  "/Words",
  "/Words?$orderby=Text desc&$count=true",
];

describe.each(ENGINES)("$title", ({ title, open }) => {
  let database: OpenDatabase;
  beforeAll(async () => {
    database = await open();
    const time = title === "MariaDB" ? "datetime" : "timestamptz";
    await createTable(database, "notes", {
      id: "integer primary key",
      text: "varchar(50)",
      amount: title === "SQLite" ? "text" : "decimal(9,2)",
      big: "bigint",
      at: title === "SQLite" ? "text" : time,
    });
    await createTable(database, "words", { text: "varchar(50) primary key", id: "integer" });
    const { db } = database;
    const stamp = (at: string): string => (title === "MariaDB" ? at.slice(0, 19).replace("T", " ") : at);
    for (let start = 0; start < LENGTH; start += 500) {
      const rows = notes.slice(start, start + 500);
      const cells = rows.map(({ id, text, amount, big, at }) => sql`(${id}, ${text}, ${amount}, ${big}, ${stamp(at)})`);
      await sql`insert into notes values ${sql.join(cells)}`.execute(db);
      const others = words.slice(start, start + 500).map(({ text, id }) => sql`(${text}, ${id})`);
      await sql`insert into words values ${sql.join(others)}`.execute(db);
    }
    if (title !== "MariaDB") await sql`analyze`.execute(db);
    else await sql`analyze table notes, words`.execute(db);
  });
  afterAll(() => database.close());

  test.each(QUERIES)("%s is the same as of rows in memory", async (path) => {
    const [left, right] = await Promise.all([get(serviceOver(database.db), path), get(inMemory, path)]);
    expect([left.status, await left.text()]).toEqual([200, await right.text()]);
  });

  test("large pages leave their connections when they end, are left, or fail", async () => {
    const service = serviceOver(database.db);
    for (let round = 0; round < 12; round += 1) {
      const controller = new AbortController();
      const response = await get(service, "/Notes", controller.signal);
      const reader = response.body?.getReader();
      await reader?.read();
      if (round % 3 === 0) await reader?.cancel();
      else if (round % 3 === 1) controller.abort();
      else while (!((await reader?.read())?.done ?? true));
    }
    const cut = await get(serviceOver(database.db, { maxResponseEntities: 2000 }), "/Notes");
    expect([cut.status, await cut.text()]).toEqual([400, expect.stringContaining("more than 2000 entities")]);
    expect((await get(service, "/Notes(50)")).status).toBe(200);
    const { value } = JSON.parse(await (await get(service, "/Notes")).text()) as Body;
    expect(value).toHaveLength(LENGTH);
  });
});
