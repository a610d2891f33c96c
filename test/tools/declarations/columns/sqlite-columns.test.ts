import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatabaseSchema } from "../../../../src/databases/introspect/database-schema.ts";
import type { ColumnMapping } from "../../../../src/tools/declarations/columns/column-mapping.ts";
import { mapSqliteColumn } from "../../../../src/tools/declarations/columns/sqlite-columns.ts";
import type { DescribedColumn } from "../../../../src/tools/declarations/described-service.ts";
import { columnOf, objectOf, openHostile, readSchema } from "../../../databases/introspect/sqlite-hostile.ts";
import type { OpenDatabase } from "../../../engine/executors/engines.ts";
import { literalOf, serveColumn } from "./serve-column.ts";

let opened: OpenDatabase;
let schema: DatabaseSchema;

beforeAll(async () => {
  opened = await openHostile();
  schema = await readSchema(opened.db);
});

afterAll(async () => opened.close());

function map(table: string, name: string, zoneless: "string" | "utc" = "utc"): ColumnMapping {
  return mapSqliteColumn(columnOf(schema, table, name), { place: "Loose.X", enumType: null, zoneless });
}

function mapped(table: string, name: string, zoneless: "string" | "utc" = "utc"): DescribedColumn {
  const mapping = map(table, name, zoneless);
  return "column" in mapping ? mapping.column : expect.fail(mapping.omitted);
}

