import type { UnexpectedNulls } from "../unexpected-nulls.ts";
import { namesIn } from "./names-in.ts";

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view.
 * @see https://www.sqlite.org/pragma.html#pragma_table_xinfo
 */
export const listNotNull: UnexpectedNulls["listNotNull"] = (table) => {
  const names = namesIn(table);
  const place = names.length === 1 ? "?" : "?, ?";
  const sql = `select lower(name) as c0 from pragma_table_xinfo(${place}) where "notnull" = 1`;
  return { sql, parameters: names.toReversed(), width: 1 };
};
