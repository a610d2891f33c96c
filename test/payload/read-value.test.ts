import { describe, expect, test } from "vitest";
import type { StructuralProperty } from "../../src/edm/model.ts";
import { bodyRoot } from "../../src/payload/body-members.ts";
import { ValueReaders } from "../../src/payload/read-value.ts";
import { fault, json } from "./bodies.ts";
import { typeOf } from "./body-model.ts";

function property(name: string): StructuralProperty {
  const found = typeOf("Everything").properties.find((each) => each.field === name);
  if (found === undefined) throw new Error(`There is no property ${name}.`);
  return found;
}

/** Reads the JSON text of a value. */
function read(name: string, text: string, ieee754Compatible = false): unknown {
  return new ValueReaders("reject").ofProperty(property(name))(json(text), bodyRoot(ieee754Compatible), "X");
}

const ACCEPTED: ReadonlyArray<readonly [type: string, text: string, value: unknown]> = [
  ["boolean", "true", true],
  ["boolean", "false", false],
  ["byte", "255", 255],
  ["sByte", "-128", -128],
  ["int16", "-32768", -32_768],
  ["int32", "2147483647", 2_147_483_647],
  ["int32", "5.0", 5],
  ["int32", "5e0", 5],
  ["int32", "-0", 0],
  ["int64", "9223372036854775807", 9_223_372_036_854_775_807n],
  ["int64", '"-9223372036854775808"', -9_223_372_036_854_775_808n],
  ["int64", "9007199254740993", 9_007_199_254_740_993n],
  ["int64", "-0", 0n],
  ["single", "1.5", 1.5],
  ["double", "-0", -0],
  ["double", "1E300", 1e300],
  ["double", "1e-400", 0],
  ["double", '"INF"', Infinity],
  ["double", '"-INF"', -Infinity],
  ["double", '"NaN"', Number.NaN],
  ["decimal", "1.10", "1.10"],
  ["decimal", "12345678901234567890.12345678901234567890", "12345678901234567890.12345678901234567890"],
  ["decimal", '"-0.00"', "0.00"],
  ["decimal", "1E3", "1000"],
  ["decimal", "1e-3", "0.001"],
  ["money", "12345.67", "12345.67"],
  ["money", "1.500", "1.50"],
  ["string", '""', ""],
  ["string", String.raw`"\ud800"`, "\ud800"],
  ["string", String.raw`"a\u0000b"`, "a\u0000b"],
  ["short", '"😀😀😀"', "😀😀😀"],
  ["guid", '"01234567-89AB-CDEF-0123-456789ABCDEF"', "01234567-89ab-cdef-0123-456789abcdef"],
  ["binary", '"T0-_"', Uint8Array.from([0x4f, 0x4f, 0xbf])],
  ["binary", '"T0+/"', Uint8Array.from([0x4f, 0x4f, 0xbf])],
  ["binary", '"TQ=="', Uint8Array.from([0x4d])],
  ["binary", '""', new Uint8Array(0)],
  ["date", '"2024-02-29"', "2024-02-29"],
  ["timeOfDay", '"23:59:59.999"', "23:59:59.999"],
  ["timeOfDay", '"07:00"', "07:00:00"],
  ["dateTimeOffset", '"2024-02-29T13:20:00+02:00"', "2024-02-29T13:20:00+02:00"],
  ["dateTimeOffset", '"2024-02-29T13:20:00.123456789012Z"', "2024-02-29T13:20:00.123456789012Z"],
  ["duration", '"P1DT2H30M"', "P1DT2H30M"],
  ["level", '"High"', "High"],
  ["level", '"Top"', "High"],
  ["level", '"2"', "High"],
  ["access", '"Read,Write"', "Both"],
  ["access", '"Write, Read"', "Both"],
  ["access", '"1"', "Read"],
  ["strings", "[]", []],
  ["strings", '["a",""]', ["a", ""]],
  ["decimals", '[1.50,null,"2"]', ["1.50", null, "2"]],
  ["address", '{"Street":"A"}', { street: "A", city: null, zip: "0000", geo: null, notes: [] }],
  [
    "address",
    '{"@odata.type":"#X","Street":"A","City@x.y":1,"City":"B","Zip":"1","Geo":{"Latitude":1},"Checked":"?","Notes":["n"]}',
    { street: "A", city: "B", zip: "1", geo: { latitude: 1, name: null }, notes: ["n"] },
  ],
];

