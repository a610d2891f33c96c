import type { PostgresCursor } from "kysely";

/** The result of a statement of `pg`. */
export interface PgResult {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** A statement of `pg` whose rows are arrays. */
export interface PgArrayQuery {
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode: "array";
  /** The name under which the connection prepares it. */
  readonly name?: string;
}

/**
 * The members of a client of `pg` in use.
 * @see https://node-postgres.com/apis/client
 */
export interface PgClient {
  query(statement: string, values?: unknown[]): Promise<PgResult>;
  query(statement: PgArrayQuery): Promise<PgResult>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  /** Returns `I` outside of a transaction, `T` within one, and `E` within one that has failed. Absent in older versions. */
  getTransactionStatus?(): string | null;
  /** Whether statements are sent before the earlier ones have ended. Absent in older versions. */
  readonly pipeline?: boolean;
  /** The number of the process of the server as the connection was told: a pooler invents one. Absent in other drivers. */
  readonly processID?: number | null;
  release(destroys?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * The members of a pool of `pg` in use.
 * @see https://node-postgres.com/apis/pool
 */
export interface PgPool {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: "connect" | "remove", listener: (client: PgClient) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
