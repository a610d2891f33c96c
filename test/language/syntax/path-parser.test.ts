import { describe, expect, test } from "vitest";
import { parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import { errorOf } from "./parsing.ts";

describe("parseResourcePath", () => {
  test.each<[string, ReadonlyArray<readonly [string, (string | undefined)?]>]>([
    ["", []],
    ["/", []],
    ["Orders", [["Orders"]]],
    ["/Orders/", [["Orders"]]],
    ["/Orders(5)/Lines/$count", [["Orders", "5"], ["Lines"], ["$count"]]],
    ["Orders()", [["Orders", ""]]],
    ["Orders(%27a%2Fb%27)", [["Orders", "'a/b'"]]],
    ["Orders%28%27a%27%29", [["Orders", "'a'"]]],
    ["Orders('a%2Bb+c')", [["Orders", "'a+b+c'"]]],
    ["Orders('%2527')", [["Orders", "'%27'"]]],
    ["Orders('O''Neil)')", [["Orders", "'O''Neil)'"]]],
    [
      "Orders('a(b')/Lines(1)",
      [
        ["Orders", "'a(b'"],
        ["Lines", "1"],
      ],
    ],
    ["Orders(')')", [["Orders", "')'"]]],
    ["F(p={%22a%22:%22)%5C%22%22})", [["F", 'p={"a":")\\""}']]],
    ["F(a=(1))", [["F", "a=(1)"]]],
    ["Orders(1)/Ns.Sub.Approve", [["Orders", "1"], ["Ns.Sub.Approve"]]],
    ["ByColor(color='red')(5)/Name", [["ByColor", "color='red'"], ["", "5"], ["Name"]]],
    ["$crossjoin(A,B)", [["$crossjoin", "A,B"]]],
    ["$metadata", [["$metadata"]]],
    ["Ünïcode/名前", [["Ünïcode"], ["名前"]]],
    ["%C3%9Cn", [["Ün"]]],
    ["__proto__", [["__proto__"]]],
  ])("%s", (path, expected) => {
    expect(
      parseResourcePath(path).map(({ name, parentheses }) =>
        parentheses === undefined ? [name] : [name, parentheses],
      ),
    ).toEqual(expected);
  });

  test("positions are offsets in the raw path", () => {
    expect(parseResourcePath("/A/%42('%2F')(2)/C/").map(({ position }) => position)).toEqual([1, 3, 3, 17]);
  });

  test.each([
    ["//", "empty segment at position 1"],
    ["Orders//", "empty segment at position 7"],
    ["Orders//Lines", "empty segment at position 7"],
    ["//Orders", "empty segment at position 1"],
    ["Orders/1", 'The path segment "1" at position 7 is not a name.'],
    ["People/O'Neil", "is not a name"],
    [".Products('foo')", "is not a name"],
    ["Orders/..", "is not a name"],
    ["Orders/.", "is not a name"],
    ["Orders /x", "is not a name"],
    ["Orders%00", "is not a name"],
    ["(1)", "Write a name before the parenthesis."],
    ["A..B", "is not a name"],
    ["A.", "is not a name"],
    ["$", "is not a name"],
    ["$1", "is not a name"],
    ["Orders%2FLines", "is not a name"],
  ])("%s is not found", (path, message) => {
    const error = errorOf(() => parseResourcePath(path));
    expect(error).toMatchObject({ status: 404, code: "NotFound" });
    expect(error.message).toContain(message);
  });

  test.each([
    ["A/%", 'invalid percent-encoding "%" at position 2'],
    ["A/x%C0%AF", '"%C0%AF" at position 3'],
    ["A/%ff", "at position 2"],
    ["Orders('a/b')", "has an unclosed parenthesis: a slash within parentheses is written %2F"],
    ["Orders(1", "unclosed parenthesis"],
    ["Orders(1)x", 'continues after its closing parenthesis with "x"'],
    ["Orders(1) ", "continues after"],
    ["Orders(1)(2)x", "continues after"],
    ["A/".repeat(101), "more than 100 segments"],
    [`A${"()".repeat(101)}`, "more than 100 segments"],
  ])("%s is malformed", (path, message) => {
    const error = errorOf(() => parseResourcePath(path));
    expect(error).toMatchObject({ status: 400, code: "InvalidUrl" });
    expect(error.message).toContain(message);
  });

  test.each([
    ["Orders('O'Neil')", "'O'Neil'"],
    ["Orders('a)", "'a"],
    ["Orders((1)", "(1"],
    ['F(p={"a)', 'p={"a'],
  ])("%s keeps an invalid key, for the message of the key parser", (path, parentheses) => {
    expect(parseResourcePath(path)).toMatchObject([{ parentheses }]);
  });

  test("100 segments are accepted", () => {
    expect(parseResourcePath("A/".repeat(100))).toHaveLength(100);
  });
});
