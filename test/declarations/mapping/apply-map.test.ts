import { expect, test } from "vitest";
import { parseForcedType } from "../../../src/declarations/mapping/apply-map.ts";
import type { ColumnSample, ObjectColumn } from "../../../src/introspect/database-schema.ts";

const column = (type: string, sample: Partial<ColumnSample> | null): ObjectColumn => ({ type, sample }) as ObjectColumn;

test.each([
  ["boolean(0,1)", column("int4", null), { false: 0, true: 1 }],
  ["boolean(0,1)", column("varchar", null), { false: "0", true: "1" }],
  ["Boolean( N , Y )", column("tinyint", null), { false: "N", true: "Y" }],
  ["boolean(0,1)", column("INTEGER", { texts: 0, integers: 3 }), { false: 0, true: 1 }],
  ["boolean(0,1)", column("INTEGER", { texts: 1, integers: 3 }), { false: "0", true: "1" }],
  ["boolean(0,1)", column("", { texts: 0, integers: 0 }), { false: "0", true: "1" }],
])("%s over %j", (text, of, storage) => {
  expect(parseForcedType(text)?.(of)).toMatchObject({ type: "Edm.Boolean", storage });
});

test.each(["", "boolean", "boolean(0)", "boolean(0,1,2)", "boolean(1,1)", "string"])("%j is unknown", (text) => {
  expect(parseForcedType(text)).toBeUndefined();
});
