import fc from "fast-check";
import { expect, test } from "vitest";
import { Structures } from "../../../src/databases/read/structures.ts";
import { SEED } from "../../cases.ts";

/** Clauses of any structure, with model objects that look alike. */
const PROPERTIES = [1, 2].map(() => ({ kind: "StructuralProperty", name: "Name" }));
const clauses = fc.letrec<{ clause: unknown }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(null, undefined, true, 0, -0, 1n, 1, "1", "", 'a","b', "#1", ...PROPERTIES),
    fc.array(tie("clause"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", 'a":1,"b'), tie("clause"), { maxKeys: 3 }),
    fc.array(tie("clause"), { maxLength: 2 }).map((items) => new Set(items)),
  ),
})).clause;

/** Copies everything but model objects. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || PROPERTIES.some((property) => property === value)) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Set) return new Set(Array.from(value, copyOf));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

/** Returns whether two clauses consist of the same values in the same order, and of the same model objects. */
function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (PROPERTIES.some((property) => property === left || property === right)) return false;
  if (Array.isArray(left) !== Array.isArray(right) || left instanceof Set !== right instanceof Set) return false;
  const [some, others] = [left, right].map((each) => (each instanceof Set ? [...each] : Object.entries(each).flat()));
  const [first = [], second = []] = [some, others];
  return first.length === second.length && first.every((each, index) => isEqual(each, second[index]));
}

test("two clauses have the same number exactly if they have the same structure", () => {
  const structures = new Structures(1000);
  const pair = fc.tuple(clauses, clauses).map(([left, right]) => [[left], [right]] as const);
  fc.assert(
    fc.property(pair, ([left, right]) => {
      expect(structures.of(copyOf(left) as object)).toBe(structures.of(left));
      expect(structures.of(left) === structures.of(right)).toBe(isEqual(left, right));
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

test("a number is never given to another structure, however few are known", () => {
  const structures = new Structures(2);
  const known = new Map<number, unknown>();
  fc.assert(
    fc.property(clauses, (clause) => {
      const number = structures.of([clause]);
      if (known.has(number)) expect(isEqual(known.get(number), clause)).toBe(true);
      known.set(number, clause);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

test("functions, instances and declarations are numbered by their identity, and nothing by 0", () => {
  const structures = new Structures(10);
  const [one, other] = [new Date(0), new Date(0)];
  const convert = (): number => 1;
  expect(structures.of({ at: one })).not.toBe(structures.of({ at: other }));
  expect(structures.of({ at: one })).toBe(structures.of({ at: one }));
  expect(structures.of({ convert })).toBe(structures.of({ convert }));
  expect(structures.of({ convert })).not.toBe(structures.of({ convert: () => 1 }));
  expect(structures.ofDeclaration({ name: "a" })).not.toBe(structures.ofDeclaration({ name: "a" }));
  expect([structures.of(null), structures.of(undefined)]).toEqual([0, 0]);
});
