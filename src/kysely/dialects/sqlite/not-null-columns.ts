import type { UnexpectedNulls } from "../unexpected-nulls.ts";

const QUOTED = /"((?:[^"]|"")*)"/g;

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view.
 * @see https://www.sqlite.org/pragma.html#pragma_table_xinfo
 */
export const listNotNull: UnexpectedNulls["listNotNull"] = (table) => {
  const names = Array.from(table.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
  const place = names.length === 1 ? "?" : "?, ?";
  const sql = `select lower(name) as c0 from pragma_table_xinfo(${place}) where "notnull" = 1`;
  return { sql, parameters: names.toReversed(), width: 1 };
};
