import { sql } from "kysely";
import { protocolError } from "../../../base/errors/odata-error.ts";
import { once } from "../../../base/memo.ts";
import { QUOTIENT_SCALE } from "../../../edm/decimal-arithmetic.ts";
import { countWholeDigits, scaleOf } from "../../../edm/decimal.ts";
import { asBoolean, asText, type PrimitiveValue } from "../../../edm/value-codec.ts";
import { castForms, truthNumber, type CastForms, integerMark, scaledDecimals } from "../../forms/cast-forms.ts";
import type { NumberSyntax, DecimalTerm } from "../../forms/numeric-temporal-forms.ts";
import { roundedReals } from "../../forms/real-decimals.ts";
import { bindConstant } from "../../statement/parameter-slot.ts";
import {
  convertedForm,
  type Conversion,
  type Mark,
  textMark,
  type Sql,
  type SqlForm,
} from "../../statement/sql-form.ts";
import { UNCACHED } from "./named-once.ts";

/**
 * Decimals of texts, and products and quotients of Decimals in MariaDB. A Decimal has at most 38 fraction digits and nine words of nine digits there,
 * and MariaDB drops further digits without a warning. These expressions fail the statement instead.
 */

/** The most fraction digits of a Decimal. */
export const MOST_SCALE: number = 38;
/** Two factors with at most so many fraction digits, and below this size, have an exact product. */
const PLAIN_SCALE = 19;
const PLAIN_SIZE = sql.raw(`1${"0".repeat(18)}`);
/** Quotients below this size have all their fraction digits. */
const QUOTIENT_SIZE = sql.raw(`1${"0".repeat(35)}`);
/** Gives a dividend as many fraction digits as the quotient may need. */
export const WIDENED: Sql = sql.raw(`0.${"0".repeat(MOST_SCALE)}`);
/** The sum of this integer and a count is out of range, and fails the statement. */
const GREATEST_INTEGER = sql.raw("18446744073709551615");
/** The text of a Decimal that `json_table` would round or clamp. */
const BEYOND_JSON = sql.lit("^-?[0-9]{36}|[.][0-9]{30}[0-9]*[1-9]");

type Compute = (left: DecimalTerm, right: DecimalTerm) => Sql;

/** The forms of unsigned Decimals with at most 35 digits before the point and 30 after it, once the exponent has moved it. */
const EXACT_FORMS = [
  "[0-9]{1,35}([.][0-9]{1,30}0*)?",
  "[0-9]{1,15}([.][0-9]{1,10})?[eE][-+]?0*(1?[0-9]|20)",
  // One digit before the point, as JavaScript writes numbers.
  "[0-9]([.][0-9]{1,30})?[eE][+]?0*([12]?[0-9]|3[0-4])",
  "[0-9]([.][0-9]{1,16})?[eE]-0*([0-9]|1[0-4])",
  "[0-9]([.][0-9]{1,13})?[eE]-0*1[5-7]",
  "[0-9]([.][0-9]{1,7})?[eE]-0*2[0-3]",
  "[0-9]([.][0-9]{1,4})?[eE]-0*2[4-6]",
  "[0-9][eE]-0*(2[7-9]|30)",
] as const;

/** The texts of Decimals that a cast does not change. */
const EXACT_TEXT = sql.lit(`^[-+]?0*(${EXACT_FORMS.join("|")})$`);

/** Converts a text to a Decimal. */
export function decimalOfText(text: Sql): Sql {
  return sql`(case when ${text} regexp ${EXACT_TEXT} then cast(${text} as decimal(65, 30)) else ${failFor(text)} end)`;
}

/** Returns the exact product. */
const multiplyDecimals: Compute = eachOnce(product);

/** Returns the quotient as Edm.Decimal defines it; null for a divisor of zero. */
const divideDecimals: Compute = eachOnce(quotient);

function product({ sql: left }: DecimalTerm, { sql: right }: DecimalTerm): Sql {
  const arePlain = sql.join([left, right].map(isPlainFactor), sql` and `);
  const [first, second] = [leastScale(left), leastScale(right)];
  const words = sql`ceiling((${wholeDigits(left)} + ${wholeDigits(right)}) / 9) + ceiling((${first} + ${second}) / 9)`;
  const isExact = sql`${first} + ${second} <= ${sql.lit(MOST_SCALE)} and ${words} <= 9`;
  const cut = sql`round(${left}, ${first}) * round(${right}, ${second})`;
  const fails = failFor(sql`concat(${left}, ${right})`);
  return sql`(case when ${arePlain} then ${left} * ${right} when ${isExact} then ${cut} else ${fails} end)`;
}

