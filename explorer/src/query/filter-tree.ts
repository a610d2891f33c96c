import { isExpression, NAME, PATH, split } from "./syntax.ts";

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

const CALLS = ["contains", "startswith", "endswith"] as const;
/** The operator of a condition. */
export const CONDITION_OPERATORS = [...CALLS, "eq", "ne", "gt", "ge", "lt", "le", "has", "in"] as const;
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

const MEMBER = String.raw`(?!(?:null|true|false)\b)${PATH}(?:/\$count)?`;
const OPERAND = String.raw`(?:tolower\(\s*(?<lowered>${MEMBER})\s*\)|(?<path>${MEMBER}))`;
const TEXT = "'(?:[^']|'')*'";
const GUID = String.raw`[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}`;
const LITERAL = String.raw`(?:(?:${NAME}(?:\.${NAME})*)?${TEXT}|${GUID}|[-+]?\d[\w.:+-]*|-?INF|NaN|null|true|false)`;
const LITERALS = new RegExp(LITERAL, "gu");
const CALL = pattern(`(?<operator>${CALLS.join("|")})\\(\\s*${OPERAND}\\s*,\\s*(?<values>${TEXT})\\s*\\)`);
const CONDITIONS: readonly RegExp[] = [
  CALL,
  pattern(String.raw`${OPERAND}\s+(?<operator>eq|ne|gt|ge|lt|le|has)\s+(?<values>${LITERAL})`),
  pattern(String.raw`${OPERAND}\s+(?<operator>in)\s*\(\s*(?<values>${LITERAL}(?:\s*,\s*${LITERAL})*)\s*\)`),
];
const LAMBDA = pattern(
  String.raw`(?<path>${PATH})/(?<quantifier>any|all)\(\s*(?:(?<variable>${NAME})\s*:(?<inner>.*))?\)`,
);

function pattern(source: string): RegExp {
  return new RegExp(`^${source}$`, "su");
}

/** A filter of more conditions is edited as text. */
const MOST_CONDITIONS = 100;

/**
 * Reads the text of a filter as a tree. A filter with a fault of syntax, or of many conditions, is one text. `writeFilter` writes
 * a text of the same meaning, and repeats a text that it wrote itself.
 */
export function readFilter(text: string): FilterGroup {
  if (text.trim() === "") return NO_FILTER;
  const whole: FilterNode = { kind: "text", text };
  const tree = isExpression(text) ? read(text.trim()) : whole;
  const node = countOf(tree) > MOST_CONDITIONS ? whole : tree;
  return node.kind === "group" ? node : { ...NO_FILTER, items: [node] };
}

/** Returns the conditions of a filter that must all be met. */
export function conditionsOf(filter = ""): readonly FilterNode[] {
  const tree = readFilter(filter);
  return tree.operator === "and" && !tree.isNegated ? tree.items : [tree];
}

/** Writes a filter of conditions that must all be met. */
export function filterOf(items: readonly FilterNode[]): string {
  return writeFilter({ ...NO_FILTER, items });
}

function countOf(node: FilterNode): number {
  return node.kind === "group" ? node.items.reduce((sum, item) => sum + countOf(item), 0) : 1;
}

function read(text: string): FilterNode {
  for (const operator of ["or", "and"] as const) {
    const items = split(text, operator);
    const isGroup = items.length > 1 && items.every(isExpression);
    if (isGroup) return { kind: "group", operator, isNegated: false, items: items.map(read) };
  }
  const [, not, operand = ""] = /^(not(?=[\s(]))?\s*(.*)$/su.exec(text) ?? [];
  const [, inner = ""] = /^\((.*)\)$/su.exec(operand) ?? [];
  // `not` applies only to operands that bind more tightly than comparisons.
  const patterns = not === undefined ? CONDITIONS : [CALL];
  const node = isExpression(inner) ? read(inner.trim()) : (readLambda(operand) ?? readCondition(operand, patterns));
  if (not === undefined) return node ?? { kind: "text", text };
  const isNegatable = node !== null && node.kind !== "text" && !node.isNegated;
  return isNegatable ? { ...node, isNegated: true } : { kind: "text", text };
}

/** Reads `Items/any(x:x/Price gt 5)` with one condition on the item. */
function readLambda(text: string): FilterNode | null {
  const { path = "", quantifier, variable = "", inner } = LAMBDA.exec(text)?.groups ?? {};
  if (quantifier !== "any" && quantifier !== "all") return null;
  const shared = { kind: "lambda", path, quantifier, isNegated: false } as const;
  if (inner === undefined) return { ...shared, condition: null };
  const node = isExpression(inner) ? read(inner.trim()) : null;
  if (node?.kind !== "condition" || !`${node.path}/`.startsWith(`${variable}/`)) return null;
  return { ...shared, condition: { ...node, path: node.path.slice(variable.length + 1) } };
}

function readCondition(text: string, patterns: readonly RegExp[]): FilterCondition | null {
  const match = patterns.map((each) => each.exec(text)).find((each) => each !== null);
  const { lowered, path = lowered, operator, values = "" } = match?.groups ?? {};
  const known = CONDITION_OPERATORS.find((each) => each === operator);
  if (path === undefined || known === undefined) return null;
  return condition(path, known, values.match(LITERALS) ?? [], { isLowered: lowered !== undefined });
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
  const isWhole = split(text, "and").length === 1 && split(text, "or").length === 1 && isExpression(text);
  return isWhole ? text : `(${text})`;
}
