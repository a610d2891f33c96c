import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { atOnce } from "../../../src/base/maybe.ts";
import { scanRows } from "../../../src/databases/cells/json-rows.ts";
import { scanString } from "../../../src/databases/cells/json-text.ts";
import { caseCount } from "../../cases.ts";

const encoder = new TextEncoder();

function join(...parts: ReadonlyArray<string | readonly number[]>): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? encoder.encode(part) : Uint8Array.from(part))));
}

/** Valid parts of a string that a database wrote. */
const VALID = ["x", "ä", "漢", "😀", String.raw`\"`, String.raw`\\`, String.raw`\u0001`];
/** Invalid UTF-8: too short, too long, a surrogate, beyond Unicode; and NUL. */
const INVALID: ReadonlyArray<string | readonly number[]> = [
  [0xc3],
  [0xe6, 0xbc],
  [0xf0, 0x9f, 0x98],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xbc],
  String.raw`\u0000`,
];

const run = fc
  .tuple(fc.constantFrom(...VALID), fc.integer({ min: 0, max: 70_000 }))
  .map(([part, count]) => part.repeat(count));
const text = fc.array(run, { minLength: 1, maxLength: 4 }).map((runs) => runs.join(""));

describe("a long string in JSON of the database", () => {
  test("ends at its quote", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(",", '"', "}x"), (written, after) => {
        const bytes = join(`:"${written}"`, after);
        expect(scanString(bytes, 1)).toBe(bytes.length - after.length);
        expect(scanString(bytes.subarray(0, bytes.length - after.length - 1), 1)).toBe(-1);
      }),
      { numRuns: caseCount(60) },
    );
  });

  test("is rejected with invalid UTF-8 or NUL", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...INVALID), text, (written, invalid, rest) => {
        expect(scanString(join(`"${written}`, invalid, `${rest}"`), 0)).toBe(-1);
      }),
      { numRuns: caseCount(60) },
    );
  });

  test.each([
    ["no such module", undefined],
    ["a module of another kind", "text"],
    ["a module with another thing of that name", { isUtf8: 1 }],
  ])("is read by a loop in another runtime: %s", async (_, module) => {
    vi.resetModules();
    const lookUp = vi.spyOn(process, "getBuiltinModule").mockReturnValue(module as never);
    const { scanString: portable } = await import("../../../src/databases/cells/json-text.ts");
    lookUp.mockRestore();
    const bytes = join(`"${"ä".repeat(100_000)}"`);
    expect(portable(bytes, 0)).toBe(bytes.length);
    expect(portable(join(`"${"ä".repeat(100_000)}`, [0xc3], '"'), 0)).toBe(-1);
  });
});

test("the check of a long page pauses between objects", () => {
  const object = `{"Text":"${"x".repeat(100_000)}"}`;
  const bytes = join(Array.from({ length: 30 }, () => object).join(","));
  const member = { head: '{"Text":'.length, nullable: false, scan: scanString };
  const steps = scanRows(bytes, 30, [member], { isOver: true });
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  expect(pauses).toBe(10);
  const [lastStart, previousStart] = [29 * (object.length + 1), 28 * (object.length + 1)];
  expect(step.value).toMatchObject({ total: 30, lastStart, previousStart });
});

describe("a page of more than 4 MB with one long value", () => {
  const member = { head: '{"Text":'.length, nullable: false, scan: scanString };

  const isFit = (bytes: Uint8Array): boolean => atOnce((pace) => scanRows(bytes, 1, [member], pace)) !== null;

  test.each(INVALID)("%j is not sent", (invalid) => {
    for (const [before, after] of [
      [0, 4_300_000],
      [2_100_000, 2_200_000],
      [4_300_000, 0],
    ] as const) {
      const bytes = join(`{"Text":"${"x".repeat(before)}`, invalid, `${"ä".repeat(after / 2)}"}`);
      expect(isFit(bytes)).toBe(false);
    }
  });
});
