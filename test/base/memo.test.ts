import { expect, test, vi } from "vitest";
import { keptPer, keptPerPair } from "../../src/base/memo.ts";

interface Named {
  readonly name: string;
}

test("a result is computed once per object, null included", () => {
  const make = vi.fn((_owner: Named) => null);
  const find = keptPer(make);
  const owner = Object.freeze({ name: "a" });
  expect([find(owner), find(owner), find({ name: "a" })]).toEqual([null, null, null]);
  expect(make).toHaveBeenCalledTimes(2);
});

test("a changed copy of an object computes its result again", () => {
  const shout = keptPer(({ name }: Named) => name.toUpperCase());
  const owner = { name: "a" };
  expect(shout(owner)).toBe("A");
  expect(shout({ ...owner, name: "b" })).toBe("B");
  expect(owner).toEqual({ name: "a" });
});

test("an object keeps its result whether it is frozen or not, and gets no field", () => {
  const find = keptPer(() => ({}));
  const open = { name: "open" };
  const frozen = Object.freeze({ name: "frozen" });
  expect(find(open)).toBe(find(open));
  expect(find(frozen)).toBe(find(frozen));
  expect([open, frozen].flatMap(Reflect.ownKeys)).toEqual(["name", "name"]);
});

test("each pair has a separate result", () => {
  const join = keptPerPair((left: Named, right: Named) => ({ text: left.name + right.name }));
  const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "c" }];
  expect(join(a, b)).toBe(join(a, b));
  expect([join(a, b), join(a, c), join(c, a)].map(({ text }) => text)).toEqual(["ab", "ac", "ca"]);
});
