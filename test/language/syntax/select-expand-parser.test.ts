import { describe, expect, test } from "vitest";
import type { ExpandItemSyntax } from "../../../src/language/syntax/ast.ts";
import {
  parseExpand,
  parseSelect,
  parseShapedExpand,
  shapeOfSelect,
} from "../../../src/language/syntax/select-expand-parser.ts";
import { processorTime } from "../../processor-time.ts";
import { errorOf, parseContext } from "./parsing.ts";
import { print } from "./print.ts";

describe("parseSelect", () => {
  test.each<[string, string[][]]>([
    ["*", [["*"]]],
    ["Name", [["Name"]]],
    [" Name ,\tPrice ", [["Name"], ["Price"]]],
    [
      "Address/Street,Ns.Vip/Name",
      [
        ["Address", "Street"],
        ["Ns.Vip", "Name"],
      ],
    ],
    ["Address/Ns.Sub.Type/Street", [["Address", "Ns.Sub.Type", "Street"]]],
    ["*,Ns.*,Ns.Action", [["*"], ["Ns.*"], ["Ns.Action"]]],
    ["Ns.F(a, b),Ns.Type/Ns.F(a)", [["Ns.F(a,b)"], ["Ns.Type", "Ns.F(a)"]]],
    ["__proto__,constructor,Ünï", [["__proto__"], ["constructor"], ["Ünï"]]],
  ])("%s", (text, paths) => {
    expect(parseSelect(text, parseContext()).map(({ path }) => path)).toEqual(paths);
  });

  test("items have positions", () => {
    expect(parseSelect("A, B/C,D", parseContext()).map(({ position }) => position)).toEqual([0, 3, 7]);
  });

  test.each([
    ["", 0, "the name of a property is missing: found the end"],
    [" ", 1, "is missing"],
    [",", 0, "is missing"],
    ["A,", 2, "is missing"],
    ["A,,B", 2, "is missing"],
    ["A/", 2, "is missing"],
    ["/A", 0, "is missing"],
    ["A B", 2, 'a comma or the end must follow a property: found "B"'],
    ["A;B", 1, "a comma or the end"],
    ["A)", 1, "a comma or the end"],
    ["A/*", 2, "a * must not follow a path"],
    ["A/Ns.*", 2, "a * must not follow a path"],
    ["*/A", 1, "a comma or the end"],
    ["Ns.*/A", 4, "a comma or the end"],
    ["A.", 0, "is missing"],
    ["A.*B", 3, "a comma or the end"],
    ["1A", 0, "is missing"],
    ["@Core.Messages", 0, "is missing"],
    ["Address($select=Street)", 7, "Properties have no options in $select"],
    ["Ns.F(", 5, "the name of a parameter is missing"],
    ["Ns.F(a", 6, "the closing parenthesis is missing"],
    ["Ns.F(a.b)", 5, "a parameter name must not contain a dot"],
    ["Ns.F(*)", 5, "a parameter name must not contain a dot"],
    ["Ns.F(a)/B", 7, "a comma or the end"],
    ["A\0", 1, "a comma or the end"],
  ])("%s is refused", (text, position, message) => {
    const error = errorOf(() => parseSelect(text, parseContext()));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$select" });
    expect(error.message).toContain(`$select at position ${position}:`);
    expect(error.message).toContain(message);
  });

  test("names count as tokens", () => {
    const context = parseContext({ maxTokens: 3 });
    expect(errorOf(() => parseSelect("A,B,C,D", context)).message).toContain("more than 3 tokens");
    expect(context.counters.tokens).toBe(4);
  });

  test.each([
    ["A,B/C", "A,B/C"],
    [" A , B\t,C ", "A,B,C"],
    ["A B", "A B"],
    // The parser skips only these blanks. Any other white space is an error, even with cached shapes.
    ["A, \u00a0B\ufeff, \nC", "A,\u00a0B\ufeff,\nC"],
  ])("the shape of %j", (text, shape) => {
    expect(shapeOfSelect(text)).toBe(shape);
  });
});

/** Prints items in one fixed form. */
function show(items: readonly ExpandItemSyntax[]): string {
  return items
    .map(({ path, suffix, options }) => {
      const parts: string[] = [];
      if (options.filter) parts.push(`filter ${print(options.filter)}`);
      for (const { expression, descending } of options.orderBy ?? []) {
        parts.push(`orderby ${print(expression)} ${descending ? "desc" : "asc"}`);
      }
      if (options.search) {
        parts.push(`search ${JSON.stringify(options.search).replaceAll(/,"position":\d+|"/gu, "")}`);
      }
      for (const name of ["top", "skip", "count", "levels"] as const) {
        if (options[name] !== undefined) parts.push(`${name} ${String(options[name])}`);
      }
      if (options.select) parts.push(`select ${options.select.map((item) => item.path.join("/")).join(" ")}`);
      if (options.expand) parts.push(`expand [${show(options.expand)}]`);
      return path.join("/") + (suffix ?? "") + (parts.length === 0 ? "" : `{${parts.join("; ")}}`);
    })
    .join(" | ");
}

