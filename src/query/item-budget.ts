import { protocolError, type ODataError } from "../errors/odata-error.ts";

/**
 * The error of an execution whose lambda operators look at too many items. A collection of the entity that stands within
 * a lambda operator is walked for each item outside, and many entities may be related to the same others, so the work
 * grows with a power of what there is: each executor bounds it to what costs it about a second.
 * @param most items that one execution may look at
 * @see decisions, Smaller points (cost of a request)
 */
export function tooManyItems(most: number): ODataError {
  const message = `'any' and 'all' look at more than ${String(most)} items: begin the filter, and each outer predicate, with a condition that few items meet.`;
  return protocolError("InvalidQueryOption", message);
}
