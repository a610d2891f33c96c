import { sql } from "kysely";
import { attempt } from "../../../base/attempt.ts";
import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { UnexpectedNulls } from "../unexpected-nulls.ts";

const QUOTED = /"((?:[^"]|"")*)"/g;

/**
 * Returns the test whether a column of a table is `not null`. It is false for a view, where the database is not read at once,
 * and if the database refuses pragmas.
 * @see https://www.sqlite.org/pragma.html#pragma_table_xinfo
 */
export const notNullColumns: UnexpectedNulls["provenColumns"] = (table, db, reader) => {
  const [name, schema] = namesIn(sql`${sql.table(table)}`, db).toReversed();
  if (reader === null || name === undefined) return () => false;
  const place = schema === undefined ? "?" : "?, ?";
  const columns = `select lower(name) from pragma_table_xinfo(${place}) where "notnull" = 1`;
  const rows = attempt(() => reader.readRows(columns, schema === undefined ? [name] : [name, schema]), Error);
  if (rows instanceof Error) return () => false;
  const proven = new Set(rows.map(([column]) => column));
  return (column) => proven.has(namesIn(sql`${sql.id(column)}`, db)[0]?.toLowerCase());
};

/** Returns the names in a piece of SQL: plugins of Kysely may change them. */
function namesIn(piece: Sql, db: AnyKysely): readonly string[] {
  return Array.from(piece.compile(db).sql.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
}
