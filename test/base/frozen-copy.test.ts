import { expect, test } from "vitest";
import { frozenCopy } from "../../src/base/frozen-copy.ts";

test("a copy is frozen at every depth, and the value stays as it is", () => {
  const value = { list: [{ id: 1 }], octets: new Uint8Array([1, 2]), text: "a", none: null };
  const copy = frozenCopy(value) as typeof value;
  expect(copy).toEqual(value);
  expect([copy, copy.list, copy.list[0]].map((each) => Object.isFrozen(each))).toEqual([true, true, true]);
  expect(copy.octets).not.toBe(value.octets);
  value.list.push({ id: 2 });
  value.octets[0] = 9;
  expect([copy.list, copy.octets]).toEqual([[{ id: 1 }], new Uint8Array([1, 2])]);
});

test.each([1, "a", null, undefined, true])("%s is its own copy", (value) => {
  expect(frozenCopy(value)).toBe(value);
});
