import { protocolError } from "../../errors/odata-error.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";

const NOT_IN_CHARACTER_SET = "the character set of a column lacks characters of a literal";

/** What databases say of a value that they cannot compute or hold, by their codes. */
const REASONS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["22003", "a number on the way is out of its range"],
  ["22008", "a date on the way is out of its range"],
  ["22012", "it divides by zero"],
  ["22021", "its texts have no character U+0000"],
  ["22P05", "its texts have no character U+0000"],
  ...["2", "3", "N"].map((count) => [`ER_CANT_AGGREGATE_${count}COLLATIONS`, NOT_IN_CHARACTER_SET] as const),
  ["ER_DATA_OUT_OF_RANGE", "a number on the way is out of its range"],
]);

/** How they say that a statement has run for as long as their settings allow. */
const TIMEOUTS: ReadonlySet<unknown> = new Set(["57014", "ER_STATEMENT_TIMEOUT", "ER_QUERY_TIMEOUT"]);

/**
 * What a database said, as a client is to hear it: an expression that it cannot evaluate for a row, or not in time, is no
 * failure of the service. Anything else stays as it is.
 */
export function orUnevaluable(error: unknown, name: DialectProfile["name"]): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (TIMEOUTS.has(error.code)) {
    return protocolError("InvalidQueryOption", "The query takes the database too long: narrow it, or ask for less.", {
      cause: error,
    });
  }
  const reason = REASONS.get(error.code);
  if (reason === undefined) return error;
  return protocolError("UnsupportedQueryOption", `${name} cannot evaluate the expression: ${reason}.`, {
    cause: error,
  });
}
