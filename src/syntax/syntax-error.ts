import type { ErrorCode } from "../errors/error-codes.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";

/**
 * Makes the 400 of a text that does not follow the grammar: InvalidQueryOption for a query option or parameter alias,
 * InvalidKey for `key`, InvalidParameter for any other name, which is that of a function.
 * @param option what holds the text, and the target of the error: `$filter`, `@p`, `key`, a function's name
 * @param position offset in the decoded text of that option
 * @param message what was found and what would be right
 * @see specification, section Errors
 */
export function syntaxError(option: string, position: number, message: string): ODataError {
  return protocolError(codeOf(option), `${option} at position ${position}: ${message}`, { target: option });
}

function codeOf(option: string): ErrorCode {
  if (option.startsWith("$") || option.startsWith("@")) return "InvalidQueryOption";
  return option === "key" ? "InvalidKey" : "InvalidParameter";
}

const MAX_QUOTED_LENGTH = 40;

/** A piece of a client's text in quotes: at most 40 characters of it, so that no message grows with its cause. */
export function quoteText(text: string): string {
  if (text.length <= MAX_QUOTED_LENGTH) return `"${text}"`;
  return `"${text.slice(0, MAX_QUOTED_LENGTH).replace(/[\uD800-\uDBFF]$/u, "")}…"`;
}
