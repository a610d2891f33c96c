import { sql } from "kysely";
import { required } from "../../../base/required.ts";
import { isInteger, type PrimitiveType } from "../../../edm/primitive-type.ts";
import type { ConvertExpression, Expression } from "../../../language/query/expression.ts";
import type { ColumnPlan, PlansByField } from "../../columns/table-columns.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import {
  arithmeticOf,
  infixOperators,
  INFIX,
  type ArithmeticTable,
  type Compute,
  type Operators,
} from "../../forms/arithmetic.ts";
import { asShown, ofCanonicalForm } from "../../forms/computed-formats.ts";
import type { DialectValues, ProbedRows, Term } from "../../forms/dialect-values.ts";
import { comparedTextForm } from "../../forms/text-columns.ts";
import { readSlots } from "../../statement/parameter-slot.ts";
import { toComputable, type Sql } from "../../statement/sql-form.ts";
import { computed, type RowOperand } from "../../statement/sql-operand.ts";
import { sqliteColumnFormat } from "./column-format.ts";
import { sqliteWithinText } from "./faults.ts";
import { scaledDecimalForm, sqliteCanonicalForm, DOUBLE_FORM, STRING_COLUMN_FORM, STRING_FORM } from "./forms.ts";
import { asItStands, SQLITE_MARK } from "./marks.ts";
import { INSTANT_FORM, DATE_FORM, MIDNIGHT_FORM } from "./temporal-forms.ts";

/** SQLite turns integers beyond Int64 into REAL. Writes long operands once, or the text would double per level. */
function withinInt64(result: Sql, isShort: boolean): Sql {
  if (isShort) return sql`(case typeof(${result}) when 'integer' then ${result} end)`;
  return sql`(select iif(typeof(odata_value) = 'integer', odata_value, null) from (select ${result} as odata_value))`;
}

/** Casts to REAL, because SQLite computes with whole numbers that are bound as INTEGER as integers. */
function asReal({ sql: term }: Term): Sql {
  return sql`cast(${term} as real)`;
}

function by(name: Sql): Compute {
  return (left, right) => sql`${name}(${left.sql}, ${right.sql})`;
}

function byOpposite(name: Sql): Compute {
  return (left, right) => sql`${name}(${left.sql}, odata_duration_negate(${right.sql}))`;
}

function integer(operator: Sql): Compute {
  return (left, right) => withinInt64(sql`(${left.sql} ${operator} ${right.sql})`, left.isShort && right.isShort);
}

const INTEGERS: Operators = {
  add: integer(INFIX.add),
  sub: integer(INFIX.sub),
  mul: integer(INFIX.mul),
  div: integer(INFIX.div),
  mod: integer(INFIX.mod),
};

const DECIMALS: Operators = {
  add: by(sql`odata_decimal_add`),
  sub: by(sql`odata_decimal_subtract`),
  mul: by(sql`odata_decimal_multiply`),
  div: by(sql`odata_decimal_divide`),
  mod: by(sql`odata_decimal_modulo`),
};

const DOUBLES: Operators = {
  ...infixOperators((left, operator, right) => sql`(${asReal(left)} ${operator} ${asReal(right)})`),
  div: by(sql`odata_double_divide`),
  mod: by(sql`odata_double_modulo`),
};

const TEMPORAL: ArithmeticTable["temporal"] = {
  "Edm.DateTimeOffset add Edm.Duration": by(sql`odata_instant_add`),
  "Edm.DateTimeOffset sub Edm.Duration": byOpposite(sql`odata_instant_add`),
  "Edm.DateTimeOffset sub Edm.DateTimeOffset": by(sql`odata_instant_subtract`),
  "Edm.Date add Edm.Duration": by(sql`odata_date_add`),
  "Edm.Date sub Edm.Duration": byOpposite(sql`odata_date_add`),
  "Edm.Date sub Edm.Date": by(sql`odata_date_subtract`),
  "Edm.Duration add Edm.Duration": by(sql`odata_duration_add`),
  "Edm.Duration sub Edm.Duration": by(sql`odata_duration_subtract`),
  "Edm.Duration mul": by(sql`odata_duration_multiply`),
  "Edm.Duration div": by(sql`odata_duration_divide`),
};

/**
 * Arithmetic in SQLite. Integers are Int64: overflows and divisions by zero are null. Decimals are exact. Doubles are IEEE
 * 754, except that NaN is null.
 */
const SQLITE_ARITHMETIC: Pick<DialectValues, "compute" | "negate"> = arithmeticOf(
  {
    integer: INTEGERS,
    decimal: DECIMALS,
    double: DOUBLES,
    single: (result, limit) =>
      sql`(select iif(odata_value >= ${limit}, 9e999, iif(odata_value <= -${limit}, -9e999, odata_value)) from (select ${result} as odata_value))`,
    temporal: TEMPORAL,
    negate: {
      integer: (term) => withinInt64(sql`(- ${term.sql})`, term.isShort),
      decimal: (term) => sql`odata_decimal_negate(${term.sql})`,
      double: (term) => sql`(- ${asReal(term)})`,
      temporal: (term) => sql`odata_duration_negate(${term.sql})`,
    },
  },
  sqliteCanonicalForm,
);

/**
 * Returns plans that compare strings without a collation where that of the column compares by code point. Other collations
 * must be overridden, and then SQLite uses no index below `or`. SQLite does not report collations of columns, so one query
 * compares `a` with `A` and `a ` in each of them. It reads no row.
 */
function withKnownCollations(plans: PlansByField, rows: ProbedRows, reader: SynchronousReader): PlansByField {
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

const COMPUTED = { columnFormat: sqliteColumnFormat, canonicalForm: sqliteCanonicalForm, numberText: asItStands };

/** Values without the functions over them. */
type StoredValues = Omit<DialectValues, "aggregates" | "documents" | "functions">;

/** How SQLite stores values and computes with them. */
export const SQLITE_VALUES: StoredValues = Object.freeze<StoredValues>({
  canonicalForm: sqliteCanonicalForm,
  mark: SQLITE_MARK,
  columnFormat: sqliteColumnFormat,
  guidsAreTexts: true,
  timestampsAreZoneless: false,
  computedFormat: (property) =>
    property.type.name === "Edm.DateTimeOffset"
      ? asShown(property, required(sqliteColumnFormat(property, "text"), "Timestamps of any offset have a format."))
      : ofCanonicalForm(property, COMPUTED),
  documentText: (column) => column,
  withinText: sqliteWithinText,
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
function convertInSqlite({ operand, type }: ConvertExpression, translated: RowOperand): RowOperand {
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
  const { wider } = translated.form;
  if (wider !== undefined) return { ...translated, form: wider };
  if (translated.form === DATE_FORM) return { ...translated, form: MIDNIGHT_FORM };
  return { ...translated, sql: sql`(${translated.sql} || 'T00:00:00Z')`, bare: undefined, form: INSTANT_FORM };
}

function primitiveType({ type }: Expression): PrimitiveType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be converted.");
}
