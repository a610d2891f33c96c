import { type ODataError, protocolError } from "../errors/odata-error.ts";

/**
 * Makes the error of a batch or of one of its operations that cannot be read.
 * @param place the part at fault, such as `Part 3`, or `The body`
 */
export function unreadable(place: string, problem: string): ODataError {
  return protocolError("InvalidBody", `${place} ${problem}`);
}

/** Makes the error for a URL that an operation may not have. @param problem the fault, and the correct form */
export function refusedUrl(problem: string): ODataError {
  return protocolError("InvalidUrl", problem, { target: "url" });
}

/** Counts the operations of a batch while it is read. */
export class OperationCount {
  readonly #most: number;
  #count = 0;

  /** @param most null for no limit */
  constructor(most: number | null) {
    this.#most = most ?? Infinity;
  }

  /** @throws ODataError `PayloadTooLarge` above the limit */
  add(): void {
    this.#count += 1;
    if (this.#count <= this.#most) return;
    throw protocolError(
      "PayloadTooLarge",
      `The batch has more than ${String(this.#most)} operations. Send several smaller batches.`,
    );
  }
}

/** Collects the ids of a batch, which must differ. */
export class BatchIds {
  readonly #ids = new Set<string>();

  /** @throws ODataError `InvalidBody` for an id that an earlier operation has */
  add(id: string, place: string): void {
    if (this.#ids.has(id)) {
      throw unreadable(place, `has the id ${JSON.stringify(id)} of an earlier one. Give each its own id.`);
    }
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
