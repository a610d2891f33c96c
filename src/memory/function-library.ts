import { datePartOf, timePartOf, totalOffsetMinutesOf } from "../edm/date-time-offset.ts";
import { dayOf, monthOf, yearOf } from "../edm/date.ts";
import { totalSecondsOf } from "../edm/duration.ts";
import { fractionalSecondsOf, hourOf, minuteOf, secondOf } from "../edm/time-of-day.ts";
import type { FunctionName } from "../query/functions.ts";
import { ofText, ofTwoTexts, type CompileCall } from "./compile-call.ts";
import { compileCeiling, compileFloor, compileRound } from "./round.ts";
import { compileSubstring, indexOf, lengthOf } from "./string-functions.ts";

/** The results of `mindatetime()` and `maxdatetime()`. */
const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";

/**
 * One implementation per canonical function; null when an argument is null.
 * - Strings are compared code point by code point, so case counts. `tolower` and `toupper` use Unicode's full case
 *   mapping without a language (`ß` becomes `SS`); `trim` removes Unicode white space, line ends and the byte order
 *   mark. Characters are code points.
 * - Parts of a timestamp are in its own offset. `fractionalseconds` and `totalseconds` are exact Decimals.
 * - `now()` is the same for the whole execution of a query.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const FUNCTION_LIBRARY: Readonly<Record<FunctionName, CompileCall>> = {
  contains: ofTwoTexts((text, part) => text.includes(part)),
  startswith: ofTwoTexts((text, part) => text.startsWith(part)),
  endswith: ofTwoTexts((text, part) => text.endsWith(part)),
  length: ofText(lengthOf),
  indexof: ofTwoTexts(indexOf),
  substring: compileSubstring,
  tolower: ofText((text) => text.toLowerCase()),
  toupper: ofText((text) => text.toUpperCase()),
  trim: ofText((text) => text.trim()),
  concat: ofTwoTexts((first, second) => first + second),
  year: ofText(yearOf),
  month: ofText(monthOf),
  day: ofText(dayOf),
  hour: ofText(hourOf),
  minute: ofText(minuteOf),
  second: ofText(secondOf),
  fractionalseconds: ofText(fractionalSecondsOf),
  totalseconds: ofText(totalSecondsOf),
  date: ofText(datePartOf),
  time: ofText(timePartOf),
  totaloffsetminutes: ofText(totalOffsetMinutesOf),
  now: () => (_entity, evaluation) => evaluation.now,
  mindatetime: () => () => MIN_DATE_TIME,
  maxdatetime: () => () => MAX_DATE_TIME,
  round: compileRound,
  floor: compileFloor,
  ceiling: compileCeiling,
};
