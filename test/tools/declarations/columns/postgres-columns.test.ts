import { sql } from "kysely";
import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ObjectColumn } from "../../../../src/databases/introspect/database-schema.ts";
import type { ColumnMapping } from "../../../../src/tools/declarations/columns/column-mapping.ts";
import { mapPostgresColumn } from "../../../../src/tools/declarations/columns/postgres-columns.ts";
import type { DescribedColumn } from "../../../../src/tools/declarations/described-service.ts";
import { objectOf, openHostile, PGLITE, readSchema } from "../../../databases/introspect/postgres-hostile.ts";
import type { OpenDatabase } from "../../../engine/executors/engines.ts";
import { literalOf, serveColumn } from "./serve-column.ts";

let opened: OpenDatabase | undefined;
let columns: readonly ObjectColumn[] = [];

beforeAll(async () => {
  if (PGLITE === undefined) return;
  opened = await openHostile();
  // The command sets them: texts of types without a type of the standard have the form of the session.
  for (const setting of ["datestyle = 'ISO'", "intervalstyle = 'postgres'"]) {
    await sql.raw(`set ${setting}`).execute(opened.db);
  }
  ({ columns } = objectOf(await readSchema(opened.db), "every_type"));
});

afterAll(async () => opened?.close());

function columnOf(name: string): ObjectColumn {
  return columns.find((column) => column.name === name) ?? expect.fail(name);
}

function map(name: string, zoneless: "string" | "utc" = "utc"): ColumnMapping {
  const column = columnOf(name);
  return mapPostgresColumn(column, { place: "Every.X", enumType: column.enumType === null ? null : "Level", zoneless });
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
const INSTANTS = (zeros: string): Values => [
  null,
  null,
  `-0043-03-15T00:00:00${zeros}Z`,
  `12024-01-01T00:00:00${zeros}Z`,
];

const SERVED: ReadonlyArray<readonly [column: string, values: Values]> = [
  ["c_bool", [true, ...NONE]],
  ["c_int2", [32_767, ...NONE]],
  ["c_int4", [2_147_483_647, ...NONE]],
  ["c_int8", ["9007199254740993", ...NONE]],
  ["c_oid", ["4294967295", ...NONE]],
  ["c_float4", [1.100000023841858, "INF", "-INF", "NaN", -0]],
  ["c_float8", [0.1, "INF", "-INF", "NaN", -0]],
  ["c_numeric", ["12345678901234567890.123456789", null, null, null, "0"]],
  ["c_numeric_10_2", ["-12.50", ...NONE]],
  ["c_numeric_3_5", ["0.00123", ...NONE]],
  ["c_numeric_5_neg", ["12300", ...NONE]],
  ["c_price", ["9.99", ...NONE]],
  ["c_money", ["1234.56", ...NONE]],
  ["c_text", [`ß𝄞 '"`, "", " ", null, null]],
  ["c_varchar", ["Ünïcode", ...NONE]],
  ["c_varchar_free", ["x", ...NONE]],
  ["c_char", ["ab", ...NONE]],
  ["c_internal_char", ["x", ...NONE]],
  ["c_name", ["some name", ...NONE]],
  ["c_uuid", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ...NONE]],
  ["c_bytea", ["AP8", ...NONE]],
  ["c_json", ['{"b": 1, "a": [1.10, null]}', ...NONE]],
  ["c_jsonb", ['{"a": [1.10, null], "b": 1}', ...NONE]],
  ["c_xml", ["<a>1</a>", ...NONE]],
  ["c_date", ["2024-02-29", null, null, "-0043-03-15", "12024-01-01"]],
  ["c_time", ["23:59:59.123456", "00:00:00", null, null, null]],
  ["c_time_0", ["12:00:00", ...NONE]],
  ["c_timetz", ["12:00:00.5+02", ...NONE]],
  ["c_timestamp", ["2024-02-29T12:00:00.123456Z", ...INSTANTS(".000000")]],
  ["c_timestamp_3", ["2024-02-29T12:00:00.123Z", ...INSTANTS(".000")]],
  ["c_timestamptz", ["2024-02-29T12:00:00.123456Z", ...INSTANTS(".000000")]],
  ["c_timestamptz_0", ["2024-02-29T12:00:00Z", ...INSTANTS("")]],
  ["c_interval", ["1 year 2 mons 3 days 04:05:06.5", "00:00:00", "-1 mons", null, null]],
  ["c_inet", ["10.0.0.1/24", ...NONE]],
  ["c_cidr", ["10.0.0.0/8", ...NONE]],
  ["c_macaddr", ["08:00:2b:01:02:03", ...NONE]],
  ["c_macaddr8", ["08:00:2b:01:02:03:04:05", ...NONE]],
  ["c_bit", ["1010", ...NONE]],
  ["c_varbit", ["101", ...NONE]],
  ["c_int4range", ["[1,5)", ...NONE]],
  ["c_tstzrange", ['["2024-01-01 00:00:00+05:45",infinity)', ...NONE]],
  ["c_float_range", ["[1.5,2.5]", ...NONE]],
  ["c_multirange", ["{[1,3),[5,7)}", ...NONE]],
  ["c_rating", ["PG", ...NONE]],
  ["c_film_rating", ["very happy", ...NONE]],
  ["c_matrix", ["[[1, 2], [3, 4]]", "[]", "[]", null, null]],
  ["c_pg_lsn", ["16/B374D848", ...NONE]],
  ["c_jsonpath", ['$."a"', ...NONE]],
  ["c_regclass", ["pg_class", ...NONE]],
  ["c_xid", ["1", ...NONE]],
  ["c_tid", ["(0,1)", ...NONE]],
];

