import { protocolError, type ODataError } from "../errors/odata-error.ts";

/**
 * The error of an execution whose nested lambda operators look at too many items. A collection of the entity that
 * stands within a lambda operator is walked for each item outside, so the work grows with a power of its length: each
 * executor bounds it to what costs it about a second.
 * @param most items that one execution may look at
 * @see decisions, Smaller points (cost of a request)
 */
export function tooManyItems(most: number): ODataError {
  const message = `'any' and 'all' within one another look at more than ${String(most)} items. Begin the outer predicate with a condition that few items meet.`;
  return protocolError("InvalidQueryOption", message);
}
