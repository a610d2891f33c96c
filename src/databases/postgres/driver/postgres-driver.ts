import {
  AbortedTransactionError,
  CompiledQuery,
  PostgresAdapter,
  PostgresDriver,
  type DatabaseConnection,
  type PostgresDialectConfig,
} from "kysely";
import type { PooledAdapter } from "../../connection/array-reader.ts";
import { endOnThrow } from "../../connection/end-on-throw.ts";
import {
  isInTransaction,
  PostgresConnection,
  type SharedByConnections,
  type PgClient,
  type PgPool,
} from "./postgres-connection.ts";

/** The functions of the application for new connections, and for connections that a statement takes. */
type ConnectionHooks = Pick<PostgresDialectConfig, "onCreateConnection" | "onReserveConnection">;

/**
 * The clients of a pool of `pg`. Losing one does not end the process: `pg` emits `error` on a busy client, and on the pool for
 * an idle one, and Node.js ends a process that has no listener. The listeners here do nothing: the statement under way fails
 * with the same error, and the pool removes the client.
 */
export class PooledClients implements PooledAdapter {
  readonly pool: PgPool;
  #pipelines = false;

  constructor(pool: PgPool) {
    this.pool = pool;
    pool.on("error", ignore);
    pool.on("connect", (client) => {
      client.on("error", ignore);
      this.#pipelines = client.pipeline === true;
    });
  }

  get pipelines(): boolean {
    return this.#pipelines;
  }

  watchConnections(changed: () => void): void {
    this.pool.on("connect", changed);
    this.pool.on("remove", changed);
  }

  /** Takes a client that is not in a transaction. */
  async take(): Promise<PgClient> {
    for (;;) {
      const client = await this.pool.connect();
      if (!isInTransaction(client)) return client;
      client.release(true);
    }
  }
}

function ignore(): void {
  // See `PooledClients`.
}

/** Reports the capabilities of the clients of a pool to the service. */
export class PooledPostgresAdapter extends PostgresAdapter implements PooledAdapter {
  readonly #clients: PooledClients;

  constructor(clients: PooledClients) {
    super();
    this.#clients = clients;
  }

  get pipelines(): boolean {
    return this.#clients.pipelines;
  }

  watchConnections(changed: () => void): void {
    this.#clients.watchConnections(changed);
  }
}

/** Kysely's driver for PostgreSQL, with connections that read arrays and prepare statements. */
export class PooledPostgresDriver extends PostgresDriver {
  readonly #clients: PooledClients;
  readonly #shared: SharedByConnections;
  readonly #hooks: ConnectionHooks;
  readonly #connections = new WeakMap<PgClient, PostgresConnection>();
  #isEnded = false;

  constructor(clients: PooledClients, shared: SharedByConnections, hooks: ConnectionHooks) {
    super({ pool: () => Promise.reject(new Error("The pool is used by PooledPostgresDriver alone.")) });
    this.#clients = clients;
    this.#shared = shared;
    this.#hooks = hooks;
  }

  override async init(): Promise<void> {
    // The application has made the pool.
  }

  override async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.#clients.take();
    if (this.#isEnded) {
      client.release();
      throw new Error("The Kysely instance is destroyed.");
    }
    try {
      return await this.#connectionOf(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #connectionOf(client: PgClient): Promise<PostgresConnection> {
    const { onCreateConnection, onReserveConnection } = this.#hooks;
    let connection = this.#connections.get(client);
    if (connection === undefined) {
      connection = new PostgresConnection(client, this.#shared);
      // A client that is older than the dialect.
      client.on("error", ignore);
      endOnThrow(client.connection?.stream);
      await onCreateConnection?.(connection);
      this.#connections.set(client, connection);
    }
    await onReserveConnection?.(connection);
    return connection;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const command = await toOwn(connection).commit();
    if (command === "ROLLBACK") throw new AbortedTransactionError();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw("rollback"));
    } catch (error) {
      toOwn(connection).discard();
      throw error;
    }
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { client, isSpent } = toOwn(connection);
    client.release(isSpent);
    return Promise.resolve();
  }

  override async destroy(): Promise<void> {
    this.#isEnded = true;
    await this.#clients.pool.end();
  }
}

function toOwn(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection;
  throw new Error("The connection belongs to another driver.");
}
