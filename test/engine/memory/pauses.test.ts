import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pace } from "../../../src/base/maybe.ts";
import { FilteredRows } from "../../../src/engine/memory/visit-rows.ts";
import { caseCount } from "../../cases.ts";
import { inOneTurn, inPauses } from "./in-pauses.ts";
import type { Options } from "./model.ts";

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly number: number | null;
}

const FORMS: Readonly<Record<string, (rows: readonly Row[]) => Iterable<unknown>>> = {
  list: (rows) => rows,
  "frozen list": (rows) => Object.freeze([...rows]),
  set: (rows) => new Set(rows),
  "filtered list": (rows) => new FilteredRows(rows, (row) => (row as Row).id % 5 !== 0),
  "filtered set": (rows) => new FilteredRows(new Set(rows), (row) => (row as Row).id % 5 !== 0),
};

/** Pauses at some of the places where a query may. */
function drawnFrom(seed: number): Pace {
  let random = seed;
  return {
    get isOver(): boolean {
      random = (random * 48_271) % 2_147_483_647;
      return random % 3 === 0;
    },
  };
}

const list = fc.array(
  fc.record({ name: fc.constantFrom("a", "b", "c", null), number: fc.constantFrom(1, 2, 3, Number.NaN, null) }),
  { maxLength: 3000, size: "max" },
);
const options: fc.Arbitrary<Options> = fc.record(
  {
    filter: fc.constantFrom("Id gt 40", "Name eq 'a'", "contains(Name,'b') or Number lt 2", "Id lt 0"),
    orderby: fc.constantFrom("Id", "Id desc", "Name", "Number desc,Name", "Name,Id desc", "Number"),
    skip: fc.nat(30),
    top: fc.oneof(fc.nat(40), fc.nat(4000)),
    count: fc.boolean(),
  },
  { requiredKeys: [] },
);

test.each(Object.entries(FORMS))("a %s is read with pauses as it is read at once", (_name, form) => {
  fc.assert(
    fc.property(list, options, fc.integer({ min: 1, max: 1_000_000 }), (items, given, seed) => {
      const rows = items.map((item, index) => ({ id: (index * 7919) % items.length, ...item }));
      const [page] = inPauses(form(rows), given, drawnFrom(seed));
      expect(page).toEqual(inOneTurn(form(rows), given));
    }),
    { numRuns: caseCount(300) },
  );
});

test.each(Object.keys(FORMS).filter((name) => name !== "frozen list"))("a %s may change during pauses", (name) => {
  fc.assert(
    fc.property(options, fc.integer({ min: 1, max: 1_000_000 }), (given, seed) => {
      const rows = Array.from({ length: 500 }, (_none, index) => ({ id: index, name: "b", number: 1 }));
      const copy = [...rows];
      const form = FORMS[name] ?? Array.from;
      const source = form(rows);
      const [page] = inPauses(source, given, drawnFrom(seed), () => rows.splice(0, 7));
      expect(page).toEqual(inOneTurn(form(copy), given));
    }),
    { numRuns: caseCount(100) },
  );
});

test("long lists have many pauses", () => {
  const length = 30_000;
  const rows = Array.from({ length }, (_none, index) => ({ id: (index * 7919) % length, name: "a", number: 1 }));
  for (const given of [{ filter: "Id gt 4" }, { orderby: "Id", top: 3 }, { orderby: "Name desc,Id desc" }] as const) {
    expect(inPauses(rows, given, drawnFrom(1))[1]).toBeGreaterThan(20);
  }
});

test("an iterable without an end is read up to its page, also with pauses", () => {
  let read = 0;
  let ended = 0;
  const endless = {
    *[Symbol.iterator]() {
      try {
        for (;;) {
          read += 1;
          yield { id: read, name: "a", number: 1 };
        }
      } finally {
        ended += 1;
      }
    },
  };
  const [page, pauses] = inPauses(endless, { filter: "Id gt 400", top: 2 }, { isOver: true });
  expect(page.entities).toMatchObject([{ id: 401 }, { id: 402 }]);
  expect([read, ended, pauses > 0]).toEqual([402, 1, true]);
});