function isPlainFactor(value: Sql): Sql {
  return sql`abs(${value}) < ${PLAIN_SIZE} and ${value} = truncate(${value}, ${sql.lit(PLAIN_SCALE)})`;
}

function quotient(dividend: DecimalTerm, divisor: DecimalTerm): Sql {
  const least = sql.lit(QUOTIENT_SCALE);
  const [first, second] = [scaleOfTerm(dividend), scaleOfTerm(divisor)];
  const scale = sql`if(${first.isShort} and ${second.isShort}, ${least}, greatest(${least}, ${first.scale}, ${second.scale}))`;
  const widened = sql`(${dividend.sql} + ${WIDENED}) / ${divisor.sql}`;
  const isExact = sql`abs(${widened}) < ${QUOTIENT_SIZE} and ${scale} < ${sql.lit(MOST_SCALE)}`;
  const fails = failFor(sql`${dividend.sql} / ${divisor.sql}`);
  return sql`(case when ${isExact} then round(${widened}, ${scale}) else ${fails} end)`;
}

/** Returns the scale of a term, and whether it is at most the least scale of quotients. Trailing zeros of literals count. */
function scaleOfTerm({ sql: value, constant }: DecimalTerm): { readonly scale: Sql; readonly isShort: Sql } {
  const least = sql.lit(QUOTIENT_SCALE);
  if (constant === undefined) {
    return { scale: leastScale(value), isShort: sql`${value} = truncate(${value}, ${least})` };
  }
  const scale = sql`cast(${bindConstant(constant, (bound) => String(scaleOf(String(bound))))} as signed)`;
  return { scale, isShort: sql`${scale} <= ${least}` };
}

/** Returns the number of fraction digits without trailing zeros. */
function leastScale(value: Sql): Sql {
  return sql`char_length(trim(trailing '0' from substring_index(cast(${value} + 0.0 as char), '.', -1)))`;
}

function wholeDigits(value: Sql): Sql {
  return sql`char_length(cast(truncate(abs(${value}), 0) as char))`;
}

/** Fails the statement; null for null. */
export function failFor(value: Sql): Sql {
  return sql`${GREATEST_INTEGER} + char_length(${value})`;
}

/** Writes long terms once. A derived table cannot refer to the outer row, but `json_table` can. */
function eachOnce(make: Compute): Compute {
  return (left, right) => {
    if (left.isShort && right.isShort) return make(left, right);
    const terms = [left, right].map((term, index) => ({ ...term, sql: named("v", index) }) satisfies DecimalTerm);
    const columns = terms.map(({ sql: name }, index) => {
      const path = sql.lit(`$[${String(index)}]`);
      return sql`${name} decimal(65, 30) path ${path}, ${named("t", index)} varchar(80) path ${path}`;
    });
    const table = sql`json_table(json_array(${left.sql}, ${right.sql}), '$' columns(${sql.join(columns)}))`;
    const areRead = terms.map((_term, index) => sql`${named("t", index)} not regexp ${BEYOND_JSON}`);
    const fails = failFor(sql`concat(${named("t", 0)}, ${named("t", 1)})`);
    const [first = left, second = right] = terms;
    const made = sql`(case when ${sql.join(areRead, sql` and `)} then ${make(first, second)} else ${fails} end)`;
    return sql`(select ${made} from ${table} as odata_once ${UNCACHED})`;
  };
}

function named(prefix: string, index: number): Sql {
  return sql.id(`${prefix}${String(index)}`);
}

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
const sortedText = (text: Sql): readonly Sql[] => [sql`cast(${text} as binary)`, notTooLong(text)];
/** An index may serve a column that is known to be short. */
const sortedBytes = (bytes: Sql, maxLength: number = Infinity): readonly Sql[] =>
  maxLength <= SORTED_BYTES ? [bytes] : [bytes, notTooLong(bytes)];

/** Selects the sorted values of rows as text. */
export const MY_MARK: Mark = textMark(myText);

