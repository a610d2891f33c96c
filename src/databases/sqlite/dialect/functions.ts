import { sql } from "kysely";
import type { FunctionName } from "../../../edm/canonical-functions.ts";
import { PRIMITIVE_TYPES } from "../../../edm/primitive-type.ts";
import type { TranslateCall, SqlCall } from "../../forms/dialect-values.ts";
import { argumentAt, operandAt, typeAt } from "../../forms/translate-call.ts";
import type { SqlConstant } from "../../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import { computed, type ConstantOperand } from "../../statement/sql-operand.ts";
import { DECIMAL_FORM, DOUBLE_FORM, INTEGER_FORM } from "./forms.ts";
import { SQLITE_STRING_FUNCTIONS } from "./string-functions.ts";
import { ANY_DATE_FORM, ANY_TIME_FORM, DATE_FORM, digitsOfUtcForm, TIME_FORM } from "./temporal-forms.ts";
import { castInSqlite } from "./type-casts.ts";

/**
 * Parts of dates and times in SQLite. Columns whose strings have a fixed form use `substr`; other operands use functions of
 * the dialect.
 */

const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";
const DATE_LENGTH = 10;
const CLOCK_LENGTH = 8;
/** The position of the time in `YYYY-MM-DDThh:mm:ss`, counted from 1. */
const TIME_START = 12;

/** The position of a part in a timestamp in UTC, counted from 1. */
interface PartPlace {
  readonly start: number;
  readonly length: number;
}

/** Translates `year` and similar functions. */
function partOf(name: Sql, { start, length }: PartPlace): TranslateCall {
  return (call) => {
    const cells = fixedText(call);
    const isTime = typeAt(call, 0).name === "Edm.TimeOfDay";
    const place = isTime ? start - TIME_START + 1 : start;
    const part =
      cells === null
        ? sql`${name}(${argumentAt(call, 0)})`
        : sql`cast(substr(${cells}, ${sql.lit(place)}, ${sql.lit(length)}) as integer)`;
    return computed({ sql: part, form: INTEGER_FORM });
  };
}

const fractionOfSecond: TranslateCall = (call) => {
  const digits = utcDigits(call);
  const operand = operandAt(call, 0);
  if (digits === null || operand.kind === "constant") {
    return computed({ sql: sql`odata_fractional_seconds(${argumentAt(call, 0)})`, form: DECIMAL_FORM });
  }
  const start = TIME_START + CLOCK_LENGTH;
  const length = digits === 0 ? 0 : digits + 1;
  // A cell with fewer digits ends there.
  return computed({
    sql: sql`('0' || rtrim(substr(${operand.sql}, ${sql.lit(start)}, ${sql.lit(length)}), 'Z'))`,
    form: DECIMAL_FORM,
  });
};

const totalSeconds: TranslateCall = (call) =>
  computed({ sql: sql`odata_total_seconds(${argumentAt(call, 0)})`, form: DECIMAL_FORM });

const dateOf: TranslateCall = (call) => {
  const operand = operandAt(call, 0);
  if (utcDigits(call) === null || operand.kind === "constant") {
    return computed({ sql: sql`odata_date(${argumentAt(call, 0)})`, form: ANY_DATE_FORM });
  }
  return computed({ sql: sql`substr(${operand.sql}, 1, ${sql.lit(DATE_LENGTH)})`, form: DATE_FORM });
};

const timeOf: TranslateCall = (call) => {
  const operand = operandAt(call, 0);
  const digits = utcDigits(call);
  if (digits === null || operand.kind === "constant") {
    return computed({ sql: sql`odata_time(${argumentAt(call, 0)})`, form: ANY_TIME_FORM });
  }
  const length = CLOCK_LENGTH + (digits === 0 ? 0 : digits + 1);
  return computed({
    sql: sql`substr(${operand.sql}, ${sql.lit(TIME_START)}, ${sql.lit(length)})`,
    form: ANY_TIME_FORM,
  });
};

const offsetOf: TranslateCall = (call) => {
  const operand = operandAt(call, 0);
  if (utcDigits(call) === null || operand.kind === "constant") {
    return computed({ sql: sql`odata_offset_minutes(${argumentAt(call, 0)})`, form: INTEGER_FORM });
  }
  return computed({ sql: sql`iif(${operand.sql} is null, null, 0)`, form: INTEGER_FORM });
};

