import { describe, expect, test } from "vitest";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import type { SyntaxLimits } from "../../../src/language/syntax/parse-context.ts";
import { errorOf, parseContext } from "./parsing.ts";

function lex(text: string, aliases: Readonly<Record<string, string>> = {}, limits: Partial<SyntaxLimits> = {}) {
  const context = parseContext(limits, aliases);
  const list = tokenize(text, context, "$filter");
  return { list, literals: context.literals, kinds: list.tokens.map((token) => token.kind).join(" ") };
}

describe("literals", () => {
  test.each([
    ["5", "Edm.Int32", "5"],
    ["-5", "Edm.Int32", "-5"],
    ["+5", "Edm.Int32", "5"],
    ["0", "Edm.Int32", "0"],
    ["000", "Edm.Int32", "000"],
    ["2147483647", "Edm.Int32", "2147483647"],
    ["2147483648", "Edm.Int64", "2147483648"],
    ["-2147483648", "Edm.Int32", "-2147483648"],
    ["-2147483649", "Edm.Int64", "-2147483649"],
    ["00000000000005", "Edm.Int32", "00000000000005"],
    ["9223372036854775807", "Edm.Int64", "9223372036854775807"],
    ["9223372036854775808", "Edm.Decimal", "9223372036854775808"],
    ["-9223372036854775808", "Edm.Int64", "-9223372036854775808"],
    ["-9223372036854775809", "Edm.Decimal", "-9223372036854775809"],
    ["99999999999999999999", "Edm.Decimal", "99999999999999999999"],
    ["5.0", "Edm.Decimal", "5.0"],
    ["-0.50", "Edm.Decimal", "-0.50"],
    ["5e0", "Edm.Double", "5e0"],
    ["5E+10", "Edm.Double", "5E+10"],
    ["-1.5e-3", "Edm.Double", "-1.5e-3"],
    ["5L", "Edm.Int64", "5"],
    ["5l", "Edm.Int64", "5"],
    ["0m", "Edm.Decimal", "0"],
    ["1.5M", "Edm.Decimal", "1.5"],
    ["1.5d", "Edm.Double", "1.5"],
    ["2e3D", "Edm.Double", "2e3"],
    ["1.5f", "Edm.Single", "1.5"],
    ["INF", "Edm.Double", "INF"],
    ["-INF", "Edm.Double", "-INF"],
    ["NaN", "Edm.Double", "NaN"],
    ["true", "Edm.Boolean", "true"],
    ["FALSE", "Edm.Boolean", "false"],
    ["tRUe", "Edm.Boolean", "true"],
    ["'x'", "Edm.String", "x"],
    ["''", "Edm.String", ""],
    ["''''", "Edm.String", "'"],
    ["'O''Neil''s'", "Edm.String", "O'Neil's"],
    ["'a)b(,/ and \u{1F600}'", "Edm.String", "a)b(,/ and \u{1F600}"],
    ["01234567-89ab-cdef-0123-456789ABCDEF", "Edm.Guid", "01234567-89ab-cdef-0123-456789ABCDEF"],
    ["a1234567-89ab-cdef-0123-456789abcdef", "Edm.Guid", "a1234567-89ab-cdef-0123-456789abcdef"],
    ["12e45678-89ab-cdef-0123-456789abcdef", "Edm.Guid", "12e45678-89ab-cdef-0123-456789abcdef"],
    ["20120903-1234-1234-1234-123456789012", "Edm.Guid", "20120903-1234-1234-1234-123456789012"],
    ["2012-09-03", "Edm.Date", "2012-09-03"],
    ["-10000-04-01", "Edm.Date", "-10000-04-01"],
    ["12345678-01-31", "Edm.Date", "12345678-01-31"],
    ["2012-09-03T22:09Z", "Edm.DateTimeOffset", "2012-09-03T22:09Z"],
    ["2012-09-03t22:09:02z", "Edm.DateTimeOffset", "2012-09-03T22:09:02Z"],
    ["2012-09-03T22:09:02.123456789012+14:00", "Edm.DateTimeOffset", "2012-09-03T22:09:02.123456789012+14:00"],
    ["-10000-04-01T00:00-01:00", "Edm.DateTimeOffset", "-10000-04-01T00:00-01:00"],
    ["11:22", "Edm.TimeOfDay", "11:22"],
    ["11:22:33", "Edm.TimeOfDay", "11:22:33"],
    ["11:22:33.4444444", "Edm.TimeOfDay", "11:22:33.4444444"],
    ["duration'P1DT2H'", "Edm.Duration", "P1DT2H"],
    ["DURATION'-PT1S'", "Edm.Duration", "-PT1S"],
    ["binary'T0RhdGE'", "Edm.Binary", "T0RhdGE"],
  ])("%s is %s %s", (text, type, value) => {
    const { list, literals, kinds } = lex(text);
    expect(kinds).toBe("literal");
    expect(literals).toEqual([{ type, text: value, position: 0 }]);
    expect(list.shape).toBe(`?${type}`);
    expect(list.tokens[0]).toMatchObject({ index: 0, literal: literals[0], position: 0 });
  });

  test.each([
    ["Ns.Color'Red'", "enum", "Ns.Color", "Red"],
    ["A.B.Flags'Red,Green'", "enum", "A.B.Flags", "Red,Green"],
    ["Ns.Color'it''s'", "enum", "Ns.Color", "it's"],
    ["geography'SRID=0;Point(142.1 64.1)'", "geo", "geography", "SRID=0;Point(142.1 64.1)"],
    ["Geometry'SRID=0;Point(1 2)'", "geo", "geometry", "SRID=0;Point(1 2)"],
  ])("%s is %s of %s", (text, type, typeName, value) => {
    const { list, literals } = lex(text);
    expect(literals).toEqual([{ type, text: value, typeName, position: 0 }]);
    expect(list.shape).toBe(`?${type}:${typeName}`);
  });

  test("positions count from the given base", () => {
    const context = parseContext();
    const list = tokenize("A eq 'x'", context, "$expand", 100);
    expect(list.tokens.map((token) => token.position)).toEqual([100, 102, 105]);
    expect(list.end).toBe(108);
    expect(context.literals[0]?.position).toBe(105);
    expect(errorOf(() => tokenize("A eq #", context, "$expand", 100)).message).toContain("at position 105:");
  });

  test.each([
    ["'x", 0, 'the string "x" does not end'],
    ["A eq 'it''s", 5, "does not end"],
    ["'O'Neil'", 3, "double a quote within a string"],
    ["'x'and true", 3, "put a blank between"],
    ["5x", 0, '"5x" is not a literal'],
    ["5.", 0, '"5." is not a literal'],
    ["5.5.5", 0, '"5.5.5" is not a literal'],
    ["5e", 0, '"5e" is not a literal'],
    ["5e+", 0, '"5e+" is not a literal'],
    ["5LL", 0, '"5LL" is not a literal'],
    ["1.5L", 0, "Edm.Int64 takes no fraction"],
    ["1e5L", 0, "Edm.Int64 takes no exponent"],
    ["1e5m", 0, "Edm.Decimal takes no exponent"],
    [".5", 0, 'found "."'],
    ["01234567-89ab-cdef-456789abcdef", 9, "8-4-4-4-12"],
    ["01234567-89ab-cdef-0123-456789abcdef0", 9, "8-4-4-4-12"],
    ["2012-09-03T22:09:02", 0, "ends with Z or an offset"],
    ["2012-09-03T22:09:02 01:00", 0, "%2B"],
    ["2012-09-03T22:09:02+1", 0, "ends with Z or an offset"],
    ["2012-09-03T22", 0, "write a time as hh:mm:ss"],
    ["2012-09-03T", 0, "write a time as hh:mm:ss"],
    ["2012-09-035", 0, "is not a literal"],
    ["11:2", 0, "write a time as hh:mm:ss"],
    ["11:22:3", 0, '"11:22:3" is not a literal'],
    ["11:22:33.", 0, '"11:22:33." is not a literal'],
    ["X'1a2B3c4D'", 0, "Write binary'…'"],
    ["guid'01234567-89ab-cdef-0123-456789abcdef'", 0, "Write a Guid without prefix"],
    ["datetime'2012-09-03T00:00'", 0, "Write a DateTimeOffset without"],
    ["datetimeoffset'2012-09-03T00:00Z'", 0, "Write a DateTimeOffset without"],
    ["time'PT1S'", 0, "duration'…'"],
    ["A eq'x'", 2, "Write a blank between a word and a string"],
    ["Ns.Color'Red", 8, "does not end"],
    ["+INF", 0, "write add"],
    [`${"9".repeat(100)}x`, 0, `"${"9".repeat(40)}…" is not a literal`],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const error = errorOf(() => lex(text));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$filter" });
    expect(error.message).toContain(`$filter at position ${position}: `);
    expect(error.message).toContain(message);
  });

  test("the code of the error depends on the origin of the text", () => {
    const codeOf = (option: string) => errorOf(() => tokenize("#", parseContext(), option)).code;
    expect(["$orderby", "@p", "key", "ByColor"].map(codeOf)).toEqual([
      "InvalidQueryOption",
      "InvalidQueryOption",
      "InvalidKey",
      "InvalidParameter",
    ]);
  });
});

