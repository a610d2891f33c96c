import { sql } from "kysely";
import type { JoinPair, NavigationJoin } from "../../edm/model.ts";
import { planOf } from "../columns/table-columns.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { columnOperand, type Placement, type Relation, type Rows } from "./relation.ts";

/** Rows of a statement that may be placed. */
export interface PlacedRows {
  readonly rows: Pick<Rows, "plans">;
  readonly placement?: Placement | undefined;
}

/**
 * Whether each machine of a distributed database has the related rows of all its rows: the join pairs the columns that
 * distribute two co-located tables, or the target is a table that each machine has completely.
 * @see docs/scaling.md
 */
export function isCoLocated(join: NavigationJoin, source: PlacedRows, target: PlacedRows): boolean {
  if (join.kind === "link" || source.placement === undefined) return false;
  // Each machine has the rows of a reference table, so rows of one machine that are found from there would be found by all.
  return target.placement?.kind === "reference" || findPlacedPair(join.pairs, source, target) !== undefined;
}

/** Returns the tests of some pairs of a co-located join: null or false if a value is null. */
export function bareTests(pairs: readonly JoinPair[], source: Relation, related: Relation): readonly Sql[] {
  const placed = findPlacedPair(pairs, source, related);
  if (placed === undefined) return [];
  const [left, right] = [columnOperand(placed.related, related), columnOperand(placed.property, source)];
  // The database finds the machine only by an equality of the bare columns.
  return left.form.indexed === undefined ? [] : [sql`${left.sql} = ${right.sql}`];
}

/** Returns the pair of the columns that distribute two co-located tables, if the database can compare these. */
function findPlacedPair(pairs: readonly JoinPair[], source: PlacedRows, target: PlacedRows): JoinPair | undefined {
  const [from, to] = [source.placement, target.placement];
  if (from?.kind !== "column" || to?.kind !== "column" || from.group !== to.group) return undefined;
  return pairs.find(({ property, related }) => {
    if (property.field !== from.field || related.field !== to.field) return false;
    const form = formOf(property, source);
    return form !== undefined && form === formOf(related, target) && isBare(form);
  });
}

function formOf(property: JoinPair["property"], { rows }: PlacedRows): SqlForm | undefined {
  const plan = planOf(property, rows.plans);
  return plan.kind === "scalar" ? plan.format.form : undefined;
}

/** Whether equal values have cells that are equal in the type of their column. */
export function isBare({ indexed, exact, sortable }: SqlForm): boolean {
  return indexed !== undefined || (exact !== null && sortable === undefined);
}
