import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EntityText, joinTexts, prefixed } from "../../src/payload/entity-text.ts";
import { written } from "./written.ts";

const HALF = "x".repeat(1 << 18);

/** A list of texts, of which some are long, and of further lists. */
type Tree = string | readonly Tree[];

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("", "a", "bc", HALF, HALF + HALF),
    fc.array(tie("tree"), { maxLength: 6, size: "max" }),
  ),
}));

const write = (item: Tree): EntityText =>
  typeof item === "string"
    ? item
    : prefixed("<", joinTexts({ before: "[", separator: "", items: item, write, after: "]" }));

const whole = (item: Tree): string => {
  if (typeof item === "string") return item;
  const texts = item.map((each) => whole(each)).filter((text) => text !== "");
  return `<[${texts.join(",")}]`;
};

describe("the text of a list", () => {
  test("is that of its items, in pieces or not", () => {
    fc.assert(
      fc.property(tree, (item) => {
        // The comparison of long texts by toBe is slow if they differ.
        expect(written(write(item)) === whole(item)).toBe(true);
      }),
      { endOnFailure: true },
    );
  });

  test("begins after `before` with its separator", () => {
    const items = ["", "a", "", "b"];
    expect(joinTexts({ before: "{x", separator: ",", items, write, after: "}" })).toBe("{x,a,b}");
    expect(joinTexts({ before: "{x", separator: ",", items: [""], write, after: "}" })).toBe("{x}");
  });

  test("is written while it is read, once it is long", () => {
    let count = 0;
    const items = Array.from({ length: 100 }, () => HALF);
    const counted = (item: string): string => {
      count += 1;
      return item;
    };
    const text = joinTexts({ before: "[", separator: "", items, write: counted, after: "]" });
    expect([typeof text, count]).toEqual(["object", 3]);
    let pieces = 0;
    for (const piece of text as Iterable<string>) {
      pieces += 1;
      expect(piece.length).toBeLessThan(HALF.length * 4);
      expect(count).toBeLessThanOrEqual(pieces + 3);
    }
    expect([count, pieces > 90]).toEqual([100, true]);
  });
});
