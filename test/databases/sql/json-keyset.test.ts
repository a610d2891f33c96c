import fc from "fast-check";
import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { RefusingDatabase } from "./refusing-database.ts";

const Kind = enumType("Kind", { First: 1, Second: 2, Zweite: 2 });
const Rights = enumType("Rights", { Read: 1, Write: 2, Own: 4 }, { isFlags: true });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  short: edm.string({ maxLength: 2 }).nullable(),
  big: edm.int64().nullable(),
  byte: edm.byte().nullable(),
  double: edm.double().nullable(),
  single: edm.single().nullable(),
  flag: edm.boolean().nullable(),
  guid: edm.guid().nullable(),
  day: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  at: edm.dateTimeOffset({ precision: 0 }).nullable(),
  kind: edm.enum(Kind).nullable(),
  price: edm.decimal({ precision: 18, scale: 2 }).nullable(),
  scaled: edm.decimal({ precision: 18, scale: 4 }).nullable(),
  rights: edm.enum(Rights).nullable(),
  lasts: edm.duration().nullable(),
  millis: edm.dateTimeOffset({ precision: 3 }).nullable(),
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom("", '"', "\\", "\u2028é€😀", "\ufeffa", "null", "\ud800", "x".repeat(1501)),
);
const number = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 0.1, 1e-7, 1e21, 1e39, 50, 2 ** 53, 0.15000000000000002, Infinity, -Infinity),
);
const day = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((each) => each.toISOString());
const CELLS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text,
  short: text,
  big: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(2n ** 53n + 1n, 0n)),
  byte: fc.nat(255),
  double: number,
  single: number,
  flag: fc.constantFrom(0, 1),
  guid: fc.uuid(),
  day: day.map((each) => each.slice(0, 10)),
  time: day.map((each) => each.slice(11, 23)),
  at: fc.oneof(
    day,
    day.map((each) => `${each.slice(0, 19)}Z`),
    day.map((each) => `${each.slice(0, 19)}.000Z`),
  ),
  kind: fc.constantFrom("First", "Second"),
  price: fc.constantFrom("1.50", "-0.5", "10", "1.500", "12345678901234567.89"),
  scaled: fc.bigInt(-(10n ** 15n), 10n ** 15n),
  rights: fc.nat(7),
  lasts: fc.constantFrom("PT1S", "P1DT2H", "-PT0.5S", "PT60S"),
  millis: fc.integer({ min: -1e12, max: 1e13 }),
};
const FIELDS = Object.keys(CELLS);
const odd = fc.constantFrom<unknown>("x", 256, 1.5, "Zweite", "2023-02-29", new Uint8Array([0x17, 0x61]), "", -0);
const row = fc.record(
  Object.fromEntries(Object.entries(CELLS).map(([field, cell]) => [field, fc.option(fc.oneof(cell, cell, cell))])),
);
type Cells = Readonly<Record<string, unknown>>;

/** Follows the next links of a page that both forms return, to the end. @returns the number of pages */
async function walk(database: RefusingDatabase, service: Service, path: string): Promise<number> {
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages += 1) {
    const { written, read } = await database.both(service, next);
    expect(written, next).toEqual(read);
    const link: unknown =
      written.status === 200 ? Reflect.get(JSON.parse(written.body) as object, "@odata.nextLink") : 0;
    next = typeof link === "string" && pages < 60 ? decodeURI(link.slice("http://service.example/".length)) : undefined;
  }
  return pages;
}

type Service = ReturnType<typeof odataService>;

