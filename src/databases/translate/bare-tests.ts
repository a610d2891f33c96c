import { sql } from "kysely";
import type { JoinPair } from "../../edm/model.ts";
import type { Sql } from "../statement/sql-form.ts";
import { columnOperand, type Relation } from "./relation.ts";

/**
 * Returns the tests by which the database finds the machine of related rows, in addition to those of their values: null or false
 * if a value is null. It finds the machine only by an equality of the bare columns.
 * @see docs/scaling.md
 */
export function bareTests(pairs: readonly JoinPair[], source: Relation, related: Relation): readonly Sql[] {
  const placed = source.placement.pairOf(pairs, source.rows, related);
  if (placed === undefined) return [];
  const [left, right] = [columnOperand(placed.related, related), columnOperand(placed.property, source)];
  return left.form.indexed === undefined ? [] : [sql`${left.sql} = ${right.sql}`];
}
