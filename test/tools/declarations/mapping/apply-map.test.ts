import { describe, expect, test } from "vitest";
import type { ColumnSample, DatabaseKind, ObjectColumn } from "../../../../src/databases/introspect/database-schema.ts";
import { parseForcedType, type ForcedColumn } from "../../../../src/tools/declarations/mapping/read-map.ts";

const column = (
  type: string,
  sample: Partial<ColumnSample> | null,
  kind: DatabaseKind = sample === null ? "mysql" : "sqlite",
): ForcedColumn => ({
  kind,
  column: { name: "x", type, definition: type, precision: null, scale: null, sample } as ObjectColumn,
  natural: null,
  nameEnum: () => "Made",
});

describe("Booleans", () => {
  test.each([
    ["boolean(0,1)", column("int4", null), { false: 0, true: 1 }],
    ["boolean(0,1)", column("varchar", null), { false: "0", true: "1" }],
    ["Boolean( N , Y )", column("tinyint", null), { false: "N", true: "Y" }],
    ["boolean(0,1)", column("INTEGER", { texts: 0, integers: 3 }), { false: 0, true: 1 }],
    ["boolean(0,1)", column("INTEGER", { texts: 1, integers: 3 }), { false: "0", true: "1" }],
    ["boolean(0,1)", column("", { texts: 0, integers: 0 }), { false: "0", true: "1" }],
    ["boolean(0,1)", column("INTEGER", { texts: 0, integers: 0 }), { false: 0, true: 1 }],
  ])("%s over %j", (text, of, storage) => {
    expect(parseForcedType(text)?.(of)).toMatchObject({ mapped: { type: "Edm.Boolean", storage } });
  });
});

test.each([
  [
    "enum(Draft=0,Paid=1)",
    column("int", null),
    { Draft: 0, Paid: 1 },
    [
      ["Draft", 0],
      ["Paid", 1],
    ],
  ],
  [
    "enum(Draft=d, Paid=p)",
    column("varchar", null),
    { Draft: "d", Paid: "p" },
    [
      ["Draft", 0],
      ["Paid", 1],
    ],
  ],
  [
    "enum(a,b)",
    column("TEXT", { texts: 2, integers: 0 }),
    { a: "a", b: "b" },
    [
      ["a", 0],
      ["b", 1],
    ],
  ],
])("%s over %j", (text, of, values, members) => {
  expect(parseForcedType(text)?.(of)).toMatchObject({
    mapped: { type: { enumType: "Made" }, storage: { values } },
    enumType: { name: "Made", members: members.map(([name, value]) => ({ name, value })) },
  });
});

test.each<readonly [string, ForcedColumn, object]>([
  ["number", column("tinyint", null), { type: "Edm.SByte" }],
  ["number", column("NUMERIC", { reals: 1 }), { type: "Edm.Double" }],
  ["number", column("TEXT", { reals: 0 }), { type: "Edm.Int64" }],
  [
    "string",
    column("int", null),
    { type: "Edm.String", sql: "cast(`x` as char character set utf8mb4)", isReadOnly: true },
  ],
  ["string", column("inet", null, "postgres"), { type: "Edm.String", storage: "text", isReadOnly: true }],
  ["string", column("INTEGER", {}), { type: "Edm.String", isReadOnly: true }],
  ["decimal", column("double", null), { type: "Edm.Decimal", storage: "real" }],
  ["decimal", column("text", null, "postgres"), { type: "Edm.Decimal", storage: "text" }],
  ["decimal", column("REAL", { texts: 0 }), { type: "Edm.Decimal", storage: "real" }],
  ["epoch", column("bigint", null), { type: "Edm.DateTimeOffset", storage: "epoch", facets: { precision: 3 } }],
  ["epoch-seconds", column("int4", null, "postgres"), { type: "Edm.DateTimeOffset", storage: "epoch-seconds" }],
  ["Epoch-Seconds", column("INTEGER", {}), { type: "Edm.DateTimeOffset", storage: "epoch-seconds" }],
])("%s over %j", (text, of, mapped) => {
  expect(parseForcedType(text)?.(of)).toMatchObject({ mapped });
});

test.each([
  ["number", column("text", null, "postgres"), "its column is text, no number"],
  ["decimal", column("date", null), "its column is date, no Decimal"],
  ["epoch", column("int", null), "its column is int, no number of that many digits"],
  ["epoch-seconds", column("constructor", null), "its column is constructor, no number of that many digits"],
])("%s over %j is refused", (text, of, refused) => {
  expect(parseForcedType(text)?.(of)).toEqual({ refused });
});

test.each([
  "",
  "boolean",
  "boolean(0)",
  "boolean(0,1,2)",
  "boolean(1,1)",
  "enum",
  "enum()",
  "enum(1=a)",
  "enum(a=1,b=1)",
  "enum(a=1,a=2)",
  "string(4)",
  "text",
  "constructor",
])("%j is unknown", (text) => {
  expect(parseForcedType(text)).toBeUndefined();
});
