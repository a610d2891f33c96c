import { isPromiseLike, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { GetByKeyHandler } from "../definition/sets/handlers.ts";
import { ERROR_CODES } from "../errors/error-codes.ts";
import { isODataError } from "../errors/odata-error.ts";

/**
 * Reads an entity by its key. A handler may return or throw 404 for a missing entity: that is no failure here.
 * @returns null where there is none
 * @throws any other error that the handler returned or threw
 */
export function findOrMissing(getByKey: GetByKeyHandler<Context>, key: unknown, context: Context): Maybe<unknown> {
  const orMissing = (error: unknown): null => {
    if (isODataError(error) && error.status === ERROR_CODES.NotFound) return null;
    throw error;
  };
  const take = (answer: unknown): unknown => (isODataError(answer) ? orMissing(answer) : (answer ?? null));
  try {
    const answer = getByKey(key, context);
    return isPromiseLike(answer) ? Promise.resolve(answer).then(take, orMissing) : take(answer);
  } catch (error) {
    return orMissing(error);
  }
}