const REFUSED: ReadonlyArray<readonly [type: string, text: string]> = [
  ["boolean", '"true"'],
  ["boolean", "1"],
  ["boolean", "0"],
  ["byte", "256"],
  ["byte", "-1"],
  ["sByte", "128"],
  ["int16", "32768"],
  ["int32", "2147483648"],
  ["int32", "1.5"],
  ["int32", '"5"'],
  ["int32", "true"],
  ["int32", "1E400"],
  ["int32", "[5]"],
  ["int64", "9223372036854775808"],
  ["int64", '"1.5"'],
  ["int64", "1e999999999"],
  ["int64", '""'],
  ["single", "1e39"],
  ["double", "1E400"],
  ["double", "-1E400"],
  ["double", '"1.5"'],
  ["double", '"Infinity"'],
  ["double", '"nan"'],
  ["decimal", '"INF"'],
  ["decimal", "1e1000"],
  ["decimal", "1e99999999999999999999"],
  ["decimal", '"1,5"'],
  ["money", "1.505"],
  ["money", "123456"],
  ["string", "5"],
  ["string", "{}"],
  ["string", "[]"],
  ["short", '"abcd"'],
  ["guid", '"0123456789abcdef0123456789abcdef"'],
  ["guid", '""'],
  ["binary", '"T0"'],
  ["binary", '"A"'],
  ["binary", '"AB"'],
  ["binary", '"T0 RU"'],
  ["binary", '"AAAAAAA"'],
  ["binary", "[1,2]"],
  ["date", '"2023-02-29"'],
  ["date", '"2024-02-29T00:00:00Z"'],
  ["date", "20240229"],
  ["timeOfDay", '"24:00:00"'],
  ["timeOfDay", '"00:00:00.0001"'],
  ["dateTimeOffset", '"2024-02-29T13:20:00"'],
  ["dateTimeOffset", '"2024-02-30T13:20:00Z"'],
  ["duration", '"P1Y"'],
  ["duration", '"PT"'],
  ["level", '"low"'],
  ["level", "0"],
  ["level", '"1"'],
  ["level", '"Low,High"'],
  ["access", '"Read,Delete"'],
  ["access", '"8"'],
  ["strings", '"a"'],
  ["strings", '{"0":"a"}'],
  ["address", '"A"'],
  ["address", "[]"],
  ["address", "5"],
  ["address", "1.5"],
];

describe("values in canonical form", () => {
  test.each(ACCEPTED)("%s: %s", (type, text, value) => {
    expect(read(type, text)).toStrictEqual(value);
  });

  test.each(["boolean", "int32", "int64", "decimal", "string", "binary", "date", "level", "address"])(
    "%s: null",
    (type) => {
      expect(read(type, "null")).toBeNull();
    },
  );
});

