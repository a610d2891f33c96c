import { atPosition } from "../../base/errors/at-position.ts";
import { isODataError, ODataError } from "../../base/errors/odata-error.ts";
import { type Maybe, recover } from "../../base/maybe.ts";

/** The statuses of preconditions, whose errors have no target. */
const PRECONDITIONS: ReadonlySet<number> = new Set([412, 428]);

/**
 * Runs a part of the work on a nested entity.
 * @param place the path of the entity in the body
 * @throws the error of the part, with a target within the body; the message of a precondition names the entity
 */
export function ofNested<T>(place: string, run: () => T): T;
export function ofNested<T>(place: string, run: () => Promise<T>): Promise<T>;
export function ofNested<T>(place: string, run: () => Maybe<T>): Maybe<T> {
  return recover(run, (error) => {
    throw withinPlace(error, place);
  });
}

function withinPlace(error: unknown, place: string): unknown {
  if (!isODataError(error) || !PRECONDITIONS.has(error.status)) return atPosition(error, place);
  const { status, code, message, fault, headers, cause } = error;
  return new ODataError(status, code, `${place}: ${message}`, { fault, headers, cause });
}
