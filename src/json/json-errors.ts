/** A text that is not JSON as this parser takes it; the caller knows the code of the answer. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Offset of the fault in the text, in UTF-16 code units. */
  readonly position: number;
  /**
   * For a member given twice: its name behind those of the members and the indexes of the items around it, with `/`
   * between.
   */
  readonly path: string | undefined;

  constructor(message: string, position: number, path?: string) {
    super(message);
    this.position = position;
    this.path = path;
  }
}

/** A JSON text with more values than its parser takes; the caller knows the code of the error response. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";

  /** @param maxValues most values that are taken */
  constructor(maxValues: number) {
    super(`more than ${String(maxValues)} JSON values: each object, array, member and item is one`);
  }
}
