/** A JSON text with more values than its parser takes; the caller knows the code of the error response. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";

  /** @param maxValues most values that are taken */
  constructor(maxValues: number) {
    super(`more than ${String(maxValues)} JSON values: each object, array, member and item is one`);
  }
}
