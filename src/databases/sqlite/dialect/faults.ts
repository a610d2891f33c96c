import { sql } from "kysely";
import type { DialectFaults, FaultKind } from "../../forms/dialect-faults.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { UNREADABLE_ARGUMENT } from "../driver/unreadable-argument.ts";

/** The extended result codes of SQLite. @see https://sqlite.org/rescode.html */
const KINDS: ReadonlyMap<number, FaultKind> = new Map([[3091, "value"]]);
/** Primary result codes: busy and locked; read-only, I/O error, full and cannot open; too big and type mismatch. */
const PRIMARY: ReadonlyMap<number, FaultKind> = new Map([
  [5, "locked"],
  [6, "locked"],
  [8, "unavailable"],
  [10, "unavailable"],
  [13, "unavailable"],
  [14, "unavailable"],
  [18, "value"],
  [20, "value"],
]);
const PRIMARY_BITS = 0xff;
/** The names of the codes in other drivers. */
const NAMES: ReadonlyArray<readonly [pattern: RegExp, kind: FaultKind]> = [
  [/^SQLITE_(?:BUSY|LOCKED)/, "locked"],
  [/^SQLITE_(?:READONLY|IOERR|FULL|CANTOPEN)/, "unavailable"],
  [/^SQLITE_(?:TOOBIG|MISMATCH)/, "value"],
];

/** Statements that are too large have no specific code. */
const TOO_LARGE =
  /^(?:Expression tree is too large|too many (?:terms|columns|SQL variables|FROM clause terms)|parser stack overflow|string or blob too big|at most \d+ tables)/i;

/** A table has become a view or `without rowid`, after the statement was made. */
const LOST_ROW_IDS = /^no such column: \w+\._rowid_$/;

/** Begins a text that is not a path into JSON: the error contains it. */
const LONG_TEXT = "odatakit.text ";

/** As in `DialectValues`. */
export function sqliteWithinText(bytes: Sql, most: Sql, text: Sql): Sql {
  return sql`iif(${bytes} > ${most}, json_extract('{}', ${sql.lit(LONG_TEXT)} || (${bytes})), ${text})`;
}

/** The errors of SQLite. */
export const SQLITE_FAULTS: DialectFaults = Object.freeze<DialectFaults>({
  kindOf: ({ errcode, code, message }) => {
    if (LOST_ROW_IDS.test(message)) return "outdated";
    if (typeof errcode === "number") return KINDS.get(errcode) ?? PRIMARY.get(errcode & PRIMARY_BITS) ?? null;
    return typeof code === "string" ? (NAMES.find(([pattern]) => pattern.test(code))?.[1] ?? null) : null;
  },
  isTextTooLong: ({ message }) => message.includes(LONG_TEXT),
  isTooLarge: ({ message }) => TOO_LARGE.test(message),
  unevaluable: new Map([[UNREADABLE_ARGUMENT, "a cell contains no value of its type"]]),
  timeouts: new Set(),
});
