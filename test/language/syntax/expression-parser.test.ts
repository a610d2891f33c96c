import { describe, expect, test } from "vitest";
import { parseArguments, parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import type { SyntaxLimits } from "../../../src/language/syntax/parse-context.ts";
import { errorOf, parseContext } from "./parsing.ts";
import { sketch } from "./sketch.ts";

function parse(text: string, aliases: Readonly<Record<string, string>> = {}, limits: Partial<SyntaxLimits> = {}) {
  const context = parseContext(limits, aliases);
  return parseExpression(tokenize(text, context, "$filter"), context);
}

describe("precedence and association", () => {
  test.each([
    ["A eq 1 or B eq 2 and C eq 3", "(or (eq A 1) (and (eq B 2) (eq C 3)))"],
    ["A and B or C and D", "(or (and A B) (and C D))"],
    ["A or B or C or D", "(or A B C D)"],
    ["(A or B) or (C or D)", "(or A B C D)"],
    ["((A and B) and C) and D", "(and A B C D)"],
    ["A and (B and (C and D))", "(and A B C D)"],
    ["(A or B) and C", "(and (or A B) C)"],
    ["A eq B eq C", "(eq (eq A B) C)"],
    ["A eq B gt C", "(eq A (gt B C))"],
    ["A gt B eq C lt D", "(eq (gt A B) (lt C D))"],
    ["A add 1 gt B sub 2", "(gt (add A 1) (sub B 2))"],
    ["A sub B sub C", "(sub (sub A B) C)"],
    ["A sub (B sub C)", "(sub A (sub B C))"],
    ["A add B mul C", "(add A (mul B C))"],
    ["A mul B add C div D mod E", "(add (mul A B) (mod (div C D) E))"],
    ["-A mul B", "(mul (negate A) B)"],
    ["-(A mul B)", "(negate (mul A B))"],
    ["--A", "(negate (negate A))"],
    ["- 5", "(negate 5)"],
    ["A sub -5", "(sub A -5)"],
    ["A sub - 5", "(sub A (negate 5))"],
    ["not A eq B", "(eq (not A) B)"],
    ["not Price gt 5", "(gt (not Price) 5)"],
    ["not (A eq B)", "(not (eq A B))"],
    ["not(A)", "(not A)"],
    ["not contains(A,'x') and B", "(and (not (call - contains A 'x')) B)"],
    ["not not A", "(not (not A))"],
    ["A eq not B", "(eq A (not B))"],
    ["not -A", "(not (negate A))"],
    ["A has Ns.F'X' eq true", "(eq (has A Ns.F'X') true)"],
    ["not A has Ns.F'X'", "(not (has A Ns.F'X'))"],
    ["-A has Ns.F'X'", "(negate (has A Ns.F'X'))"],
    ["A has Ns.F'X' has Ns.F'Y'", "(has (has A Ns.F'X') Ns.F'Y')"],
    ["A add 1 in (1,2) and B", "(and (in (add A 1) [1 2]) B)"],
    ["A eq B in (1)", "(eq A (in B [1]))"],
    ["A in (1) in (2)", "(in (in A [1]) [2])"],
    ["(((A)))", "A"],
    [" ( A ) ", "A"],
    ["(A)and(B)", "(and A B)"],
  ])("%s", (text, tree) => {
    expect(sketch(parse(text))).toBe(tree);
  });
});

describe("operands", () => {
  test.each([
    ["null eq null", "(eq null null)"],
    ["A/B/C", "(member (member A B) C)"],
    ["A / B", "(member A B)"],
    ["A/$count gt 0", "(gt (count A) 0)"],
    ["Ns.Type/A", "(member (cast - Ns.Type) A)"],
    ["A/Ns.Type/B", "(member (cast A Ns.Type) B)"],
    ["$it", "var:$it"],
    ["$it/A", "(member var:$it A)"],
    ["$it/Ns.F()", "(call var:$it Ns.F)"],
    ["$root/Sets(1)/A", "(member (key (member root Sets) 1) A)"],
    ["$root/Sets(Id=1,No='x')", "(key (member root Sets) Id=1 No='x')"],
    ["$root/Me/A", "(member (member root Me) A)"],
    ["$root/Sets/Ns.T(1)/A", "(member (key (cast (member root Sets) Ns.T) 1) A)"],
    ["Items(1)/A", "(member (key Items 1) A)"],
    ["Items ( Id = 1 ) /A", "(member (key Items Id=1) A)"],
    ["A/Items(@k)/B", "(member (key (member A Items) alias:@k) B)"],
    ["Ns.F(p=1,q=A add 2)", "(call - Ns.F p=1 q=(add A 2))"],
    ["A/Ns.F()/B", "(member (call A Ns.F) B)"],
    ["Ns.F()/Ns.G(a='x')/$count", "(count (call (call - Ns.F) Ns.G a='x'))"],
    ["Ns.F(p={})", "(call - Ns.F p=json:{})"],
    ["Ns.F(p=[1,2])", "(call - Ns.F p=[1 2])"],
    ["Ns.F(p=[])", "(call - Ns.F p=[])"],
    ["Ns.F(p=[[1]])", "(call - Ns.F p=json:[[1]])"],
    ["@p/A", null],
    ["@p eq 1", "(eq alias:@p 1)"],
    ["Ns.Color'Red' eq A", "(eq Ns.Color'Red' A)"],
  ])("%s", (text, tree) => {
    if (tree === null) errorOf(() => parse(text));
    else expect(sketch(parse(text))).toBe(tree);
  });

  test.each(
    (
      "contains startswith endswith length indexof substring tolower toupper trim concat year month day hour minute " +
      "second fractionalseconds totalseconds date time totaloffsetminutes now mindatetime maxdatetime round floor " +
      "ceiling isof cast geo.distance geo.length geo.intersects"
    ).split(" "),
  )("%s is a canonical function in any letter case", (name) => {
    expect(sketch(parse(`${name}(A,Ns.T)`))).toBe(`(call - ${name} A (cast - Ns.T))`);
    expect(sketch(parse(`${name.toUpperCase()} ( )`))).toBe(`(call - ${name})`);
  });

  test("the name of a canonical function without parentheses is a property", () => {
    expect(sketch(parse("length eq date/time"))).toBe("(eq length (member date time))");
  });
});

describe("in", () => {
  test.each([
    ["A in (1,2,3)", "(in A [1 2 3])"],
    ["A in ( 'x' , null )", "(in A ['x' null])"],
    ["A in(1)", "(in A [1])"],
    ["A in (@p,1)", "(in A [alias:@p 1])"],
    ["A in @p", "(in A alias:@p)"],
    ["A in ['x',\"y\"]", "(in A ['x' 'y'])"],
    ["A in []", "(in A [])"],
    ["A in B", "(in A B)"],
    ["A in (B)", "(in A B)"],
    ["A in ((B/C))", "(in A (member B C))"],
    ["A in $it/B", "(in A (member var:$it B))"],
    ["A in Ns.F()", "(in A (call - Ns.F))"],
    ["A in B/Ns.T", "(in A (cast B Ns.T))"],
    ["1 in $it", "(in 1 var:$it)"],
    ["A in $root/Bs(1)", "(in A (key (member root Bs) 1))"],
    ["[1,2] in [[1,2]]", "(in [1 2] json:[[1,2]])"],
  ])("%s", (text, tree) => {
    expect(sketch(parse(text))).toBe(tree);
  });

  test.each([
    ["A in ()", 6, "expected a literal as an item of the list"],
    ["A in (1,)", 8, "expected a literal as an item of the list"],
    ["A in (1,B)", 8, "expected a literal as an item of the list"],
    ["A in (1 2)", 8, 'expected "," or ")"'],
    ["A in (1 add 2)", 8, 'expected "," or ")"'],
    ["A in (1", 7, 'expected "," or ")"'],
    ["A in [1 2]", 8, 'expected "," or "]"'],
    ["A in [,]", 6, "expected a literal as an item of the list"],
    ["A in 5", 5, "in is followed by a list"],
    ["A in (B add 1)", 5, "in is followed by a list"],
    ["A in", 4, "expected a property, a literal or a function, found the end"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const { message: found } = errorOf(() => parse(text));
    expect(found).toContain(`$filter at position ${position}: `);
    expect(found).toContain(message);
  });
});

describe("lambda operators", () => {
  test.each([
    ["A/any()", "(any A - -)"],
    ["A/any( x : x/B eq 1 )", "(any A x (eq (member var:x B) 1))"],
    ["A/B/all(x:x gt 5)", "(all (member A B) x (gt var:x 5))"],
    ["A/ANY(x:true)", "(any A x true)"],
    ["books/any(books:books/x eq 1)", "(any books books (eq (member var:books x) 1))"],
    ["A/any(x:x/B/any(y:y eq x/C))", "(any A x (any (member var:x B) y (eq var:y (member var:x C))))"],
    ["A/any(x:x/B/any(x:x/C)) and x", "(and (any A x (any (member var:x B) x (member var:x C))) x)"],
    ["A/any(x:$it/B eq x)", "(any A x (eq (member var:$it B) var:x))"],
    ["A/any(x:x/x eq Y/x)", "(any A x (eq (member var:x x) (member Y x)))"],
    ["any/any(any:any)", "(any any any var:any)"],
    ["A/any", "(member A any)"],
    ["not A/any(x:x)", "(not (any A x var:x))"],
  ])("%s", (text, tree) => {
    expect(sketch(parse(text))).toBe(tree);
  });

  test.each([
    ["any()", 0, "It follows a collection"],
    ["all(x:true)", 0, "It follows a collection"],
    ["A/all()", 6, "expected a range variable"],
    ["A/any(5)", 6, "expected a range variable"],
    ["A/any(a.b:true)", 6, "expected a range variable"],
    ["A/any($it:true)", 6, "expected a range variable"],
    ["A/any(x)", 7, "expected a colon"],
    ["A/any(x:)", 8, "expected a property"],
    ["A/any(x:true", 12, 'expected an operator or ")"'],
    ["A/any(x:true)/B", 13, "nothing can follow"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const { message: found } = errorOf(() => parse(text));
    expect(found).toContain(`$filter at position ${position}: `);
    expect(found).toContain(message);
  });
});

describe("errors", () => {
  test.each([
    ["", 0, "expected a property, a literal or a function, found the end"],
    ["Price gt", 8, "found the end"],
    ["A eq", 4, "found the end"],
    ["gt 5", 3, 'found "5"'],
    ["A B", 2, 'found "B"'],
    ["1 2", 2, 'found "2"'],
    ["A EQ 5", 2, "Write eq: operators are in lower case"],
    ["A AND B", 2, "Write and: operators are in lower case"],
    ["NOT contains(A,'x')", 4, "Write not in lower case"],
    ["A = 5", 2, "Write eq to compare"],
    ["A == 5", 2, "Write eq to compare"],
    ["A - 5", 2, "Write sub to subtract"],
    ["A like 'x'", 2, 'found "like"'],
    ["A asc", 2, 'found "asc"'],
    ["(A", 2, 'expected an operator or ")", found the end'],
    ["(A,B)", 2, 'expected an operator or ")", found ","'],
    ["()", 1, 'found ")"'],
    ["A,B", 1, 'found ","'],
    ["A/", 2, "expected a name after the slash"],
    ["A//B", 2, "expected a name after the slash"],
    ["A/(B)", 2, "expected a name after the slash"],
    ["A/$ref", 2, "expected a name or $count"],
    ["A/$it", 2, "expected a name or $count"],
    ["A/$count/B", 8, "nothing can follow $count"],
    ["A/$count(B)", 8, 'found "("'],
    ["'x'/B", 3, 'found "/"'],
    ["(A)/B", 3, 'found "/"'],
    ["$count", 0, "expected a property, a literal, a function, $it or $root"],
    ["$root", 5, "expected a slash"],
    ["$root eq 1", 6, "expected a slash"],
    ["$root/$count", 6, "expected an entity set or singleton"],
    ["length(A)/B", 9, "nothing can follow"],
    ["contains A", 9, 'found "A"'],
    ["contains(A", 10, 'expected "," or ")"'],
    ["contains(A,)", 11, "expected a property"],
    ["contains(,A)", 9, "expected a property"],
    ["contains(a=1,B)", 11, "have no names"],
    ["Ns.F(1,2)", 5, "written with their names"],
    ["Ns.F(A)", 5, "written with their names"],
    ["Ns.F(a=1,2)", 9, "written with their names"],
    ["A/F()", 2, "call a function by its qualified name"],
    ["A/F(B)", 2, "call a function by its qualified name"],
    ["Items(1)(2)", 8, 'found "("'],
    ["Items(Id=A)", 9, "a literal or a parameter alias"],
    ["Items(Id=1,2)", 11, "must be named"],
    ["foo(A)", 0, "not a function of OData 4.0"],
    ["contians(A,'x')", 0, "Write contains."],
    ["substringof('x',A)", 0, "Write contains(text,part)."],
    ["matchesPattern(A,'x')", 0, "Write contains, startswith or endswith."],
    ["A:B", 1, 'found ":"'],
    ["[A:", 0, "does not end"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const error = errorOf(() => parse(text));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$filter" });
    expect(error.message).toContain(`$filter at position ${position}: `);
    expect(error.message).toContain(message);
  });

  test("the message names an alias with half an expression", () => {
    const messageOf = (value: string) => errorOf(() => parse("A eq @p", { "@p": value })).message;
    expect(messageOf("1 add")).toContain(
      "at position 5: expected a property, a literal or a function, found the end of",
    );
    expect(messageOf("1 add")).toContain("the end of the value of @p");
    expect(messageOf("1 B")).toContain('found "B" in the value of @p');
    expect(errorOf(() => parse("A @p", { "@p": "B eq 1" })).message).toContain('found "@p"');
    expect(errorOf(() => parse("A/@p", { "@p": "B eq 1" })).message).toContain("found the start of the value of @p");
  });

  test("messages do not grow with the request", () => {
    expect(errorOf(() => parse(`A ${"b".repeat(100_000)}`)).message.length).toBeLessThan(300);
    expect(errorOf(() => parse(`A '${"b".repeat(100_000)}'`)).message.length).toBeLessThan(300);
    expect(errorOf(() => parse(`${"b".repeat(100_000)}(c)`)).message.length).toBeLessThan(300);
  });
});

describe("positions", () => {
  test("of operators, names, calls and literals", () => {
    const node = parse("contains(A,'x') and B/C gt 5");
    expect(node).toMatchObject({
      kind: "logical",
      position: 16,
      operands: [
        { kind: "call", position: 0, arguments: [{ value: { position: 9 } }, { value: { position: 11, index: 0 } }] },
        { kind: "binary", position: 24, left: { position: 22, source: { position: 20 } }, right: { index: 1 } },
      ],
    });
  });
});

describe("arguments", () => {
  test.each([
    ["", ""],
    ["5", "5"],
    ["-5", "-5"],
    ["Id=5,No='x'", "Id=5 No='x'"],
    [" Id = 5 ", "Id=5"],
    ["a=@p,b=[1,2],c={}", "a=alias:@p b=[1 2] c=json:{}"],
    ["'a','b'", "'a' 'b'"],
  ])("%s", (text, parts) => {
    const context = parseContext();
    const found = parseArguments(tokenize(text, context, "key"), context);
    expect(found.map(({ name, value }) => (name === null ? "" : `${name}=`) + sketch(value)).join(" ")).toBe(parts);
  });

  test.each([
    ["5)", 1, "has no opening parenthesis"],
    ["5,", 2, "found the end"],
    ["Id=", 3, "found the end"],
    ["A=1;B=2", 3, "write a comma"],
    ["1 2", 2, "expected a comma or the end"],
  ])("%s is refused at %i: %s", (text, position, message) => {
    const context = parseContext();
    const error = errorOf(() => parseArguments(tokenize(text, context, "key"), context));
    expect(error).toMatchObject({ code: "InvalidKey", target: "key" });
    expect(error.message).toContain(`key at position ${position}: `);
    expect(error.message).toContain(message);
  });
});