describe("words and punctuation", () => {
  test.each([
    ["A eq B", "name operator name"],
    ["eq eq eq", "name operator name"],
    ["A\teq\t 5", "name operator literal"],
    ["A in (1,null)", "name operator ( literal , null )"],
    ["not A", "not name"],
    ["not not(A)", "not not ( name )"],
    ["A and not B", "name operator not name"],
    ["A/not", "name / name"],
    ["A/true", "name / name"],
    ["A/null eq null", "name / name operator null"],
    ["NULL", "name"],
    ["nan", "name"],
    ["-A", "- name"],
    ["- 5", "- literal"],
    ["--5", "- literal"],
    ["-INFO", "- name"],
    ["A -5", "name - literal"],
    ["5 -5", "literal - literal"],
    ["(A)-5", "( name ) - literal"],
    ["A eq-5", "name operator literal"],
    ["f(-5,-6)", "name ( literal , literal )"],
    ["f(p=-5)", "name ( name = literal )"],
    ["A/any(x:-5 lt x/B)", "name / name ( name : literal operator name / name )"],
    ["A asc,B desc", "name name , name name"],
    ["Ns.Fn(p=@q)", "name ( name = alias )"],
    ["$it/A", "name / name"],
    ["A EQ B", "name name name"],
    ["Größe eq 名前", "name operator name"],
    ["a\u{10400}b eq 1", "name operator literal"],
    ["", ""],
    [" \t ", ""],
  ])("%s is %s", (text, kinds) => {
    expect(lex(text).kinds).toBe(kinds);
  });

  test.each([
    ["a < b", 2, "write lt or le"],
    ["a > b", 2, "write gt or ge"],
    ["a != b", 2, "write ne"],
    ["a && b", 2, "write and"],
    ["a || b", 2, "write or"],
    ["a * b", 2, "write mul"],
    ["a % b", 2, "write mod"],
    ["a + b", 2, "write add"],
    ["a ; b", 2, "write a comma"],
    ["a eq ‘x’", 5, "straight single quotes"],
    ['a eq "x"', 5, "single quotes"],
    ["a#", 1, "no name, literal or operator"],
    ["a.", 1, "a dot is allowed"],
    ["$", 0, 'found "$"'],
    ["@", 0, 'found "@"'],
    ["@1", 0, 'found "@"'],
    ["\u0000", 0, '"\\u0000"'],
    ["\u{1F600}", 0, '"\u{1F600}"'],
    ["a\ud800", 1, '"\\ud800"'],
    ["a]", 1, 'the "]" has no opening bracket'],
    ["a)", 1, 'the ")" has no opening parenthesis'],
    ["a\nb", 1, '"\\n"'],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const error = errorOf(() => lex(text));
    expect(error.message).toContain(`$filter at position ${position}: `);
    expect(error.message).toContain(message);
  });
});

