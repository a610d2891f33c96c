import { protocolError } from "../errors/odata-error.ts";
import type { KeyPredicateSyntax } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";

/** What the error of a key predicate names. */
export interface KeyPredicateOptions {
  /** The target of errors: `key` for a key, else the name of the function whose arguments are read. */
  readonly target: string;
}

/**
 * Parses what stands in the parentheses of a path segment.
 * @throws ODataError 400 InvalidKey
 */
export function parseKeyPredicate(
  parentheses: string,
  context: ParseContext,
  options: KeyPredicateOptions,
): KeyPredicateSyntax {
  context.counters.tokens += parentheses.length;
  throw protocolError("InvalidKey", "Keys cannot be read.", options);
}
