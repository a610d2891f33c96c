import { sql } from "kysely";
import { asBoolean, asBytes, asText } from "../../../edm/canonical-form.ts";
import { countWholeDigits, scaleOf } from "../../../edm/decimal.ts";
import { protocolError } from "../../../errors/odata-error.ts";
import { toHex } from "../../cells/write-key-list.ts";
import { enumForms, type EnumForms } from "../../forms/enum-forms.ts";
import { mappedForms, type MappedForms } from "../../forms/mapped-forms.ts";
import { numericTemporalForms, type NumericTemporalForms } from "../../forms/numeric-temporal-forms.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";

/**
 * The forms of MariaDB and MySQL. Bound values are texts with a cast beside them, so that it does not matter how a driver
 * writes numbers and bytes.
 */

/** Digits of a bound Decimal before and behind the point. */
const WHOLE_DIGITS = 35;
const FRACTION_DIGITS = 30;

const asInteger = (place: Sql): Sql => sql`cast(${place} as signed)`;
const asDecimal = (place: Sql): Sql => sql`cast(${place} as decimal(65, 30))`;
const asSeconds = (place: Sql): Sql => sql`cast(${place} as decimal(38, 12))`;
const asDouble = (place: Sql): Sql => sql`(${place} + 0e0)`;
/** By code point, and a blank at the end counts. */
const byCodePoint = (text: Sql): Sql => sql`(${text} collate utf8mb4_nopad_bin)`;
const asString = (place: Sql): Sql => byCodePoint(sql`convert(${place} using utf8mb4)`);

/** Edm.Boolean as 0 and 1. */
export const MY_BOOLEAN: SqlForm = plainForm("boolean", (value) => (asBoolean(value) ? 1 : 0), {
  place: asInteger,
  fromKey: asInteger,
});

/** The integer types. */
export const MY_INTEGER: SqlForm = plainForm("integer", String, { place: asInteger, fromKey: asInteger });

/** Edm.Decimal as decimal. */
export const MY_DECIMAL: SqlForm = plainForm("decimal", (value) => boundDecimal(asText(value)), {
  place: asDecimal,
  fromKey: asDecimal,
});

/** Edm.Double and Edm.Single as double. */
export const MY_DOUBLE: SqlForm = plainForm("double", (value) => boundDouble(Number(value)), {
  mayBeNull: true,
  place: asDouble,
  fromKey: asDouble,
});

/** Edm.String, by code point. */
export const MY_STRING: SqlForm = plainForm("string", asText, { place: asString, fromKey: asString });

/** A column may have another character set than utf8mb4, which then has no such collation. */
const TO_STRING: Conversion = { form: MY_STRING, apply: asString };

/** Edm.String in a column with a collation of its own: `=` there is true for more, and served by its indexes. */
export const MY_STRING_COLUMN: SqlForm = plainForm("string column", asText, {
  sortable: TO_STRING,
  comparable: TO_STRING,
  computable: TO_STRING,
  indexed: plainForm("string as it stands", asText),
  fromKey: asString,
});

/** Edm.Guid in lower case. */
export const MY_GUID: SqlForm = plainForm("guid", asText, { comparable: TO_STRING, computable: TO_STRING });

const TO_LOWER_GUID: Conversion = { form: MY_STRING, apply: (operand) => asString(sql`lower(${operand})`) };

/** Edm.Guid in any letter case. */
export const MY_ANY_CASE_GUID: SqlForm = plainForm("guid in any case", asText, {
  sortable: TO_LOWER_GUID,
  comparable: TO_LOWER_GUID,
  computable: TO_LOWER_GUID,
});

/** Edm.Binary as blob. */
export const MY_BINARY: SqlForm = plainForm("binary", (value) => toHex(asBytes(value)), {
  place: (place) => sql`unhex(${place})`,
  fromKey: (value) => sql`unhex(${value})`,
});

/** Dates, times, timestamps and durations as they are computed with. */
export const MY_TEMPORAL: NumericTemporalForms = numericTemporalForms(asInteger, asSeconds);

/** Enumerations as integers, or as texts. */
export const MY_ENUMS: EnumForms = enumForms({ encode: String, asInteger });

/** Enumerations and booleans as cells of an existing database. */
export const MY_MAPPED: MappedForms = mappedForms({
  encode: String,
  asInteger,
  asText: asString,
  asBoundText: asString,
  enums: MY_ENUMS,
  boolean: MY_BOOLEAN,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
});

/** Beyond those digits the database would cut in silence. */
function boundDecimal(value: string): string {
  if (countWholeDigits(value) <= WHOLE_DIGITS && scaleOf(value) <= FRACTION_DIGITS) return value;
  throw protocolError(
    "UnsupportedQueryOption",
    `MariaDB cannot compare Decimals of more than ${String(WHOLE_DIGITS)} digits before and ${String(FRACTION_DIGITS)} behind the point.`,
  );
}

function boundDouble(value: number): string | null {
  if (Number.isNaN(value)) return null;
  if (Number.isFinite(value)) return String(value);
  throw protocolError("UnsupportedQueryOption", "MariaDB cannot compare with INF and -INF: its doubles are finite.");
}
