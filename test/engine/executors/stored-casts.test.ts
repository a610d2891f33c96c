import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { createTable, ENGINES, insertRow, type DatabaseName } from "./engines.ts";
import { listedRows, textOfValue } from "./listed-rows.ts";

const Stored = entityType("Stored", {
  id: edm.int32().key(),
  fine: edm.dateTimeOffset({ precision: 6 }).nullable(),
  whole: edm.dateTimeOffset({ precision: 0 }).nullable(),
  utc: edm.dateTimeOffset({ precision: 3 }).nullable(),
  local: edm.dateTimeOffset().nullable(),
  epoch: edm.dateTimeOffset().nullable(),
  epoch3: edm.dateTimeOffset({ precision: 3 }).nullable(),
  seconds: edm.dateTimeOffset().nullable(),
  seconds3: edm.dateTimeOffset({ precision: 3 }).nullable(),
  julian: edm.dateTimeOffset().nullable(),
  julian0: edm.dateTimeOffset({ precision: 0 }).nullable(),
  noted: edm.dateTimeOffset({ precision: 6 }).nullable(),
  dayEpoch: edm.date().nullable(),
  day: edm.date().nullable(),
  moneyText: edm.decimal().nullable(),
  moneyReal: edm.decimal().nullable(),
  moneyScaled: edm.decimal({ precision: 12, scale: 3 }).nullable(),
  money: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  free: edm.decimal().nullable(),
  hex: edm.string().nullable(),
  guid: edm.guid().nullable(),
  span: edm.duration().nullable(),
  bytes: edm.binary().nullable(),
  single: edm.single().nullable(),
});
type Field = Exclude<keyof typeof Stored.properties, "id">;

/** The types of the columns, and their storage. */
const COLUMNS: Readonly<
  Record<string, readonly [sqlite: string, postgres: string, mariadb: string, storage?: string]>
> = {
  fine: ["text", "timestamptz", "datetime(6)"],
  whole: ["text", "timestamptz", "datetime"],
  utc: ["text", "timestamp", "datetime(3)", "utc"],
  local: ["text", "text", "varchar(60)", "text"],
  epoch: ["integer", "bigint", "bigint", "epoch"],
  epoch3: ["integer", "bigint", "bigint", "epoch"],
  seconds: ["integer", "bigint", "bigint", "epoch-seconds"],
  seconds3: ["integer", "bigint", "bigint", "epoch-seconds"],
  julian: ["real", "double precision", "double", "julian"],
  julian0: ["real", "double precision", "double", "julian"],
  noted: ["text", "text", "varchar(60)", "sqlite-datetime"],
  dayEpoch: ["integer", "bigint", "bigint", "epoch"],
  day: ["text", "date", "date"],
  moneyText: ["text", "text", "varchar(60)", "text"],
  moneyReal: ["real", "double precision", "double", "real"],
  moneyScaled: ["integer", "bigint", "bigint", "scaled"],
  money: ["text", "numeric(14,4)", "decimal(14,4)"],
  free: ["text", "numeric", "decimal(40,20)"],
  hex: ["blob", "bytea", "binary(4)", "hex"],
  guid: ["text", "text", "char(36)", "text"],
  span: ["text", "text", "varchar(60)"],
  bytes: ["blob", "bytea", "blob"],
  single: ["real", "real", "float"],
};
const FIELDS = Object.keys(COLUMNS) as Field[];

const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_none, at) => (at * 251 + length) % 256));
const day = (text: string): bigint => BigInt(Date.parse(text));

