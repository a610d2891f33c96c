import { isODataError } from "../../base/errors/odata-error.ts";
import { databaseFault, unavailable } from "../kinds/database-fault.ts";

/** The most reasons to distinguish. */
const MOST_REASONS = 20;

/** Why a database cannot be reached, so that the log contains each reason once until it can, and not each request. */
export class Outage {
  readonly #reasons = new Set<string>();

  /** Returns the error of a statement such that it is logged only if the log does not contain its reason. */
  note(error: unknown): unknown {
    // A statement that has run too long has reached the database.
    if (!isODataError(error) || error.code !== "ServiceUnavailable") return error;
    if (databaseFault(error.cause)?.kind !== "unavailable") return error;
    const { cause } = error;
    return unavailable(cause, () => this.#isNew(reasonOf(cause)));
  }

  #isNew(reason: string): boolean {
    if (this.#reasons.has(reason) || this.#reasons.size >= MOST_REASONS) return false;
    this.#reasons.add(reason);
    return true;
  }

  /** A statement has reached the database. */
  end(): void {
    if (this.#reasons.size > 0) this.#reasons.clear();
  }
}

/** Returns the text of the first cause: others name the table of the statement. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
