import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { quoteText } from "./syntax-error.ts";

/**
 * Reads the value of an option such as `$top` or `$skip`: decimal digits that a double represents exactly.
 * @param text the decoded value
 * @param option the option's name for the error, such as `$top`
 * @param where how the message names the place; absent: the option itself
 * @throws ODataError 400 InvalidQueryOption with target `option`
 * @see OData URL Conventions 4.0, section 5.1.5; ABNF top, skip
 */
export function parseNonNegativeInteger(text: string, option: string, where: string = option): number {
  if (!/^\d+$/u.test(text)) throw invalid(option, `${where} must be a whole number of 0 or more`, text);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw invalid(option, `${where} must not be greater than ${Number.MAX_SAFE_INTEGER}`, text);
  }
  return value;
}

/**
 * Reads the value of `$count`: `true` or `false` in any letter case.
 * @param text the decoded value
 * @param option the option's name for the error
 * @param where how the message names the place; absent: the option itself
 * @throws ODataError 400 InvalidQueryOption with target `option`
 * @see OData URL Conventions 4.0, section 5.1.6; ABNF inlinecount, booleanValue
 */
export function parseBoolean(text: string, option: string, where: string = option): boolean {
  if (text.length <= 5) {
    const lower = text.toLowerCase();
    if (lower === "true") return true;
    if (lower === "false") return false;
  }
  throw invalid(option, `${where} must be true or false`, text);
}

function invalid(option: string, rule: string, text: string): ODataError {
  const found = text === "" ? "it has no value" : `not ${quoteText(text)}`;
  return protocolError("InvalidQueryOption", `${rule}, ${found}.`, { target: option });
}