/** The forms of MariaDB and MySQL. */
export const myForms: () => CastForms = once(() => {
  const forms = castForms(
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
  return Object.freeze<CastForms>({ ...forms, single: singleForms(forms.double) });
});

/** In place of an infinite Edm.Single: doubles of MariaDB are finite. */
export const GREATEST_DOUBLE: Sql = sql.raw("1.7976931348623157e308");

/** Forms of a computed Edm.Single: an infinite one is shown, sorted and compared, and fails the statement anywhere else. */
function singleForms(double: SqlForm): SqlForm {
  const finite: Conversion = { form: double, apply: (value) => sql`(${value} * 2e0 * 0.5e0)` };
  const encode = (value: PrimitiveValue): string | null => boundSingle(Number(value));
  const forms = { ...double, floor: encode, ceiling: encode, exact: encode, computable: finite };
  const wider = Object.freeze<SqlForm>({ ...forms, name: "single as double", comparable: finite });
  return Object.freeze<SqlForm>({ ...forms, name: "single", wider });
}

/** Exact arithmetic of MariaDB and MySQL: 65 digits, of which 38 may be fractions. */
export const myNumbers: () => NumberSyntax = once(() =>
  Object.freeze<NumberSyntax>({
    asInteger,
    asDecimal: (value) => value,
    floorDivide: (value, divisor) => sql`floor(cast(${value} as decimal(38, 12)) / ${sql.lit(divisor)})`,
    wholeDivide: (value, divisor) => sql`(${value} div ${sql.lit(divisor)})`,
    literal: (digits) => sql.raw(digits),
    multiplyDecimals,
    divideDecimals,
    decimalOf: (value, isDouble) => asDecimal(isDouble ? sql`cast(${value} as char)` : value),
    calendarPart: (part, days) => sql`${sql.raw(part)}(date '2000-01-01' + interval ${days} day)`,
  }),
);

/** Edm.String as the text of JSON, which drivers would otherwise return as objects. */
export const myJsonText: () => SqlForm = once(() =>
  convertedForm("text of JSON", asText, {
    form: myForms().string,
    apply: (column) => asString(sql`cast(${column} as char character set utf8mb4)`),
  }),
);

/** Edm.Decimal as text. */
export const myTextDecimal: () => SqlForm = once(() =>
  convertedForm("decimal as text", asText, {
    form: myForms().decimal,
    apply: decimalOfText,
  }),
);

/** Edm.Decimal as double. The value of a cell is the shortest Decimal that rounds to it. */
export const myRealDecimal: () => SqlForm = once(() =>
  convertedForm("real decimal", asText, {
    form: myForms().decimal,
    // The shortest decimal notation.
    apply: (operand) => asDecimal(sql`cast(${operand} as char)`),
  }),
);

/** Doubles below this size have all their digits as a Decimal, and greater ones no fraction. */
const ROUNDED_SIZE = sql.raw("1e35");

/** The same under a constant scale. */
export const myRoundedReals: () => (scale: number) => SqlForm = once(() => {
  const rounded = (cell: Sql, scale: number, others: Sql): Sql => {
    const decimal = sql`round(${asDecimal(myDoubleText(cell))}, ${sql.lit(scale)})`;
    return sql`(case when abs(${cell}) < ${ROUNDED_SIZE} then ${decimal} else ${others} end)`;
  };
  const computable = (scale: number): Conversion => ({
    form: myForms().decimal,
    apply: (cell) => rounded(cell, scale, failFor(cell)),
  });
  return roundedReals({
    bind: (double, value) => {
      boundDecimal(value);
      return String(double);
    },
    comparable: computable,
    computable,
    rounded: (cell, scale) => rounded(sql`${cell}`, scale, sql`cast(${cell} as double)`),
    others: { place: (place) => sql`(${place} + 0e0)`, mark: myForms().marks.double },
  });
});

/** Edm.Decimal as an integer: the value times ten to the power of its scale. */
export const myScaledDecimals: () => (scale: number) => SqlForm = once(() =>
  scaledDecimals(myForms().decimal, (cell, unit) => sql`(${cell} * ${sql.raw(unit)})`),
);

/** Rejects Decimals that the database would silently truncate. */
function boundDecimal(value: string): string {
  if (countWholeDigits(value) <= WHOLE_DIGITS && scaleOf(value) <= FRACTION_DIGITS) return value;
  throw protocolError(
    "UnsupportedQueryOption",
    `MariaDB cannot compare Decimals of more than ${String(WHOLE_DIGITS)} digits before and ${String(FRACTION_DIGITS)} after the point.`,
  );
}

/** Rejects the numbers that an infinite Edm.Single would equal. */
function boundSingle(value: number): string | null {
  return boundDouble(Math.abs(value) === Number.MAX_VALUE ? value * Infinity : value);
}

function boundDouble(value: number): string | null {
  if (Number.isNaN(value)) return null;
  if (Number.isFinite(value)) return String(value);
  throw protocolError(
    "UnsupportedQueryOption",
    "MariaDB cannot compare with INF and -INF, because its doubles are finite.",
  );
}
