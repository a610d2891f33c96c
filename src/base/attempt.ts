/**
 * Runs a function and returns its result, or the error that it throws if that is of one class. Other errors pass through.
 * @param errorClass the errors that the caller expects and explains in its own words
 */
export function attempt<T, E extends Error>(run: () => T, errorClass: abstract new (...args: never[]) => E): T | E {
  try {
    return run();
  } catch (error) {
    if (error instanceof errorClass) return error;
    throw error;
  }
}
