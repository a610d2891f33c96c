import { sql } from "kysely";
import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { countLongSorts, type Sql, type SqlForm } from "../statement/sql-form.ts";

/** Marks the text of each statement that needs a session time zone of UTC, derived tables included. */
const MARK = "/* odatakit: in UTC */";

const MARKED: Sql = sql.raw(` ${MARK}`);
const UNMARKED: Sql = sql``;

/** Returns the mark of a statement over these columns if it needs a session time zone of UTC. */
export function utcMark(plans: PlansByField): Sql {
  return [...plans.values()].some(needsUtc) ? MARKED : UNMARKED;
}

/** Returns the mark for columns of these forms. */
export function utcMarkOf(forms: readonly SqlForm[]): Sql {
  return forms.some(({ inUtcSession }) => inUtcSession === true) ? MARKED : UNMARKED;
}

function needsUtc(plan: ColumnPlan): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some(needsUtc);
  return plan.kind === "scalar" && plan.format.form.inUtcSession === true;
}

/** Compiles a whole statement. */
export function compileStatement(
  statement: Sql,
  db: AnyKysely,
  { session }: Pick<Database, "session">,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const { sql: text, parameters } = statement.compile(db);
  const { inUtcSession, sortingLong } = session;
  const inUtc = inUtcSession !== undefined && text.includes(MARK) ? inUtcSession(text) : text;
  const sorts = sortingLong === undefined ? 0 : countLongSorts(text);
  return { sql: sortingLong === undefined || sorts === 0 ? inUtc : sortingLong(sorts, inUtc), parameters };
}
