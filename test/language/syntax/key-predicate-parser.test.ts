import { describe, expect, test } from "vitest";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseKeyPredicate } from "../../../src/language/syntax/path-parser.ts";
import { errorOf, parseContext } from "./parsing.ts";

const ALIASES = {
  "@p": "5",
  "@t": "'a''b'",
  "@e": "5 add 3",
  "@l": "[1,2]",
  "@o": '{"a":1}',
  "@self": "@self",
  "@empty": "",
};

/** The type and text of a value: `Edm.Int32 5`. */
function show(value: SyntaxNode): string {
  if (value.kind !== "literal") return value.kind;
  const { type, text, typeName } = value.literal;
  return [type, text, typeName].filter((part) => part !== undefined).join(" ");
}

function parse(text: string, target = "key"): ReadonlyArray<readonly [string | null, string]> {
  const { parts } = parseKeyPredicate(text, parseContext({}, ALIASES), { target });
  return parts.map(({ name, value }) => [name, show(value)] as const);
}

describe("a key", () => {
  test.each<[string, string]>([
    ["5", "Edm.Int32 5"],
    ["-5", "Edm.Int32 -5"],
    [" 5 ", "Edm.Int32 5"],
    ["9007199254740993", "Edm.Int64 9007199254740993"],
    ["1.50", "Edm.Decimal 1.50"],
    ["true", "Edm.Boolean true"],
    ["'x''y'", "Edm.String x'y"],
    ["''", "Edm.String "],
    ["'a,b=c)('", "Edm.String a,b=c)("],
    ["'\0\n/ü\u{1f600}'", "Edm.String \0\n/ü\u{1f600}"],
    ["01234567-89ab-cdef-0123-456789abcdef", "Edm.Guid 01234567-89ab-cdef-0123-456789abcdef"],
    ["2024-02-29", "Edm.Date 2024-02-29"],
    ["2018-02-13T23:59:59Z", "Edm.DateTimeOffset 2018-02-13T23:59:59Z"],
    ["2018-02-13T23:59:59+01:00", "Edm.DateTimeOffset 2018-02-13T23:59:59+01:00"],
    ["23:59:59", "Edm.TimeOfDay 23:59:59"],
    ["duration'P1D'", "Edm.Duration P1D"],
    ["Ns.Color'Red'", "enum Red Ns.Color"],
    ["null", "null"],
    ["@p", "Edm.Int32 5"],
    ["@t", "Edm.String a'b"],
    ["@unknown", "alias"],
  ])("(%s)", (text, value) => {
    expect(parse(text)).toEqual([[null, value]]);
    expect(parse(`Id=${text}`)).toEqual([["Id", value]]);
  });

  test("of several properties", () => {
    expect(parse("A=1, B = 'x',__proto__=@t")).toEqual([
      ["A", "Edm.Int32 1"],
      ["B", "Edm.String x"],
      ["__proto__", "Edm.String a'b"],
    ]);
  });

  test("its literals are not added to those of the query", () => {
    const context = parseContext();
    const { parts } = parseKeyPredicate("A=1,B=2", context, { target: "key" });
    expect(context.literals).toEqual([]);
    expect(parts.map(({ value }) => (value.kind === "literal" ? value.index : -1))).toEqual([0, 1]);
    expect(context.counters.tokens).toBe(7);
  });

  test.each([
    ["", "a value is missing"],
    ["  ", "a value is missing"],
    ["1,2", "several values must be named"],
    ["A=1,2", "several values must be named"],
    ["A=1,A=2", '"A" appears twice'],
    ["A.B=1", "is not a name"],
    ["$it=1", "is not a name"],
    ["ID=wrong", "a value must be a literal"],
    ["wrong", "a value must be a literal"],
    ["OrderID=1;ItemID='a'", "position 9"],
    ["5 add 3", "a value must be a literal"],
    ["(5)", "a value must be a literal"],
    ["not true", "a value must be a literal"],
    ["- 5", "a value must be a literal"],
    ["[1]", "a key value must be a literal"],
    ['{"a":1}', "a key value must be a literal"],
    ["@e", "a key value must be a literal"],
    ["@l", "a key value must be a literal"],
    ["@self", "refers to itself"],
    ["'x", "does not end"],
    ["5'", "position"],
    ["1=1", "position 1"],
    ["A=", "position 2"],
    ["A=1,", "position 4"],
    ["A==1", "position 2"],
    ["5 5", "position 2"],
    ["5)", "position 1"],
    ["1e400x", "position"],
  ])("(%s) is refused", (text, message) => {
    const error = errorOf(() => parse(text));
    expect(error.status).toBe(400);
    if (!text.startsWith("@self")) expect(error).toMatchObject({ code: "InvalidKey", target: "key" });
    expect(error.message).toContain(message);
  });
});

describe("the arguments of a function", () => {
  test.each<[string, ReadonlyArray<readonly [string | null, string]>]>([
    ["", []],
    [" ", []],
    ["a=1", [["a", "Edm.Int32 1"]]],
    [
      "a=@e,b=@o",
      [
        ["a", "binary"],
        ["b", "json"],
      ],
    ],
    [
      "a=[1,2],b=null",
      [
        ["a", "list"],
        ["b", "null"],
      ],
    ],
    ["a=@unknown", [["a", "alias"]]],
    ['a={"x":")"}', [["a", "json"]]],
  ])("(%s)", (text, parts) => {
    expect(parse(text, "Total")).toEqual(parts);
  });

  test.each(["a=5 add 3", "a=Name", "a=(1)", "a=1,a=2", "a=1,2", "a", "a=f()", "a=-Price"])(
    "(%s) is refused",
    (text) => {
      expect(errorOf(() => parse(text, "Total"))).toMatchObject({
        status: 400,
        code: "InvalidParameter",
        target: "Total",
      });
    },
  );
});
