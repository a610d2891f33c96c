import { sql } from "kysely";
import { SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { DialectSyntax, SqlCall, TranslateCall } from "../dialects/dialect-profile.ts";
import { modulo, toDays, type NumberSyntax, type NumericTemporalForms } from "../forms/numeric-temporal-forms.ts";
import type { SqlConstant } from "../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { computed, type ConstantOperand } from "../statement/sql-operand.ts";
import { argumentAt, operandAt, typeAt } from "./translate-call.ts";

const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";
/** The calendar repeats every 400 years. */
const DAYS_PER_CYCLE = 146_097;
const YEARS_PER_CYCLE = 400;
/** 2000-01-01. */
const CYCLE_START = 10_957;

/** The temporal functions of a database that computes with temporal values as numbers. */
export type TemporalFunctions = Readonly<
  Record<
    | "year"
    | "month"
    | "day"
    | "hour"
    | "minute"
    | "second"
    | "fractionalseconds"
    | "totalseconds"
    | "date"
    | "time"
    | "totaloffsetminutes"
    | "now"
    | "mindatetime"
    | "maxdatetime",
    TranslateCall
  >
>;

/** The syntax and the forms that the functions use. */
export interface NumericTemporals {
  readonly numbers: NumberSyntax;
  readonly forms: NumericTemporalForms;
  readonly once: DialectSyntax["once"];
  /** The form of Decimals, and of integers. */
  readonly decimal: SqlForm;
  readonly integer: SqlForm;
}

/**
 * Makes the functions. Parts of a timestamp are local to its offset.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export function numericTemporalFunctions(made: NumericTemporals): TemporalFunctions {
  const { numbers, forms, decimal, integer } = made;
  const clockPart = (part: (seconds: Sql) => Sql): TranslateCall => {
    return (call) => computed({ sql: numbers.asInteger(part(wholeClockOf(call))), form: integer });
  };
  return {
    year: (call) => computed({ sql: yearOf(daysOf(call, made), made), form: integer }),
    month: (call) => computed({ sql: dayPart("month", daysOf(call, made), numbers), form: integer }),
    day: (call) => computed({ sql: dayPart("day", daysOf(call, made), numbers), form: integer }),
    hour: clockPart((seconds) => numbers.wholeDivide(seconds, 3600)),
    minute: clockPart((seconds) => numbers.wholeDivide(modulo(seconds, 3600), 60)),
    second: clockPart((seconds) => modulo(seconds, 60)),
    fractionalseconds: (call) => computed({ sql: modulo(argumentAt(call, 0), 1), form: decimal }),
    totalseconds: (call) => computed({ sql: argumentAt(call, 0), form: decimal }),
    date: (call) => computed({ sql: daysOf(call, made), form: forms.days }),
    time: (call) => computed({ sql: modulo(localSeconds(call), SECONDS_PER_DAY), form: forms.clock }),
    totaloffsetminutes: (call) => {
      const offset = offsetOf(call);
      if (offset !== undefined) {
        // Must be null if the timestamp is, even if its offset is known.
        const known = sql`(case when ${argumentAt(call, 0)} is not null then ${numbers.asInteger(offset)} end)`;
        return computed({ sql: known, form: integer });
      }
      return computed({ sql: numbers.asInteger(sql`(${argumentAt(call, 0)} * 0)`), form: integer });
    },
    now: () => instantConstant({ kind: "now" }),
    mindatetime: () => instantConstant({ kind: "fixed", value: MIN_DATE_TIME }),
    maxdatetime: () => instantConstant({ kind: "fixed", value: MAX_DATE_TIME }),
  };
}

function instantConstant(constant: SqlConstant): ConstantOperand {
  return { kind: "constant", constant, type: PRIMITIVE_TYPES["Edm.DateTimeOffset"] };
}

function offsetOf(call: SqlCall): Sql | undefined {
  return call.values.offsetOf?.(operandAt(call, 0), typeAt(call, 0));
}

/** Returns the local seconds of a timestamp, at its offset. */
function localSeconds(call: SqlCall): Sql {
  const offset = offsetOf(call);
  const seconds = argumentAt(call, 0);
  return offset === undefined ? seconds : sql`(${seconds} + ${offset} * 60)`;
}

/** Returns the day of a date or a timestamp. */
function daysOf(call: SqlCall, { numbers }: NumericTemporals): Sql {
  if (typeAt(call, 0).name === "Edm.Date") return argumentAt(call, 0);
  return toDays(localSeconds(call), numbers);
}

/** Returns the whole seconds since midnight of a time or a timestamp. */
function wholeClockOf(call: SqlCall): Sql {
  if (typeAt(call, 0).name === "Edm.TimeOfDay") return sql`floor(${argumentAt(call, 0)})`;
  return modulo(sql`floor(${localSeconds(call)})`, SECONDS_PER_DAY);
}

function dayPart(part: "year" | "month" | "day", days: Sql, numbers: NumberSyntax): Sql {
  return numbers.asInteger(numbers.calendarPart(part, dayOfCycle(days)));
}

function dayOfCycle(days: Sql): Sql {
  return modulo(sql`(${days} - ${sql.lit(CYCLE_START)})`, DAYS_PER_CYCLE);
}

function yearOf(days: Sql, { numbers, once }: NumericTemporals): Sql {
  return once(days, (name) => {
    const cycles = numbers.floorDivide(sql`(${name} - ${sql.lit(CYCLE_START)})`, DAYS_PER_CYCLE);
    const year = numbers.calendarPart("year", dayOfCycle(name));
    return numbers.asInteger(sql`(${year} + ${cycles} * ${sql.lit(YEARS_PER_CYCLE)})`);
  });
}
