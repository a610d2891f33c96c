import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ObjectColumn } from "../../../../src/databases/introspect/database-schema.ts";
import type { ColumnMapping } from "../../../../src/tools/declarations/columns/column-mapping.ts";
import { mapMysqlColumn } from "../../../../src/tools/declarations/columns/mysql-columns.ts";
import type { DescribedColumn } from "../../../../src/tools/declarations/described-service.ts";
import { MARIADB, objectOf, openHostile, readSchema } from "../../../databases/introspect/mysql-hostile.ts";
import type { OpenDatabase } from "../../../engine/executors/engines.ts";
import { literalOf, serveColumn } from "./serve-column.ts";

let opened: OpenDatabase | undefined;
let columns: readonly ObjectColumn[] = [];

beforeAll(async () => {
  if (MARIADB === undefined) return;
  opened = await openHostile();
  ({ columns } = objectOf(await readSchema(opened.db), "every_type"));
});

afterAll(async () => opened?.close());

function columnOf(name: string): ObjectColumn {
  return columns.find((column) => column.name === name) ?? expect.fail(name);
}

function map(name: string, zoneless: "string" | "utc" = "utc"): ColumnMapping {
  const column = columnOf(name);
  return mapMysqlColumn(column, { place: "Every.X", enumType: column.labels === null ? null : "Level", zoneless });
}

function mapped(name: string, zoneless: "string" | "utc" = "utc"): DescribedColumn {
  const mapping = map(name, zoneless);
  return "column" in mapping ? mapping.column : expect.fail(mapping.omitted);
}

/** Numbers as strings keep all their digits. */
const headers = { Accept: "application/json;IEEE754Compatible=true" };

interface Row {
  readonly Id: number;
  readonly Value: unknown;
}
interface Body {
  readonly value: readonly Row[];
  readonly "@odata.nextLink"?: string;
}

async function all(service: ODataService, path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let next = `http://service.example/Cells?${path}`;
  do {
    const response = await service.fetch(new Request(next, { headers }));
    const text = await response.text();
    expect([next, response.status, response.status === 200 ? "" : text]).toEqual([next, 200, ""]);
    const body = JSON.parse(text) as Body;
    rows.push(...body.value);
    if (rows.length > 20) throw new Error("Pages do not end.");
    next = body["@odata.nextLink"] ?? "";
  } while (next !== "");
  return rows;
}

const idsOf = (rows: readonly Row[]): readonly number[] => rows.map(({ Id }) => Id);
const serve = (name: string, described: DescribedColumn, paging: "keyset" | "offset"): ODataService =>
  serveColumn({
    db: opened?.db ?? expect.fail(),
    table: "every_type",
    column: name,
    described,
    labels: columnOf(name).labels ?? [],
    unreadable: "null",
    paging,
  });

/** The values of the rows 2 to 6. The row 1 has null in each column. */
type Values = readonly unknown[];
const NONE = [null, null, null, null];

const SERVED: ReadonlyArray<readonly [column: string, values: Values]> = [
  ["c_bool", [true, false, null, null, null]],
  ["c_bit1", [true, false, null, null, null]],
  ["c_bit", ["513", ...NONE]],
  ["c_bit64", ["18446744073709551615", ...NONE]],
  ["c_tinyint", [127, ...NONE]],
  ["c_tinyint_u", [255, ...NONE]],
  ["c_tiny1_u", [9, ...NONE]],
  ["c_smallint", [32_767, ...NONE]],
  ["c_smallint_u", [65_535, ...NONE]],
  ["c_mediumint", [8_388_607, ...NONE]],
  ["c_mediumint_u", [16_777_215, ...NONE]],
  ["c_int", [2_147_483_647, ...NONE]],
  ["c_int_u", ["4294967295", ...NONE]],
  ["c_bigint", ["9223372036854775807", "-9223372036854775808", null, null, null]],
  ["c_bigint_u", ["18446744073709551615", ...NONE]],
  ["c_year", [2155, ...NONE]],
  ["c_decimal", ["-12.50", ...NONE]],
  ["c_decimal_0", ["12345678901234567890", ...NONE]],
  ["c_decimal_65", ["12345678901234567890.500000000000000000000000000000", ...NONE]],
  ["c_float", [1.100000023841858, ...NONE]],
  ["c_double", [0.1, ...NONE]],
  ["c_double_u", [0.1, ...NONE]],
  ["c_char", ["ab", ...NONE]],
  ["c_varchar", ["Ünïcode", "", null, null, null]],
  ["c_text", [`ß𝄞 '"`, ...NONE]],
  ["c_longtext", ["x", ...NONE]],
  ["c_latin1", ["é", "", null, null, null]],
  ["c_utf8", ["ü", ...NONE]],
  ["c_ucs2", ["ü", ...NONE]],
  ["c_ascii", ["abc", ...NONE]],
  ["c_nocase", ["Straße", ...NONE]],
  ["c_bin", ["x ", ...NONE]],
  ["c_binary", ["YWJj", ...NONE]],
  ["c_varbinary", ["AP8", ...NONE]],
  ["c_blob", ["AP8", ...NONE]],
  ["c_uuid", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ...NONE]],
  ["c_inet4", ["10.0.0.1", ...NONE]],
  ["c_inet6", ["::1", ...NONE]],
  ["c_json", ['{"b": 1}', ...NONE]],
  ["c_time", ["23:59:59", "838:59:59", null, null, null]],
  ["c_time6", ["23:59:59.123456", "-838:59:59.000000", null, null, null]],
  ["c_enum", ["Low", "High", null, null, null]],
  ["c_enum_latin1", ["High", ...NONE]],
  ["c_film", ["PG-13", ...NONE]],
  ["c_set", ["a,b", "", null, null, null]],
  ["c_date", ["2024-02-29", null, null, null, "9999-12-31"]],
  ["c_datetime", ["2024-02-29T12:00:00Z", null, null, null, "9999-12-31T23:59:59Z"]],
  ["c_datetime3", ["2024-02-29T12:00:00.123Z", null, null, null, null]],
  [
    "c_datetime6",
    ["2024-02-29T12:00:00.123456Z", null, null, "0000-02-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"],
  ],
  // The session of the test has the zone +05:45.
  ["c_timestamp", ["2024-02-29T06:15:00Z", null, null, null, null]],
  ["c_timestamp6", ["2024-02-29T06:15:00.123456Z", null, null, null, null]],
];

