import { parseExpression } from "../../../src/syntax/expression-parser.ts";
import { tokenize } from "../../../src/syntax/lexer.ts";
import type { Token } from "../../../src/syntax/token.ts";
import {
  asList,
  condition,
  type ConditionOperator,
  type FilterCondition,
  type FilterGroup,
  type FilterNode,
  NO_FILTER,
} from "./filter-tree.ts";
import { syntaxContext } from "./syntax-context.ts";

/** Tokens that belong together, and the text that contains them. */
interface Piece {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** The property of a condition, and the tokens after it. */
interface Operand {
  readonly path: string;
  readonly isLowered: boolean;
  readonly rest: readonly Token[];
}

const COMPARISONS: ReadonlySet<string> = new Set(["eq", "ne", "gt", "ge", "lt", "le", "has"]);
const FUNCTIONS: ReadonlySet<string> = new Set(["contains", "startswith", "endswith"]);

/**
 * Reads the text of a filter as a tree. What a builder cannot show stays text, and so does all of a filter with a fault of
 * syntax. `writeFilter` writes a text of the same meaning, and the same text again for one that it wrote itself.
 */
export function readFilter(text: string): FilterGroup {
  if (text.trim() === "") return NO_FILTER;
  const node = readWhole(text);
  return node.kind === "group" ? node : { ...NO_FILTER, items: [node] };
}

function readWhole(text: string): FilterNode {
  try {
    const context = syntaxContext();
    const list = tokenize(text, context, "$filter");
    parseExpression(list, context);
    return read({ text, tokens: list.tokens });
  } catch {
    return { kind: "text", text };
  }
}

function read(piece: Piece): FilterNode {
  for (const operator of ["or", "and"] as const) {
    const parts = splitAt(piece, operator);
    if (parts.length > 1) return groupOf(operator, parts.map(read));
  }
  const inner = withinParentheses(piece);
  if (inner !== null) return read(inner);
  if (piece.tokens[0]?.kind === "not") return readNegation(piece);
  return readLambda(piece) ?? readCondition(piece) ?? { kind: "text", text: textOf(piece) };
}

function groupOf(operator: "and" | "or", items: readonly FilterNode[]): FilterNode {
  return (operator === "or" ? asList(items) : null) ?? { kind: "group", operator, isNegated: false, items };
}

/** `not` reaches only over what binds more tightly than comparisons. */
function readNegation(piece: Piece): FilterNode {
  const operand = { ...piece, tokens: piece.tokens.slice(1) };
  const inner = withinParentheses(operand);
  const node = inner === null ? (readLambda(operand) ?? readCall(operand)) : read(inner);
  if (node === null || node.kind === "text" || node.isNegated) return { kind: "text", text: textOf(piece) };
  return { ...node, isNegated: true };
}

/** Splits at an operator outside parentheses. */
function splitAt(piece: Piece, symbol: "and" | "or"): readonly Piece[] {
  const parts: Piece[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, token] of piece.tokens.entries()) {
    depth += depthOf(token);
    if (depth > 0 || token.operator?.symbol !== symbol) continue;
    parts.push({ ...piece, tokens: piece.tokens.slice(start, index) });
    start = index + 1;
  }
  return [...parts, { ...piece, tokens: piece.tokens.slice(start) }];
}

function depthOf({ kind }: Token): number {
  if (kind === "(") return 1;
  return kind === ")" ? -1 : 0;
}

/** Returns the tokens within the parentheses that enclose all of a piece; null without them. */
function withinParentheses(piece: Piece): Piece | null {
  const { tokens } = piece;
  if (tokens[0]?.kind !== "(" || closing(tokens, 0) !== tokens.length - 1) return null;
  return { ...piece, tokens: tokens.slice(1, -1) };
}

