import { sql } from "kysely";
import { asBoolean, asBytes, asText } from "../../../edm/canonical-form.ts";
import { toHex } from "../../cells/write-key-list.ts";
import { enumForms, type EnumForms } from "../../forms/enum-forms.ts";
import { mappedForms, type MappedForms } from "../../forms/mapped-forms.ts";
import { numericTemporalForms, type NumericTemporalForms } from "../../forms/numeric-temporal-forms.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";

/**
 * The forms of PostgreSQL. Every bound value is a text (a boolean is one itself) with a cast beside it, so that it does
 * not matter how a driver writes numbers, dates and bytes; integers are those of 64 bits, whatever the column.
 */

const asInteger = (place: Sql): Sql => sql`${place}::int8`;
const asNumeric = (place: Sql): Sql => sql`${place}::numeric`;
const asDouble = (place: Sql): Sql => sql`${place}::float8`;
/** By code point. An expression has one collation, so each of its texts says it. */
const byCodePoint = (text: Sql): Sql => sql`(${text}::text collate "C")`;

/** Edm.Boolean as boolean. */
export const PG_BOOLEAN: SqlForm = plainForm("boolean", asBoolean, {
  place: (place) => sql`${place}::boolean`,
  fromKey: (value) => sql`${value}::boolean`,
});

/** The integer types as int8; columns may have less bits. */
export const PG_INTEGER: SqlForm = plainForm("integer", String, { place: asInteger, fromKey: asInteger });

/** Edm.Decimal as numeric. */
export const PG_DECIMAL: SqlForm = plainForm("decimal", asText, { place: asNumeric, fromKey: asNumeric });

/** Edm.Double and Edm.Single as float8. NaN becomes null. */
export const PG_DOUBLE: SqlForm = plainForm(
  "double",
  (value) => {
    const number = Number(value);
    return Number.isNaN(number) ? null : String(number);
  },
  { mayBeNull: true, place: asDouble, fromKey: asDouble },
);

/** Edm.String, by code point. */
export const PG_STRING: SqlForm = plainForm("string", asText, { place: byCodePoint, fromKey: byCodePoint });

const TO_STRING: Conversion = { form: PG_STRING, apply: byCodePoint };

/** Edm.String in a column with a collation of its own: `=` there is served by an index that has it. */
export const PG_STRING_COLUMN: SqlForm = plainForm("string column", asText, {
  sortable: TO_STRING,
  comparable: TO_STRING,
  computable: TO_STRING,
  indexed: plainForm("string as it stands", asText),
  fromKey: (value) => sql`${value}::text`,
});

/** The text that the database writes for a value of any type; null for null. */
export function pgAnyText(column: Sql): Sql {
  return sql`(case when ${column} is not null then format('%s', ${column}) end)`;
}

const ANY_TO_STRING: Conversion = { form: PG_STRING, apply: (operand) => byCodePoint(pgAnyText(operand)) };

/** Edm.String as the text of a column of any type, such as inet: a bound text is read as a value of that type. */
export const PG_ANY_TYPE: SqlForm = plainForm("text of any type", asText, {
  sortable: ANY_TO_STRING,
  comparable: ANY_TO_STRING,
  computable: ANY_TO_STRING,
});

/** Edm.Guid in lower case, as uuid or text: the database tells from the column. */
export const PG_GUID: SqlForm = plainForm("guid", asText, {
  comparable: TO_STRING,
  computable: TO_STRING,
  fromKey: (value) => sql`${value}::uuid`,
});

const TO_LOWER_GUID: Conversion = { form: PG_STRING, apply: (operand) => byCodePoint(sql`lower(${operand}::text)`) };

/** Edm.Guid in any letter case, as text. */
export const PG_ANY_CASE_GUID: SqlForm = plainForm("guid in any case", asText, {
  sortable: TO_LOWER_GUID,
  comparable: TO_LOWER_GUID,
  computable: TO_LOWER_GUID,
});

/** Edm.Binary as bytea. */
export const PG_BINARY: SqlForm = plainForm("binary", (value) => toHex(asBytes(value)), {
  place: (place) => sql`decode(${place}::text, 'hex')`,
  fromKey: (value) => sql`decode(${value}::text, 'hex')`,
});

/** Dates, times, timestamps and durations as they are computed with. */
export const PG_TEMPORAL: NumericTemporalForms = numericTemporalForms(asInteger, asNumeric);

/** Enumerations as int8, or as text. */
export const PG_ENUMS: EnumForms = enumForms({
  encode: String,
  asInteger,
  asName: (value) => sql`${value}::text`,
  asNumber: asInteger,
});

/** Enumerations and booleans as cells of an existing database. */
export const PG_MAPPED: MappedForms = mappedForms({
  encode: String,
  asInteger,
  asText: byCodePoint,
  asBoundText: byCodePoint,
  enums: PG_ENUMS,
  boolean: PG_BOOLEAN,
  booleanValue: (value) => (value ? sql`true` : sql`false`),
});
