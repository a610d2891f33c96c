import type { FunctionName } from "../../../src/edm/canonical-functions.ts";
import type { SyntaxNode } from "../../../src/language/syntax/ast.ts";
import type { Operator } from "../../../src/language/syntax/token.ts";
import { literalIn, parsed, parseFilter, pathOf, type Source, textOf, valuePath } from "./syntax.ts";

/** A filter as a builder shows it. Other expressions stay text. */
export type FilterNode =
  | FilterGroup
  | FilterCondition
  | FilterLambda
  | { readonly kind: "text"; readonly text: string };

/** Conditions of which all must be met, or one. */
export interface FilterGroup {
  readonly kind: "group";
  readonly operator: "and" | "or";
  readonly isNegated: boolean;
  readonly items: readonly FilterNode[];
}

/** A comparison of a property with literals. A condition without values is unfinished. */
export interface FilterCondition {
  readonly kind: "condition";
  /** Of a property, along navigations to one entity: `Customer/Address/City`, or `Items/$count`. */
  readonly path: string;
  readonly operator: ConditionOperator;
  /** Literals as URLs have them; several for `in` only. */
  readonly values: readonly string[];
  /** Whether the property is compared in lower case. The literals are written so, too. */
  readonly isLowered: boolean;
  readonly isNegated: boolean;
}

/** A condition on the items of a collection; null: any item at all. The path of the condition begins at the item. */
export interface FilterLambda {
  readonly kind: "lambda";
  readonly path: string;
  readonly quantifier: "any" | "all";
  readonly isNegated: boolean;
  readonly condition: FilterCondition | null;
}

const CALLS = ["contains", "startswith", "endswith"] as const satisfies readonly FunctionName[];
const COMPARISONS = ["eq", "ne", "gt", "ge", "lt", "le", "has", "in"] as const satisfies readonly Operator["symbol"][];
/** The operator of a condition. */
export const CONDITION_OPERATORS = [...CALLS, ...COMPARISONS] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** The tree of an empty filter. */
export const NO_FILTER: FilterGroup = Object.freeze({ kind: "group", operator: "and", isNegated: false, items: [] });

/** Makes a condition on one value, or on several. */
export function condition(
  path: string,
  operator: ConditionOperator,
  values: readonly string[],
  flags: { readonly isLowered?: boolean; readonly isNegated?: boolean } = {},
): FilterCondition {
  return { kind: "condition", path, operator, values, isLowered: false, isNegated: false, ...flags };
}

/** A filter of more conditions is edited as text. */
const MOST_CONDITIONS = 100;

/**
 * Reads the text of a filter as a tree. A filter with a fault of syntax, or of many conditions, is one text. `writeFilter` writes
 * a text of the same meaning, and repeats a text that it wrote itself.
 * @param aliases the values that replace parameter aliases
 */
export function readFilter(text: string, aliases?: ReadonlyMap<string, string>): FilterGroup {
  if (text.trim() === "") return NO_FILTER;
  const syntax = parsed((context) => parseFilter(text, context), aliases);
  const joints = syntax?.tokens.filter(({ text: word }) => word === "and" || word === "or") ?? [];
  const isShown = syntax !== null && joints.length < MOST_CONDITIONS;
  const node = isShown ? read(syntax.node, syntax) : ({ kind: "text", text } as const);
  return node.kind === "group" ? node : { ...NO_FILTER, items: [node] };
}

/** Returns the conditions of a filter that must all be met. @param aliases as for `readFilter` */
export function conditionsOf(filter = "", aliases?: ReadonlyMap<string, string>): readonly FilterNode[] {
  const tree = readFilter(filter, aliases);
  return tree.operator === "and" && !tree.isNegated ? tree.items : [tree];
}

/** Writes a filter of conditions that must all be met. */
export function filterOf(items: readonly FilterNode[]): string {
  return writeFilter({ ...NO_FILTER, items });
}

function read(node: SyntaxNode, source: Source): FilterNode {
  if (node.kind === "logical") {
    const { operator, operands } = node;
    return { kind: "group", operator, isNegated: false, items: operands.map((each) => read(each, source)) };
  }
  const isNot = node.kind === "unary" && node.operator === "not";
  const known = isNot ? read(node.operand, source) : (readLambda(node, source) ?? readCondition(node, source));
  if (known !== null && !isNot) return known;
  if (known !== null && known.kind !== "text" && !known.isNegated) return { ...known, isNegated: true };
  return { kind: "text", text: textOf(node, source) };
}

