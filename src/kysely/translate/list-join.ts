import { sql } from "kysely";
import type { Sql } from "../statement/sql-form.ts";
import { joinOuter, type Level, type StatementScope } from "./relation.ts";

/** A list of values, none of them null, and the values of the row that are looked for. */
export interface LookedUp {
  /** The columns of the list, each with the value of the row that must be equal. */
  readonly pairs: ReadonlyArray<readonly [inner: Sql, outer: Sql]>;
  /** Selects the columns. No two rows are equal. */
  readonly select: (columns: Sql) => Sql;
}

/**
 * Tests whether a list contains values of a row; never null. A distributed database finds the rows that are not in a list
 * many times faster by this join, for which it gathers the list, than by `not in`.
 * @param level the level of the row
 */
export function isInJoinedList({ pairs, select }: LookedUp, level: Level, statement: StatementScope): Sql {
  const alias = statement.nextAlias();
  const nameOf = (index: number): string => `k${String(index)}`;
  const columns = pairs.map(([inner], index) => sql`${inner} as ${sql.id(nameOf(index))}`);
  const tests = pairs.map(([, outer], index) => sql`${sql.id(alias, nameOf(index))} = ${outer}`);
  const list = sql`(${select(sql.join(columns))}${statement.profile.syntax.limit(null, sql`0`)}) as ${sql.id(alias)}`;
  joinOuter(level, statement, () => sql`${list} on ${sql.join(tests, sql` and `)}`);
  return sql`(${sql.id(alias, nameOf(0))} is not null)`;
}
