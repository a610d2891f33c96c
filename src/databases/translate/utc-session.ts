import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import type { Sql } from "../statement/sql-form.ts";

/** What a statement needs of its session. */
export interface SessionNeeds {
  /** Whether it must run in the time zone UTC; default false. */
  readonly inUtc?: boolean;
  /** How many terms the database must sort or group by whole, derived tables included; default 0. */
  readonly longSorts?: number;
  /** Whether it is recursive, however deep; default false. */
  readonly recurses?: boolean;
}

/** Whether a statement over these columns needs a session time zone of UTC. */
export function needUtc(plans: PlansByField): boolean {
  return [...plans.values()].some(needsUtc);
}

function needsUtc(plan: ColumnPlan): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some(needsUtc);
  return plan.kind === "scalar" && plan.format.form.inUtcSession === true;
}

/** Compiles a whole statement. */
export function compileStatement(
  statement: Sql,
  db: AnyKysely,
  profile: Pick<Database, "session">,
  needs: SessionNeeds = {},
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const { sql, parameters } = statement.compile(db);
  return { sql: inSession(sql, profile, needs), parameters };
}

/** Returns the text of a whole statement with the settings of the session that it needs. */
export function inSession(
  text: string,
  { session: { inUtcSession, sortingLong, recursing } }: Pick<Database, "session">,
  { inUtc = false, longSorts = 0, recurses = false }: SessionNeeds,
): string {
  const timed = inUtc && inUtcSession !== undefined ? inUtcSession(text) : text;
  const deep = recurses && recursing !== undefined ? recursing(timed) : timed;
  return sortingLong === undefined || longSorts === 0 ? deep : sortingLong(longSorts, deep);
}