describe("keyset pages that SQLite writes as JSON", () => {
  const database = new RefusingDatabase(":memory:");
  const { db, logger } = database;
  const options = {
    db,
    table: "things",
    operations: ["read"],
    columns: { scaled: { storage: "scaled" }, millis: { storage: "epoch" } },
    navigation: { same: hasMany(Thing, { target: "Things", on: { id: "id" } }) },
  } as const;
  const service = odataService({
    logger,
    schemaCheck: false,
    propertyNaming: "camelCase",
    secret: "0123456789abcdef",
    defaults: { paging: "keyset" },
    entitySets: [
      sqlEntitySet(Thing, { ...options, name: "Things", maxTop: 19 }),
      sqlEntitySet(Thing, { ...options, name: "Pairs", maxTop: 2 }),
    ],
  });
  beforeAll(() =>
    sql`create table things (id integer primary key, ${sql.join(FIELDS.map((field) => sql.id(field)))})`.execute(db),
  );
  afterAll(() => db.destroy());

  async function fill(rows: readonly Cells[]): Promise<void> {
    await sql`delete from things`.execute(db);
    const lines = rows.map((cells, id) => sql`(${id * 3}, ${sql.join(FIELDS.map((field) => cells[field] ?? null))})`);
    if (lines.length > 0) await sql`insert into things values ${sql.join(lines)}`.execute(db);
  }

  /** The properties that SQLite writes without expansions. */
  const PLAIN = FIELDS.slice(0, FIELDS.indexOf("price"));

  test("have the bytes and the tokens of pages of rows, to the last page", async () => {
    database.written = 0;
    const order = fc.tuple(fc.constantFrom(...PLAIN), fc.constantFrom("", " desc"));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 20, maxLength: 45 }), order, async (rows, [field, direction]) => {
        await fill(rows);
        const pages = await walk(database, service, `Things?$select=id,${field}&$orderby=${field}${direction}`);
        expect(pages).toBeGreaterThanOrEqual(1);
        await walk(database, service, `Things?$select=${PLAIN.join(",")},id&$count=true`);
        await walk(database, service, `Things?$select=${field}&$orderby=${field}${direction},id desc&$skip=1`);
      }),
      { numRuns: caseCount(300) },
    );
    expect(database.written).toBeGreaterThan(0);
  });

  test("have the bytes and the tokens of rows with expansions", async () => {
    database.written = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), fc.constantFrom(...FIELDS), async (rows, field) => {
        await fill(rows);
        await walk(database, service, `Pairs?$select=id,${field}&$orderby=${field}&$expand=same($select=${field})`);
        await walk(database, service, `Pairs?$orderby=${field} desc&$expand=same($select=id)&$count=true`);
      }),
      { numRuns: caseCount(400) },
    );
    expect(database.written).toBeGreaterThan(0);
  });

  test("have the bytes or the error of rows if a cell is not as odatakit writes it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 3, maxLength: 6 }),
        fc.constantFrom(...FIELDS),
        odd,
        fc.nat(),
        async (rows, field, cell, place) => {
          await fill(rows.map((cells, index) => (index === place % rows.length ? { ...cells, [field]: cell } : cells)));
          await walk(database, service, `Pairs?$select=id,${field}&$orderby=${field}&$expand=same($select=${field})`);
        },
      ),
      { numRuns: caseCount(400) },
    );
  });

  test.each([
    ["Things?$select=id,text", 3],
    ["Things?$select=id,byte&$orderby=byte desc", 3],
    ["Things?$select=id,byte&$orderby=byte desc&$count=true", 3],
    ["Things?$select=byte", 0],
    ["Things?$select=id,byte&$orderby=byte add 1", 0],
  ])("GET %s: the database writes %i of three pages", async (path, written) => {
    await fill(Array.from({ length: 50 }, (_none, index) => ({ byte: index % 7, text: `Zoë ${String(index)}` })));
    database.written = 0;
    expect(await walk(database, service, path)).toBe(3);
    expect(database.written).toBe(written);
  });

  test("are read as rows if a value has another form there", async () => {
    await fill(Array.from({ length: 50 }, () => ({ single: 1e39 })));
    const { written, read } = await database.both(service, "Things?$select=id,single&$orderby=single");
    expect(written).toEqual(read);
  });
});
