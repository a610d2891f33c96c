import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sentStatements } from "../../databases/sql/sent-statements.ts";
import { countStatements } from "./count-statements.ts";
import { ENGINES, type AnyDatabase } from "./engines.ts";

const ROWS = 60;
const Part = entityType("Part", { id: edm.int32().key(), item: edm.int32(), name: edm.string() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  kind: edm.int32().nullable(),
  name: edm.string(),
  bytes: edm.binary(),
});
const parts = Array.from({ length: ROWS * 3 }, (_, id) => ({ id, item: id % 20, name: `part ${String(id)}` }));
const items = Array.from({ length: ROWS }, (_, id) => ({
  id,
  kind: id % 7 === 0 ? null : id % 5,
  name: `item ${String(id % 9)}`,
  bytes: new Uint8Array([id]),
}));
const withParts = items.map((item) => ({ ...item, parts: parts.filter((part) => part.item === item.id) }));

type Statements = readonly [sqlite: number, postgres: number, mariadb: number];
/** The paths of pages, and the number of their statements. */
const PAGES: readonly (readonly [path: string, statements: Statements])[] = [
  ["Items?$count=true&$top=20&$select=Id,Kind", [1, 1, 1]],
  ["Items?$count=true&$top=3&$select=Id,Kind", [1, 1, 1]],
  // Many rows would contain the total many times.
  ["Items?$count=true&$select=Id&$top=100", [1, 1, 1]],
  ["Items?$count=true&$select=Id&$top=101", [1, 2, 2]],
  ["Items?$count=true&$select=Id", [1, 2, 2]],
  ["Items?$count=true&$select=Id&$filter=Kind eq 3&$orderby=Name desc&$top=50", [1, 1, 1]],
  ["Items?$count=true&$select=Id&$filter=Kind eq 3 and Id gt 20&$top=2&$skip=1", [1, 1, 1]],
  ["Items?$count=true&$select=Id,Name&$filter=Parts/any(p:p/Name eq 'part 7')&$top=1", [1, 1, 1]],
  ["Items?$count=true&$select=Id&$filter=Id lt 0&$top=9", [1, 1, 1]],
  ["Items?$count=true&$select=Id&$top=20&$skip=50", [1, 1, 1]],
  // Rows of an empty page cannot contain the total.
  ["Items?$count=true&$select=Id&$top=20&$skip=70", [1, 2, 2]],
  ["Items?$count=true&$top=0", [1, 1, 1]],
  ["Items/$count?$filter=Kind eq 3", [1, 1, 1]],
  // SQLite returns bytes as rows, which it counts only if the page does not imply the total.
  ["Items?$count=true&$top=20", [2, 1, 1]],
  ["Items?$count=true&$top=20&$skip=50", [1, 1, 1]],
  ["Items?$count=true&$top=20&$select=Id&$expand=Parts($select=Id;$top=2)", [1, 1, 2]],
  ["Items?$top=20&$select=Id&$expand=Parts($select=Id;$top=2;$count=true)", [1, 1, 3]],
  ["Items?$count=true&$top=2&$select=Id&$expand=Parts($select=Id;$top=2;$count=true;$orderby=Id desc)", [1, 1, 3]],
];

const settings = { secret: "0123456789abcdef", schemaCheck: false } as const;
const navigation = { parts: hasMany(Part, { target: "Parts", on: { id: "item" } }) } as const;
const memory = odataService({
  ...settings,
  entitySets: [
    entitySet(Item, {
      queryable: () => arraySource(Item, withParts),
      getByKey: (id) => items.find((item) => item.id === id) ?? null,
      navigation,
    }),
    entitySet(Item, {
      name: "Keyed",
      queryable: () => arraySource(Item, items),
      getByKey: (id) => items.find((item) => item.id === id) ?? null,
      paging: "keyset",
      maxTop: 7,
    }),
    entitySet(Part, {
      queryable: () => arraySource(Part, parts),
      getByKey: (id) => parts.find((part) => part.id === id) ?? null,
    }),
  ],
});

function serviceOver(db: AnyDatabase) {
  const operations = ["read"] as const;
  return odataService({
    ...settings,
    entitySets: [
      sqlEntitySet(Item, { db, table: "items", operations, navigation }),
      sqlEntitySet(Item, { db, table: "items", name: "Keyed", operations, paging: "keyset", maxTop: 7 }),
      sqlEntitySet(Part, { db, table: "parts", operations }),
    ],
  });
}

