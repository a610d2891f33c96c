import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import type { TranslateCall } from "../dialect-profile.ts";
import { ceilingOf, floorOf, roundOf } from "./number-functions.ts";
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
 * One SQL form per canonical function, for SQLite with the functions of `sqliteDialect`.
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
