import { MysqlDialect, type Dialect, type MysqlDialectConfig, type MysqlPool } from "kysely";
import { checkDialect, type DialectOptions, PASSED_ON, wholeNumber } from "../dialect-options.ts";
import { preparedPool } from "./prepared-pool.ts";

/** How MariaDB is used. */
export interface MariadbOptions extends Pick<MysqlDialectConfig, "controlConnection"> {
  /** A pool of `createPool` of the package mysql2. The application makes it; `db.destroy()` ends it. */
  readonly pool: MysqlPool;
  /** The maximum number of prepared statements of each connection. Default 200. */
  readonly statements?: number | undefined;
}

const OPTIONS: DialectOptions<MariadbOptions> = {
  pool: {
    isRequired: true,
    accepts: (pool) => typeof (pool as Partial<MysqlPool> | null | undefined)?.getConnection === "function",
    wanted: '`createPool(url)` of "mysql2", not of "mysql2/promise"',
    fault: "`pool` is no pool of mysql2.",
  },
  statements: wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more"),
  controlConnection: PASSED_ON,
};

/**
 * Makes a Kysely dialect for MariaDB over a pool of mysql2: `new Kysely({ dialect: mariadbDialect({ pool }) })`.
 *
 * Statements with values are prepared, and the server receives the values apart from the text. Kysely's own `MysqlDialect`
 * lets mysql2 write values into the text, which is safe in some modes of the session only. Each new connection gets
 * `autocommit` 1, no `sql_select_limit`, and a `sql_mode` without NO_BACKSLASH_ESCAPES and ORACLE.
 * @throws ConfigurationError for an invalid option
 * @see docs/guides/existing-databases.md, Sessions of MariaDB
 */
export function mariadbDialect(options: MariadbOptions): Dialect {
  checkDialect("mariadbDialect", OPTIONS, options);
  const { pool, statements = 200, controlConnection } = options;
  return new MysqlDialect({
    pool: preparedPool(pool, statements),
    ...(controlConnection && { controlConnection }),
  });
}
