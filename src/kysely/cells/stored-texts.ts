import { parseDecimal } from "../../edm/decimal.ts";
import { parseDuration } from "../../edm/duration.ts";
import { readStoredTimestamp } from "./instant.ts";

/** The kinds of texts that a database without types stores, and that SQL alone cannot tell from others. */
export type StoredText = "decimal" | "duration" | "timestamp";

/**
 * Return the canonical value of a stored text; null for a text that is no value. Rows are read by them, and the function
 * `odata_readable` of SQLite calls them, so that a filter finds as null what a response shows as null.
 */
export const STORED_TEXTS: Readonly<Record<StoredText, (text: string) => string | null>> = Object.freeze({
  decimal: parseDecimal,
  duration: parseDuration,
  timestamp: readStoredTimestamp,
});
