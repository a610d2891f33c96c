import { sql } from "kysely";
import { isInteger, type PrimitiveType } from "../../edm/primitive-type.ts";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import { toComputable, type FormedSql, type Sql } from "../statement/sql-form.ts";
import { TOO_LONG } from "./arithmetic.ts";
import { between, type NumberSyntax } from "./numeric-temporal-forms.ts";

/** The kinds of values that have sums. The sum of `integer` has 64 bits; that of `long`, Edm.Int64, is an Edm.Decimal. */
export type SummedKind = "integer" | "long" | "decimal" | "double" | "duration";

/** The total and the average of values of one kind, in the canonical form of the result. Null without any value. */
export interface SummedSyntax {
  readonly sum: (operand: FormedSql) => Sql;
  /** @param digits the fraction digits of a Decimal, which is rounded half away from zero */
  readonly average: (operand: FormedSql, digits: number) => Sql;
}

/** The aggregates of one kind of database. They leave out null operands, and are exact, except for doubles. */
export interface AggregateSyntax {
  readonly summed: Readonly<Record<SummedKind, SummedSyntax>>;
  /** The cell with the least or the greatest key. A cell whose key is null is left out. */
  readonly cellOf: Readonly<Record<"min" | "max", (key: Sql, cell: Sql) => Sql>>;
  /** The end of a derived table that computes values before they are grouped; absent if the database groups any values. */
  readonly computedFirst?: Sql | undefined;
}

/** Returns the kind of the values of a type. @throws Error for a type without sums, which the binder refuses */
export function summedKind(type: PrimitiveType): SummedKind {
  if (isInteger(type)) return type.name === "Edm.Int64" ? "long" : "integer";
  switch (type.name) {
    case "Edm.Decimal":
      return "decimal";
    case "Edm.Single":
    case "Edm.Double":
      return "double";
    case "Edm.Duration":
      return "duration";
    default:
      throw new Error(`Values of ${type.name} have no sum.`);
  }
}

/** The sums of a database that computes with durations as numbers. */
interface CastAggregates extends Omit<AggregateSyntax, "summed"> {
  readonly numbers: NumberSyntax;
  /** Makes a number of an integer column of any type. */
  readonly toNumber: (value: Sql) => Sql;
  readonly toDouble: (value: Sql) => Sql;
  /** Replaces NaN by null, as arithmetic does. */
  readonly sumOfDoubles: (sum: Sql) => Sql;
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
  const doubles = ({ sql: value }: FormedSql): Sql => sumOfDoubles(sql`sum(${toDouble(value)})`);
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