const COLLECTIONS: ReadonlyArray<readonly [column: string, values: Values, item: string, found: readonly number[]]> = [
  ["c_prices", [["1.10", "2.20"], [], [], [], []], "2.2", [2]],
  // The row 4 has two dimensions, which are unreadable, so it is empty as for NULL.
  ["c_int_array", [[1, 2, null], [], [], [1, 2], []], "2", [2, 4, 5]],
  ["c_text_array", [["a", "b,c", null, "ü"], [], [], [], []], "'ü'", [2]],
  ["c_rating_array", [["G", "R"], [], [], [], []], "Default.Level'R'", [2]],
  ["c_ts_array", [["2024-01-01T00:00:00.000000Z"], [], [], [], []], "2024-01-01T00:00:00Z", [2]],
];

describe.skipIf(PGLITE === undefined)("columns of PostgreSQL", () => {
  test.each(SERVED)("serves, finds and sorts the values of %s", async (name, values) => {
    const mapped = map(name);
    if (!("column" in mapped)) return expect.fail(JSON.stringify(mapped));
    const { column } = mapped;
    for (const paging of ["keyset", "offset"] as const) {
      const service = serve(name, column, paging);
      // The schema check accepts the mapping.
      await service.ready();
      const rows = await all(service, "$orderby=Id");
      expect(rows.map(({ Value }) => Value)).toEqual([null, ...values]);
      for (const direction of ["asc", "desc"]) {
        const sorted = await all(service, `$orderby=Value ${direction}`);
        expect([paging, direction, idsOf(sorted).toSorted((left, right) => left - right)]).toEqual([
          paging,
          direction,
          [1, 2, 3, 4, 5, 6],
        ]);
      }
      for (const { Id, Value } of rows) {
        const literal = literalOf(Value, column);
        const [equal, other] = await Promise.all(
          ["eq", "ne"].map(async (operator) =>
            idsOf(await all(service, `$filter=${encodeURIComponent(`Value ${operator} ${literal}`)}`)),
          ),
        );
        // A cell that cannot be read is null, and found as null. A number that is not a number equals nothing.
        const isFound = Value !== "NaN";
        expect([Value, equal?.includes(Id), other?.includes(Id)]).toEqual([Value, isFound, !isFound]);
      }
    }
  });

  test.each(COLLECTIONS)("serves and searches the items of %s", async (name, values, item, found) => {
    const mapped = map(name);
    if (!("column" in mapped)) return expect.fail(JSON.stringify(mapped));
    const service = serve(name, mapped.column, "offset");
    // The schema check accepts the mapping.
    await service.ready();
    const rows = await all(service, "$orderby=Id");
    expect(rows.map(({ Value }) => Value)).toEqual([[], ...values]);
    const matching = await all(service, `$filter=${encodeURIComponent(`Value/any(x:x eq ${item})`)}&$orderby=Id`);
    expect(idsOf(matching)).toEqual(found);
  });

  test.each("c_tsvector c_tsquery c_point c_polygon c_path c_box c_circle c_line c_lseg c_address".split(" "))(
    "omits %s with its reason",
    (name) => {
      expect(map(name)).toMatchObject({ omitted: expect.stringMatching(/text|value/) as string, flag: null });
    },
  );

  test("covers each column of the table", () => {
    const covered = new Set([...SERVED, ...COLLECTIONS].map(([name]) => name));
    const missing = columns.map(({ name }) => name).filter((name) => !covered.has(name) && "column" in map(name));
    expect(missing).toEqual(["id"]);
  });

  test("computes with object identifiers", async () => {
    const mapped = map("c_oid");
    if (!("column" in mapped)) return expect.fail(JSON.stringify(mapped));
    const service = serve("c_oid", mapped.column, "keyset");
    for (const filter of ["Value add 1 gt 0", "-Value lt 0", "Value mod 2 eq 1", "round(Value) eq 4294967295"]) {
      expect(idsOf(await all(service, `$filter=${encodeURIComponent(filter)}`))).toEqual([2]);
    }
  });

  test("publishes timestamps without a zone as text on request", async () => {
    const mapped = map("c_timestamp", "string");
    if (!("column" in mapped)) return expect.fail(JSON.stringify(mapped));
    expect(mapped.column.isReadOnly).toBe(true);
    const rows = await all(serve("c_timestamp", mapped.column, "keyset"), "$orderby=Id");
    expect(rows.map(({ Value }) => Value)).toEqual([
      null,
      "2024-02-29T12:00:00.123456",
      "infinity",
      "-infinity",
      "0044-03-15T00:00:00 BC",
      "12024-01-01T00:00:00",
    ]);
    const found = await all(
      serve("c_timestamp", mapped.column, "keyset"),
      "$filter=Value eq '2024-02-29T12:00:00.123456'",
    );
    expect(idsOf(found)).toEqual([2]);
  });

  test("publishes enumerations as text if labels are not identifiers", () => {
    expect(map("c_film_rating")).toMatchObject({
      column: { type: "Edm.String", isReadOnly: true },
      warnings: [{ code: "enum-labels" }],
    });
  });

  test.each([
    ["c_char", "has the type char, published as String without trailing blanks, read-only"],
    ["c_json", "has the type json, published as String of JSON, and compared as text"],
    ["c_inet", "has the type inet, published as String, and compared as text, read-only"],
    ["c_matrix", "has the type int4[][], published as String of JSON, read-only"],
    ["c_float4", "is a real, so a filter finds the value that a response shows, and not its rounded form such as 1.1"],
  ])("warns about %s", (name, message) => {
    expect(map(name)).toMatchObject({ warnings: [{ message, flag: null }] });
  });
});
