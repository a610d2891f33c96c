/** A text that the parser does not accept. The caller chooses the error code of the response. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Offset of the fault in the text, in UTF-16 code units. */
  readonly position: number;
  /**
   * For a repeated member: the path of names and indexes to it, separated by `/`.
   */
  readonly path: string | undefined;

  /** Whether the text ends too early. */
  readonly isAtEnd: boolean;

  constructor(message: string, { position, path, isAtEnd }: Pick<JsonSyntaxError, "position" | "path" | "isAtEnd">) {
    super(message);
    this.position = position;
    this.path = path;
    this.isAtEnd = isAtEnd;
  }
}

/** A JSON text with more values than the limit. The caller chooses the error code of the response. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";

  /** @param maxValues maximum number of values */
  constructor(maxValues: number) {
    super(`more than ${String(maxValues)} JSON values: each object, array, member and item is one`);
  }
}
