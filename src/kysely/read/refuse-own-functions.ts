import { protocolError } from "../../errors/odata-error.ts";

/** What the functions of `sqliteDialect` are for, by how their names begin. */
const PURPOSES: ReadonlyArray<readonly [prefix: string, purpose: string]> = [
  ["odata_lower", "'tolower'"],
  ["odata_upper", "'toupper'"],
  ["odata_decimal", "a Decimal that is stored as text, or computed"],
  ["odata_double", "rounding or dividing a Double"],
  ["odata_duration", "a Duration"],
  ["odata_spend", "'any' and 'all' within one another"],
  ["odata_", "a date or time that is computed, or stored in a form of its own"],
];

/**
 * Refuses a statement that needs functions of `sqliteDialect`, for a database that another dialect opened.
 * @throws ODataError `UnsupportedQueryOption`
 * @see docs/sql.md
 */
export function refuseOwnFunctions(text: string): void {
  const name = /\bodata_\w+(?=\()/.exec(text)?.[0];
  const purpose = PURPOSES.find(([prefix]) => name?.startsWith(prefix) === true)?.[1];
  if (purpose === undefined) return;
  throw protocolError("UnsupportedQueryOption", `The database behind this set cannot evaluate ${purpose}.`);
}