describe("shapes", () => {
  test.each([
    ["Price gt 5", "Price gt ?Edm.Int32"],
    ["  Price   gt\t5 ", "Price gt ?Edm.Int32"],
    ["Price gt null", "Price gt null"],
    ["contains( Name , 'x' )", "contains(Name,?Edm.String)"],
    ["not (A) and B", "not(A)and B"],
    ["C eq Ns.Color'Red'", "C eq ?enum:Ns.Color"],
    ["@p eq 1", "@p eq ?Edm.Int32"],
    ['F.G(a={"b": 1}) eq 1', 'F.G(a={"b": 1})eq ?Edm.Int32'],
    ["Id in (1,2)", "Id in(?Edm.Int32,?Edm.Int32)"],
  ])("%s has %s", (text, shape) => {
    expect(lex(text).list.shape).toBe(shape);
  });

  test.each([
    ["A eq 5", "A eq 5L"],
    ["A eq 5", "A eq 5.0"],
    ["A eq 'x'", "A eq null"],
    ["A eq -5", "A eq - 5"],
    ["A eq Ns.C'x'", "A eq Ns.D'x'"],
    ["A in (1)", "A in (1,2)"],
    ["A/B", "AB"],
    ["A/true", "A/any(x:true)"],
    ["(A)", "A"],
  ])("%s and %s differ", (left, right) => {
    expect(lex(left).list.shape).not.toBe(lex(right).list.shape);
  });
});

