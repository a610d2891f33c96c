import { expect, test } from "vitest";
import { nextOrder, readOrderBy, writeOrderBy } from "../../../explorer/src/query/order-by-text.ts";

test.for([
  ["", []],
  ["Name", [{ path: "Name", isDescending: false }]],
  [
    "Name asc , Home/City desc",
    [
      { path: "Name", isDescending: false },
      { path: "Home/City", isDescending: true },
    ],
  ],
  ["Items/$count desc", [{ path: "Items/$count", isDescending: true }]],
  ["length(Name) desc", null],
  ["Name up", null],
] as const)("the order %s has the keys %j", ([text, keys]) => {
  expect(readOrderBy(text)).toEqual(keys);
});

test("a heading sorts ascending, descending, not at all", () => {
  const click = (text: string, path: string, isFurther = false): string =>
    writeOrderBy(nextOrder(readOrderBy(text) ?? [], path, isFurther));
  expect(click("", "A")).toBe("A");
  expect(click("A", "A")).toBe("A desc");
  expect(click("A desc", "A")).toBe("");
  expect(click("A,B", "C")).toBe("C");
  expect(click("A", "B", true)).toBe("A,B");
  expect(click("A,B", "A", true)).toBe("A desc,B");
  expect(click("A desc,B", "A", true)).toBe("B");
});
