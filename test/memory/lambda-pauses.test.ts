import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Pace } from "../../src/base/turn.ts";
import { caseCount } from "../cases.ts";
import { inOneTurn, inPauses } from "./in-pauses.ts";
import type { Options } from "./model.ts";

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly tags: (string | null)[] | null;
  readonly address: { readonly lines: (string | null)[] };
}

// Each reading takes a millisecond: a busy machine must not decide how often a condition pauses.
let now = 0;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1));
});
afterEach(() => {
  vi.restoreAllMocks();
});

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

test("the condition of one entity has many pauses, each with progress", () => {
  const tags = Array.from({ length: 300 }, (_none, index) => `t${String(index)}`);
  const row: Row = { id: 1, name: "a", tags, address: { lines: tags } };
  const nested = "Tags/all(t:Address/Lines/any(l:l eq concat(t,'x')) or Address/Lines/any(l:l eq t))";
  const [page, pauses] = inPauses([row], { filter: nested }, eachOf(2));
  expect(page.entities).toEqual([row]);
  expect(pauses).toBeGreaterThan(1);
});

test("an entity may change during pauses: an operator that has paused evaluates the items that it had then", () => {
  const filter = "Name eq 'a' and Tags/all(t:t ne 'last') or Address/Lines/all(l:l ne 'x')";
  const items = Array.from({ length: 500 }, () => "b");
  const row = { id: 1, name: "a", tags: [...items, "last"], address: { lines: [...items, "x"] } };
  let count = 0;
  const [kept] = inPauses([row], { filter: "Tags/any(t:t eq 'last')" }, eachOf(1), () => {
    count += 1;
    // The row begins again after the first pause.
    if (count > 1) row.tags.splice(5);
  });
  expect(kept.entities).toEqual([row]);
  const changing = { ...row, tags: items, address: { lines: items } };
  const [changed, pauses] = inPauses([changing], { filter }, eachOf(1), () => {
    changing.name = "b";
  });
  expect(changed.entities).toEqual([changing]);
  expect(pauses).toBeGreaterThan(1);
});

test("an error of an item ends the evaluation of all", () => {
  const row = { id: 1, name: "a", tags: [...Array.from({ length: 500 }, () => "b"), 7], address: { lines: [] } };
  expect(() => inPauses([row], { filter: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
  expect(() => inPauses(new Set([row]), { filter: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
  expect(() => inPauses([row], { orderby: "Tags/any(t:t eq 'c')" }, eachOf(1))).toThrow("Tags");
});
