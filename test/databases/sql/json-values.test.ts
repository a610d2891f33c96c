import fc from "fast-check";
import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { RefusingDatabase } from "./refusing-database.ts";

const Rights = enumType("Rights", { Read: 1, Write: 2, Both: 3, Own: 4 }, { isFlags: true });
const State = enumType("State", { Öffen: 1, Paid: 2 });

/** With metadata, entities without their key have ids, which are not part of the JSON of the database. */
const WITHOUT_METADATA = "application/json;odata.metadata=none";

/** One property for each kind of column whose values are neither the texts nor the numbers of their cells. */
const Value = entityType("Value", {
  id: edm.int32().key(),
  price: edm.decimal({ precision: 18, scale: 4 }).nullable(),
  scaled: edm.decimal({ precision: 18, scale: 2 }).nullable(),
  real: edm.decimal().nullable(),
  rounded: edm.decimal({ precision: 18, scale: 2 }).nullable(),
  rights: edm.enum(Rights).nullable(),
  state: edm.enum(State).nullable(),
  level: edm.enum(State).nullable(),
  isOpen: edm.boolean().nullable(),
  lasts: edm.duration().nullable(),
  seconds: edm.dateTimeOffset({ precision: 3 }).nullable(),
  millis: edm.dateTimeOffset({ precision: 3 }).nullable(),
  julian: edm.dateTimeOffset({ precision: 3 }).nullable(),
  local: edm.dateTimeOffset({ precision: 3 }).nullable(),
  day: edm.date().nullable(),
});
const COLUMNS = {
  scaled: { storage: "scaled" },
  real: { storage: "real" },
  rounded: { storage: "real" },
  state: { storage: { values: { Öffen: "o", Paid: "p" } } },
  level: { storage: { values: { Öffen: 10, Paid: 20 } } },
  isOpen: { storage: { true: "Y", false: "N" } },
  seconds: { storage: "epoch-seconds" },
  millis: { storage: "epoch" },
  julian: { storage: "julian" },
  local: { storage: "text" },
  day: { storage: "epoch" },
} as const;

const digits = fc.bigInt(-(10n ** 16n), 10n ** 16n);
const decimal = fc.oneof(
  fc
    .tuple(digits, fc.nat(4))
    .map(([whole, scale]) => `${String(whole)}${scale === 0 ? "" : `.${"5".padStart(scale, "0")}`}`),
  fc.constantFrom("1.50", "-0", "0.00", "-0.0", "1e3", "+1", ".5", "5.", " 1", "1 ", "01", "x", ""),
  fc.integer(),
  fc.double({ noNaN: true }),
);
const time = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
const CELLS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  price: decimal,
  scaled: fc.oneof(digits, fc.constantFrom(0n, -5n, 2n ** 63n - 1n)),
  real: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(50, -0, 0.1, 1e21, 1e-7)),
  rounded: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(50, -0, 0.125, 2.675, 1e21, 1e-7),
  ),
  rights: fc.nat(8),
  state: fc.constantFrom("o", "p"),
  level: fc.constantFrom(10, 20),
  isOpen: fc.constantFrom("Y", "N"),
  lasts: fc.constantFrom("PT1S", "P1DT2H", "-PT0.5S", "PT60S"),
  seconds: fc.oneof(
    time,
    time.map((each) => each / 8),
  ),
  millis: time.map((each) => each * 1000),
  julian: fc.double({ min: 1_721_426, max: 5_373_484, noNaN: true }),
  local: fc.constantFrom("2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+02:00", "2024-02-29 10:00"),
  day: fc.integer({ min: -700_000, max: 2_900_000 }).map((each) => each * 86_400_000),
};
const FIELDS = Object.keys(CELLS);
const odd = fc.oneof(
  decimal,
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom<unknown>(2n ** 63n - 1n, -(2n ** 53n) - 1n, Infinity, -Infinity, 1e300, "Öffen", "q", 30, 3.5, "Y"),
  fc.constantFrom([], [0x17, 0x61], [0x13, 0x31]).map((bytes) => new Uint8Array(bytes)),
);
const row = fc.record(Object.fromEntries(Object.entries(CELLS).map(([field, cell]) => [field, fc.option(cell)])));
const oddRow = fc
  .tuple(row, fc.constantFrom(...FIELDS), odd)
  .map(([cells, field, cell]): Record<string, unknown> => ({ ...cells, [field]: cell }));

