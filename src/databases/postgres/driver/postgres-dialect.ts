import {
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type PostgresClient,
  type PostgresClientConstructor,
  type PostgresDialectConfig,
} from "kysely";
import { checkDialect, type DialectOptions, PASSED_ON } from "../../connection/dialect-options.ts";
import type { SharedByConnections, PgClient, PgPool } from "./postgres-connection.ts";
import { PooledClients, PooledPostgresAdapter, PooledPostgresDriver } from "./postgres-driver.ts";

/** How PostgreSQL is used. */
export interface PostgresOptions extends Pick<
  PostgresDialectConfig,
  "cursor" | "onCreateConnection" | "onReserveConnection"
> {
  /**
   * A `Pool` of the package pg. The application makes it; `db.destroy()` ends it. With `pipeline: true`, several statements
   * take one round trip.
   * @see https://node-postgres.com/apis/pool
   */
  readonly pool: PgPool & { readonly options?: object; readonly Client?: PostgresClientConstructor };
  /** The class of the clients that cancel statements. Default: that of the pool. */
  readonly controlClient?: PostgresClientConstructor | undefined;
}

/** The milliseconds within which a client that cancels must connect. The read that it ends waits for it. */
const CONTROL_TIMEOUT = 5000;

const OPTIONS: DialectOptions<PostgresOptions> = {
  pool: {
    isRequired: true,
    accepts: isPool,
    wanted: '`new Pool({ connectionString })` of "pg"',
    fault: "`pool` is no pool of pg.",
  },
  cursor: PASSED_ON,
  controlClient: PASSED_ON,
  onCreateConnection: PASSED_ON,
  onReserveConnection: PASSED_ON,
};

/**
 * Makes a Kysely dialect for PostgreSQL over a pool of pg: `new Kysely({ dialect: postgresDialect({ pool }) })`.
 *
 * Reads of a service receive rows as arrays, and connections prepare the statements that they use again. The loss of a connection
 * does not end the process. A connection with an open transaction is not used again.
 * @throws ConfigurationError for an invalid option
 * @see docs/guides/existing-databases.md, Connect
 */
export function postgresDialect(options: PostgresOptions): Dialect {
  checkDialect("postgresDialect", OPTIONS, options);
  const { pool, cursor, onCreateConnection, onReserveConnection } = options;
  const clients = new PooledClients(pool);
  const shared: SharedByConnections = { cursor, makeControlClient: controlOf(options), lostStatements: 0 };
  const hooks = {
    ...(onCreateConnection && { onCreateConnection }),
    ...(onReserveConnection && { onReserveConnection }),
  };
  return {
    createDriver: () => new PooledPostgresDriver(clients, shared, hooks),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PooledPostgresAdapter(clients),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

function controlOf({ pool, controlClient }: PostgresOptions): SharedByConnections["makeControlClient"] {
  const Client = controlClient ?? pool.Client;
  const settings: object = pool.options ?? {};
  if (Client === undefined) return undefined;
  return () => {
    // The pool hides the password from enumerations.
    const password = "password" in settings ? settings.password : undefined;
    const client: PostgresClient & Partial<Pick<PgClient, "on">> = new Client({
      ...settings,
      password,
      connectionTimeoutMillis: timeoutOf(settings),
    });
    // The loss of this connection must not end the process either. Other clients than those of pg may have no events.
    client.on?.("error", () => undefined);
    return client;
  };
}

/** Returns the milliseconds within which a client that cancels must connect: those of the pool, or a default. */
function timeoutOf(settings: object): number {
  const given = "connectionTimeoutMillis" in settings ? Number(settings.connectionTimeoutMillis) : 0;
  return given > 0 ? given : CONTROL_TIMEOUT;
}

function isPool(value: unknown): boolean {
  const pool = value as Partial<PgPool> | null | undefined;
  return typeof pool?.connect === "function" && typeof pool.on === "function";
}
