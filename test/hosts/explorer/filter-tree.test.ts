import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  condition,
  type FilterGroup,
  type FilterNode,
  NO_FILTER,
  readFilter,
  writeFilter,
} from "../../../explorer/src/query/filter-tree.ts";
import { syntaxContext } from "../../../explorer/src/query/syntax.ts";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { syntaxTree, withoutPlaces } from "../../language/fuzz/syntax-trees.ts";
import { print } from "../../language/syntax/print.ts";

function group(operator: "and" | "or", items: readonly FilterNode[], isNegated = false): FilterGroup {
  return { kind: "group", operator, items, isNegated };
}

function text(written: string): FilterNode {
  return { kind: "text", text: written };
}

describe("the tree of a filter", () => {
  test.for([
    ["", NO_FILTER],
    ["Total gt 5", group("and", [condition("Total", "gt", ["5"])])],
    ["Customer/Name eq 'it''s'", group("and", [condition("Customer/Name", "eq", ["'it''s'"])])],
    ["Color eq Shop.Color'Red'", group("and", [condition("Color", "eq", ["Shop.Color'Red'"])])],
    ["A eq null", group("and", [condition("A", "eq", ["null"])])],
    ["A gt -5 and B lt INF", group("and", [condition("A", "gt", ["-5"]), condition("B", "lt", ["INF"])])],
    ["Items/$count gt 3", group("and", [condition("Items/$count", "gt", ["3"])])],
    ["Days has Shop.Days'Monday'", group("and", [condition("Days", "has", ["Shop.Days'Monday'"])])],
    ["contains(Name,'a')", group("and", [condition("Name", "contains", ["'a'"])])],
    [
      "not (contains(tolower(Name),'a'))",
      group("and", [condition("Name", "contains", ["'a'"], { isLowered: true, isNegated: true })]),
    ],
    ["A in (1,2)", group("and", [condition("A", "in", ["1", "2"])])],
    ["A eq 1 or B eq 2", group("or", [condition("A", "eq", ["1"]), condition("B", "eq", ["2"])])],
    [
      "(A eq 1 or B eq 2) and C eq 3",
      group("and", [
        group("or", [condition("A", "eq", ["1"]), condition("B", "eq", ["2"])]),
        condition("C", "eq", ["3"]),
      ]),
    ],
    ["not (A eq 1 and B eq 2)", group("and", [condition("A", "eq", ["1"]), condition("B", "eq", ["2"])], true)],
    [
      "Items/any()",
      group("and", [{ kind: "lambda", path: "Items", quantifier: "any", isNegated: false, condition: null }]),
    ],
    [
      "Items/any(x:x/Product/Price gt 5)",
      group("and", [
        {
          kind: "lambda",
          path: "Items",
          quantifier: "any",
          isNegated: false,
          condition: condition("Product/Price", "gt", ["5"]),
        },
      ]),
    ],
    [
      "not (Tags/all(x:x eq 'a'))",
      group("and", [
        { kind: "lambda", path: "Tags", quantifier: "all", isNegated: true, condition: condition("", "eq", ["'a'"]) },
      ]),
    ],
    [
      "Items/any(x:not (x/A in (1,2)))",
      group("and", [
        {
          kind: "lambda",
          path: "Items",
          quantifier: "any",
          isNegated: false,
          condition: condition("A", "in", ["1", "2"], { isNegated: true }),
        },
      ]),
    ],
    ["year(At) eq 2024 and A eq 1", group("and", [text("year(At) eq 2024"), condition("A", "eq", ["1"])])],
    ["A add 1 gt 5", group("and", [text("A add 1 gt 5")])],
    ["A eq B", group("and", [text("A eq B")])],
    ["5 lt A", group("and", [text("5 lt A")])],
    ["IsPaid", group("and", [text("IsPaid")])],
    ["not IsPaid", group("and", [text("not IsPaid")])],
    ["not A eq 1", group("and", [text("not A eq 1")])],
    ["A eq @p", group("and", [text("A eq @p")])],
    ["$it/A eq 1", group("and", [text("$it/A eq 1")])],
    ["Shop.Order/A eq 1", group("and", [text("Shop.Order/A eq 1")])],
    ["Items/any(x:x/A eq 1 and x/B eq 2)", group("and", [text("Items/any(x:x/A eq 1 and x/B eq 2)")])],
    ["Items/any(x:A eq 1)", group("and", [text("Items/any(x:A eq 1)")])],
    ["contains(Name,Other)", group("and", [text("contains(Name,Other)")])],
    ["contains(Name,'a','b')", group("and", [text("contains(Name,'a','b')")])],
    ["tolower(Name,'a') eq 'b'", group("and", [text("tolower(Name,'a') eq 'b'")])],
    ["(not A) eq true and B eq 1", group("and", [text("(not A) eq true"), condition("B", "eq", ["1"])])],
    ["now() lt At and Ns.F(p=now())", group("and", [text("now() lt At"), text("Ns.F(p=now())")])],
    [
      'A in ["a",null] and B eq 9007199254740993',
      group("and", [text('A in ["a",null]'), condition("B", "eq", ["9007199254740993"])]),
    ],
    ["A in Tags", group("and", [text("A in Tags")])],
    ["A eq", group("and", [text("A eq")])],
    ["A eq 'a", group("and", [text("A eq 'a")])],
  ] as const)("of %s has this form, and the same text again", ([written, tree]) => {
    expect(readFilter(written)).toEqual(tree);
    expect(writeFilter(readFilter(written))).toBe(written);
  });

  test.for([
    ["  A   eq 1", "A eq 1"],
    ["((A eq 1))", "A eq 1"],
    ["A eq 1 and B eq 2 or C eq 3", "(A eq 1 and B eq 2) or C eq 3"],
    ["not contains(A,'x')", "not (contains(A,'x'))"],
    ["not Items/any(i:i/A eq 1)", "not (Items/any(x:x/A eq 1))"],
    ["Items/any(o: o/A eq 1)", "Items/any(x:x/A eq 1)"],
  ] as const)("writes %s as %s", ([written, again]) => {
    expect(writeFilter(readFilter(written))).toBe(again);
  });

  test("leaves out what is unfinished", () => {
    const unfinished = condition("A", "eq", []);
    const lambda: FilterNode = { kind: "lambda", path: "Items", quantifier: "all", isNegated: false, condition: null };
    expect(writeFilter(group("and", [unfinished, group("or", [unfinished], true), lambda, text("  ")]))).toBe("");
    expect(writeFilter(group("or", [unfinished, condition("B", "eq", ["1"])]))).toBe("B eq 1");
  });

  test.each([
    [100, "group"],
    [101, "text"],
  ])("%s conditions, also in groups, are a %s", (count, kind) => {
    const half = Array.from({ length: count - 50 }, (_, at) => `A eq ${String(at)}`).join(" or ");
    const written = `${"B eq 1 and ".repeat(50)}(${half})`;
    const tree = readFilter(written);
    expect(tree.items.length === 1 ? tree.items[0]?.kind : tree.kind).toBe(kind);
    expect(writeFilter(tree)).toBe(written);
  });

  test("keeps a text together", () => {
    expect(writeFilter(group("and", [text("A or B"), text("C")]))).toBe("(A or B) and C");
  });
});

