import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/base/json/parse-json.ts";
import { JsonNumber, type JsonValue, writeJson } from "../../../src/base/json/write-json.ts";

const LIMITS = { maxDepth: 100 };

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '"', "\\", "\u0001", "\ud83d", "😀", "\u2028", "__proto__"),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, 0, -7, new JsonNumber("1.50"), new JsonNumber("1e400")),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
}));

describe("JSON text", () => {
  test("is read as the value", () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(writeJson(parseJson(writeJson(each), LIMITS))).toBe(writeJson(each));
      }),
    );
  });

  test("of a long string is that of JSON.stringify", () => {
    const long = ["x".repeat(65_535), "😀".repeat(100_000), "\n"].join("");
    expect(writeJson({ Text: [long] })).toBe(JSON.stringify({ Text: [long] }));
  });

  test("of a long string keeps a character after half of another one where it is cut", () => {
    const long = `${"x".repeat(65_535)}\ud83d${"😀".repeat(10)}`;
    expect(writeJson(long)).toBe(JSON.stringify(long));
  });
});
