import { sql } from "kysely";
import type { NumberSyntax } from "../../forms/numeric-temporal-forms.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { PG_SYNTAX } from "./syntax.ts";

/** Fraction digits that a quotient has at least. */
const QUOTIENT_DIGITS = 12;

/** Exact arithmetic of PostgreSQL: its numeric has as many digits as a value needs. */
export const PG_NUMBERS: NumberSyntax = Object.freeze<NumberSyntax>({
  asInteger: (value) => sql`${value}::int8`,
  asDecimal: (value) => sql`${value}::numeric`,
  floorDivide: (value, divisor) => sql`floor(${value} / ${sql.lit(divisor)}::numeric)`,
  wholeDivide: (value, divisor) => sql`div(${value}, ${sql.lit(divisor)})`,
  // The remainder of a negative number is one.
  modulo: (value, divisor) => sql`mod(mod(${value}, ${sql.lit(divisor)}) + ${sql.lit(divisor)}, ${sql.lit(divisor)})`,
  floor: (value) => sql`floor(${value})`,
  round: (value, digits) => sql`round(${value}, ${sql.lit(digits)})`,
  // What is beyond becomes the bound, and the bound null, so that the value stands once.
  between: (value, low, high) => {
    const [least, greatest] = [sql`${sql.raw(low)}::numeric`, sql`${sql.raw(high)}::numeric`];
    return sql`nullif(nullif(least(greatest(${value}, ${least}), ${greatest}), ${least}), ${greatest})`;
  },
  divideDecimals,
  decimalOf: (value, isDouble) =>
    isDouble ? sql`nullif(nullif(${value}::text, 'Infinity'), '-Infinity')::numeric` : sql`${value}::numeric`,
  calendarPart: (part, days) => sql`extract(${sql.raw(part)} from date '2000-01-01' + (${days})::int)`,
});

/**
 * The quotient rounded half away from zero to twelve digits, or to as many as the operand with the greater scale has,
 * without zeros at its end. It is cut one digit behind, which decides on the rounding as all digits would.
 */
function divideDecimals(dividend: Sql, divisor: Sql, areShort: boolean): Sql {
  if (areShort) return quotient(dividend, divisor);
  return PG_SYNTAX.once(sql`array[${dividend}, ${divisor}]`, (pair) => quotient(sql`${pair}[1]`, sql`${pair}[2]`));
}

function quotient(dividend: Sql, divisor: Sql): Sql {
  const digits = sql`greatest(${sql.lit(QUOTIENT_DIGITS)}, scale(${dividend}), scale(${divisor}))`;
  const cut = sql`div(${dividend} * power(10::numeric, ${digits} + 1), nullif(${divisor}, 0))`;
  return sql`trim_scale(round(${cut} * power(0.1::numeric, ${digits} + 1), ${digits}))`;
}
