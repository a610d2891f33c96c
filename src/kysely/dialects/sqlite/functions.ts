import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { argumentAt } from "../../functions/translate-call.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { TranslateCall } from "../dialect-profile.ts";
import { DECIMAL_FORM } from "./decimal-forms.ts";
import { DOUBLE_FORM } from "./forms.ts";
import {
  concat,
  contains,
  endsWith,
  indexOf,
  length,
  startsWith,
  substring,
  toLower,
  toUpper,
  trim,
} from "./string-functions.ts";
import {
  dateOf,
  fractionOfSecond,
  instantNow,
  maxInstant,
  minInstant,
  offsetOf,
  partOf,
  timeOf,
  totalSeconds,
} from "./temporal-functions.ts";

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
  contains,
  startswith: startsWith,
  endswith: endsWith,
  length,
  indexof: indexOf,
  substring,
  tolower: toLower,
  toupper: toUpper,
  trim,
  concat,
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
};

/** The same functions for statements that no index on `odata_lower` or `odata_upper` serves. */
export const SQLITE_UNINDEXED_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  ...SQLITE_FUNCTIONS,
  tolower: unindexed(toLower),
  toupper: unindexed(toUpper),
};

function unindexed(translate: TranslateCall): TranslateCall {
  return (call) => {
    const operand = translate(call);
    if (operand.kind !== "row" || operand.unindexed === undefined) return operand;
    return { ...operand, sql: operand.unindexed, unindexed: undefined };
  };
}
