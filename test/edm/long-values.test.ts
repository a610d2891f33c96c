import { describe, expect, test } from "vitest";
import type { Steps } from "../../src/base/turn.ts";
import { PRIMITIVE_TYPES, type Facets, type PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import type { PrimitiveValue } from "../../src/edm/value-codec.ts";
import { valueCodec } from "../../src/edm/value-codecs.ts";

const MEGABYTE = 1 << 20;

/** Takes all steps. @returns their number, and the value or the message of the error */
function take(steps: Steps<PrimitiveValue>): { pauses: number; outcome: unknown } {
  for (let pauses = 0; ; pauses += 1) {
    try {
      const step = steps.next();
      if (step.done === true) return { pauses, outcome: step.value };
    } catch (error) {
      return { pauses, outcome: String(error) };
    }
  }
}

function atOnce(read: () => PrimitiveValue): unknown {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

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
  test.each(TEXTS)("is read in steps as at once: %s %o, %s", (type, facets, _name, text, isValue) => {
    const codec = valueCodec(PRIMITIVE_TYPES[type], facets);
    const begun = codec.fromLongText?.(text, { isOver: true });
    const { pauses, outcome } = begun === undefined ? { pauses: 0, outcome: undefined } : take(begun);
    expect(pauses).toBeGreaterThanOrEqual(15);
    const expected = atOnce(() => codec.fromJson(text, false));
    expect(typeof expected === "string" && expected.startsWith("InvalidValueError")).toBe(!isValue);
    // The comparison of long texts by toEqual is slow.
    if (typeof expected === "string") expect(outcome === expected).toBe(true);
    else expect(Buffer.compare(outcome as Buffer, expected as Buffer)).toBe(0);
  });
});
