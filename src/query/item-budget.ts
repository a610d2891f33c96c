import { protocolError, type ODataError } from "../errors/odata-error.ts";

/**
 * Makes the error of an execution whose lambda operators inspect too many items. A nested lambda operator runs for each
 * item of the outer one, so the work grows exponentially with the nesting. Each executor limits it to about a second.
 * @param most maximum number of items in one execution
 * @see docs/reference/limits.md
 */
export function tooManyItems(most: number): ODataError {
  const message = `'any' and 'all' inspect more than ${String(most)} items: start the filter, and each outer predicate, with a condition that few items meet.`;
  return protocolError("InvalidQueryOption", message);
}