describe("JSON", () => {
  test.each([
    ['["a","b"]', "[ literal , literal ]", ["a", "b"]],
    ["[]", "[ ]", []],
    ["[ ]", "[ ]", []],
    ["[1,-2.5,1e3,true,null,'x']", "[ literal , literal , literal , literal , null , literal ]"],
    ['["it\'s ]","\\u0041\\n\\""]', "[ literal , literal ]", ["it's ]", 'A\n"']],
    ["[2012-09-03,11:22:33,2012-09-03T10:11Z,5L]", "[ literal , literal , literal , literal ]"],
    ["[a1234567-89ab-cdef-0123-456789abcdef]", "[ literal ]"],
    ["[duration'P1D',Ns.Color'Red',INF,NaN,-INF]", "[ literal , literal , literal , literal , literal ]"],
    ["[[1],[2]]", "json"],
    ['[{"a":1}]', "json"],
    ["{}", "json"],
    ['{"a":["}]",{"b":\'[\'}]} ', "json"],
    ["[Name,1]", "json"],
    ["[$root/Customers(1)]", "json"],
    [`[${"ab".repeat(10)}]`, "json"],
  ])("%s is %s", (text, kinds, texts?: readonly string[]) => {
    const { kinds: found, literals } = lex(text);
    expect(found).toBe(kinds);
    if (texts !== undefined) expect(literals.map((literal) => literal.text)).toEqual(texts);
  });

  test("keeps its text", () => {
    expect(lex('{"a": [1, "}"]} eq 1').list.tokens[0]).toMatchObject({ kind: "json", text: '{"a": [1, "}"]}' });
  });

  test.each([
    ["[", 0, '"]" is missing'],
    ["{[", 0, '"]" is missing'],
    ["{", 0, '"}" is missing'],
    ['["a', 1, "the JSON string does not end"],
    ['["a\\', 1, "the JSON string does not end"],
    ["['a", 1, "the string does not end"],
    ["[}", 1, 'expected "]", found "}"'],
    ['{"a":1]', 6, 'expected "}", found "]"'],
    ['["\\x"]', 1, "invalid escape"],
    ['["a\u0001"]', 1, "control character"],
    ["[".repeat(101), 100, "nested deeper than 100 levels"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const error = errorOf(() => lex(text));
    expect(error.message).toContain(`$filter at position ${position}: `);
    expect(error.message).toContain(message);
  });
});

describe("parameter aliases", () => {
  test.each([
    ["A eq @p", { "@p": "5" }, "A eq ?Edm.Int32"],
    ["A eq @p", { "@p": " -5 " }, "A eq ?Edm.Int32"],
    ["A eq @p", { "@p": "null" }, "A eq null"],
    ["A eq @p", { "@p": "1 add 2" }, "A eq(?Edm.Int32 add ?Edm.Int32)"],
    ["A eq @p", { "@p": "(1)" }, "A eq(?Edm.Int32)"],
    ["A eq @p", { "@p": "(1) add (2)" }, "A eq((?Edm.Int32)add(?Edm.Int32))"],
    ["A eq @p", { "@p": "-B" }, "A eq(-B)"],
    ["A eq @p", { "@p": "B" }, "A eq(B)"],
    ["A eq @p", { "@p": "@q", "@q": "'x'" }, "A eq ?Edm.String"],
    ["A eq @p", { "@p": "@q" }, "A eq(@q)"],
    ["A in @p", { "@p": "(1,2)" }, "A in(?Edm.Int32,?Edm.Int32)"],
    ["A in @p", { "@p": "[1,2]" }, "A in[?Edm.Int32,?Edm.Int32]"],
    ["F.G(a=@p)", { "@p": '{"x":1}' }, 'F.G(a={"x":1})'],
    ["@p or @p", { "@p": "A eq 1" }, "(A eq ?Edm.Int32)or(A eq ?Edm.Int32)"],
    ["A eq @constructor", {}, "A eq @constructor"],
    ["A @p", { "@p": "5" }, "A @p"],
  ])("%s with %j is %s", (text, aliases: Readonly<Record<string, string>>, shape) => {
    expect(lex(text, aliases).list.shape).toBe(shape);
  });

  test("literals and tokens of an alias have its position", () => {
    const { list, literals } = lex("A eq @p and B eq 'z'", { "@p": "1 add @q", "@q": "  'x'" });
    expect(literals.map(({ text, position }) => [text, position])).toEqual([
      ["1", 5],
      ["x", 5],
      ["z", 17],
    ]);
    expect(list.tokens.slice(2, 7).map(({ kind, position, alias }) => [kind, position, alias])).toEqual([
      ["(", 5, "@p"],
      ["literal", 5, "@p"],
      ["operator", 5, "@p"],
      ["literal", 5, "@q"],
      [")", 5, "@p"],
    ]);
  });

  test.each([
    [{ "@p": "@p" }, "@p", 0, 'the parameter alias "@p" refers to itself'],
    [{ "@p": "1 add @q", "@q": "@r", "@r": "(@p)" }, "@r", 1, 'the parameter alias "@p" refers to itself'],
    [{ "@p": "" }, "@p", 0, "has an empty value"],
    [{ "@p": " " }, "@p", 0, "has an empty value"],
    [{ "@p": "1) or (1" }, "@p", 1, 'the ")" has no opening parenthesis'],
    [{ "@p": "(1" }, "@p", 2, "a closing parenthesis is missing"],
    [{ "@p": "1,2" }, "@p", 1, "one expression"],
    [{ "@p": "a & b" }, "@p", 2, "write and"],
    [{ "@p": '"x"' }, "@p", 0, "single quotes"],
  ])("%j is refused", (aliases: Readonly<Record<string, string>>, target, position, message) => {
    const error = errorOf(() => lex("A eq @p", aliases));
    expect(error).toMatchObject({ code: "InvalidQueryOption", target });
    expect(error.message).toContain(`${target} at position ${position}: `);
    expect(error.message).toContain(message);
  });
});