describe("values that the model does not allow", () => {
  test.each(REFUSED)("%s: %s", (type, text) => {
    const error = fault(() => read(type, text));
    expect(error).toMatchObject({ status: 400, code: "InvalidBody", target: "X" });
    expect(error.message).toMatch(/^X: /u);
  });

  test("messages name the value, the type and the correction", () => {
    expect(fault(() => read("int32", "2147483648")).message).toBe(
      "X: 2147483648 is not an Edm.Int32: write a whole number from -2147483648 to 2147483647.",
    );
    expect(fault(() => read("address", "[]")).message).toMatch(
      /^X: An array is not a \S+\.Address: write an object with its properties\.$/u,
    );
  });

  test("the path leads to the value", () => {
    const inside = fault(() => read("addresses", '[{"Street":"A"},{"Street":"A","Geo":{"Latitude":"x"}}]'));
    expect(inside).toMatchObject({ code: "InvalidBody", target: "X/1/Geo/Latitude" });
    expect(fault(() => read("decimals", '[1,"x"]'))).toMatchObject({ target: "X/1" });
    expect(fault(() => read("address", '{"Street":"too long"}'))).toMatchObject({ target: "X/Street" });
    expect(fault(() => read("address", '{"City":"x"}'))).toMatchObject({ code: "InvalidBody", target: "X/Street" });
  });

  test("null where it is not allowed", () => {
    const nulls = [
      ["address", '{"Street":null}', "X/Street"],
      ["strings", '["a",null]', "X/1"],
      ["strings", "null", "X"],
      ["addresses", "[null]", "X/0"],
      ["address", '{"Street":"A","Notes":null}', "X/Notes"],
    ] as const;
    for (const [type, text, target] of nulls) {
      expect(fault(() => read(type, text))).toMatchObject({ status: 400, code: "NullNotAllowed", target });
    }
  });

  test("unknown members, including ignored properties", () => {
    for (const name of ["Strett", "street", "Secret", "secret", "__proto__", "constructor", "x".repeat(10_000)]) {
      const body = `{"Street":"A",${JSON.stringify(name)}:1}`;
      const error = fault(() => read("address", body));
      expect(error).toMatchObject({ status: 400, code: "InvalidBody" });
      expect(error.message.length).toBeLessThan(500);
      expect(error.target).toBe(name.length > 100 ? `X/${"x".repeat(126)}…` : `X/${name}`);
    }
    expect(fault(() => read("address", '{"Strett":"A"}')).message).toContain("did you mean Street?");
    expect(fault(() => read("address", '{"Secre":"A"}')).message).not.toContain("Secret");
  });
});

describe("numbers as strings", () => {
  test.each([
    ["byte", '"5"', 5],
    ["int16", '"-5"', -5],
    ["int32", '"5"', 5],
    ["int64", '"5"', 5n],
    ["single", '"1.5"', 1.5],
    ["double", '"1.5e3"', 1500],
    ["double", '"INF"', Infinity],
    ["decimal", '"1.50"', "1.50"],
    ["int32", "5", 5],
    ["int64", "5", 5n],
    ["decimal", "1.50", "1.50"],
    [
      "address",
      '{"Street":"A","Geo":{"Latitude":"1.5"}}',
      expect.objectContaining({ geo: { latitude: 1.5, name: null } }),
    ],
  ] as const)("IEEE754Compatible=true, %s: %s", (type, text, value) => {
    expect(read(type, text, true)).toStrictEqual(value);
  });

  test.each([
    ["int32", '"x"'],
    ["int32", '"1.5"'],
    ["int32", '""'],
    ["int32", '" 5"'],
    ["double", '"x"'],
    ["boolean", '"true"'],
  ])("IEEE754Compatible=true does not make %s of %s", (type, text) => {
    expect(fault(() => read(type, text, true))).toMatchObject({ code: "InvalidBody" });
  });
});

test("computed members, and unknown members if they are ignored, are not read", () => {
  const readers = new ValueReaders("ignore").ofProperty(property("address"));
  const body = '{"Street":"A","Secret":{"a":1},"Nothing":[1],"Checked":5}';
  expect(readers(json(body), bodyRoot(false), "X")).toStrictEqual({
    street: "A",
    city: null,
    zip: "0000",
    geo: null,
    notes: [],
  });
});

test("each value gets a new copy of a default", () => {
  const first = read("address", '{"Street":"A"}') as { notes: unknown[] };
  first.notes.push("x");
  expect(read("address", '{"Street":"A"}')).toMatchObject({ notes: [] });
});
