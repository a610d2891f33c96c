import { sql } from "kysely";
import type { ColumnPlan, PlansByField } from "../../columns/table-columns.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import { readSlots } from "../../statement/parameter-slot.ts";
import type { ProbedRows } from "../dialect-profile.ts";
import { STRING_COLUMN_FORM, STRING_FORM } from "./forms.ts";

/**
 * Returns plans that compare strings without a collation where that of the column compares by code point. Other collations
 * must be overridden, and then SQLite uses no index below `or`. SQLite does not report collations of columns, so one query
 * compares `a` with `A` and `a ` in each of them. It reads no row.
 */
export function withKnownCollations(plans: PlansByField, rows: ProbedRows, reader: SynchronousReader): PlansByField {
  const columns = [...plans.values()].flatMap(textColumns);
  if (columns.length === 0) return plans;
  const names = columns.map((_column, index) => sql.id(`t${index}`));
  const listed = columns.map((column, index) => sql`${sql.id(column)} as ${names[index]}`);
  const letters = columns.map(() => sql.lit("a"));
  const tests = names.map((name) => sql`${name} = ${sql.lit("A")} or ${name} = ${sql.lit("a ")}`);
  // The columns of a union have the collations of its first part.
  const union = sql`select ${sql.join(listed)} from ${rows.from} where 1 = 0 union all select ${sql.join(letters)}`;
  const { sql: text, parameters } = sql`select ${sql.join(tests)} from (${union})`.compile(rows.db);
  const answers = reader.readOne(text, readSlots(parameters, rows.execution));
  const binary = new Set(columns.filter((_column, index) => answers?.[index] === 0));
  return withBinary(plans, binary);
}

function textColumns(plan: ColumnPlan): readonly string[] {
  if (plan.kind === "complex") return [...plan.members.values()].flatMap(textColumns);
  return plan.kind === "scalar" && plan.format.form === STRING_COLUMN_FORM ? [plan.column] : [];
}

function withBinary(plans: PlansByField, binary: ReadonlySet<string>): PlansByField {
  return new Map(Array.from(plans, ([field, plan]) => [field, known(plan, binary)]));
}

function known(plan: ColumnPlan, binary: ReadonlySet<string>): ColumnPlan {
  if (plan.kind === "complex") return { ...plan, members: withBinary(plan.members, binary) };
  if (plan.kind !== "scalar" || plan.format.form !== STRING_COLUMN_FORM || !binary.has(plan.column)) return plan;
  return { ...plan, format: { ...plan.format, form: STRING_FORM } };
}
