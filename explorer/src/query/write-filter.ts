import { tokenize } from "../../../src/syntax/lexer.ts";
import { asList, type FilterCondition, type FilterGroup, type FilterLambda, type FilterNode } from "./filter-tree.ts";
import { readFilter } from "./read-filter.ts";
import { syntaxContext } from "./syntax-context.ts";

/** Written text, and the operator that holds it together: `and` or `or` need parentheses within another. */
interface Written {
  readonly text: string;
  readonly binding: "and" | "or" | null;
}

/**
 * Writes the text of a filter. Conditions without values are unfinished and left out, and so are empty groups.
 * @returns empty without a condition
 */
export function writeFilter(tree: FilterGroup): string {
  const text = write(tree)?.text ?? "";
  // Reading simplifies: a list of values for alternatives, no group of one condition.
  return write(readFilter(text))?.text ?? "";
}

function write(node: FilterNode): Written | null {
  switch (node.kind) {
    case "group":
      return writeGroup(node);
    case "condition":
      return negated(writeCondition(node, node.path), node.isNegated);
    case "lambda":
      return negated(writeLambda(node), node.isNegated);
    case "text":
      return writeText(node.text);
  }
}

function writeGroup({ operator, isNegated, items }: FilterGroup): Written | null {
  const merged = operator === "or" ? asList(items) : null;
  const parts = (merged === null ? items : [merged]).map(write).filter((part) => part !== null);
  const [only] = parts;
  if (only === undefined) return null;
  if (parts.length === 1) return isNegated ? negated(only.text, true) : only;
  const text = parts.map((part) => (part.binding === null ? part.text : `(${part.text})`)).join(` ${operator} `);
  return isNegated ? negated(text, true) : { text, binding: operator };
}

function negated(text: string | null, isNegated: boolean): Written | null {
  if (text === null) return null;
  return { text: isNegated ? `not (${text})` : text, binding: null };
}

function writeCondition({ operator, values, isLowered }: FilterCondition, path: string): string | null {
  const [value] = values;
  if (value === undefined) return null;
  const operand = isLowered ? `tolower(${path})` : path;
  switch (operator) {
    case "contains":
    case "startswith":
    case "endswith":
      return `${operator}(${operand},${value})`;
    case "in":
      return `${operand} in (${values.join(",")})`;
    default:
      return `${operand} ${operator} ${value}`;
  }
}

function writeLambda({ path, quantifier, condition: inner }: FilterLambda): string | null {
  if (inner === null) return quantifier === "any" ? `${path}/any()` : null;
  const text = writeCondition(inner, inner.path === "" ? "x" : `x/${inner.path}`);
  if (text === null) return null;
  return `${path}/${quantifier}(x:${inner.isNegated ? `not (${text})` : text})`;
}

/** Parentheses keep a text together that has `and` or `or`, or that is no expression yet. */
function writeText(text: string): Written | null {
  if (text.trim() === "") return null;
  return { text, binding: looseOperator(text) };
}

function looseOperator(text: string): Written["binding"] {
  let depth = 0;
  try {
    for (const { kind, operator } of tokenize(text, syntaxContext(), "$filter").tokens) {
      if (kind === "(") depth += 1;
      else if (kind === ")") depth -= 1;
      else if (depth === 0 && (operator?.symbol === "and" || operator?.symbol === "or")) return operator.symbol;
    }
    return null;
  } catch {
    return "or";
  }
}
