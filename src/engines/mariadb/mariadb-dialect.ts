import { MysqlDialect, type Dialect, type MysqlDialectConfig, type MysqlPool } from "kysely";
import { ConfigurationError, type ConfigurationFault } from "../../errors/configuration-error.ts";
import { nearestName } from "../../errors/nearest-name.ts";
import { preparedPool } from "./prepared-pool.ts";

/** How MariaDB is used. */
export interface MariadbOptions extends Pick<MysqlDialectConfig, "controlConnection"> {
  /** A pool of `createPool` of the package mysql2. The application makes it; `db.destroy()` ends it. */
  readonly pool: MysqlPool;
  /** The maximum number of prepared statements of each connection. Default 200. */
  readonly statements?: number | undefined;
}

const OPTIONS: readonly (keyof MariadbOptions)[] = ["pool", "statements", "controlConnection"];

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
  checkOptions(options);
  const { pool, statements = 200, controlConnection } = options;
  return new MysqlDialect({
    pool: preparedPool(pool, statements),
    ...(controlConnection && { controlConnection }),
  });
}

function checkOptions(options: MariadbOptions): void {
  const { pool, statements = 1 } = options;
  const faults = Object.keys(options).flatMap((name): readonly ConfigurationFault[] => {
    if (OPTIONS.some((option) => option === name)) return [];
    const nearest = nearestName(name, OPTIONS);
    const known = `Use ${OPTIONS.map((each) => `\`${each}\``).join(", ")}.`;
    return [fault(`there is no option \`${name}\`.`, nearest === null ? known : `Did you mean \`${nearest}\`?`)];
  });
  if (typeof (pool as Partial<MysqlPool> | undefined)?.getConnection !== "function") {
    faults.push(fault("`pool` is no pool of mysql2.", 'Give `createPool(url)` of "mysql2", not of "mysql2/promise".'));
  }
  if (!Number.isSafeInteger(statements) || statements < 1) {
    faults.push(fault(`\`statements\` cannot be ${String(statements)}.`, "Give a whole number of 1 or more."));
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function fault(message: string, fix: string): ConfigurationFault {
  return { message: `mariadbDialect: ${message}`, fix };
}
