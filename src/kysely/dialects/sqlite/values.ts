import { sql } from "kysely";
import { isInteger, type PrimitiveType } from "../../../edm/primitive-type.ts";
import type { ConvertExpression, Expression } from "../../../query/expression.ts";
import type { ColumnPlan, PlansByField } from "../../columns/table-columns.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import { comparedTextForm } from "../../forms/compared-text-form.ts";
import { readSlots } from "../../statement/parameter-slot.ts";
import { toComputable } from "../../statement/sql-form.ts";
import { computed, type RowOperand } from "../../statement/sql-operand.ts";
import type { DialectValues, ProbedRows } from "../dialect-profile.ts";
import { SQLITE_ARITHMETIC } from "./arithmetic.ts";
import { sqliteColumnFormat } from "./column-format.ts";
import { scaledDecimalForm } from "./decimal-forms.ts";
import { sqliteCanonicalForm, DOUBLE_FORM, STRING_COLUMN_FORM, STRING_FORM } from "./forms.ts";
import { SQLITE_MARK } from "./marks.ts";
import { INSTANT_FORM, DATE_FORM, MIDNIGHT_FORM } from "./temporal-forms.ts";

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

/** How SQLite stores values and computes with them. */
export const SQLITE_VALUES: DialectValues = Object.freeze<DialectValues>({
  canonicalForm: sqliteCanonicalForm,
  mark: SQLITE_MARK,
  columnFormat: sqliteColumnFormat,
  guidsAreTexts: true,
  documentText: (column) => column,
  comparedText: (comparison) =>
    comparedTextForm(comparison, (text) => sql`(${text} collate ${sql.id(comparison.collation)})`),
  ...SQLITE_ARITHMETIC,
  convert: convertInSqlite,
  withKnownCollations,
});

/**
 * Converts to a wider type in SQLite. Cells that are already in the order of the target type stay unchanged, so that an index
 * on a column serves comparisons with constants of that type.
 */
export function convertInSqlite({ operand, type }: ConvertExpression, translated: RowOperand): RowOperand {
  switch (type.name) {
    case "Edm.Decimal":
      return isInteger(primitiveType(operand)) ? { ...translated, form: scaledDecimalForm(0) } : translated;
    case "Edm.Single":
    case "Edm.Double":
      return toDouble(operand, translated);
    case "Edm.DateTimeOffset":
      return toTimestamp(translated);
    default:
      return translated;
  }
}

function toDouble(operand: Expression, translated: RowOperand): RowOperand {
  const { name } = primitiveType(operand);
  if (name === "Edm.Decimal") {
    return computed({ sql: sql`odata_double(${toComputable(translated).sql})`, form: DOUBLE_FORM });
  }
  // The conversion rounds Int64 values beyond 2^53. Comparisons of SQLite with REAL would not.
  if (name === "Edm.Int64") {
    return { ...translated, sql: sql`cast(${translated.sql} as real)`, bare: undefined, form: DOUBLE_FORM };
  }
  return { ...translated, form: DOUBLE_FORM };
}

function toTimestamp(translated: RowOperand): RowOperand {
  const { midnight } = translated.form;
  if (midnight !== undefined) return { ...translated, form: midnight };
  if (translated.form === DATE_FORM) return { ...translated, form: MIDNIGHT_FORM };
  return { ...translated, sql: sql`(${translated.sql} || 'T00:00:00Z')`, bare: undefined, form: INSTANT_FORM };
}

function primitiveType({ type }: Expression): PrimitiveType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be converted.");
}
