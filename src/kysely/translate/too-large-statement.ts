import { protocolError } from "../../errors/odata-error.ts";

/** How SQLite says that a statement is more than it takes: its messages have no codes of their own. */
const SQLITE =
  /^(?:Expression tree is too large|too many (?:terms|columns|SQL variables|FROM clause terms)|parser stack overflow|string or blob too big|at most \d+ tables)/i;

/** The class of codes for limits of the program in PostgreSQL: a statement too complex, too many columns. */
const POSTGRESQL = /^54\w{3}$/;

/** Too many tables or placeholders, and an overrun of the stack in MariaDB and MySQL. */
const MYSQL_CODES: ReadonlySet<string> = new Set([
  "ER_TOO_MANY_TABLES",
  "ER_PS_MANY_PARAM",
  "ER_STACK_OVERRUN",
  "ER_STACK_OVERRUN_NEED_MORE",
]);

/**
 * What a database said, as a client is to hear it: that a query is more than one statement takes is no failure of the
 * service. Anything else stays as it is.
 * @see decisions, Settings (a violated complexity limit)
 */
export function orTooLarge(error: unknown): unknown {
  if (!(error instanceof Error) || !isTooLarge(error)) return error;
  return protocolError(
    "InvalidQueryOption",
    "The query is more than the database takes in one statement: ask for less at once, or in several requests.",
    { cause: error },
  );
}

function isTooLarge(error: Error): boolean {
  if (SQLITE.test(error.message)) return true;
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && (POSTGRESQL.test(code) || MYSQL_CODES.has(code));
}
