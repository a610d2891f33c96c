import type { ErrorCode } from "../../base/errors/error-codes.ts";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";

/**
 * Makes the 400 of a syntax error: InvalidQueryOption for a query option or parameter alias, InvalidKey for `key`,
 * InvalidParameter for any other name, which is that of a function.
 * @param option the origin of the text and target of the error: `$filter`, `@p`, `key`, a function's name
 * @param position offset in the decoded text of that option
 * @param message the fault and its correction
 * @see docs/reference/errors.md
 */
export function syntaxError(option: string, position: number, message: string): ODataError {
  return protocolError(codeOf(option), `${option} at position ${position}: ${message}`, { target: option });
}

function codeOf(option: string): ErrorCode {
  if (option.startsWith("$") || option.startsWith("@")) return "InvalidQueryOption";
  return option === "key" ? "InvalidKey" : "InvalidParameter";
}

const MAX_QUOTED_LENGTH = 40;

/** Quotes at most 40 characters of a client's text, so that messages stay short. */
export function quoteText(text: string): string {
  if (text.length <= MAX_QUOTED_LENGTH) return `"${text}"`;
  return `"${text.slice(0, MAX_QUOTED_LENGTH).replace(/[\uD800-\uDBFF]$/u, "")}…"`;
}
