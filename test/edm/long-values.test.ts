import { describe, expect, test } from "vitest";
import { PRIMITIVE_TYPES, type Facets, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { InvalidValueError } from "../../src/edm/value-codec.ts";
import { valueCodec } from "../../src/edm/value-codecs.ts";

const MEGABYTE = 1 << 20;

/** The texts of bodies, and whether they are values. */
const TEXTS: ReadonlyArray<readonly [PrimitiveTypeName, Facets, name: string, text: string, isValue: boolean]> = [
  ["Edm.String", { maxLength: MEGABYTE }, "pairs", "😀".repeat(MEGABYTE), true],
  ["Edm.String", { maxLength: MEGABYTE }, "one character too many", `${"😀".repeat(MEGABYTE - 1)}äx`, false],
  ["Edm.String", { maxLength: MEGABYTE }, "pairs at the end", `${"ä".repeat(MEGABYTE - 2)}😀😀`, true],
  ["Edm.String", { maxLength: MEGABYTE }, "half of a pair at the end", `${"ä".repeat(MEGABYTE)}\ud83d`, false],
  ["Edm.Binary", {}, "octets", "+/_-".repeat(MEGABYTE / 4), true],
  ["Edm.Binary", {}, "padding", `${"AAAA".repeat(MEGABYTE / 4)}AA==`, true],
  ["Edm.Binary", {}, "an invalid digit at the end", `${"AAAA".repeat(MEGABYTE / 4)}A*AA`, false],
  ["Edm.Binary", { maxLength: MEGABYTE / 2 }, "too many octets", "AAAA".repeat(MEGABYTE / 4), false],
];

describe("a long text of a body", () => {
  test.each(TEXTS)("is read in full: %s %o, %s", (type, facets, _name, text, isValue) => {
    const codec = valueCodec(PRIMITIVE_TYPES[type], facets);
    if (!isValue) {
      expect(() => codec.fromJson(text, false)).toThrow(InvalidValueError);
      return;
    }
    const value = codec.fromJson(text, false);
    // The comparison of long texts by toEqual is slow.
    if (typeof value === "string") expect(value === text).toBe(true);
    else expect(Buffer.compare(value as Buffer, Buffer.from(text, "base64"))).toBe(0);
  });
});
