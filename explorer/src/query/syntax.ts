import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { parseExpression } from "../../../src/language/syntax/expression-parser.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { DEFAULT_SYNTAX_LIMITS, type ParseContext } from "../../../src/language/syntax/parse-context.ts";
import type { Token, TokenKind, TokenList } from "../../../src/language/syntax/token.ts";

/** The values of parameter aliases, and other options, by name. */
type Aliases = ReadonlyMap<string, string>;

const UNLIMITED = { maxTokens: Infinity, maxNodeCount: Infinity, maxInListLength: Infinity, maxAnyAllDepth: Infinity };

/** Makes the state of one parse. The page limits the depth alone: the service knows its own limits. */
export function syntaxContext(aliases: Aliases = new Map()): ParseContext {
  const limits = { ...DEFAULT_SYNTAX_LIMITS, ...UNLIMITED };
  return { limits, literals: [], aliases, computesInExpand: () => true, counters: { tokens: 0, nodes: 0 } };
}

/** Returns what the parser of an option reads; null for a fault of syntax. */
export function parsed<Syntax>(parse: (context: ParseContext) => Syntax, aliases?: Aliases): Syntax | null {
  try {
    return parse(syntaxContext(aliases));
  } catch {
    return null;
  }
}

/** The tokens in which the text of a node is found. */
export interface Source extends Pick<TokenList, "text" | "tokens"> {
  readonly literals: readonly Token[];
}

/** Parses an expression. @throws ODataError for a fault of syntax */
export function parseFilter(text: string, context: ParseContext): Source & { readonly node: SyntaxNode } {
  const list = tokenize(text, context, "$filter");
  const literals = list.tokens.filter(({ literal }) => literal !== null);
  return { ...list, literals, node: parseExpression(list, context) };
}

/** Returns a literal as it is written; null for other expressions. */
export function literalIn(node: SyntaxNode, { literals }: Source): string | null {
  if (node.kind === "null") return "null";
  return node.kind === "literal" ? (literals[node.index]?.text ?? null) : null;
}

/** Returns the path that a member states, such as `Customer/Address/City`; null for other expressions. @param item the variable that the path begins with */
export function pathOf(node: SyntaxNode, item: string | null = null): string | null {
  if (node.kind === "variable") return node.name === item ? "" : null;
  if (node.kind !== "member") return null;
  if (node.source === null) return item === null ? node.name : null;
  const source = pathOf(node.source, item);
  return source === "" ? node.name : source && `${source}/${node.name}`;
}

/** Returns the path of a value: that of a member, or of the number of a collection. */
export function valuePath(node: SyntaxNode, item?: string | null): string | null {
  const path = pathOf(node.kind === "count" ? node.source : node, item);
  return node.kind === "count" ? path && `${path}/$count` : path;
}

/** Returns the text of a part of an expression, without parentheses around it. */
export function textOf(node: SyntaxNode, { text, tokens }: Pick<Source, "text" | "tokens">): string {
  const positions = nodesIn(node).flatMap((each) => ("position" in each ? Number(each.position) : []));
  const places = positions.toSorted((one, other) => one - other);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  let start = tokens.findIndex(({ position }) => position === first);
  let end = tokens.findLastIndex(({ position }) => position === last);
  // Parentheses have no position in a tree, except those of lists.
  let open = 0;
  for (let at = start; at <= end || open > 0 || tokens[at]?.kind === "("; at += 1) {
    end = Math.max(at, end);
    open += DEPTHS[tokens[at]?.kind ?? "end"] ?? 0;
    if (open < 0) [open, start] = [0, start - 1];
  }
  const next = tokens.slice(end + 1).find(({ position }) => position > last);
  return text.slice(tokens[start]?.position, next?.position).trimEnd();
}

const DEPTHS: Partial<Record<TokenKind, number>> = { "(": 1, "[": 1, ")": -1, "]": -1 };

/** Returns all objects of a tree, the outer ones first. */
export function nodesIn(node: unknown): readonly object[] {
  return typeof node === "object" && node !== null ? [node, ...Object.values(node).flatMap(nodesIn)] : [];
}
