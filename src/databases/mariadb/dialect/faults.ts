import { sql } from "kysely";
import type { DialectFaults, FaultKind } from "../../forms/dialect-faults.ts";
import type { Sql } from "../../statement/sql-form.ts";

/** By the error numbers of MariaDB and MySQL. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const KINDS: ReadonlyMap<number, FaultKind> = new Map([
  [1153, "value"],
  [1264, "value"],
  [1265, "value"],
  [1292, "value"],
  [1366, "value"],
  [1367, "value"],
  [1406, "value"],
  [1411, "value"],
  [1690, "value"],
  [1205, "contention"],
  [1213, "contention"],
  [1020, "contention"],
  [1243, "outdated"],
  [1615, "outdated"],
  [1040, "unavailable"],
  [1053, "unavailable"],
  [1290, "unavailable"],
  [1836, "unavailable"],
  [1969, "unavailable"],
  [1927, "unavailable"],
  [2006, "unavailable"],
  [2013, "unavailable"],
]);

/** Too many tables or placeholders, an overrun of the stack, and groups by many long values, which need more memory to sort. */
const TOO_LARGE: ReadonlySet<unknown> = new Set([
  "ER_TOO_MANY_TABLES",
  "ER_PS_MANY_PARAM",
  "ER_STACK_OVERRUN",
  "ER_STACK_OVERRUN_NEED_MORE",
  "ER_OUT_OF_SORTMEMORY",
]);

const NOT_IN_CHARACTER_SET = "the character set of a column lacks characters of a literal";

const OUT_OF_RANGE = 1690;

/** Marks the number that is too great: the error contains it. */
const LONG_TEXT = 1_000_053;

/**
 * As in `DialectValues`. Beyond the packet, functions would return null. No function fails on demand, but a number beyond all
 * Doubles does.
 */
export function myWithinText(bytes: Sql, most: Sql, text: Sql): Sql {
  const failure = sql`cast(exp(${sql.lit(LONG_TEXT)} + ${bytes}) as char)`;
  return sql`if(${bytes} > least(${most}, @@max_allowed_packet), ${failure}, ${text})`;
}

/** The errors of MariaDB and MySQL. */
export const MY_FAULTS: DialectFaults = Object.freeze<DialectFaults>({
  kindOf: ({ errno }) => (typeof errno === "number" ? (KINDS.get(errno) ?? null) : null),
  // Its expression may be a part of another one that fails, such as that of a long value to sort by.
  isTextTooLong: ({ errno, message }) => errno === OUT_OF_RANGE && message.includes(`'exp(${String(LONG_TEXT)}`),
  isTooLarge: ({ code }) => TOO_LARGE.has(code),
  unevaluable: new Map([
    [
      "ER_DATA_OUT_OF_RANGE",
      "an intermediate number is out of range, a text is not a number, or a value to sort by has more than 65,535 bytes",
    ],
    ["ER_SUBQUERY_NO_1_ROW", "a value is longer than 'max_allowed_packet' of the server"],
    ["ER_CANT_AGGREGATE_2COLLATIONS", NOT_IN_CHARACTER_SET],
    ["ER_CANT_AGGREGATE_3COLLATIONS", NOT_IN_CHARACTER_SET],
    ["ER_CANT_AGGREGATE_NCOLLATIONS", NOT_IN_CHARACTER_SET],
  ]),
  // The driver has no name for the number of MariaDB.
  timeouts: new Set(["ER_STATEMENT_TIMEOUT", "ER_QUERY_TIMEOUT", 1969, 3024]),
});