describe("parseExpand", () => {
  test.each([
    ["Customer", "Customer"],
    ["Customer, Items ", "Customer | Items"],
    ["Items()", "Items"],
    ["Items( )", "Items"],
    ["*", "*"],
    ["*,*/$ref,*($levels=2),Category", "* | *$ref | *{levels 2} | Category"],
    ["Address/*/$ref,Address/*($levels=max)", "Address/*$ref | Address/*{levels max}"],
    ["Ns.Type/Address/Ns.Other/Country/Ns.State", "Ns.Type/Address/Ns.Other/Country/Ns.State"],
    ["Items/$count($filter=Name eq 'Hugo')", "Items$count{filter Name eq 'Hugo'}"],
    ["Items/$ref($top=1;$orderby=A desc,B)", "Items$ref{orderby A desc; orderby B asc; top 1}"],
    ["Items($count=true;$skip=3;$top=0)", "Items{top 0; skip 3; count true}"],
    ["Items( $count=FALSE ; $levels=3 )", "Items{count false; levels 3}"],
    ["Items($select=A, B/C;$expand=D)", "Items{select A B/C; expand [D]}"],
    ["A($expand=B($expand=C,D($top=1));$top=2),E", "A{top 2; expand [B{expand [C | D{top 1}]}]} | E"],
    ["A($filter=N eq ')' or M eq ';$top=1';$top=2)", "A{filter N eq ')' or M eq ';$top=1'; top 2}"],
    ["A($filter=N eq 'it''s ;)')", "A{filter N eq 'it''s ;)'}"],
    ["A($filter=contains(N,'x') and (B eq 1);$top=2)", "A{filter contains(N,'x') and B eq 1; top 2}"],
    ['A($filter=N in ["a;)","b\\")"];$top=1)', "A{filter N in ('a;)','b\")'); top 1}"],
    ["Manager($search=a;b)", "Manager{search {kind:word,text:a;b}}"],
    [
      "Manager($search=O'Neil; $top=1)",
      "Manager{top 1; search {kind:word,text:O'Neil}}".replace(
        "top 1; search {kind:word,text:O'Neil}",
        "search {kind:word,text:O'Neil}; top 1",
      ),
    ],
    [
      'M($search="a;$top=1)" b;$top=2)',
      "M{search {kind:and,operands:[{kind:phrase,text:a;$top=1)},{kind:word,text:b}]}; top 2}",
    ],
    [
      "M($search=(a OR b) c)",
      "M{search {kind:and,operands:[{kind:or,operands:[{kind:word,text:a},{kind:word,text:b}]},{kind:word,text:c}]}}",
    ],
    ["__proto__($select=__proto__)", "__proto__{select __proto__}"],
  ])("%s", (text, tree) => {
    expect(show(parseExpand(text, parseContext()))).toBe(tree);
  });

  test("positions are offsets in the whole text", () => {
    const [item] = parseExpand("A($filter=B eq 1;$orderby=C;$search=d;$select=E;$expand=F)", parseContext());
    expect(item?.options).toMatchObject({
      filter: { position: 12, right: { position: 15, literal: { position: 15 } } },
      orderBy: [{ position: 26 }],
      search: { position: 36 },
      select: [{ position: 46 }],
      expand: [{ position: 56 }],
    });
  });

  test("literals of nested expressions are added to those of the request", () => {
    const context = parseContext({}, { "@p": "7" });
    parseExpand("A($filter=B eq 1;$expand=C($filter=D eq 'x')),E($filter=F eq @p)", context);
    expect(context.literals.map(({ text }) => text)).toEqual(["1", "x", "7"]);
  });

  test.each([
    ["", 0, "the name of a navigation property is missing: found the end"],
    ["A,", 2, "is missing"],
    ["A/", 2, "is missing"],
    ["A B", 2, "a comma or the end must follow an item"],
    ["A;B", 1, "a comma or the end"],
    ["A)", 1, "a comma or the end"],
    ["A/$value", 2, "only /$ref or /$count may follow a navigation property"],
    ["A/$refs", 2, "may follow"],
    ["$ref", 0, "may follow"],
    ["A/$ref/B", 6, "a comma or the end"],
    ["*/$count", 2, "only /$ref may follow *"],
    ["*/B", 2, "only /$ref may follow *"],
    ["Ns.*", 0, "is allowed only in $select"],
    ["@Ns.Term", 0, "is missing"],
    [
      "Customer/$ref($select=Name)",
      14,
      "$select is not allowed here: use only $filter, $search, $orderby, $skip, $top, $count",
    ],
    ["Items/$count($count=true)", 13, "$count is not allowed here: use only $filter, $search"],
    ["*($select=A)", 2, "use only $levels"],
    ["*/$ref($top=1)", 7, "this item takes no options"],
    ["A($top=1;$top=2)", 9, "$top appears twice"],
    ["A($top)", 6, "an equals sign must follow $top"],
    ["A($top =1)", 6, "an equals sign"],
    ["A($top=1;)", 9, "the name of an option, such as $filter, is missing"],
    ["A(;)", 2, "the name of an option"],
    ["A($)", 2, "the name of an option"],
    ["A($top=1", 8, "the parenthesis that closes the one at position 1 is missing"],
    ["A($select=B C)", 12, "a semicolon or the parenthesis"],
    ["A(@foo=1)", 2, "give a parameter alias".toLowerCase()],
    ["A($levels=0)", 10, "$levels must be 1 or more"],
    ["A($filter= B)", 10, "a blank precedes the value of $filter"],
    ["A($filter=)", 10, "expected"],
    ["A($filter=B eq)", 14, "expected"],
    ["A($orderby=B,)", 13, "expected"],
    ["A($search=)", 10, "is missing"],
    ["Manager($search=gr(een)", 18, "put a blank between"],
    ["Manager($search=(een)", 21, "a semicolon or the parenthesis"],
    ["A($search='x;y')", 10, "double quotes"],
    ["A($filter=N eq 'x)", 15, "does not end"],
    ['A($filter=N in ["x)', 16, "does not end"],
    ["A($expand=)", 10, "is missing"],
    ["A(B)", 2, "Unknown option"],
  ])("%s is refused", (text, position, message) => {
    const error = errorOf(() => parseExpand(text, parseContext()));
    expect(error).toMatchObject({ status: 400, target: "$expand" });
    expect(error.message.toLowerCase()).toContain(message.toLowerCase());
    expect(error.message).toContain(`position ${position}`);
  });

  test.each([
    ["A($tpo=1)", "Write $top."],
    ["A(filter=B)", "Write $filter."],
    ["A($TOP=1)", "Write $top."],
    ["A($compute=B as C)", "The options are $filter,"],
    ["A($apply=B)", "The options are"],
  ])("%s has an unknown option", (text, message) => {
    const error = errorOf(() => parseExpand(text, parseContext()));
    expect(error).toMatchObject({ status: 400, code: "UnsupportedQueryOption", target: "$expand" });
    expect(error.message).toContain(message);
  });

  test.each(["A($top=-1)", "A($top=)", "A($skip=1e3)", "A($count=1)", "A($levels=MAX)", "A($levels=-1)"])(
    "%s has a wrong value",
    (text) => {
      const error = errorOf(() => parseExpand(text, parseContext()));
      expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$expand" });
      expect(error.message).toContain("within $expand");
    },
  );

  test.each([
    ["a($expand=".repeat(100_000), "nests deeper than 100 levels", 200],
    ["a(b(c(".repeat(150_000), "Unknown option", 5],
    [`a($filter=${"(".repeat(1_000_000)}`, "nested deeper than 100 levels", 200],
    [`a($filter=${"not ".repeat(250_000)}`, "nested deeper than 100 levels", 200],
    [`a($search=${"(".repeat(1_000_000)}`, "nests deeper than 100 levels", 200],
    ["a,".repeat(500_000), "tokens", 60_000],
    ["a/".repeat(500_000), "tokens", 60_000],
  ])("a million characters cost little: %#", (text, message, tokens) => {
    const context = parseContext();
    const start = processorTime();
    expect(errorOf(() => parseExpand(text, context)).message).toContain(message);
    expect(context.counters.tokens).toBeLessThan(tokens);
    expect(processorTime() - start).toBeLessThan(10_000);
  });

  test("the shape excludes only literals of nested expressions", () => {
    const shapeOf = (text: string): string => parseShapedExpand(text, parseContext()).shape;
    expect(shapeOf("A,B($top=1)")).toBe("A,B($top=1)");
    expect(shapeOf("A($filter=B eq 1;$top=2),C($orderby=D;$expand=E($filter=F in ('x','y')))")).toBe(
      shapeOf("A($filter=B  eq 2;$top=2),C($orderby=D;$expand=E($filter=F in ('z','y')))"),
    );
    expect(shapeOf("A($filter=B eq 1)")).not.toBe(shapeOf("A($filter=B eq '1')"));
    expect(shapeOf("A($filter=B eq 1)")).not.toBe(shapeOf("A($filter=B ne 1)"));
  });
});
