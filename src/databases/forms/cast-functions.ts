import { sql } from "kysely";
import { SECONDS_PER_DAY } from "../../edm/calendar.ts";
import type { FunctionName } from "../../edm/canonical-functions.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { bindConstant, type SqlConstant } from "../statement/parameter-slot.ts";
import type { CalendarPart, Sql, SqlForm } from "../statement/sql-form.ts";
import { computed, type JoinedText, type ConstantOperand } from "../statement/sql-operand.ts";
import { dayPart, modulo, yearOf } from "./calendar-parts.ts";
import type { CastForms } from "./cast-forms.ts";
import type { DialectSyntax } from "./dialect-syntax.ts";
import type { SqlCall, TranslateCall } from "./dialect-values.ts";
import { type NumberSyntax, toDays, type NumericTemporalForms } from "./numeric-temporal-forms.ts";
import { argumentAt, constantAt, joinedTexts, operandAt, typeAt } from "./translate-call.ts";

/** A position or length beyond any text. */
const FAR = 2_147_483_646;

/** The SQL of functions in a database that casts bound values. */
interface FunctionSyntax {
  readonly forms: CastForms;
  readonly numbers: NumberSyntax;
  readonly once: DialectSyntax["once"];
  /** Returns the position of a part in a text, counted from 1; 0 if it is not found. */
  readonly position: (text: Sql, part: Sql) => Sql;
  /** Converts a count of characters to the form of integers. */
  readonly asCount: (count: Sql) => Sql;
  /** Makes the result of a function compare by code point. */
  readonly byCodePoint: (text: Sql) => Sql;
  readonly substringOf: (text: Sql, startAndLength: Sql) => Sql;
  readonly lower: (text: Sql) => Sql;
  readonly upper: (text: Sql) => Sql;
  readonly trim: (text: Sql) => Sql;
  readonly concat: (texts: readonly JoinedText[]) => Sql;
  readonly boundCount: (place: Sql) => Sql;
  /** Limits a number of characters to the range from 0 to a limit; null for null. */
  readonly clamped: (value: Sql, limit: Sql) => Sql;
  /** Rounds a double half away from zero, exactly: adding 0.5 would be wrong for 0.49999999999999994. */
  readonly roundDouble: (value: Sql) => Sql;
  readonly ceiling: Sql;
}

/**
 * Makes the SQL of all canonical functions except `startswith`, which uses indexes in different ways, and `cast`. Characters are code
 * points, comparisons are case-sensitive, and `%` and `_` have no special meaning.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export function castFunctions(
  syntax: FunctionSyntax,
): Readonly<Record<Exclude<FunctionName, "startswith" | "cast">, TranslateCall>> {
  const { forms, numbers, once, position, asCount, byCodePoint } = syntax;
  const text = (make: (...parts: readonly Sql[]) => Sql): TranslateCall =>
    from(forms.string, (...parts) => byCodePoint(make(...parts)));
  return {
    contains: from(forms.boolean, (value, part) => sql`(${position(value, part)} > 0)`),
    endswith: from(forms.boolean, (value, part) => sql`(right(${value}, char_length(${part})) = ${part})`),
    length: from(forms.integer, (value) => asCount(sql`char_length(${value})`)),
    indexof: from(forms.integer, (value, part) => asCount(sql`(${position(value, part)} - 1)`)),
    // A negative start counts as 0, a negative length as 0.
    substring: (call) => {
      const length = call.operands.length > 2 ? sql`, ${clampedAt(call, 2, syntax)}` : sql``;
      const places = sql`(${clampedAt(call, 1, syntax)} + 1)${length}`;
      return computed({ sql: syntax.substringOf(argumentAt(call, 0), places), form: forms.string });
    },
    tolower: text(syntax.lower),
    toupper: text(syntax.upper),
    trim: text(syntax.trim),
    concat: (call) => {
      const joined = joinedTexts(call);
      return { ...computed({ sql: byCodePoint(syntax.concat(joined)), form: forms.string }), joined };
    },
    ...numericTemporalFunctions({
      numbers,
      forms: forms.temporal,
      once,
      decimal: forms.decimal,
      integer: forms.integer,
    }),
    round: roundOf(syntax),
    floor: whole(sql`floor`, forms),
    ceiling: whole(syntax.ceiling, forms),
  };
}

/** Makes a translation from the arguments. */
function from(form: SqlForm, make: (...parts: readonly Sql[]) => Sql): TranslateCall {
  return (call) => {
    const parts = call.operands.map((_operand, index) => argumentAt(call, index));
    return computed({ sql: make(...parts), form });
  };
}

/** Returns an integer argument, limited to the range from 0 to FAR. */
function clampedAt(call: SqlCall, index: number, { boundCount, clamped }: FunctionSyntax): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) return clamped(argumentAt(call, index), sql.lit(FAR));
  return boundCount(bindConstant(constant, (value) => String(Math.min(Math.max(Number(value), 0), FAR))));
}

function roundOf({ forms, once, roundDouble }: FunctionSyntax): TranslateCall {
  return (call) => {
    const value = argumentAt(call, 0);
    const isBankers = call.roundingMode === "BankersRounding";
    if (call.expression.type.name === "Edm.Decimal") {
      return computed({ sql: isBankers ? roundToEven(value, once) : sql`round(${value})`, form: forms.decimal });
    }
    // The function of the database rounds doubles to even.
    return computed({ sql: isBankers ? sql`round(${value})` : roundDouble(value), form: forms.double });
  };
}

function roundToEven(value: Sql, once: DialectSyntax["once"]): Sql {
  return once(value, (name) => {
    const isOdd = sql`mod(abs(${name}), 1) = 0.5 and mod(round(${name}), 2) <> 0`;
    return sql`round(${name}) - case when ${isOdd} then sign(${name}) else 0 end`;
  });
}

function whole(name: Sql, { decimal, double }: CastForms): TranslateCall {
  return (call) =>
    computed({
      sql: sql`${name}(${argumentAt(call, 0)})`,
      form: call.expression.type.name === "Edm.Decimal" ? decimal : double,
    });
}

const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";

/** The temporal functions of a database that computes with temporal values as numbers. */
type TemporalFunctions = Readonly<
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
interface NumericTemporals {
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
function numericTemporalFunctions(made: NumericTemporals): TemporalFunctions {
  const { numbers, forms, decimal, integer } = made;
  const part = (name: CalendarPart, compute: (call: SqlCall) => Sql): TranslateCall => {
    return (call) => computed({ sql: storedPart(name, call) ?? compute(call), form: integer });
  };
  const clockPart = (name: CalendarPart, compute: (seconds: Sql) => Sql): TranslateCall =>
    part(name, (call) => numbers.asInteger(compute(wholeClockOf(call))));
  return {
    year: part("year", (call) => yearOf(daysOf(call, made), made)),
    month: part("month", (call) => dayPart("month", daysOf(call, made), numbers)),
    day: part("day", (call) => dayPart("day", daysOf(call, made), numbers)),
    hour: clockPart("hour", (seconds) => numbers.wholeDivide(seconds, 3600)),
    minute: clockPart("minute", (seconds) => numbers.wholeDivide(modulo(seconds, 3600), 60)),
    second: clockPart("second", (seconds) => modulo(seconds, 60)),
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

/** Returns a part of a stored date or timestamp that the database reads itself; undefined for others. */
function storedPart(name: CalendarPart, call: SqlCall): Sql | undefined {
  const operand = operandAt(call, 0);
  if (operand.kind !== "row" || offsetOf(call) !== undefined) return undefined;
  return operand.form.part?.(name, operand.sql);
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
