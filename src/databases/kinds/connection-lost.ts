/** Codes of sockets and drivers for a connection that was lost or refused. */
const SOCKETS: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
]);

/**
 * Codes of PostgreSQL: an exception of the connection, a server that stops, has failed or is starting, and a session within a
 * transaction that has failed before the statement.
 */
const POSTGRES = /^(?:08\w{3}|57P0[123]|25P02)$/;

/** Numbers of MariaDB: a server that stops, and a connection that was killed or lost. */
const MARIADB: ReadonlySet<unknown> = new Set([1053, 1927, 2006, 2013]);

/** Messages of drivers without a code. */
const MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Can't add new command when connection is in closed state|Connection lost)/i;

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/**
 * Whether a statement failed because its connection was lost or could not be made. A statement that was too slow, or that a
 * busy pool did not begin, is none of these.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isConnectionLost(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (isLost(current)) return true;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return false;
}

function isLost(error: Error & { readonly code?: unknown; readonly errno?: unknown }): boolean {
  const { code, errno, message } = error;
  if (SOCKETS.has(code) || MARIADB.has(errno)) return true;
  return (typeof code === "string" && POSTGRES.test(code)) || MESSAGES.test(message);
}
