import fc from "fast-check";
import { expect, test } from "vitest";
import { nextOrder, readOrderBy, writeOrderBy } from "../../../explorer/src/query/order-by-text.ts";
import { syntaxContext } from "../../../explorer/src/query/syntax.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { parseOrderBy } from "../../../src/language/syntax/order-by-parser.ts";
import { caseCount } from "../../cases.ts";
import { syntaxTree, withoutPlaces } from "../../language/fuzz/syntax-trees.ts";
import { print } from "../../language/syntax/print.ts";

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

test("keys have the meaning of the order that they were read from", () => {
  const parse = (text: string): unknown => {
    const context = syntaxContext();
    const items = parseOrderBy(tokenize(text, context, "$orderby"), context);
    return items.map(({ expression, descending }) => [withoutPlaces(expression), descending]);
  };
  const path = fc.constantFrom("Name", "Home/City", "Items/$count", "asc", "$it/Name");
  const key = fc.oneof({ weight: 4, arbitrary: path }, { weight: 1, arbitrary: syntaxTree.map(print) });
  const item = fc.tuple(key, fc.constantFrom("", " asc", " desc")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
      const keys = readOrderBy(items.join(","));
      if (keys !== null) expect(parse(writeOrderBy(keys))).toEqual(parse(items.join(",")));
    }),
    { numRuns: caseCount(1000) },
  );
});
