import type { SearchClause, SearchExpression } from "../query/clauses.ts";
import type { SearchSyntax } from "../syntax/ast.ts";
import type { ParseContext } from "../syntax/parse-context.ts";
import { parseSearch } from "../syntax/search-parser.ts";

/**
 * Binds `$search` for the search handler. It belongs to one request, not to a shape.
 * @param text the decoded text of the option
 * @returns the clause, frozen because the application receives it
 * @throws ODataError `InvalidQueryOption`, target `$search`, also above the limits on tokens, parts and depth
 * @see OData URL Conventions 4.0, section 5.1.7
 */
export function bindSearch(text: string, context: ParseContext): SearchClause {
  return toSearchClause(text, parseSearch(text, context));
}

/** Returns the clause of a parsed `$search`, such as that of an expansion. */
export function toSearchClause(text: string, syntax: SearchSyntax): SearchClause {
  return Object.freeze({ text, expression: toExpression(syntax) });
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
