import { isODataError, ODataError } from "./odata-error.ts";

/** The status of a request that is valid. */
const NOT_IMPLEMENTED = 501;

/**
 * Returns the error of one entity of several: its targets begin with the position of the entity, or with its path. Errors that are
 * no fault of the entity, such as a lost connection, are unchanged.
 */
export function atPosition(error: unknown, position: number | string): unknown {
  const isOther = !isODataError(error) || (error.status >= 500 && error.status !== NOT_IMPLEMENTED);
  if (isOther) return error;
  const { status, code, message, target, details, fault, headers, isUnsupported, mayLog, cause } = error;
  const within = (name: string | undefined): string =>
    [String(position), ...(name === undefined || name === "" ? [] : [name])].join("/");
  return new ODataError(status, code, message, {
    target: within(target),
    details: details?.map((each) => ({ ...each, target: within(each.target) })),
    fault,
    cause,
    headers,
    isUnsupported,
    mayLog,
  });
}

/**
 * Runs a part of the work on one entity of several.
 * @param position that of the entity, or its path; undefined: the work is on one alone
 * @throws the error of the part, whose target begins with the position
 */
export async function ofPosition<T>(position: number | string | undefined, run: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw position === undefined ? error : atPosition(error, position);
  }
}
