import { sql } from "kysely";
import { asBoolean, asText } from "../../../edm/canonical-form.ts";
import { countWholeDigits, scaleOf } from "../../../edm/decimal.ts";
import { protocolError } from "../../../errors/odata-error.ts";
import type { TextComparison } from "../../../introspect/compared-texts.ts";
import { castForms, truthNumber, type CastForms, integerMark, scaledDecimals } from "../../forms/cast-forms.ts";
import { comparedTextForm } from "../../forms/compared-text-form.ts";
import type { NumberSyntax } from "../../forms/numeric-temporal-forms.ts";
import { longSort } from "../../statement/long-sort.ts";
import { convertedForm, type Mark, textMark, type Sql, type SqlForm } from "../../statement/sql-form.ts";
import { decimalOfText, divideDecimals, multiplyDecimals } from "./exact-decimals.ts";

/** The digits of a bound Decimal before and after the point. */
const WHOLE_DIGITS = 35;
const FRACTION_DIGITS = 30;

const asInteger = (place: Sql): Sql => sql`cast(${place} as signed)`;
const asDecimal = (place: Sql): Sql => sql`cast(${place} as decimal(65, 30))`;
/**
 * Compares by code point, including trailing blanks. Converts first, because this collation requires utf8mb4.
 */
const asString = (text: Sql): Sql => sql`(convert(${text} using utf8mb4) collate utf8mb4_nopad_bin)`;
const unhex = (digits: Sql): Sql => sql`unhex(${digits})`;

/** Selects a value as text. */
export const myText = (value: Sql): Sql => sql`cast(${value} as char)`;
/** Adding 0 turns the bytes of a `bit` into a number, and removes the zeros in front of a `zerofill` or a `year`. */
export const myNumberText = (value: Sql): Sql => sql`cast(${value} + 0 as char)`;
/** Selects a `float` with the same digits that comparisons use. */
export const myDoubleText = (value: Sql): Sql => sql`cast(cast(${value} as double) as char)`;
export const myHexadecimal = (value: Sql): Sql => sql`hex(${value})`;
/** Selects a string, which the server converts to the character set of the connection. */
export const myStringText = (value: Sql): Sql => value;

/** The bytes of a value that a sort compares: those of the longest `varchar` and `text`. */
const SORTED_BYTES = 65_535;
/** The greatest exponent for which `exp` is a double. */
const GREATEST_EXPONENT = 709;

/** Fails the statement for a value of more bytes. Values that are otherwise equal have as many bytes as each other. */
const notTooLong = (value: Sql): Sql => sql`exp(octet_length(${value}) - ${sql.lit(SORTED_BYTES - GREATEST_EXPONENT)})`;
/** The bytes of a text in UTF-8 sort like its code points. A sort by a collation would take U+0000 at the end for nothing. */
const sortedText = (text: Sql): readonly Sql[] => [longSort(sql`cast(${text} as binary)`), notTooLong(text)];
/** An index may serve a column that is known to be short. */
const sortedBytes = (bytes: Sql, maxLength: number = Infinity): readonly Sql[] =>
  maxLength <= SORTED_BYTES ? [longSort(bytes)] : [longSort(bytes), notTooLong(bytes)];

/** What rows are sorted by, as text. */
export const MY_MARK: Mark = textMark(myText);

/** The forms of MariaDB and MySQL. */
export const MY_FORMS: CastForms = castForms(
  {
    boolean: asInteger,
    integer: asInteger,
    decimal: asDecimal,
    seconds: (place) => sql`cast(${place} as decimal(38, 12))`,
    double: (place) => sql`(${place} + 0e0)`,
    text: asString,
    keyText: asString,
    bytes: unhex,
    digits: (bytes) => sql`lower(${myHexadecimal(bytes)})`,
    enumName: asString,
    indexesEnumNames: true,
    sortTerms: { text: sortedText, bytes: sortedBytes },
    lowerGuid: (column) => sql`lower(${column})`,
  },
  {
    boolean: (value) => (asBoolean(value) ? 1 : 0),
    decimal: (value) => boundDecimal(asText(value)),
    double: (value) => boundDouble(Number(value)),
    truth: truthNumber,
  },
  {
    boolean: integerMark(myNumberText),
    // A `bigint unsigned` may have more than 63 bits.
    integer: integerMark(myNumberText),
    decimal: textMark(myText, /^-?\d{1,35}(?:\.\d{1,30})?$/),
    double: textMark(myDoubleText),
    string: textMark(myStringText),
    binary: textMark(myHexadecimal),
  },
);

/** Exact arithmetic of MariaDB and MySQL: 65 digits, of which 38 may be fractions. */
export const MY_NUMBERS: NumberSyntax = Object.freeze<NumberSyntax>({
  asInteger,
  asDecimal: (value) => value,
  floorDivide: (value, divisor) => sql`floor(cast(${value} as decimal(38, 12)) / ${sql.lit(divisor)})`,
  wholeDivide: (value, divisor) => sql`(${value} div ${sql.lit(divisor)})`,
  literal: (digits) => sql.raw(digits),
  multiplyDecimals,
  divideDecimals,
  decimalOf: (value, isDouble) => asDecimal(isDouble ? sql`cast(${value} as char)` : value),
  calendarPart: (part, days) => sql`${sql.raw(part)}(date '2000-01-01' + interval ${days} day)`,
});

/** Edm.String as the text of JSON, which drivers would otherwise return as objects. */
export const MY_JSON_TEXT: SqlForm = convertedForm("text of JSON", asText, {
  form: MY_FORMS.string,
  apply: (column) => asString(sql`cast(${column} as char character set utf8mb4)`),
});

/** Texts as a foreign key compares them. Both columns have the collation, whose name begins with its character set. */
export function myComparedText(comparison: TextComparison): SqlForm {
  const { collation } = comparison;
  const characterSet = collation.replace(/_.*$/, "");
  const bound = (text: Sql): Sql =>
    sql`(convert(${text} using ${sql.raw(characterSet)}) collate ${sql.raw(collation)})`;
  return comparedTextForm(comparison, bound, (column) => column);
}

/** Edm.Decimal as text. */
export const MY_TEXT_DECIMAL: SqlForm = convertedForm("decimal as text", asText, {
  form: MY_FORMS.decimal,
  apply: decimalOfText,
});

/** Edm.Decimal as double. The value of a cell is the shortest Decimal that rounds to it. */
export const MY_REAL_DECIMAL: SqlForm = convertedForm("real decimal", asText, {
  form: MY_FORMS.decimal,
  // The shortest decimal notation.
  apply: (operand) => asDecimal(sql`cast(${operand} as char)`),
});

/** Edm.Decimal as an integer: the value times ten to the power of its scale. */
export const myScaledDecimal: (scale: number) => SqlForm = scaledDecimals(
  MY_FORMS.decimal,
  (cell, unit) => sql`(${cell} * ${sql.raw(unit)})`,
);

/** Rejects Decimals that the database would silently truncate. */
function boundDecimal(value: string): string {
  if (countWholeDigits(value) <= WHOLE_DIGITS && scaleOf(value) <= FRACTION_DIGITS) return value;
  throw protocolError(
    "UnsupportedQueryOption",
    `MariaDB cannot compare Decimals of more than ${String(WHOLE_DIGITS)} digits before and ${String(FRACTION_DIGITS)} after the point.`,
  );
}

function boundDouble(value: number): string | null {
  if (Number.isNaN(value)) return null;
  if (Number.isFinite(value)) return String(value);
  throw protocolError(
    "UnsupportedQueryOption",
    "MariaDB cannot compare with INF and -INF, because its doubles are finite.",
  );
}
