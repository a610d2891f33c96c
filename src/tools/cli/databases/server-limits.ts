/** Milliseconds to wait for a connection. */
export const CONNECT_TIMEOUT = 5000;
/** Milliseconds that a transaction may stay open without a statement. */
export const IDLE_TIMEOUT = 60_000;
