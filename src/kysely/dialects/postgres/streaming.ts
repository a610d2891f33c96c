import type { StreamingSyntax } from "../../connection/streaming-syntax.ts";

/** PostgreSQL in this process has one connection, which a transaction would keep from all other requests. */
const EMBEDDED = /pglite/i;

/**
 * A cursor in a transaction: PostgreSQL reads rows when they are fetched, and keeps them in any order. Its time limit applies
 * to each fetch.
 * @see https://www.postgresql.org/docs/current/sql-declare.html
 */
export const PG_STREAMING: StreamingSyntax = Object.freeze<StreamingSyntax>({
  hasConnections: (adapter) => !EMBEDDED.test(adapter.constructor.name),
  begin: (timeout) => (timeout === null ? [] : [`set local statement_timeout = ${String(timeout)}`]),
  cursor: Object.freeze({
    declare: (statement: string) => `declare odatakit_page no scroll cursor for ${statement}`,
    fetch: (rows: number) => `fetch ${String(rows)} from odatakit_page`,
  }),
});
