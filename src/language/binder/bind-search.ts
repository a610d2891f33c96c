import type { StructuralProperty } from "../../edm/model.ts";
import type { SearchClause, SearchExpression } from "../query/clauses.ts";
import type { SearchSyntax } from "../syntax/ast.ts";
import type { ParseContext } from "../syntax/parse-context.ts";
import { parseSearch, type SearchStretch } from "../syntax/search-parser.ts";

/**
 * Binds `$search` for the search handler. It belongs to one request, not to a shape.
 * @param text the decoded text of the option
 * @param unreadable the properties that no match may depend on
 * @param stretch the part of `text` with the expression; absent: all
 * @returns the clause, frozen because the application receives it
 * @throws ODataError `InvalidQueryOption`, target `$search`, also above the limits on tokens, parts and depth
 * @see OData URL Conventions 4.0, section 5.1.7
 */
export function bindSearch(
  text: string,
  context: ParseContext,
  unreadable?: ReadonlySet<StructuralProperty>,
  stretch?: SearchStretch,
): SearchClause {
  const searched = stretch === undefined ? text : text.slice(stretch.start, stretch.end).trim();
  return toSearchClause(searched, parseSearch(text, context, stretch), unreadable);
}

/** Joins searches that must all match. @returns null for none */
export function joinSearches(searches: readonly SearchClause[]): SearchClause | null {
  const [first] = searches;
  if (first === undefined || searches.length === 1) return first ?? null;
  const text = searches.map((search) => `(${search.text})`).join(" AND ");
  const operands = Object.freeze(searches.map(({ expression }) => expression));
  return Object.freeze({ ...first, text, expression: Object.freeze({ kind: "and", operands }) });
}

/** Returns the clause of a parsed `$search`, such as that of an expansion. */
export function toSearchClause(
  text: string,
  syntax: SearchSyntax,
  unreadable: ReadonlySet<StructuralProperty> | undefined,
): SearchClause {
  const clause = { text, expression: toExpression(syntax) };
  if (unreadable === undefined || unreadable.size === 0) return Object.freeze(clause);
  return Object.freeze({ ...clause, unreadable: Object.freeze([...unreadable]) });
}

/** Recurses as deep as the parser, which has a limit. */
function toExpression(syntax: SearchSyntax): SearchExpression {
  switch (syntax.kind) {
    case "word":
    case "phrase":
      return Object.freeze({ kind: syntax.kind, text: syntax.text });
    case "not":
      return Object.freeze({ kind: "not", operand: toExpression(syntax.operand) });
    case "and":
    case "or":
      return Object.freeze({ kind: syntax.kind, operands: Object.freeze(syntax.operands.map(toExpression)) });
  }
}
