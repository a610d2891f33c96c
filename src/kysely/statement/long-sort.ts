import { sql } from "kysely";
import type { Sql } from "./sql-form.ts";

/** Marks each term by which a statement sorts long values, derived tables included. */
const MARK = "/* odatakit: long */";

const MARKED: Sql = sql.raw(` ${MARK}`);

/** Marks a term of an order, a partition or a group whose values the database must compare whole. */
export function longSort(term: Sql): Sql {
  return sql`${term}${MARKED}`;
}

/** Returns the number of marked terms in the text of a statement. */
export function countLongSorts(text: string): number {
  return text.split(MARK).length - 1;
}
