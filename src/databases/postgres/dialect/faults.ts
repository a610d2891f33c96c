import { sql } from "kysely";
import type { DialectFaults, DriverError, FaultKind } from "../../forms/dialect-faults.ts";
import type { Sql } from "../../statement/sql-form.ts";

/** By the beginnings of the error codes of PostgreSQL. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const KINDS: ReadonlyArray<readonly [start: string, kind: FaultKind]> = [
  ["22012", "rounded"],
  ["22021", "character"],
  ["22P05", "character"],
  ["22", "value"],
  ["54", "value"],
  ["40001", "contention"],
  ["40P01", "contention"],
  ["55P03", "contention"],
  ["08", "unavailable"],
  ["57P", "unavailable"],
  ["25006", "unavailable"],
  ["26000", "outdated"],
  ["25P02", "unavailable"],
  ["57014", "unavailable"],
  ["53", "unavailable"],
];

/**
 * The messages of Citus with the code of an internal error, if it loses a machine while it changes or commits rows.
 * @see https://docs.citusdata.com/en/stable/reference/common_errors.html
 */
const LOST_MACHINE =
  /^(?:could not commit transaction (?:for shard|on any)|failure on connection marked as essential|connection to the remote node|connection not open|could not (?:connect|establish a connection|send a (?:command|query)) )/;

/** Begins a text that is not a number: the error contains it, in any language. */
const LONG_TEXT = "odatakit.text ";

/** As in `DialectValues`. It depends on the row, so that it is not computed when the statement is planned. */
export function pgWithinText(bytes: Sql, most: Sql, text: Sql): Sql {
  const failure = sql`(${sql.lit(LONG_TEXT)} || (${bytes})::text)::int::text`;
  return sql`(case when ${bytes} > ${most} then ${failure} else ${text} end)`;
}

/** The errors of PostgreSQL. */
export const PG_FAULTS: DialectFaults = Object.freeze<DialectFaults>({
  kindOf: (error) => {
    const { code, message } = error;
    if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return null;
    if (code === "XX000" && LOST_MACHINE.test(message)) return "unavailable";
    if (code === "0A000" && isOtherPlan(error)) return "outdated";
    return KINDS.find(([start]) => code.startsWith(start))?.[1] ?? null;
  },
  isTextTooLong: ({ code, message }) => code === "22P02" && message.includes(LONG_TEXT),
  isTooLarge: ({ code }) => typeof code === "string" && /^54\w{3}$/.test(code),
  // The text of a prepared statement stays, but a change of its tables may change its columns.
  isUnsupported: (error) => error.code === "0A000" && !isOtherPlan(error),
  unevaluable: new Map([
    ["22P02", "a cell or a constant is no value of its type"],
    ["22007", "a cell contains no value of its type"],
    ["22003", "an intermediate number is out of range"],
    ["22008", "an intermediate date is out of range"],
    ["22012", "it divides by zero"],
    ["22021", "its strings cannot contain the character U+0000"],
    ["22P05", "its strings cannot contain the character U+0000"],
  ]),
  timeouts: new Set(["57014"]),
});

/**
 * Whether a prepared statement returns other columns than before. Other features have the same code. A server may translate its
 * messages, so the function of the server decides, where a driver passes it on.
 * @see https://www.postgresql.org/docs/current/protocol-error-fields.html
 */
function isOtherPlan({ routine, message }: DriverError): boolean {
  return routine === "RevalidateCachedQuery" || message.startsWith("cached plan");
}