/** Returns the index of the parenthesis that closes the one at an index. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token !== undefined) depth += depthOf(token);
    if (depth === 0) return index;
  }
  return -1;
}

function textOf({ text, tokens }: Piece): string {
  const last = tokens.at(-1);
  return last === undefined ? "" : text.slice(tokens[0]?.position, last.position + last.text.length);
}

/** Reads `Items/any(x:x/Price gt 5)` with one condition on the item. */
function readLambda(piece: Piece): FilterNode | null {
  const { tokens } = piece;
  const open = tokens.findIndex((token) => token.kind === "(");
  const quantifier = tokens[open - 1]?.text;
  if ((quantifier !== "any" && quantifier !== "all") || tokens[open - 2]?.kind !== "/") return null;
  if (closing(tokens, open) !== tokens.length - 1) return null;
  const path = readPath(tokens.slice(0, open - 2));
  if (path === null || path.rest.length > 0) return null;
  const inner = tokens.slice(open + 1, -1);
  const shared = { kind: "lambda", path: path.path, quantifier, isNegated: false } as const;
  if (inner.length === 0) return { ...shared, condition: null };
  const node = read({ ...piece, tokens: inner.slice(2) });
  const onItem = node.kind === "condition" ? withoutVariable(node, inner[0]?.text ?? "") : null;
  return onItem === null ? null : { ...shared, condition: onItem };
}

function withoutVariable(node: FilterCondition, variable: string): FilterCondition | null {
  if (node.path === variable) return { ...node, path: "" };
  return node.path.startsWith(`${variable}/`) ? { ...node, path: node.path.slice(variable.length + 1) } : null;
}

function readCondition(piece: Piece): FilterNode | null {
  return readCall(piece) ?? readComparison(piece);
}

/** Reads `contains(Name,'a')`, or with `tolower(Name)`. */
function readCall({ tokens }: Piece): FilterNode | null {
  const [name, open] = tokens;
  if (name?.kind !== "name" || open?.kind !== "(" || !FUNCTIONS.has(name.text)) return null;
  const operand = readOperand(tokens.slice(2));
  if (operand === null) return null;
  const [comma, value, end, ...others] = operand.rest;
  if (comma?.kind !== "," || end?.kind !== ")" || others.length > 0) return null;
  if (value?.literal?.type !== "Edm.String") return null;
  return condition(operand.path, name.text as ConditionOperator, [value.text], { isLowered: operand.isLowered });
}

/** Reads `Price gt 5` and `Price in (1,2)`. */
function readComparison({ tokens }: Piece): FilterNode | null {
  const operand = readOperand(tokens);
  if (operand === null) return null;
  const [operator, ...values] = operand.rest;
  const symbol = operator?.operator?.symbol ?? "";
  if (symbol !== "in" && !COMPARISONS.has(symbol)) return null;
  const literals = symbol === "in" ? listed(values) : values;
  if (literals === null || !literals.every(isValue) || (symbol !== "in" && literals.length !== 1)) return null;
  const texts = literals.map(({ text }) => text);
  return condition(operand.path, symbol as ConditionOperator, texts, { isLowered: operand.isLowered });
}

/** Returns the values between parentheses; null for another right side of `in`. */
function listed(tokens: readonly Token[]): readonly Token[] | null {
  if (tokens[0]?.kind !== "(") return null;
  const items = tokens.slice(1, -1);
  return items.some((item, index) => (item.kind === ",") !== (index % 2 === 1)) ? null : items.filter(isValue);
}

function isValue({ kind }: Token): boolean {
  return kind === "literal" || kind === "null";
}

function readOperand(tokens: readonly Token[]): Operand | null {
  const [name, open] = tokens;
  if (name?.text !== "tolower" || open?.kind !== "(") return readPath(tokens);
  const inner = readPath(tokens.slice(2));
  if (inner === null || inner.rest[0]?.kind !== ")") return null;
  return { ...inner, isLowered: true, rest: inner.rest.slice(1) };
}

/** Reads names with slashes between them, up to another token. Paths from `$it`, `$root` and types stay text. */
function readPath(tokens: readonly Token[]): Operand | null {
  const names: string[] = [];
  for (let index = 0; ; index += 2) {
    const name = tokens[index];
    const isCount = name?.text === "$count" && index > 0;
    if (name?.kind !== "name" || (!isCount && /[.$]/u.test(name.text))) return null;
    names.push(name.text);
    if (tokens[index + 1]?.kind === "/") continue;
    return { path: names.join("/"), isLowered: false, rest: tokens.slice(index + 1) };
  }
}
