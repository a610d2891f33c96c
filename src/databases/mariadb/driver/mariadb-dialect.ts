import { MysqlDialect, type Dialect, type MysqlDialectConfig, type MysqlPool } from "kysely";
import type { ConfigurationFault } from "../../../base/errors/configuration-error.ts";
import { checkDialect, type DialectOptions, PASSED_ON, wholeNumber } from "../../connection/dialect-options.ts";
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

/** Options of a pool that give rows or their values another form. @see https://sidorares.github.io/node-mysql2/docs */
const REFUSED: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ["typeCast", [undefined, true]],
  ["rowsAsArray", [undefined, false]],
  ["nestTables", [undefined, false, ""]],
]);

/** Returns the faults of the options that a pool passes to its connections. A pool of another package may show none. */
function faultsOfPool(pool: MysqlPool): readonly ConfigurationFault[] {
  const { connectionConfig } = Object((pool as { readonly config?: unknown } | undefined)?.config) as {
    readonly connectionConfig?: unknown;
  };
  const settings = Object(connectionConfig) as object;
  return [...REFUSED].flatMap(([name, harmless]) => {
    if (harmless.includes(Reflect.get(settings, name))) return [];
    const message = `the option \`${name}\` of the pool gives values another form than the service reads.`;
    return [{ message, fix: `Make the pool without \`${name}\`, or another pool for the service.` }];
  });
}

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
  checkDialect("mariadbDialect", OPTIONS, options, faultsOfPool(options.pool));
  const { pool, statements = 200, controlConnection } = options;
  return new MysqlDialect({
    pool: preparedPool(pool, statements),
    ...(controlConnection && { controlConnection }),
  });
}
