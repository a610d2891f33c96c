import { sql } from "kysely";
import { scaleOf } from "../../../edm/decimal.ts";
import { QUOTIENT_SCALE } from "../../../edm/scaled-decimal.ts";
import type { DecimalTerm } from "../../forms/numeric-temporal-forms.ts";
import { bindConstant } from "../../statement/parameter-slot.ts";
import type { Sql } from "../../statement/sql-form.ts";

/**
 * Decimals of texts, and products and quotients of Decimals in MariaDB. A Decimal has at most 38 fraction digits and nine words of nine digits there,
 * and MariaDB drops further digits without a warning. These expressions fail the statement instead.
 */

/** The most fraction digits of a Decimal. */
const MOST_SCALE = 38;
/** Two factors with at most so many fraction digits, and below this size, have an exact product. */
const PLAIN_SCALE = 19;
const PLAIN_SIZE = sql.raw(`1${"0".repeat(18)}`);
/** Quotients below this size have all their fraction digits. */
const QUOTIENT_SIZE = sql.raw(`1${"0".repeat(35)}`);
/** Gives a dividend as many fraction digits as the quotient may need. */
const WIDENED = sql.raw(`0.${"0".repeat(MOST_SCALE)}`);
/** Its sum with a count is out of range, and fails the statement. */
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
export const multiplyDecimals: Compute = eachOnce(product);

/** Returns the quotient as Edm.Decimal defines it; null for a divisor of zero. */
export const divideDecimals: Compute = eachOnce(quotient);

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
function failFor(value: Sql): Sql {
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
    return sql`(select ${made} from ${table} as odata_once)`;
  };
}

function named(prefix: string, index: number): Sql {
  return sql.id(`${prefix}${String(index)}`);
}
