import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, enumType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPage } from "../../../src/databases/read/read-page.ts";
import { makeReader, type SqlReader } from "../../../src/databases/read/sql-reader.ts";
import { declaredEntityType } from "../../../src/definition/model/declared-entity-type.ts";
import type { QueryShape } from "../../../src/language/query/clauses.ts";
import type { JsonMembers, Page, SourceQuery } from "../../../src/language/query/source.ts";
import { compileEntityWriter } from "../../../src/payload/write-entity.ts";
import { caseCount } from "../../cases.ts";
import { written } from "../../payload/written.ts";
import type { AnyDatabase } from "./orders.ts";

const Kind = enumType("Kind", { First: 1, Second: 2, Zweite: 2 });
/** One property for each type that SQLite writes as JSON. */
const PROPERTIES = {
  text: edm.string().nullable(),
  big: edm.int64().nullable(),
  int: edm.int32().nullable(),
  short: edm.int16().nullable(),
  byte: edm.byte().nullable(),
  signed: edm.sByte().nullable(),
  double: edm.double().nullable(),
  single: edm.single().nullable(),
  flag: edm.boolean().nullable(),
  guid: edm.guid().nullable(),
  day: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  kind: edm.enum(Kind).nullable(),
} as const;
const Thing = entityType("Thing", { id: edm.int32().key(), ...PROPERTIES });
const FIELDS = Object.keys(PROPERTIES);
const model = declaredEntityType(Thing);

