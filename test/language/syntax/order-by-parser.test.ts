import { describe, expect, test } from "vitest";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { parseOrderBy } from "../../../src/language/syntax/order-by-parser.ts";
import { errorOf, parseContext } from "./parsing.ts";
import { sketch } from "./sketch.ts";

function parse(text: string) {
  const context = parseContext();
  return parseOrderBy(tokenize(text, context, "$orderby"), context);
}

describe("parseOrderBy", () => {
  test.each([
    ["Name", "Name"],
    ["Name asc", "Name"],
    ["Name\tdesc", "Name desc"],
    ["A desc , B,C asc", "A desc; B; C"],
    ["desc desc,asc asc", "desc desc; asc"],
    ["Cost ge Revenue asc", "(ge Cost Revenue)"],
    ["A/B/$count desc", "(count (member A B)) desc"],
    ["length(Name) desc", "(call - length Name) desc"],
    ["(A) desc", "A desc"],
    ["@p desc", "alias:@p desc"],
    ["A asc,A asc,A asc,A,A,A,A,A,A,A", "A; A; A; A; A; A; A; A; A; A"],
  ])("%s", (text, items) => {
    const found = parse(text).map(({ expression, descending }) => sketch(expression) + (descending ? " desc" : ""));
    expect(found.join("; ")).toBe(items);
  });

  test("the position is that of the item", () => {
    expect(parse("A desc, B/C").map(({ position }) => position)).toEqual([0, 8]);
  });

  test.each([
    ["", 0, "found the end"],
    ["A,", 2, "found the end"],
    [",A", 0, 'found ","'],
    ["A DESC", 2, "Write desc: operators are in lower case"],
    ["A up", 2, "expected asc, desc, an operator, a comma or the end"],
    ["A desc asc", 7, "expected a comma or the end"],
    ["A desc B", 7, "expected a comma or the end"],
    ["A;B", 1, "write a comma"],
    [Array.from({ length: 11 }, () => "A").join(), 20, "more than 10 expressions"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const error = errorOf(() => parse(text));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$orderby" });
    expect(error.message).toContain(`$orderby at position ${position}: `);
    expect(error.message).toContain(message);
  });
});
