import { sql } from "kysely";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import { toComputable, type FormedSql, type Sql } from "../statement/sql-form.ts";
import type { AggregateSyntax } from "./aggregate-syntax.ts";
import { TOO_LONG } from "./arithmetic.ts";
import { between, type NumberSyntax } from "./numeric-temporal-forms.ts";

/** The sums of a database that computes with durations as numbers. */
interface CastAggregates extends Omit<AggregateSyntax, "summed"> {
  readonly numbers: NumberSyntax;
  /** Makes a number of an integer column of any type. */
  readonly toNumber: (value: Sql) => Sql;
  readonly toDouble: (value: Sql) => Sql;
  /** Replaces NaN by null, as arithmetic does, or fails for a sum that the database cannot compute. */
  readonly sumOfDoubles: (sum: Sql, value: Sql) => Sql;
  /** Divides an exact sum, and rounds half away from zero to so many digits; null for a divisor of zero. */
  readonly quotient: (sum: Sql, count: Sql, digits: number) => Sql;
}

/** Makes the aggregates of a database whose sums of exact numbers are exact. */
export function castAggregates({
  numbers,
  toNumber,
  toDouble,
  sumOfDoubles,
  quotient,
  ...others
}: CastAggregates): AggregateSyntax {
  const total = (operand: FormedSql): Sql => sql`sum(${toComputable(operand).sql})`;
  const count = ({ sql: value }: FormedSql): Sql => sql`count(${value})`;
  const whole = ({ sql: value }: FormedSql): Sql => sql`sum(${toNumber(value)})`;
  const doubles = ({ sql: value }: FormedSql): Sql => sumOfDoubles(sql`sum(${toDouble(value)})`, value);
  const meanOfWhole = (operand: FormedSql): Sql => sql`(${toDouble(whole(operand))} / ${count(operand)})`;
  const duration = (seconds: Sql): Sql => between(seconds, String(-TOO_LONG), String(TOO_LONG), numbers);
  return Object.freeze<AggregateSyntax>({
    ...others,
    summed: {
      integer: { sum: (operand) => numbers.asInteger(whole(operand)), average: meanOfWhole },
      long: { sum: (operand) => numbers.asDecimal(whole(operand)), average: meanOfWhole },
      double: { sum: doubles, average: (operand) => sql`(${doubles(operand)} / ${count(operand)})` },
      decimal: {
        sum: (operand) => numbers.asDecimal(total(operand)),
        average: (operand, digits) => quotient(numbers.asDecimal(total(operand)), count(operand), digits),
      },
      duration: {
        sum: (operand) => duration(total(operand)),
        average: (operand) => duration(quotient(total(operand), count(operand), MAX_FRACTION_DIGITS)),
      },
    },
  });
}
