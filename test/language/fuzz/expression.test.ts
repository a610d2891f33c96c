import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isODataError } from "../../../src/base/errors/odata-error.ts";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseArguments, parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { parseOrderBy } from "../../../src/language/syntax/order-by-parser.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { parseContext } from "../syntax/parsing.ts";
import { print } from "../syntax/print.ts";
import { syntaxTree, withoutPlaces } from "./syntax-trees.ts";

function parse(text: string, aliases: Readonly<Record<string, string>> = {}) {
  const context = parseContext({ maxAnyAllDepth: 50 }, aliases);
  const list = tokenize(text, context, "$filter");
  return { tree: parseExpression(list, context), list, context };
}

/** Runs a parser, which may only throw an error of the protocol. */
function attempt<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (isODataError(error) && error.status === 400 && /at position \d+: /u.test(error.message)) return null;
    throw error;
  }
}

const PIECES = [
  "A B/C x Ns.T Ns.F(p=1) contains( any(x: /any( all() $it $root/ $count not eq and or in has add asc desc - 5 -5",
  "1.5e3 'x' ' '' null true INF @p @q duration'P1D' Ns.E'X' 2012-01-01 11:22 01234567-89ab-cdef-0123-456789abcdef",
  '[ ] { } " ( ) , / : = . + & ; [1,2] {"a":1} \u00e9 \ud800 \t',
]
  .join(" ")
  .split(" ")
  .concat(" ");
const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 });
const anyText = fc.oneof(
  soup.map((pieces) => pieces.join(" ")),
  soup.map((pieces) => pieces.join("")),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
);
const aliasTexts = fc.record({ "@p": anyText, "@q": anyText }, { requiredKeys: [] });

describe("any text", () => {
  test("is parsed, or refused with an error of the protocol", () => {
    fc.assert(
      fc.property(anyText, aliasTexts, (text, aliases) => {
        const result = attempt(() => parse(text, aliases));
        attempt(() => {
          const context = parseContext({}, aliases);
          return parseOrderBy(tokenize(text, context, "$orderby"), context);
        });
        attempt(() => {
          const context = parseContext({}, aliases);
          return parseArguments(tokenize(text, context, "key"), context);
        });
        if (result === null) return;
        // The printed tree is parsed as the same tree.
        const printed = print(result.tree);
        const again = parse(printed).tree;
        expect(withoutPlaces(again)).toEqual(withoutPlaces(result.tree));
        expect(print(again)).toBe(printed);
      }),
      { numRuns: caseCount(6000) },
    );
  });

  test("an alias never changes the tree around it", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const result = attempt(() => parse("A eq @p and B eq 'secret'", { "@p": value }));
        if (result === null) return;
        const { tree } = result;
        expect(tree).toMatchObject({ kind: "logical", operator: "and" });
        expect(tree.kind === "logical" && tree.operands.length).toBe(2);
        expect(tree.kind === "logical" && tree.operands[1]).toMatchObject({ right: { literal: { text: "secret" } } });
      }),
      { numRuns: caseCount(2000) },
    );
  });
});

describe("any tree", () => {
  test("is parsed as it was printed", () => {
    fc.assert(
      fc.property(syntaxTree, (tree) => {
        const text = print(tree);
        const { tree: again, context } = parse(text);
        expect(withoutPlaces(again)).toEqual(withoutPlaces(tree));
        expect(print(again)).toBe(text);
        expect(indexesOf(again)).toEqual(context.literals.map((_, index) => index));
      }),
      { numRuns: caseCount(3000) },
    );
  });

  test("with an equal shape differs only in the texts of its literals", () => {
    fc.assert(
      fc.property(syntaxTree, (tree) => {
        const text = print(tree);
        const first = parse(text);
        const second = parse(text.replaceAll(/'(?:[^']|'')*'/gu, "'other'").replaceAll(" eq ", "  eq\t "));
        if (second.list.shape !== first.list.shape) return;
        expect(blank(second.tree)).toEqual(blank(first.tree));
      }),
      { numRuns: caseCount(1000) },
    );
  });
});

function blank(node: SyntaxNode): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value: unknown) => (key === "position" || key === "text" ? undefined : value)),
  );
}

/** The indexes of literal nodes in the order of the text. */
function indexesOf(node: SyntaxNode): readonly number[] {
  const indexes: number[] = [];
  JSON.stringify(node, (key, value: unknown) => {
    if (key === "index") indexes.push(Number(value));
    return value;
  });
  return indexes.toSorted((left, right) => left - right);
}