describe.skipIf(MARIADB === undefined)("columns of MariaDB", () => {
  test.each(SERVED)("serves, finds and sorts the values of %s", async (name, values) => {
    const column = mapped(name);
    for (const paging of ["keyset", "offset"] as const) {
      const service = serve(name, column, paging);
      const rows = await all(service, "$orderby=Id");
      expect(rows.map(({ Value }) => Value)).toEqual([null, ...values]);
      for (const direction of ["asc", "desc"]) {
        const sorted = await all(service, `$orderby=Value ${direction}`);
        const ids = idsOf(sorted).toSorted((left, right) => left - right);
        expect([paging, direction, ids]).toEqual([paging, direction, [1, 2, 3, 4, 5, 6]]);
      }
      for (const { Id, Value } of rows) {
        const literal = literalOf(Value, column);
        const [equal, other] = await Promise.all(
          ["eq", "ne"].map(async (operator) =>
            idsOf(await all(service, `$filter=${encodeURIComponent(`Value ${operator} ${literal}`)}`)),
          ),
        );
        // A cell that cannot be read is null, and found as null.
        expect([Id, Value, equal?.includes(Id), other?.includes(Id)]).toEqual([Id, Value, true, false]);
      }
    }
  });

  test.each(["c_geometry", "c_point"])("omits %s with its reason", (name) => {
    expect(map(name)).toMatchObject({ omitted: expect.stringMatching("have no text") as string, flag: null });
  });

  test("covers each column of the table", () => {
    const covered = new Set(SERVED.map(([name]) => name));
    const missing = columns.map(({ name }) => name).filter((name) => !covered.has(name) && "column" in map(name));
    expect(missing).toEqual(["id"]);
  });

  test("publishes datetimes as text on request, also zero and invalid dates", async () => {
    const rows = await all(serve("c_datetime", mapped("c_datetime", "string"), "keyset"), "$orderby=Id");
    expect(rows.map(({ Value }) => Value)).toEqual([
      null,
      "2024-02-29 12:00:00",
      "0000-00-00 00:00:00",
      "2024-02-31 10:00:00",
      "2024-02-00 00:00:00",
      "9999-12-31 23:59:59",
    ]);
    expect(mapped("c_timestamp", "string").type).toBe("Edm.DateTimeOffset");
  });

  test("publishes an enumeration, or text if its labels are not identifiers", () => {
    expect(mapped("c_enum").type).toStrictEqual({ enumType: "Level" });
    expect(map("c_film")).toMatchObject({ column: { type: "Edm.String" }, warnings: [{ code: "enum-labels" }] });
  });

  test.each([
    ["null", 200],
    ["error", 500],
  ] as const)("publishes no number of tinyint(1) as true or false: %s", async (unreadable, status) => {
    const db = opened?.db ?? expect.fail();
    await db.updateTable("every_type").set({ c_bool: 2 }).where("id", "=", 4).execute();
    try {
      const served = { db, table: "every_type", column: "c_bool", described: mapped("c_bool"), labels: [] };
      const service = serveColumn({ ...served, unreadable });
      const response = await service.fetch(new Request("http://service.example/Cells?$filter=Id eq 4"));
      expect(response.status).toBe(status);
      if (status === 200) expect(await response.json()).toMatchObject({ value: [{ Id: 4, Value: null }] });
      const found = await all(service, "$filter=Value eq true or Value eq false&$orderby=Id");
      expect(idsOf(found)).toEqual([2, 3]);
    } finally {
      await db.updateTable("every_type").set({ c_bool: null }).where("id", "=", 4).execute();
    }
  });

  test("warns of converted text and of times", () => {
    expect(map("c_latin1")).toMatchObject({ column: { storage: "text" }, warnings: [{ code: "character-set" }] });
    expect(map("c_time")).toMatchObject({ column: { type: "Edm.String" }, warnings: [{ code: "time" }] });
  });
});