const instantNow: TranslateCall = () => instantConstant({ kind: "now" });
const minInstant: TranslateCall = () => instantConstant({ kind: "fixed", value: MIN_DATE_TIME });
const maxInstant: TranslateCall = () => instantConstant({ kind: "fixed", value: MAX_DATE_TIME });

function instantConstant(constant: SqlConstant): ConstantOperand {
  return { kind: "constant", constant, type: PRIMITIVE_TYPES["Edm.DateTimeOffset"] };
}

const FIXED_FORMS: ReadonlySet<SqlForm> = new Set([DATE_FORM, TIME_FORM, ANY_TIME_FORM]);

/** Returns the strings of a first argument whose parts have fixed positions; null for any other. */
function fixedText(call: SqlCall): Sql | null {
  const operand = operandAt(call, 0);
  if (operand.kind === "constant") return null;
  const { form } = operand;
  const isFixed = FIXED_FORMS.has(form) || digitsOfUtcForm(form) !== null;
  return isFixed ? operand.sql : null;
}

/** Returns the fraction digits of a first argument in UTC with a fixed width; null for any other. */
function utcDigits(call: SqlCall): number | null {
  const operand = operandAt(call, 0);
  return operand.kind === "constant" ? null : digitsOfUtcForm(operand.form);
}

/**
 * Rounding in SQLite. The function `round` of SQLite adds a half and truncates, which is wrong for 0.49999999999999994, and
 * does not support Decimals.
 */

const roundOf: TranslateCall = (call) => {
  const bankers = sql.lit(call.roundingMode === "BankersRounding" ? 1 : 0);
  const argument = argumentAt(call, 0);
  return call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_round(${argument}, ${bankers})`, form: DECIMAL_FORM })
    : computed({ sql: sql`odata_double_round(${argument}, ${bankers})`, form: DOUBLE_FORM });
};

const floorOf: TranslateCall = (call) =>
  call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_floor(${argumentAt(call, 0)})`, form: DECIMAL_FORM })
    : computed({ sql: sql`floor(${argumentAt(call, 0)})`, form: DOUBLE_FORM });

const ceilingOf: TranslateCall = (call) =>
  call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_ceiling(${argumentAt(call, 0)})`, form: DECIMAL_FORM })
    : computed({ sql: sql`ceil(${argumentAt(call, 0)})`, form: DOUBLE_FORM });

/**
 * The SQL of canonical functions in SQLite, with the functions of `sqliteDialect`.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const SQLITE_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  ...SQLITE_STRING_FUNCTIONS,
  year: partOf(sql`odata_year`, { start: 1, length: 4 }),
  month: partOf(sql`odata_month`, { start: 6, length: 2 }),
  day: partOf(sql`odata_day`, { start: 9, length: 2 }),
  hour: partOf(sql`odata_hour`, { start: 12, length: 2 }),
  minute: partOf(sql`odata_minute`, { start: 15, length: 2 }),
  second: partOf(sql`odata_second`, { start: 18, length: 2 }),
  fractionalseconds: fractionOfSecond,
  totalseconds: totalSeconds,
  date: dateOf,
  time: timeOf,
  totaloffsetminutes: offsetOf,
  now: instantNow,
  mindatetime: minInstant,
  maxdatetime: maxInstant,
  round: roundOf,
  floor: floorOf,
  ceiling: ceilingOf,
  cast: castInSqlite,
};

/** The same functions for statements that no index on `odata_lower` or `odata_upper` serves. */
export const SQLITE_UNINDEXED_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  ...SQLITE_FUNCTIONS,
  tolower: unindexed(SQLITE_STRING_FUNCTIONS.tolower),
  toupper: unindexed(SQLITE_STRING_FUNCTIONS.toupper),
};

function unindexed(translate: TranslateCall): TranslateCall {
  return (call) => {
    const operand = translate(call);
    if (operand.kind !== "row" || operand.unindexed === undefined) return operand;
    return { ...operand, sql: operand.unindexed, unindexed: undefined };
  };
}
