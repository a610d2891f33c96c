import { sql } from "kysely";
import type { Sql } from "../../statement/sql-form.ts";

/**
 * Is always true. Without it, MariaDB keeps the results of a subquery by the columns of the outer row, which it compares by
 * their collation: it would return the result for `a` for `A`, and for `a ` with a blank.
 * @see https://mariadb.com/kb/en/subquery-cache/
 */
export const UNCACHED: Sql = sql`where rand() < 2`;

/**
 * Selects values that are needed several times but written once. A derived table cannot refer to the outer row, but
 * `json_table` can.
 */
export function namedOnce(values: readonly Sql[], type: string, make: (...names: readonly Sql[]) => Sql): Sql {
  const names = values.map((_value, index) => sql`odata_once.${sql.id(`v${String(index)}`)}`);
  const columns = values.map(
    (_value, index) => sql`${sql.id(`v${String(index)}`)} ${sql.raw(type)} path ${sql.lit(`$[${String(index)}]`)}`,
  );
  const table = sql`json_table(json_array(${sql.join(values)}), '$' columns(${sql.join(columns)}))`;
  return sql`(select ${make(...names)} from ${table} as odata_once ${UNCACHED})`;
}

/** Selects doubles that are needed several times but written once. */
export function doublesOnce(values: readonly Sql[], make: (...names: readonly Sql[]) => Sql): Sql {
  return namedOnce(values, "double", make);
}