/** Reads `Items/any(x:x/Price gt 5)` with one condition on the item. */
function readLambda(node: SyntaxNode, source: Source): FilterLambda | null {
  const path = node.kind === "lambda" ? pathOf(node.source) : null;
  if (node.kind !== "lambda" || path === null) return null;
  const { operator: quantifier, variable, predicate } = node;
  const shared = { kind: "lambda", path, quantifier, isNegated: false } as const;
  if (predicate === null) return { ...shared, condition: null };
  const isNegated = predicate.kind === "unary" && predicate.operator === "not";
  const inner = readCondition(isNegated ? predicate.operand : predicate, source, variable);
  return inner && { ...shared, condition: { ...inner, isNegated } };
}

/** Reads the comparison of a path with literals. @param item the variable that the path begins with */
function readCondition(node: SyntaxNode, source: Source, item?: string | null): FilterCondition | null {
  const [name, left, right, ...others] = partsOf(node);
  const operator = CONDITION_OPERATORS.find((each) => each === name);
  if (operator === undefined || left === undefined || right === undefined || others.length > 0) return null;
  const [inner, lowered, ...more] = partsOf(left);
  const isLowered = inner === "tolower" && lowered !== undefined && more.length === 0;
  const path = valuePath(isLowered ? lowered : left, item);
  // A list may be JSON, too.
  const isList = right.kind === "list" && source.text[right.position] === "(";
  const values = (isList ? right.items : [right]).map((each) => literalIn(each, source));
  if (path === null || isList !== (operator === "in") || !values.every((each) => each !== null)) return null;
  return condition(path, operator, values, { isLowered });
}

/** Returns the name of an operator or function with its operands; nothing of other expressions. */
function partsOf(node: SyntaxNode): readonly [name?: string, ...operands: SyntaxNode[]] {
  if (node.kind === "binary") return [node.operator, node.left, node.right];
  if (node.kind === "in") return ["in", node.operand, node.list];
  return node.kind === "call" ? [node.name, ...node.arguments.map(({ value }) => value)] : [];
}

/** Writes the text of a filter; empty without a condition. Conditions without values are unfinished, and left out. */
export function writeFilter(tree: FilterGroup): string {
  // Reading simplifies: no group of one condition, no parentheses around one.
  return write(readFilter(write(tree)));
}

function write(node: FilterNode): string {
  const text = writeAffirmed(node);
  return node.kind !== "text" && node.isNegated && text !== "" ? `not (${text})` : text;
}

function writeAffirmed(node: FilterNode): string {
  switch (node.kind) {
    case "text":
      return node.text.trim() === "" ? "" : node.text;
    case "condition":
      return writeCondition(node);
    case "group": {
      const parts = node.items.map(write).filter((part) => part !== "");
      return parts.length < 2 ? parts.join("") : parts.map(enclosed).join(` ${node.operator} `);
    }
    case "lambda": {
      const { path, quantifier, condition: inner } = node;
      if (inner === null) return quantifier === "any" ? `${path}/any()` : "";
      const text = write({ ...inner, path: inner.path === "" ? "x" : `x/${inner.path}` });
      return text === "" ? "" : `${path}/${quantifier}(x:${text})`;
    }
  }
}

function writeCondition({ path, operator, values, isLowered }: FilterCondition): string {
  const [value] = values;
  if (value === undefined) return "";
  const operand = isLowered ? `tolower(${path})` : path;
  if (operator === "in") return `${operand} in (${values.join(",")})`;
  const isCall = CALLS.some((name) => name === operator);
  return isCall ? `${operator}(${operand},${value})` : `${operand} ${operator} ${value}`;
}

/** Puts a text in parentheses that has `and` or `or`, or that is not yet an expression. */
function enclosed(text: string): string {
  const { kind = "logical" } = parsed((context) => parseFilter(text, context))?.node ?? {};
  return kind === "logical" ? `(${text})` : text;
}
