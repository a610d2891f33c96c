import { sql } from "kysely";
import { MAX_YEAR, SECONDS_PER_DAY, toEpochDays } from "../../edm/calendar.ts";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import type { ArithmeticOperator } from "../../query/expression.ts";
import type { Term } from "../dialects/dialect-profile.ts";
import type { NumberSyntax, NumericTemporalForms } from "../forms/numeric-temporal-forms.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { computed, type RowOperand } from "../statement/sql-operand.ts";

/** The days next to those that a Date may be. */
const DAY_BEFORE_ALL = toEpochDays(-MAX_YEAR, 1, 1) - 1;
const DAY_BEHIND_ALL = toEpochDays(MAX_YEAR, 12, 31) + 1;
/** A duration is shorter than that. */
const TOO_LONG = 2n ** 53n;

/**
 * Arithmetic on temporal values as exact numbers; null when a term is null, and when the result is out of range.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function computeTemporal(
  operator: ArithmeticOperator,
  left: Term,
  right: Term,
  { numbers, forms }: { readonly numbers: NumberSyntax; readonly forms: NumericTemporalForms },
): RowOperand {
  const instant = (value: Sql): RowOperand => ({
    ...withinRange(numbers, value, forms.epoch, DAY_BEFORE_ALL * SECONDS_PER_DAY, DAY_BEHIND_ALL * SECONDS_PER_DAY),
    offset: left.offset,
  });
  const date = (value: Sql): RowOperand => withinRange(numbers, value, forms.days, DAY_BEFORE_ALL, DAY_BEHIND_ALL);
  const duration = (value: Sql): RowOperand => withinRange(numbers, value, forms.seconds, -TOO_LONG, TOO_LONG);
  const [first, second] = [left.sql, right.sql];
  const daysOf = (seconds: Sql): Sql => numbers.asInteger(numbers.floorDivide(numbers.floor(seconds), SECONDS_PER_DAY));
  switch (`${left.type.name} ${operator} ${right.type.name}`) {
    case "Edm.DateTimeOffset add Edm.Duration":
      return instant(sql`(${first} + ${second})`);
    case "Edm.DateTimeOffset sub Edm.Duration":
      return instant(sql`(${first} - ${second})`);
    case "Edm.DateTimeOffset sub Edm.DateTimeOffset":
    case "Edm.Duration sub Edm.Duration":
      return duration(sql`(${first} - ${second})`);
    case "Edm.Duration add Edm.Duration":
      return duration(sql`(${first} + ${second})`);
    case "Edm.Date add Edm.Duration":
      return date(sql`(${first} + ${daysOf(second)})`);
    case "Edm.Date sub Edm.Duration":
      return date(sql`(${first} + ${daysOf(sql`(- ${second})`)})`);
    case "Edm.Date sub Edm.Date":
      return computed({ sql: sql`(${numbers.asDecimal(sql`(${first} - ${second})`)} * 86400)`, form: forms.seconds });
    default:
  }
  const { name } = right.type;
  const factor = numbers.decimalOf(second, name === "Edm.Double" || name === "Edm.Single");
  switch (`${left.type.name} ${operator}`) {
    case "Edm.Duration mul":
      return duration(numbers.round(sql`(${first} * ${factor})`, MAX_FRACTION_DIGITS));
    case "Edm.Duration div": {
      const quotient = numbers.divideDecimals(first, factor, left.isShort && right.isShort);
      return duration(numbers.round(quotient, MAX_FRACTION_DIGITS));
    }
    default:
      throw new Error(`There is no arithmetic "${left.type.name} ${operator} ${name}".`);
  }
}

function withinRange(
  { between }: NumberSyntax,
  value: Sql,
  form: SqlForm,
  low: number | bigint,
  high: number | bigint,
): RowOperand {
  return computed({ sql: between(value, String(low), String(high)), form });
}
