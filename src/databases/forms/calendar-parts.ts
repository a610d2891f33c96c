import { sql } from "kysely";
import type { Sql } from "../statement/sql-form.ts";
import type { DialectSyntax } from "./dialect-syntax.ts";
import type { NumberSyntax } from "./numeric-temporal-forms.ts";

/** The calendar repeats every 400 years. */
const DAYS_PER_CYCLE = 146_097;
const YEARS_PER_CYCLE = 400;
/** 2000-01-01. */
const CYCLE_START = 10_957;

/** How a database computes with days. */
interface Calendar {
  readonly numbers: NumberSyntax;
  readonly once: DialectSyntax["once"];
}

/** Returns a part of the day that is so many days after 1970-01-01. */
export function dayPart(part: "year" | "month" | "day", days: Sql, numbers: NumberSyntax): Sql {
  return numbers.asInteger(numbers.calendarPart(part, dayOfCycle(days)));
}

function dayOfCycle(days: Sql): Sql {
  return modulo(sql`(${days} - ${sql.lit(CYCLE_START)})`, DAYS_PER_CYCLE);
}

/** Returns the year of that day. */
export function yearOf(days: Sql, { numbers, once }: Calendar): Sql {
  return once(days, (name) => {
    const cycles = numbers.floorDivide(sql`(${name} - ${sql.lit(CYCLE_START)})`, DAYS_PER_CYCLE);
    const year = numbers.calendarPart("year", dayOfCycle(name));
    return numbers.asInteger(sql`(${year} + ${cycles} * ${sql.lit(YEARS_PER_CYCLE)})`);
  });
}

/** Returns the remainder of any number: at least 0 and less than the divisor. */
export function modulo(value: Sql, divisor: number): Sql {
  // The remainder of a negative number is negative.
  return sql`mod(mod(${value}, ${sql.lit(divisor)}) + ${sql.lit(divisor)}, ${sql.lit(divisor)})`;
}