const path = fc.constantFrom("A", "B", "Customer/Name", "Items/$count", "and", "x");
const literal = fc.constantFrom(
  "1",
  "-2.5",
  "'a'",
  "'it''s or b and (c'",
  "null",
  "true",
  "2024-01-01",
  "Shop.Color'Red'",
  "INF",
);
const flags = fc.record({ isLowered: fc.boolean(), isNegated: fc.boolean() });
const conditions = fc.oneof(
  fc
    .tuple(path, fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"), literal, flags)
    .map(([of, operator, value, with_]) => condition(of, operator, [value], with_)),
  fc
    .tuple(path, fc.constantFrom("contains", "startswith", "endswith"), fc.constantFrom("'a'", "'(,'"), flags)
    .map(([of, operator, value, with_]) => condition(of, operator, [value], with_)),
  fc
    .tuple(path, fc.array(literal, { maxLength: 3 }), flags)
    .map(([of, values, with_]) => condition(of, "in", values, with_)),
);
const lambdas = fc
  .tuple(
    fc.constantFrom("Items", "Customer/Orders"),
    fc.constantFrom("any", "all"),
    fc.boolean(),
    fc.option(conditions),
  )
  .map(([of, quantifier, isNegated, inner]): FilterNode => ({
    kind: "lambda",
    path: of,
    quantifier,
    isNegated,
    condition: inner,
  }));
const texts = fc
  .constantFrom("A add 1 gt 5", "A eq B or C", "x and y", "not IsPaid", "A eq 1", "length(Name) gt 5", "")
  .map(text);
const { tree } = fc.letrec<{ tree: FilterGroup; node: FilterNode }>((tie) => ({
  node: fc.oneof({ depthSize: "small" }, conditions, lambdas, texts, tie("tree")),
  tree: fc
    .tuple(fc.constantFrom("and", "or"), fc.array(tie("node"), { maxLength: 4 }), fc.boolean())
    .map(([operator, items, isNegated]) => group(operator, items, isNegated)),
}));

/** The meaning of a text: its syntax, without positions. */
function meaningOf(written: string): unknown {
  const context = syntaxContext();
  return simplified(parseExpression(tokenize(written, context, "$filter"), context), new Map());
}

function simplified(node: SyntaxNode, variables: ReadonlyMap<string, string>): unknown {
  const inner = (each: SyntaxNode): unknown => simplified(each, variables);
  switch (node.kind) {
    case "literal":
      return [node.literal.type, node.literal.typeName, node.literal.text];
    case "logical":
      return [node.operator, node.operands.map(inner)];
    case "binary":
      return [node.operator, inner(node.left), inner(node.right)];
    case "in":
      return ["in", inner(node.operand), node.list.kind === "list" ? node.list.items.map(inner) : inner(node.list)];
    case "lambda": {
      const names = new Map([...variables, [node.variable ?? "", "item"]]);
      return [node.operator, inner(node.source), node.predicate === null ? null : simplified(node.predicate, names)];
    }
    case "variable":
      return ["variable", variables.get(node.name) ?? node.name];
    case "member":
      return ["member", node.source === null ? null : inner(node.source), node.name];
    case "count":
      return ["count", inner(node.source)];
    case "unary":
      return [node.operator, inner(node.operand)];
    case "call":
      return [node.name, node.arguments.map(({ value }) => inner(value))];
    default:
      return { ...node, position: 0 };
  }
}

test("what a builder wrote is the same text again", () => {
  fc.assert(
    fc.property(tree, (built) => {
      const written = writeFilter(built);
      expect(writeFilter(readFilter(written))).toBe(written);
    }),
  );
});

test("what a builder wrote is an expression", () => {
  fc.assert(
    fc.property(tree, (built) => {
      const written = writeFilter(built);
      if (written !== "") meaningOf(written);
    }),
  );
});

const expressions = fc.letrec<{ expression: string; operand: string }>((tie) => ({
  operand: fc.oneof(
    fc
      .tuple(path, fc.constantFrom("eq", "ne", "in"), literal)
      .map(([of, operator, value]) => `${of} ${operator} ${operator === "in" ? `(${value}, 1)` : value}`),
    fc.constantFrom(
      "IsPaid",
      "contains(A,'a')",
      "Items/any(i:i/A eq 1)",
      "Items/any(x:x/A eq 1 or x/A eq 2)",
      "Items/all(x:A eq 1)",
      "A add 1 gt 2",
      "not IsPaid",
      "A eq 1 eq true",
    ),
    tie("expression").map((inner) => `(${inner})`),
    tie("expression").map((inner) => `not (${inner})`),
  ),
  expression: fc.oneof(
    { depthSize: "small" },
    tie("operand"),
    fc
      .array(fc.tuple(fc.constantFrom(" and ", " or "), tie("operand")), { minLength: 2, maxLength: 4 })
      .map((operands) => operands.flat().slice(1).join("")),
  ),
}));

test("any expression has the same meaning after the tree", () => {
  fc.assert(
    fc.property(expressions.expression, (written) => {
      expect(meaningOf(writeFilter(readFilter(written)))).toEqual(meaningOf(written));
    }),
  );
});

test("any syntax tree of the parser has the same meaning after the tree of the form", () => {
  const parse = (written: string): SyntaxNode => {
    const context = syntaxContext();
    return parseExpression(tokenize(written, context, "$filter"), context);
  };
  fc.assert(
    fc.property(syntaxTree, fc.array(syntaxTree, { maxLength: 2 }), (first, others) => {
      const operands = [first, ...others].map((node) => `(${print(node)})`);
      const written = operands.join(" and ");
      expect(withoutPlaces(parse(writeFilter(readFilter(written))))).toEqual(withoutPlaces(parse(written)));
    }),
    { numRuns: caseCount(2000) },
  );
});

test("a text with a fault stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (written) => {
      const again = writeFilter(readFilter(`A eq 1 and (${written}`));
      expect(again).toBe(`A eq 1 and (${written}`);
    }),
  );
});