/** The type, the storage, and whether an expression is read. */
function summary({ type, storage, sql }: DescribedColumn): string {
  return [
    typeof type === "string" ? type.slice(4) : type.enumType,
    storage === null ? "" : JSON.stringify(storage),
    sql === null ? "" : "sql",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

const LOOSE: Readonly<Record<string, string>> = {
  id: "Int64",
  c_int: "Int64",
  c_int_not_null: "Int64",
  c_flag: "Int64",
  c_int_real: "Double",
  c_int_long: 'String "text"',
  c_int_text: 'String "text"',
  c_point: 'String "text"',
  c_bool: "Boolean",
  c_bool_more: "Int64",
  c_bool_text: 'String "text"',
  c_bool_mixed: 'String "text"',
  c_text: "String",
  c_zero_text: "String",
  c_flag_text: "String",
  c_text_blob: 'String "text"',
  c_only_blob: 'String "text"',
  c_varchar: "String",
  c_nocase: "String",
  c_rtrim: "String",
  c_uuid: 'Guid "text"',
  c_uuid_blob: 'String "text"',
  c_uuid_mixed: 'String "text"',
  c_json: 'String "text"',
  c_json_number: 'String "text"',
  c_string: 'String "text"',
  c_date: "Date",
  c_date_false: 'String "text"',
  c_date_time: 'String "text"',
  c_date_epoch: 'DateTimeOffset "epoch"',
  c_time: "TimeOfDay",
  c_time_short: 'String "text"',
  c_dt_sqlite: 'DateTimeOffset "sqlite-datetime"',
  c_dt_text: 'DateTimeOffset "text"',
  c_dt_local: 'DateTimeOffset "text" sql',
  c_dt_spaced: 'DateTimeOffset "text" sql',
  c_dt_date: "Date",
  c_dt_epoch: 'DateTimeOffset "epoch"',
  c_dt_seconds: 'DateTimeOffset "epoch-seconds"',
  c_dt_julian: 'DateTimeOffset "julian"',
  c_dt_digits: 'String "text"',
  c_dt_year: 'String "text"',
  c_dt_zero: 'String "text"',
  c_dt_mixed: 'String "text"',
  c_dt_several: 'String "text"',
  c_dt_typed: "String",
  c_decimal: 'Decimal "real"',
  c_decimal_beyond: 'Decimal "real"',
  c_decimal_long: 'String "text"',
  c_decimal_text: 'String "text"',
  c_decimal_mixed: 'String "text"',
  c_real: "Double",
  c_real_text: 'String "text"',
  c_blob: "Binary",
  c_blob_text: "String",
  c_blob_mixed: 'String "text"',
  c_none_text: "String",
  c_none_int: "Int64",
  c_none_real: "Double",
  c_none_blob: "Binary",
  c_none_mixed: 'String "text"',
  c_year: "Int64",
};

const EMPTY: Readonly<Record<string, string>> = {
  c_int: "Int64",
  c_bool: "Boolean",
  c_text: "String",
  c_uuid: 'Guid "text"',
  c_json: 'String "text"',
  c_date: "Date",
  c_time: "TimeOfDay",
  c_datetime: 'DateTimeOffset "text"',
  c_datetime_default: 'DateTimeOffset "text"',
  c_datetime_z: 'DateTimeOffset "text"',
  c_decimal: 'Decimal "real"',
  c_real: "Double",
  c_blob: "Binary",
  c_none: 'String "text"',
};

describe("columns of SQLite", () => {
  test("each column has the type of its cells", () => {
    const found = objectOf(schema, "loose").columns.map(({ name }) => [name, summary(mapped("loose", name))]);
    expect(Object.fromEntries(found)).toEqual(LOOSE);
  });

  test.each(Object.entries(EMPTY))("without rows, %s is %s", (name, expected) => {
    expect(summary(mapped("empty_types", name))).toBe(expected);
  });

  test.each(["loose", "empty_types", "strict_types", "generated", "documents"])(
    "each column of %s can be read, sorted and found",
    async (table) => {
      const { columns } = objectOf(schema, table);
      for (const { name } of columns) {
        const described = mapped(table, name);
        const key = columns.some((column) => column.name === "id") ? "id" : (columns[0]?.name ?? "id");
        const service = serveColumn({
          db: opened.db,
          table,
          column: name,
          described,
          labels: [],
          unreadable: "error",
          maxTop: 100,
          key,
        });
        const read = async (path: string): Promise<readonly { Id: number; Value: unknown }[]> => {
          const headers = { Accept: "application/json;IEEE754Compatible=true" };
          const request = new Request(`http://service.example/Cells?${path}`, { headers });
          const response = await service.fetch(request);
          const text = await response.text();
          expect([table, name, path, response.status, response.status === 200 ? "" : text]).toEqual([
            table,
            name,
            path,
            200,
            "",
          ]);
          return (JSON.parse(text) as { value: readonly { Id: number; Value: unknown }[] }).value;
        };
        const rows = await read("$orderby=Value");
        expect(rows.length).toBe((await read("$orderby=Value desc")).length);
        for (const { Id, Value } of rows) {
          const filter = encodeURIComponent(`Value eq ${literalOf(Value, described)}`);
          expect(
            (await read(`$filter=${filter}`)).map((row) => row.Id),
            `${name} eq ${String(Value)}`,
          ).toContain(Id);
        }
      }
    },
  );

  test.each([
    ["c_int_text", "INT column holds 1 integers, 1 reals, 1 texts in 4 rows, published as String", null],
    [
      "c_bool_text",
      "BOOLEAN column holds 3 texts in 4 rows, published as String",
      '--map "Loose.X=boolean(false,true)"',
    ],
  ])("%s has a warning", (name, message, flag) => {
    const mapping = map("loose", name);
    const [warning] = "warnings" in mapping ? mapping.warnings : [];
    expect([warning?.message.toLowerCase(), warning?.flag]).toEqual([message.toLowerCase(), flag]);
  });

  test("times without a zone are text on request", () => {
    expect(summary(mapped("loose", "c_dt_local", "string"))).toBe("String");
    expect(summary(mapped("loose", "c_dt_sqlite", "string"))).toBe("String");
    expect(summary(mapped("loose", "c_dt_epoch", "string"))).toBe('DateTimeOffset "epoch"');
  });
});