/** The cells of each row, in the order of the columns. Instants of MariaDB have a blank and no zone. */
const ROWS: readonly (readonly unknown[])[] = [
  [
    "2024-02-29T12:00:00.123456Z",
    "2024-02-29T12:00:00Z",
    "2024-02-29T12:00:00.100Z",
    "2024-02-29T12:00:00.500+05:30",
    1709208000000n,
    1709208000001n,
    1709208000n,
    1709208000n,
    2460370.5,
    2460370.25,
    "2024-02-29 12:00:00",
    day("2024-02-29"),
    "2024-02-29",
    "1.50",
    1.5,
    1500n,
    "1.50",
    "1.5",
    Buffer.from("00ff10ab", "hex"),
    "01234567-89AB-CDEF-0123-456789ABCDEF",
    "PT36H",
    bytesOf(1),
    0.1,
  ],
  [
    "1969-12-31T23:59:59.900000Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2024-02-29 12:00:00",
    -1n,
    -1500n,
    -1n,
    0n,
    2440587.5,
    2440587.999,
    "2024-02-29 12:00:00.5",
    day("1969-12-31"),
    "0001-01-01",
    "-0.00",
    -0.25,
    -5n,
    "-0.05",
    "100",
    Buffer.from("ffffffff", "hex"),
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "-PT0.5S",
    bytesOf(2),
    1e30,
  ],
  [
    "2024-02-29T12:00:00.000000Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00.000Z",
    "2024-02-29t12:00z",
    0n,
    253402300799999n,
    253402300799n,
    -62135596800n,
    1721425.5,
    5373484.4,
    "0001-01-01 00:00:00.123456",
    day("9999-12-31"),
    "9999-12-31",
    "+01.500",
    1e21,
    0n,
    "15.00",
    "0.00001",
    Buffer.from("00000000", "hex"),
    "00000000-0000-0000-0000-000000000000",
    "-P0DT0H",
    bytesOf(200),
    16777217,
  ],
  [
    "2024-02-29T12:00:00.000001Z",
    "2024-02-29T23:59:59Z",
    "2024-02-29T12:00:00.001Z",
    "2024-02-29T12:00:00+00:00",
    1n,
    10n,
    1n,
    59n,
    2460370.123456,
    2460370.000001,
    "9999-12-31 23:59:59.999999",
    day("0001-01-01"),
    "2000-02-29",
    "007",
    0.000001,
    999999999999n,
    "9999999999.99",
    "12345678901234567890.5",
    Buffer.from("01020304", "hex"),
    "89abcdef-89ab-cdef-0123-456789abcdef",
    "P1DT2H3M4.5S",
    bytesOf(0),
    -0.5,
  ],
  FIELDS.map(() => null),
];

const INSTANTS: ReadonlySet<Field | undefined> = new Set(["fine", "whole", "utc"]);

function cellsOf(row: readonly unknown[], database: DatabaseName): readonly unknown[] {
  return row.map((cell, index) => {
    if (typeof cell === "bigint" && database !== "sqlite") return String(cell);
    if (database !== "mariadb" || typeof cell !== "string" || !INSTANTS.has(FIELDS[index])) return cell;
    return cell.replace("T", " ").replace("Z", "");
  });
}

describe.each(ENGINES)("casts of stored cells in $title", (engine) => {
  let service: ODataService;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const opened = await engine.open();
    const position = { sqlite: 0, postgres: 1, mariadb: 2 } as const;
    const types = Object.entries(COLUMNS).map(([name, of]) => [name, of[position[engine.name]]] as const);
    await createTable(opened, "stored", { id: "integer primary key", ...Object.fromEntries(types) });
    for (const [id, row] of ROWS.entries()) await insertRow(opened, "stored", [id, ...cellsOf(row, engine.name)]);
    const storage = Object.entries(COLUMNS).flatMap(([name, [, , , form]]) =>
      form === undefined ? [] : [[name, { storage: form }]],
    );
    const { db } = opened;
    const columns = Object.fromEntries(storage) as object;
    service = odataService({
      namespace: "Test",
      propertyNaming: "camelCase",
      logger: console,
      entitySets: [
        sqlEntitySet(Stored, {
          name: "Stored",
          db,
          table: "stored",
          operations: ["read"],
          columns,
          distributed: isDistributed(db),
        }),
      ],
    });
    close = opened.close;
  });
  afterAll(() => close());

  const get = async (target: string): Promise<string> => {
    const headers = { Accept: "application/json;IEEE754Compatible=true;odata.metadata=none" };
    const response = await service.fetch(
      new Request(`http://x${encodeURI(target).replaceAll("+", "%2B")}`, { headers }),
    );
    return `${String(response.status)} ${await response.text()}`;
  };

  test.each(FIELDS)("the text of %s is that of the response", async (field) => {
    const all = await get("/Stored?$orderby=id");
    expect(all).toMatch(/^200/);
    const value = listedRows(all);
    expect(value.length).toBe(ROWS.length);
    for (const row of value) {
      const literal = row[field] === null ? "null" : `'${textOfValue(row[field])}'`;
      const target = `/Stored?$select=id&$filter=id eq ${String(row["id"])} and cast(${field},Edm.String) eq ${literal}`;
      expect(await get(target), target).toContain(`[{"id":${String(row["id"])}}]`);
    }
  });
});
