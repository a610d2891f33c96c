import fc from "fast-check";
import { expect, test } from "vitest";
import { applyClauses, applySteps } from "../../src/memory/apply-query.ts";
import { Evaluation } from "../../src/memory/evaluation.ts";
import { FilteredRows } from "../../src/memory/visit-rows.ts";
import type { EntityPage } from "../../src/query/source.ts";
import { caseCount } from "../cases.ts";
import { bind, type Options, toSourceQuery } from "./model.ts";

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

/** Runs steps that pause at some of the places where they may. @param before runs during each pause */
function inPauses(rows: Iterable<unknown>, options: Options, seed: number, before: () => void): [EntityPage, number] {
  let random = seed;
  const pace = {
    get isOver(): boolean {
      random = (random * 48_271) % 2_147_483_647;
      return random % 3 === 0;
    },
  };
  const query = toSourceQuery(bind(options));
  const steps = applySteps(rows, query, new Evaluation(query.values), pace);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return [step.value, pauses];
    before();
  }
}

function atOnce(rows: Iterable<unknown>, options: Options): EntityPage {
  const query = toSourceQuery(bind(options));
  return applyClauses(rows, query, new Evaluation(query.values));
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
      const [page] = inPauses(form(rows), given, seed, () => undefined);
      expect(page).toEqual(atOnce(form(rows), given));
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
      const [page] = inPauses(source, given, seed, () => rows.splice(0, 7));
      expect(page).toEqual(atOnce(form(copy), given));
    }),
    { numRuns: caseCount(100) },
  );
});

test("long lists have many pauses", () => {
  const rows = Array.from({ length: 3000 }, (_none, index) => ({ id: (index * 7919) % 3000, name: "a", number: 1 }));
  for (const given of [{ filter: "Id gt 4" }, { orderby: "Id", top: 3 }, { orderby: "Name desc,Id desc" }] as const) {
    expect(inPauses(rows, given, 1, () => undefined)[1]).toBeGreaterThan(20);
  }
});
