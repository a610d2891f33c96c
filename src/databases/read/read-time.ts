import { isSlowQuery, queryTimeout } from "../../base/errors/odata-error.ts";
import { withSignalOf } from "../../base/later.ts";
import { type Maybe, recover } from "../../base/maybe.ts";
import type { Patience } from "../connection/patient-reader.ts";

/**
 * Runs a read in the time that the earlier reads of its operation have left.
 * @throws ODataError `QueryTimeout`, which names the whole time; the errors of the read
 */
export function inReadTime<T>(patience: Patience, read: (rest: Patience) => Maybe<T>): Maybe<T> {
  const { timeout, caller } = patience;
  const time = caller?.readTime;
  if (time === undefined || timeout === undefined || timeout === null) return read(patience);
  const left = time.leftOf(timeout);
  if (left >= timeout) return time.spend(() => read(patience));
  const { reading, bytes } = patience;
  const rest: Patience = withSignalOf({ reading, bytes, caller, timeout: left }, patience);
  return recover(
    () => time.spend(() => read(rest)),
    (error): never => {
      throw isSlowQuery(error) ? queryTimeout(timeout, error) : error;
    },
  );
}
