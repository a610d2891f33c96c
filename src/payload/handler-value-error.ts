/**
 * Makes the error for a value that the application returned and that the model does not allow: a fault of the
 * application, so a logged 500 and nothing that a client reads.
 * @param path type and property, such as `Shop.Product/Price`
 * @param problem what is wrong with the value, as the rest of a sentence
 * @param cause the error behind this one, when there is one
 */
export function handlerValueError(path: string, problem: string, cause?: unknown): Error {
  return new Error(`${path}: ${problem}`, cause === undefined ? undefined : { cause });
}

/** Names the kind of a value in a message, without its content. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  return value instanceof Date ? "a Date" : "an object";
}