async function fill(db: AnyDatabase, bytes: string): Promise<void> {
  await sql`create table items (id integer primary key, kind integer, name varchar(20) not null, bytes ${sql.raw(bytes)} not null)`.execute(
    db,
  );
  await sql`create table parts (id integer primary key, item integer not null, name varchar(20) not null)`.execute(db);
  await sql`create index parts_item on parts (item)`.execute(db);
  await db
    .insertInto("items")
    .values(items.map((item) => ({ ...item, bytes: Buffer.from(item.bytes) })))
    .execute();
  await db.insertInto("parts").values(parts).execute();
}

interface Asked {
  fetch(request: Request): Response | PromiseLike<Response>;
}

async function read(service: Asked, path: string): Promise<string> {
  const response = await service.fetch(new Request(`http://service.example/${encodeURI(path)}`));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

/** A database, and the way to see its statements. */
interface Observed {
  readonly db: AnyDatabase;
  readonly close: () => Promise<void>;
  readonly statementsOf: (run: () => Promise<unknown>) => Promise<readonly string[]>;
}

function openSqlite(): Observed {
  const counter = countStatements(sqliteDialect(":memory:"));
  const db: AnyDatabase = new Kysely({ dialect: counter.dialect, log: counter.log });
  return {
    db,
    close: () => db.destroy(),
    statementsOf: async (run) => {
      counter.reset();
      await run();
      return counter.texts();
    },
  };
}

describe.each(ENGINES)("pages with their counts over $title", (engine) => {
  let opened: Observed | undefined;
  let service: ReturnType<typeof serviceOver> | undefined;
  const place = ["sqlite", "postgres", "mariadb"].indexOf(engine.name);
  beforeAll(async () => {
    if (engine.name === "sqlite") {
      opened = openSqlite();
    } else {
      const { db, close } = await engine.open();
      const statementsOf: Observed["statementsOf"] = async (run) =>
        (await sentStatements(db, run))
          // A batch of `pg` is one query.
          .flatMap(({ sql: text }) => text.split("; "))
          .filter((text) => /\bselect\b/.test(text));
      opened = { db, close, statementsOf };
    }
    await fill(opened.db, engine.name === "postgres" ? "bytea" : "blob");
    service = serviceOver(opened.db);
  });
  afterAll(() => opened?.close());

  test.each(PAGES)("%s", async (path, statements) => {
    if (opened === undefined || service === undefined) throw new Error("No database is open.");
    const ready = service;
    const expected = await read(memory, path);
    expect(await read(ready, path)).toBe(expected);
    let text = "";
    const sent = await opened.statementsOf(async () => {
      text = await read(ready, path);
    });
    expect(text).toBe(expected);
    expect(sent, sent.join("\n")).toHaveLength(statements[place] ?? 0);
  });

  test.each(["Id", "Kind desc,Name", "Id,Bytes"])(
    "keyset pages with the properties and the order %s count all entities",
    async (properties) => {
      if (opened === undefined || service === undefined) throw new Error("No database is open.");
      const ready = service;
      const order = properties.includes("Bytes") ? "Id" : properties;
      const select = properties === "Kind desc,Name" ? "Id,Kind,Name" : properties;
      const path = `Keyed?$count=true&$select=${select}&$filter=Id gt 3 and Kind ne 4&$orderby=${order}`;
      const total = (JSON.parse(await read(memory, path)) as Record<string, unknown>)["@odata.count"];
      const whole = JSON.parse(await read(memory, path.replace("Keyed", "Items"))) as { readonly value: unknown[] };
      const found: unknown[] = [];
      for (let next: string | undefined = path; next !== undefined;) {
        const target: string = next;
        let body: Readonly<Record<string, unknown>> = {};
        const sent = await opened.statementsOf(async () => {
          body = JSON.parse(await read(ready, target)) as typeof body;
        });
        expect(body["@odata.count"]).toBe(total);
        found.push(...(body["value"] as unknown[]));
        const link = body["@odata.nextLink"];
        const isWritten = engine.name !== "sqlite" || !properties.includes("Bytes");
        // The first page after another reads once which columns are `not null`.
        const ofPages = sent.filter((text) => !/pragma_table_xinfo|pg_attribute/.test(text));
        expect(sent.length - ofPages.length).toBeLessThanOrEqual(target === path ? 0 : 1);
        expect(ofPages.length, sent.join("\n")).toBeLessThanOrEqual(isWritten ? 1 : 2);
        next = typeof link === "string" ? decodeURI(link.slice("http://service.example/".length)) : undefined;
      }
      expect(found).toEqual(whole.value);
      expect(found).toHaveLength(Number(total));
    },
  );
});
