import { sql } from "kysely";
import { asBoolean, asText } from "../../../edm/canonical-form.ts";
import { doublesAround } from "../../cells/decimal-neighbours.ts";
import { castForms, type CastForms, scaledDecimals } from "../../forms/cast-forms.ts";
import { convertedForm, rangeForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";

const asInteger = (place: Sql): Sql => sql`${place}::int8`;
const asNumeric = (place: Sql): Sql => sql`${place}::numeric`;
/** By code point. An expression has one collation, so each of its texts says it. */
const byCodePoint = (text: Sql): Sql => sql`(${text}::text collate "C")`;

/** The forms of PostgreSQL. */
export const PG_FORMS: CastForms = castForms(
  {
    boolean: (place) => sql`${place}::boolean`,
    integer: asInteger,
    decimal: asNumeric,
    seconds: asNumeric,
    double: (place) => sql`${place}::float8`,
    text: byCodePoint,
    keyText: (value) => sql`${value}::text`,
    bytes: (digits) => sql`decode(${digits}::text, 'hex')`,
    lowerGuid: (column) => sql`lower(${column}::text)`,
    keyGuid: (value) => sql`${value}::uuid`,
    enumName: (value) => sql`${value}::text`,
    enumNumber: asInteger,
  },
  {
    boolean: asBoolean,
    decimal: asText,
    double: (value) => (Number.isNaN(Number(value)) ? null : String(Number(value))),
    truth: (value) => (value ? sql`true` : sql`false`),
  },
);

/** The text that the database writes for a value of any type; null for null. */
export function pgAnyText(column: Sql): Sql {
  return sql`(case when ${column} is not null then format('%s', ${column}) end)`;
}

/** Edm.String as the text of a column of any type, such as inet: a bound text is read as a value of that type. */
export const PG_ANY_TYPE: SqlForm = convertedForm("text of any type", asText, {
  form: PG_FORMS.string,
  apply: (operand) => byCodePoint(pgAnyText(operand)),
});

/**
 * Edm.Decimal as text, or as money. A bound value is a number, which no `lc_monetary` reads differently: the database
 * casts it to the type of the column.
 */
export const PG_TEXT_DECIMAL: SqlForm = convertedForm(
  "decimal as text",
  asText,
  { form: PG_FORMS.decimal, apply: asNumeric },
  { place: asNumeric },
);

/** Selects a Decimal as text, or as money: the text of money depends on `lc_monetary`. */
export function selectTextDecimal(column: Sql): Sql {
  const isMoney = sql`pg_typeof(${column}) = 'money'::regtype`;
  return sql`(case when ${isMoney} then ${column}::numeric::text else ${column}::text end)`;
}

/** By way of the shortest text. */
const REAL_TO_DECIMAL: Conversion = { form: PG_FORMS.decimal, apply: (operand) => sql`${operand}::text::numeric` };

/** Edm.Decimal as double precision: each cell stands for the shortest Decimal that reads as it. */
export const PG_REAL_DECIMAL: SqlForm = rangeForm(
  "real decimal",
  {
    floor: (value) => String(doublesAround(asText(value)).floor),
    ceiling: (value) => String(doublesAround(asText(value)).ceiling),
  },
  { place: (place) => sql`${place}::float8`, comparable: REAL_TO_DECIMAL, computable: REAL_TO_DECIMAL },
);

/** Edm.Decimal as an integer: the value times ten to the power of its scale. */
export const pgScaledDecimal: (scale: number) => SqlForm = scaledDecimals(
  PG_FORMS.decimal,
  (cell, unit) => sql`(${cell} * ${sql.raw(unit)}::numeric)`,
  { place: asInteger },
);