/** A table whose columns accept anything, since they have no type. */
async function emptyTable(): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table things (id integer primary key, ${sql.join(FIELDS.map((field) => sql.id(field)))})`.execute(
    db,
  );
  return db;
}

function readerOf(db: AnyDatabase): SqlReader {
  const made = makeReader(Thing, { db, from: "things", columns: undefined }, (message) => {
    throw new Error(message);
  });
  if (made === null) throw new Error("The reader has no fault.");
  return made;
}

const selected = Object.freeze(model.properties.map((property) => Object.freeze({ property })));
const members: JsonMembers = Object.freeze({ selected, expanded: [] });
const shape = {
  key: "",
  entitySet: { name: "Things", entityType: model } as unknown as QueryShape["entitySet"],
  entityType: model,
  filter: null,
  orderBy: [],
  selectExpand: { selected, isSelection: false, contextSelect: [], expanded: [] },
  parameters: [],
  roundingMode: "spec-compliant",
} satisfies QueryShape;
const [id] = model.properties;
if (id === undefined) throw new Error("Things have an id.");
const byId = [
  {
    expression: { kind: "property", source: { kind: "it", type: model }, property: id, type: id.type as never },
    descending: false,
  },
] as unknown as SourceQuery["orderBy"];
const wanted: SourceQuery = {
  shape,
  values: [],
  filter: null,
  selected,
  orderBy: byId,
  skip: 0,
  top: undefined,
  count: false,
  signal: undefined,
};

/** Writes a page as the response contains it, or returns the error of a value that cannot be written. */
function textOf(page: Page): string {
  if (page.json !== undefined) return Buffer.from(page.json.bytes).toString();
  const writer = compileEntityWriter(
    { entitySet: null, entityType: model },
    shape.selectExpand,
    { metadata: "minimal", ieee754Compatible: false },
    page.rowShape,
  );
  try {
    return page.entities.map((entity) => written(writer.writeItem(entity, ""))).join(",");
  } catch (error) {
    return String(error);
  }
}

const day = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((each) => each.toISOString());
const number = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 0.1, 1e-5, 1e-7, 1e21, 123_456_789.125, 2 ** 53, 2 ** 63, -1e15, 5e-324, Infinity, -Infinity),
  fc.integer({ min: -1e7, max: 1e7 }).map((cents) => cents / 100),
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '"', "\\", "\n\t\u0001\u001f\u007f", "\u2028é€😀", "\ufeffa", "null", "\\u0000"),
);
const bigint = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(2n ** 53n + 1n, 0n, -1n));
/** Cells that are the JSON of their value, apart from quotes. */
const CANONICAL: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: text.filter((each) => !each.includes("\0")),
  big: bigint,
  int: fc.integer(),
  short: fc.integer({ min: -32_768, max: 32_767 }),
  byte: fc.nat(255),
  signed: fc.integer({ min: -128, max: 127 }),
  double: number.filter((each) => !Object.is(each, -0)),
  single: number.filter((each) => !Object.is(each, -0)),
  flag: fc.boolean(),
  guid: fc.uuid(),
  day: day.map((each) => each.slice(0, 10)),
  time: fc.oneof(
    day.map((each) => each.slice(11, 19)),
    day.map((each) => each.slice(11, 23)),
  ),
  at: fc.oneof(
    day,
    day.map((each) => `${each.slice(0, 19)}Z`),
  ),
  kind: fc.constantFrom("First", "Second"),
};
/** Cells that SQLite may contain in any column. */
const odd = fc.oneof(
  text,
  number,
  bigint,
  fc.uint8Array({ maxLength: 3 }),
  fc.constantFrom(
    "Zweite",
    "Third",
    "2023-02-29",
    "2024-02-29",
    "0000-01-01",
    "12:30",
    "24:00:00",
    "12:30:60",
    "12:30:00.",
    "12:30:00.1234567890123",
    "2024-02-30T00:00:00Z",
    "2024-01-01T00:00:00+01:00",
    "2024-01-01t00:00:00z",
    "2024-01-01 00:00:00Z",
    "2024-13-01T00:00:00.5Z",
    "0B5E3D4C-8C3F-4B1E-8D1F-0123456789AB",
    "0b5e3d4c-8c3f-4b1e-8d1f-0123456789ag",
    "true",
    256,
    -129,
    2 ** 31,
    5.5,
  ),
);

const rowOf = (cells: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(cells).map(([field, cell]) => [field, fc.option(cell)])));
const canonicalRow = rowOf(CANONICAL);
const oddRow = fc
  .tuple(canonicalRow, fc.constantFrom(...FIELDS), odd)
  .map(([row, field, cell]) => ({ ...row, [field]: cell }));

/** A set that is read by key has ids, as a table does. No request reads one. */
const unread = () => null;

describe("a page of SQLite as JSON", () => {
  let db: AnyDatabase;
  let reader: SqlReader;
  beforeAll(async () => {
    db = await emptyTable();
    reader = readerOf(db);
  });
  afterAll(() => db.destroy());

  async function fill(rows: readonly Record<string, unknown>[]): Promise<void> {
    await sql`delete from things`.execute(db);
    for (const [index, row] of rows.entries()) {
      const cells = FIELDS.map((field) => sql`${row[field] ?? null}`);
      await sql`insert into things values (${index}, ${sql.join(cells)})`.execute(db);
    }
  }

  test("has the bytes of the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(canonicalRow, { maxLength: 6 }), async (rows) => {
        await fill(rows);
        const page = await readPage(reader, { ...wanted, json: members });
        expect(page.json?.length).toBe(rows.length);
        expect(textOf(page)).toBe(textOf(await readPage(reader, wanted)));
        const { bytes, lastStart } = page.json ?? { bytes: new Uint8Array(), lastStart: 0 };
        expect(Buffer.from(bytes.subarray(lastStart)).toString()).toMatch(
          rows.length === 0 ? /^$/u : new RegExp(`^\\{"id":${String(rows.length - 1)},`, "iu"),
        );
      }),
      { numRuns: caseCount(3000) },
    );
  });

  test("has the bytes or the error of the same rows if cells are not as odatakit writes them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(canonicalRow, oddRow), { minLength: 1, maxLength: 4 }), async (rows) => {
        await fill(rows);
        const page = await readPage(reader, { ...wanted, json: members });
        expect(textOf(page)).toBe(textOf(await readPage(reader, wanted)));
      }),
      { numRuns: caseCount(6000) },
    );
  });

  test.each([
    ["invalid UTF-8", sql`cast(x'61ff' as text)`],
    ["an overlong character", sql`cast(x'c080' as text)`],
    ["an overlong character of three bytes", sql`cast(x'e08080' as text)`],
    ["a surrogate", sql`cast(x'eda080' as text)`],
    ["a character that is cut off", sql`cast(x'f09f98' as text)`],
    ["an overlong character of four bytes", sql`cast(x'f0808080' as text)`],
    ["a character beyond Unicode", sql`cast(x'f4908080' as text)`],
    ["a byte that begins no character", sql`cast(x'f8808080' as text)`],
    ["NUL", sql`'a' || char(0) || 'b'`],
    ["bytes", sql`x'61'`],
    ["negative zero in a column of numbers", sql`-0.0`],
  ])("is read as rows for %s", async (_, cell) => {
    await fill([{}]);
    for (const field of ["text", "double"]) {
      await sql`update things set ${sql.id(field)} = ${cell}`.execute(db);
      const page = await readPage(reader, { ...wanted, json: members });
      expect(textOf(page)).toBe(textOf(await readPage(reader, wanted)));
      await sql`update things set ${sql.id(field)} = null`.execute(db);
    }
  });
});

describe("collections over SQLite that are read as JSON", () => {
  const count = 2500;
  const rows = Array.from({ length: count }, (_none, index) => ({
    id: index,
    name: `Zoë "${String(index)}" ${"x".repeat(index % 50)}`,
    price: index / 8,
    at: index % 3 === 0 ? null : `2024-02-29T10:${String(index % 60).padStart(2, "0")}:00Z`,
    isOdd: index % 2 === 1,
  }));
  const Item = entityType("Item", {
    id: edm.int32().key(),
    name: edm.string(),
    price: edm.double(),
    at: edm.dateTimeOffset({ precision: 0 }).nullable(),
    isOdd: edm.boolean(),
  });
  const options = { maxTop: null, propertyNaming: "PascalCase" } as const;
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  const memory = odataService({
    defaults: { maxResponseEntities: 2400 },
    entitySets: [
      entitySet(Item, {
        name: "Items",
        maxTop: options.maxTop,
        queryable: () => arraySource(Item, rows),
        getByKey: unread,
      }),
      entitySet(Item, {
        name: "Möbel",
        maxTop: null,
        queryable: () => arraySource(Item, rows),
        getByKey: unread,
      }),
      entitySet(Item, {
        name: "Tagged",
        etag: ["id"],
        maxTop: null,
        queryable: () => arraySource(Item, rows),
        getByKey: unread,
      }),
    ],
  });
  const database = odataService({
    defaults: { maxResponseEntities: 2400 },
    entitySets: [
      sqlEntitySet(Item, { name: "Items", db, table: "items", operations: ["read"], maxTop: null }),
      sqlEntitySet(Item, { name: "Möbel", db, table: "items", operations: ["read"], maxTop: null }),
      sqlEntitySet(Item, { name: "Tagged", db, table: "items", operations: ["read"], maxTop: null, etag: ["id"] }),
    ],
  });

  beforeAll(async () => {
    await sql`create table items (
      id integer primary key, name text not null, price real not null, at text, "isOdd" integer not null
    )`.execute(db);
    for (const row of rows) {
      await sql`insert into items values (${row.id}, ${row.name}, ${row.price}, ${row.at}, ${row.isOdd})`.execute(db);
    }
  });
  afterAll(() => db.destroy());

  test.each([
    ["Items?$top=19", {}],
    ["Items?$top=20", {}],
    ["Items?$top=63", {}],
    ["Items?$top=64", {}],
    ["Items?$top=1000", {}],
    ["Items?$top=2000", {}],
    ["Items?$top=2400&$count=true", {}],
    ["Items", {}],
    ["Items?$top=2401", {}],
    ["Items?$top=70&$skip=2480&$count=true", {}],
    ["Items?$top=70&$skip=9999&$count=true", {}],
    ["Items?$filter=Id lt 0&$count=true", {}],
    ["Items?$filter=Id lt 5&$orderby=Price desc", {}],
    ["Items?$filter=IsOdd and contains(Name,'12')&$select=Name,Price&$top=70&$count=true", {}],
    ["Items?$skip=2300", { Prefer: "odata.maxpagesize=100" }],
    ["Items?$skip=2300", { Prefer: "odata.maxpagesize=10" }],
    ["Items?$skip=2425", { Prefer: "odata.maxpagesize=75" }],
    ["Items?$skip=2425&$count=true", { Prefer: "odata.maxpagesize=74" }],
    ["Items?$top=70", { Accept: "application/json;odata.metadata=none" }],
    ["Items?$top=70", { Accept: "application/json;odata.metadata=full" }],
    ["Items?$top=70", { Accept: "application/json;IEEE754Compatible=true" }],
    ["Items/$ref?$top=70", {}],
    ["Items?$select=Name&$top=1000", {}],
    ["Items?$select=Name&$top=2401", {}],
    ["Items?$select=Name&$top=70&$count=true", { Host: "items.example:8080" }],
    ["Items?$select=IsOdd,At&$orderby=Name desc&$top=70", {}],
    ["Items?$select=Name&$skip=2300", { Prefer: "odata.maxpagesize=100" }],
    ["Items?$select=Name&$filter=Id lt 0&$count=true", {}],
    ["Items?$select=Name&$top=70", { Accept: "application/json;odata.metadata=none" }],
    ["Items?$select=Name&$top=70", { Accept: "application/json;odata.metadata=full" }],
    ["M%C3%B6bel?$select=Name&$top=70&$filter=Id lt 3 or Id gt 2480", {}],
    ["Tagged?$select=Name&$top=70", {}],
    ["Tagged?$top=70", {}],
    ["Tagged?$top=70", { Accept: "application/json;odata.metadata=none" }],
  ] as const)("GET %s %j is the same as over an array", async (path, headers) => {
    const [expected, found] = await Promise.all(
      [memory, database].map(async (service) => {
        const response = await service.fetch(
          new Request(`http://service.example/${encodeURI(path).replaceAll("%25", "%")}`, { headers }),
        );
        return { status: response.status, headers: comparable(response.headers), body: await response.text() };
      }),
    );
    expect(found).toEqual(expected);
  });

  test("entities without their key are read by one statement, which writes their ids", async () => {
    const statements: string[] = [];
    const traced = odataService({
      onStatement: ({ sql: text }) => void statements.push(text),
      entitySets: [sqlEntitySet(Item, { name: "Items", db, table: "items", operations: ["read"] })],
    });
    const request = new Request("http://service.example/Items?$select=Name&$top=70");
    const { value } = (await (await traced.fetch(request)).json()) as { readonly value: readonly unknown[] };
    expect(value[69]).toEqual({ "@odata.id": "http://service.example/Items(69)", Name: rows[69]?.name });
    expect(statements.filter((text) => text.includes("items"))).toEqual([expect.stringContaining("@odata.id")]);
  });

  function comparable(headers: Headers): object {
    return Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id"));
  }
});