/** Only pages with expansions have such values in JSON. */
describe("values that JavaScript writes into JSON of SQLite", () => {
  const database = new RefusingDatabase(":memory:");
  const { db, logger } = database;
  const service = odataService({
    logger,
    schemaCheck: false,
    propertyNaming: "camelCase",
    entitySets: [
      sqlEntitySet(Value, {
        db,
        table: "items",
        operations: ["read"],
        maxTop: 1000,
        columns: COLUMNS,
        navigation: { same: hasMany(Value, { target: "Values", on: { id: "id" } }) },
      }),
    ],
  });
  beforeAll(() =>
    sql`create table items (id integer primary key, ${sql.join(FIELDS.map((field) => sql.id(field)))})`.execute(db),
  );
  afterAll(() => db.destroy());

  async function fill(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    await sql`delete from items`.execute(db);
    for (const [index, cells] of rows.entries()) {
      const values = FIELDS.map((field) => sql`${cells[field] ?? null}`);
      await sql`insert into items values (${index}, ${sql.join(values)})`.execute(db);
    }
  }

  test("have the bytes of the same rows", async () => {
    database.written = 0;
    let same = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
        await fill(rows);
        for (const field of FIELDS) {
          const { written, read } = await database.both(
            service,
            `Values?$select=id,${field}&$expand=same($select=${field})`,
            WITHOUT_METADATA,
          );
          expect(written).toEqual(read);
          if (written.status === 200) same += 1;
        }
      }),
      { numRuns: caseCount(500) },
    );
    expect(database.written).toBeGreaterThanOrEqual(same);
    expect(same).toBeGreaterThan(0);
  });

  test("have the bytes or the error of the same rows if cells are not as odatakit writes them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(row, oddRow), { minLength: 1, maxLength: 3 }), async (rows) => {
        await fill(rows);
        for (const path of [
          "Values?$expand=same",
          ...FIELDS.map((field) => `Values?$select=${field}&$expand=same($select=id)`),
        ]) {
          const { written, read } = await database.both(service, path, WITHOUT_METADATA);
          expect(written).toEqual(read);
        }
      }),
      { numRuns: caseCount(800) },
    );
  });

  test.each([
    ["price", "1.5000", "1.5000"],
    ["price", "1.50", "1.5000"],
    ["price", "1.50000", "1.5000"],
    ["price", "1.23456", "1.23456"],
    ["price", 1.5, "1.5000"],
    ["price", 50, "50.0000"],
    ["rounded", 2.675, "2.68"],
    ["rounded", 50, "50.00"],
    ["scaled", "5", "0.05"],
    ["scaled", "9223372036854775807", "92233720368547758.07"],
    ["rights", 6, '"Write,Own"'],
    ["level", 20, '"Paid"'],
    ["isOpen", "N", "false"],
    ["millis", 1500, '"1970-01-01T00:00:01.500Z"'],
  ])("%s: the cell %j is %s, written into JSON", async (field, cell, text) => {
    // Vitest cannot name a case by a bigint.
    await fill([{ [field]: field === "scaled" ? BigInt(cell) : cell }]);
    database.written = 0;
    const { written, read } = await database.both(
      service,
      `Values?$select=${field}&$expand=same($select=${field})`,
      WITHOUT_METADATA,
    );
    expect(written.body).toContain(`"value":[{"${field}":${text},"same":[{"${field}":${text}}]}]`);
    expect(written).toEqual(read);
    expect(database.written).toBe(1);
  });
});
