import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { DEFAULT_SYNTAX_LIMITS, type ParseContext } from "../../../src/language/syntax/parse-context.ts";

/** The patterns of a name, and of a path of names. @see OData ABNF, odataIdentifier */
export const NAME = String.raw`[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}\p{Pc}\p{Cf}]*`;
export const PATH = String.raw`${NAME}(?:/${NAME})*`;

const UNLIMITED = { maxTokens: Infinity, maxNodeCount: Infinity, maxInListLength: Infinity, maxAnyAllDepth: Infinity };

/** Makes the state of one parse. The page limits the depth alone: the service knows its own limits. */
export function syntaxContext(aliases: ReadonlyMap<string, string> = new Map()): ParseContext {
  const limits = { ...DEFAULT_SYNTAX_LIMITS, ...UNLIMITED };
  return { limits, literals: [], aliases, computesInExpand: () => true, counters: { tokens: 0, nodes: 0 } };
}

/** Returns the path that a member of a tree states, such as `Customer/Address/City`; null for other expressions. */
export function pathOf(node: SyntaxNode): string | null {
  if (node.kind !== "member") return null;
  if (node.source === null) return node.name;
  const source = pathOf(node.source);
  return source === null ? null : `${source}/${node.name}`;
}

/** Returns the fault of syntax in the text of an expression; null without one. */
export function faultOfFilter(text: string, aliases?: ReadonlyMap<string, string>): string | null {
  try {
    const context = syntaxContext(aliases);
    parseExpression(tokenize(text, context, "$filter"), context);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns whether a text is an expression without a fault of syntax. */
export function isExpression(text: string): boolean {
  return faultOfFilter(text) === null;
}

/** A search, in which apostrophes begin no string; a string; a phrase; a word; any other character. */
const TOKENS =
  /\$search=(?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^;()"])*|'[^']*'|"(?:[^"\\]|\\.)*(?:"|$)|[\p{L}\p{N}\p{M}\p{Pc}\p{Cf}.$]+|./gsu;

/** Splits the text of an option at a sign or word outside strings and parentheses. */
export function split(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth !== 0 || token !== separator) continue;
    parts.push(text.slice(start, index).trim());
    start = index + token.length;
  }
  return [...parts, text.slice(start).trim()];
}

/** Reads the items between the commas of a text; none of an empty text. Null if one does not have the pattern. */
export function readItems(text: string, pattern: RegExp): readonly RegExpExecArray[] | null {
  const items = text.trim() === "" ? [] : text.split(",").map((item) => pattern.exec(item.trim()));
  return items.every((item) => item !== null) ? items : null;
}
