import { sql } from "kysely";
import type { NumberSyntax } from "../../forms/numeric-temporal-forms.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { namedOnce } from "./syntax.ts";

/** Fraction digits of a quotient. */
const QUOTIENT_DIGITS = 12;
/** Gives a dividend digits for its quotient; one that has no place for them is an error of the statement. */
const WITH_DIGITS = sql.raw(`1.${"0".repeat(30)}`);

/** Exact arithmetic of MariaDB and MySQL: 65 digits, of which 38 may be fractions. */
export const MY_NUMBERS: NumberSyntax = Object.freeze<NumberSyntax>({
  asInteger: (value) => sql`cast(${value} as signed)`,
  asDecimal: (value) => value,
  floorDivide: (value, divisor) => sql`floor(cast(${value} as decimal(38, 12)) / ${sql.lit(divisor)})`,
  wholeDivide: (value, divisor) => sql`(${value} div ${sql.lit(divisor)})`,
  // The remainder of a negative number is one.
  modulo: (value, divisor) => sql`mod(mod(${value}, ${sql.lit(divisor)}) + ${sql.lit(divisor)}, ${sql.lit(divisor)})`,
  floor: (value) => sql`floor(${value})`,
  round: (value, digits) => sql`round(${value}, ${sql.lit(digits)})`,
  // What is beyond becomes the bound, and the bound null, so that the value stands once.
  between: (value, low, high) => {
    const [least, greatest] = [sql.raw(low), sql.raw(high)];
    return sql`nullif(nullif(least(greatest(${value}, ${least}), ${greatest}), ${least}), ${greatest})`;
  },
  divideDecimals: (dividend, divisor) => quotient(dividend, divisor),
  decimalOf: (value, isDouble) =>
    isDouble ? sql`cast(cast(${value} as char) as decimal(65, 30))` : sql`cast(${value} as decimal(65, 30))`,
  calendarPart: (part, days) => sql`${sql.raw(part)}(date '2000-01-01' + interval ${days} day)`,
});

function quotient(dividend: Sql, divisor: Sql): Sql {
  return sql`round(${dividend} * ${WITH_DIGITS} / ${divisor}, ${sql.lit(QUOTIENT_DIGITS)})`;
}

/** Doubles that stand more than once. */
export function doublesOnce(values: readonly Sql[], make: (names: readonly Sql[]) => Sql): Sql {
  return namedOnce(values, "double", make);
}
