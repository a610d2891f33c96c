import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pace } from "../../../src/base/maybe.ts";
import { caseCount } from "../../cases.ts";
import { inOneTurn, inPauses } from "./in-pauses.ts";
import type { Options } from "./model.ts";

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly tags: (string | null)[] | null;
  readonly address: { readonly lines: (string | null)[] };
}

/** Pauses at one of `interval` places where a query may. */
function eachOf(interval: number): Pace {
  let readings = 0;
  return {
    get isOver(): boolean {
      readings += 1;
      return readings % interval === 0;
    },
  };
}

const CONDITIONS = [
  "Tags/any(t:t eq 'c')",
  "Tags/all(t:t ne 'd')",
  "not Tags/any(t:t eq Name)",
  "Tags/any(t:Address/Lines/any(l:l eq concat(t,'x')))",
  "Tags/any(t:Address/Lines/all(l:l ne t) and t ne 'a')",
  "Tags/all(t:Address/Lines/any(l:l eq t) or Address/Lines/any(l:l gt t and Tags/any(u:u lt l)))",
  "Name eq 'a' and Tags/any(t:t eq 'zz') or Address/Lines/any(l:l eq 'd')",
  "Tags/any(t:t in Address/Lines) eq Address/Lines/any(l:l eq 'b')",
  "Tags/any() and Address/Lines/all(l:Tags/any(t:t eq l))",
] as const;

const texts = fc.array(fc.constantFrom("a", "b", "c", "d", "ax", null), { maxLength: 200, size: "max" });
const rowList = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", null),
    tags: fc.option(texts, { freq: 10 }),
    address: fc.record({ lines: texts }),
  }),
  { maxLength: 40, size: "max" },
);
const options: fc.Arbitrary<Options> = fc.record(
  {
    filter: fc.constantFrom(...CONDITIONS),
    orderby: fc.constantFrom(...CONDITIONS.map((each) => `${each} desc,Id`), `Name,${CONDITIONS[3]},Id desc`),
    top: fc.nat(40),
    count: fc.boolean(),
  },
  { requiredKeys: [] },
);

test("any and all have the same values with pauses as at once", () => {
  fc.assert(
    fc.property(rowList, options, fc.integer({ min: 1, max: 9 }), fc.boolean(), (items, given, interval, isSet) => {
      const rows = items.map((item, index): Row => ({ id: (index * 7919) % items.length, ...item }));
      const [page] = inPauses(isSet ? new Set(rows) : rows, given, eachOf(interval));
      expect(page).toEqual(inOneTurn(rows, given));
    }),
    { numRuns: caseCount(500) },
  );
});

test("the clock is read after each row that inspects many items", () => {
  const tags = Array.from({ length: 1000 }, (_none, index) => `t${String(index)}`);
  const row = (id: number, length: number): Row => ({
    id,
    name: "a",
    tags: tags.slice(0, length),
    address: { lines: [] },
  });
  const readings = (length: number, options: Options): number => {
    let count = 0;
    const pace = {
      get isOver(): boolean {
        count += 1;
        return false;
      },
    };
    inPauses([row(1, length), row(2, length), row(3, length)], options, pace);
    return count;
  };
  for (const given of [{ filter: "Tags/any(t:t eq 'x')" }, { orderby: "Tags/any(t:t eq 'x')" }]) {
    expect([readings(1000, given), readings(999, given)]).toEqual([2, 0]);
  }
});

test("an error of an item ends the evaluation of all", () => {
  const row = { id: 1, name: "a", tags: [...Array.from({ length: 500 }, () => "b"), 7], address: { lines: [] } };
  expect(() => inPauses([row], { filter: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
  expect(() => inPauses(new Set([row]), { filter: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
  expect(() => inPauses([row], { orderby: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
});
