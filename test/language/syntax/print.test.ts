import { describe, expect, test } from "vitest";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import type { Literal } from "../../../src/language/syntax/token.ts";
import { parseContext } from "./parsing.ts";
import { print, printLiteral } from "./print.ts";

function reprint(text: string): string {
  const context = parseContext();
  return print(parseExpression(tokenize(text, context, "$filter"), context));
}

describe("print", () => {
  test.each([
    ["((A)) eq (B)", "A eq B"],
    ["(A or B) and C", "(A or B) and C"],
    ["A or (B and C)", "A or B and C"],
    ["A or (B or C)", "A or B or C"],
    ["(A eq B) eq C", "A eq B eq C"],
    ["A eq (B eq C)", "A eq (B eq C)"],
    ["A sub (B add C) mul D", "A sub (B add C) mul D"],
    ["not (A eq B)", "not (A eq B)"],
    ["(not A) eq B", "(not A) eq B"],
    ["not A eq B", "not A eq B"],
    ["-(A add B)", "-(A add B)"],
    ["- 5", "- 5"],
    ["-(-5)", "--5"],
    ["- INF", "- INF"],
    ["-(2012-01-01)", "- 2012-01-01"],
    ["(-A) has Ns.F'X'", "(-A) has Ns.F'X'"],
    ["CONTAINS ( A , 'it''s' )", "contains(A,'it''s')"],
    ["Ns.F( p = 1 , q = @x )/A", "Ns.F(p=1,q=@x)/A"],
    ['A in [ 1, "x", null ]', "A in (1,'x',null)"],
    ["A in []", "A in []"],
    ["A in (B)", "A in B"],
    ["[ 1, 'x' ] eq B", "[1,'x'] eq B"],
    ['Ns.F(p={"a": 1})', 'Ns.F(p={"a": 1})'],
    ["A/Any( x : x/B )", "A/any(x:x/B)"],
    ["A/any( )", "A/any()"],
    ["$root/Sets( Id = 1 )/A/$count", "$root/Sets(Id=1)/A/$count"],
    ["Ns.T/A/Ns.U/B", "Ns.T/A/Ns.U/B"],
    ["isof( Ns.T )", "isof(Ns.T)"],
    ["5l add 1.50 mul 2m sub 1.5f div 3d mod 1e3", "5L add 1.50 mul 2m sub 1.5f div 3d mod 1e3"],
  ])("%s becomes %s", (text, printed) => {
    expect(reprint(text)).toBe(printed);
    expect(reprint(printed)).toBe(printed);
  });
});

describe("printLiteral", () => {
  test.each([
    ["Edm.String", "O'Neil", "'O''Neil'"],
    ["Edm.Boolean", "true", "true"],
    ["Edm.Byte", "1", "1"],
    ["Edm.SByte", "-1", "-1"],
    ["Edm.Int16", "1", "1"],
    ["Edm.Int32", "1", "1"],
    ["Edm.Int64", "1", "1L"],
    ["Edm.Decimal", "1", "1m"],
    ["Edm.Decimal", "1.0", "1.0"],
    ["Edm.Double", "1", "1d"],
    ["Edm.Double", "-1.5", "-1.5d"],
    ["Edm.Double", "1e5", "1e5"],
    ["Edm.Double", "-INF", "-INF"],
    ["Edm.Double", "NaN", "NaN"],
    ["Edm.Single", "1.5", "1.5f"],
    ["Edm.Single", "INF", "INF"],
    ["Edm.Guid", "01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Edm.Binary", "T0RhdGE", "binary'T0RhdGE'"],
    ["Edm.Date", "2012-01-01", "2012-01-01"],
    ["Edm.TimeOfDay", "11:22:33", "11:22:33"],
    ["Edm.DateTimeOffset", "2012-01-01T11:22Z", "2012-01-01T11:22Z"],
    ["Edm.Duration", "PT1S", "duration'PT1S'"],
  ] as const)("%s %s is %s", (type, text, printed) => {
    expect(printLiteral({ type, text, position: 0 })).toBe(printed);
  });

  test("enum and geo literals keep their type name", () => {
    const literals: readonly Literal[] = [
      { type: "enum", text: "Red,Green", typeName: "Ns.Color", position: 0 },
      { type: "geo", text: "SRID=0;Point(1 2)", typeName: "geography", position: 0 },
      { type: "enum", text: "Red", position: 0 },
    ];
    expect(literals.map(printLiteral)).toEqual(["Ns.Color'Red,Green'", "geography'SRID=0;Point(1 2)'", "'Red'"]);
  });
});