describe("collections over SQLite that a reader thread reads as JSON", () => {
  const folder = mkdtempSync(join(tmpdir(), "json-pages-"));
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(join(folder, "notes.db")) });
  const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), cost: edm.decimal({ scale: 2 }) });
  const size = 30_000;
  const rows = Array.from({ length: size }, (_none, id) => ({ id, text: `Zoë ${String(id)}`, cost: "1.50" }));
  const logged: string[] = [];
  const note = (_message: string, fields?: unknown): void => {
    logged.push(String((fields as { readonly err?: unknown } | undefined)?.err));
  };
  const logger = { error: note, warn: () => {}, info: () => {} };
  const navigation = { same: hasMany(Note, { target: "Notes", on: { id: "id" } }) };
  const options = { name: "Notes", maxTop: null, navigation };
  const memory = odataService({
    entitySets: [entitySet(Note, { ...options, queryable: () => arraySource(Note, rows), getByKey: unread })],
  });
  const database = odataService({
    logger,
    schemaCheck: false,
    entitySets: [sqlEntitySet(Note, { ...options, db, table: "notes", operations: ["read"] })],
  });
  const ask = async (service: typeof memory, path: string): Promise<readonly [status: number, body: string]> => {
    const response = await service.fetch(
      new Request(`http://service.example/${encodeURI(path).replaceAll("%25", "%")}`),
    );
    return [response.status, await response.text()];
  };

  beforeAll(async () => {
    await sql`create table notes (id integer primary key, text text, cost text)`.execute(db);
    await sql`insert into notes with recursive n(i) as (select 0 union all select i + 1 from n where i < ${size - 1})
      select i, 'Zoë ' || i, '1.50' from n`.execute(db);
  });
  afterAll(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });

  test.each([
    "Notes?$filter=contains(Text,'7')&$select=Id,Text&$top=1500&$count=true",
    "Notes?$filter=contains(Text,'x')&$select=Id,Text",
    "Notes?$filter=contains(Text,'77')&$top=100",
  ])("GET %s is the same as over an array", async (path) => {
    expect(await ask(database, path)).toEqual(await ask(memory, path));
  });

  test("expands in the same statement", async () => {
    const [status, body] = await ask(
      database,
      "Notes?$filter=contains(Text,'77')&$select=Id,Text&$top=30&$expand=Same($select=Id,Cost;$count=true)",
    );
    const found = rows.filter(({ text }) => text.includes("77")).slice(0, 30);
    const expected = found.map(
      ({ id, text }) =>
        `{"Id":${String(id)},"Text":"${text}","Same@odata.count":1,"Same":[{"Id":${String(id)},"Cost":1.50}]}`,
    );
    expect(status).toBe(200);
    expect(body.slice(body.indexOf("["), -1)).toBe(`[${expected.join(",")}]`);
  });

  test.each([
    ["null in a required property", sql`null`, /Text: .* null, but the property is not nullable/u],
    ["bytes", sql`x'ffff'`, /contains bytes where Text/u],
    ["bytes that are JSON in binary form", sql`x'1761'`, /contains bytes where Text/u],
  ])("%s is the error of the row, at once and in a thread", async (_, cell, message) => {
    await sql`update notes set text = ${cell} where id = 29`.execute(db);
    for (const path of ["Notes?$select=Id,Text&$top=100", "Notes?$select=Id,Text&$filter=Id mod 29 eq 0&$top=100"]) {
      logged.length = 0;
      expect((await ask(database, path))[0]).toBe(500);
      expect(logged).toEqual([expect.stringMatching(message)]);
    }
    await sql`update notes set text = 'Zoë 29' where id = 29`.execute(db);
  });
});
