import { sql } from "kysely";
import { SECONDS_PER_DAY } from "../../../edm/calendar.ts";
import { fractionOf, dateToEpochDays, isFourDigitYear } from "../../../edm/date-time-offset.ts";
import { asText } from "../../../edm/value-codec.ts";
import {
  BEFORE_ALL_TEXTS,
  BEHIND_ALL_TEXTS,
  MAX_PRECISION,
  roundedUp,
  toDurationKey,
  toInstant,
  toInstantKey,
  writeInstant,
  type Instant,
} from "../../cells/instant.ts";
import { plainForm, type Conversion, type Encode, type Sql, type SqlForm } from "../../statement/sql-form.ts";

const DATE_LENGTH = 10;
const MINUTES_LENGTH = 5;
const CLOCK_LENGTH = 8;
/** The length of `hh:mm:ss` and twelve digits. */
const TIME_KEY_LENGTH = 20;
const UTC = /Z$/;
const ZEROS = "0".repeat(MAX_PRECISION);

const DATE_KEY_FORM: SqlForm = plainForm("days", (value) => BigInt(dateToEpochDays(asText(value))));
/** To days since 1970. */
export const TO_DATE_KEY: Conversion = { form: DATE_KEY_FORM, apply: (operand) => sql`odata_date_key(${operand})` };

/** Edm.Date of any year as text: the result of functions and arithmetic. */
export const ANY_DATE_FORM: SqlForm = plainForm("date of any year", asText, {
  sortable: TO_DATE_KEY,
  comparable: TO_DATE_KEY,
});

/** Edm.Date of the years 0 to 9999 as text. Dates of other years are equal to their texts, but not in their order. */
export const DATE_FORM: SqlForm = plainForm("date", (value) => writtenDate(asText(value)), {
  exact: asText,
  comparable: TO_DATE_KEY,
  computable: { form: ANY_DATE_FORM, apply: (operand) => operand },
});

const TIME_KEY_FORM: SqlForm = plainForm("time key", (value) => timeKey(asText(value)));

const TO_TIME_KEY: Conversion = {
  form: TIME_KEY_FORM,
  apply: (operand) => sql`substr(replace(${operand}, '.', '') || ${sql.lit(ZEROS)}, 1, ${sql.lit(TIME_KEY_LENGTH)})`,
};

/** Edm.TimeOfDay as text with any number of fraction digits, outside of columns: `10:00:00` equals `10:00:00.0`. */
export const ANY_TIME_FORM: SqlForm = plainForm("time of any width", asText, {
  sortable: TO_TIME_KEY,
  comparable: TO_TIME_KEY,
});

/**
 * Edm.TimeOfDay in a column, whose index serves comparisons and orders. The equal strings are those from the one without
 * trailing zeros, and without seconds if they are zero, to the one with the most.
 */
export const TIME_FORM: SqlForm = Object.freeze<SqlForm>({
  name: "time",
  floor: (value) => longestTime(asText(value)),
  ceiling: (value) => shortestTime(asText(value)),
  exact: null,
  mayBeNull: false,
  comparable: TO_TIME_KEY,
  computable: { form: ANY_TIME_FORM, apply: (operand) => operand },
});

const INSTANT_KEY_FORM: SqlForm = plainForm("instant key", (value) => toInstantKey(asText(value)));

/** Edm.DateTimeOffset as text with any offset: the form of functions and arithmetic. */
export const INSTANT_FORM: SqlForm = plainForm("instant", asText, {
  sortable: instantKey((operand) => operand),
  comparable: instantKey((operand) => operand),
});

/** Edm.Date as the timestamp of its midnight in UTC. */
export const MIDNIGHT_FORM: SqlForm = Object.freeze<SqlForm>({
  name: "midnight",
  floor: (value) => dayOf(toInstant(asText(value))),
  ceiling: (value) => dayOf(nextDay(toInstant(asText(value)))),
  exact: (value) => {
    const instant = toInstant(asText(value));
    return isMidnight(instant) ? dayOf(instant) : BEFORE_ALL_TEXTS;
  },
  mayBeNull: false,
  comparable: instantKey((operand) => sql`(${operand} || 'T00:00:00Z')`),
  computable: { form: INSTANT_FORM, apply: (operand) => sql`(${operand} || 'T00:00:00Z')` },
});

/** Edm.DateTimeOffset as text in UTC with a fixed number of fraction digits, so that strings sort by time. */
export function utcForm(digits: number): SqlForm {
  return UTC_FORMS[digits] ?? makeUtcForm(digits);
}

function makeUtcForm(digits: number): SqlForm {
  const write = (instant: Instant): string =>
    writeInstant(instant, digits) ?? (instant.seconds < 0 ? BEFORE_ALL_TEXTS : BEHIND_ALL_TEXTS);
  const form = instantForm(`UTC of ${digits} digits`, digits, write, BEFORE_ALL_TEXTS, (operand) => operand);
  const length = "0000-00-00T00:00:00Z".length + (digits === 0 ? 0 : digits + 1);
  // Most values are written as the column stores them.
  const isCell = (text: string): boolean => text.length === length && text.endsWith("Z") && isFourDigitYear(text);
  const unlessCell =
    (encode: Encode): Encode =>
    (value) => {
      const text = asText(value);
      return isCell(text) ? text : encode(value);
    };
  const [floor, ceiling] = [unlessCell(form.floor), unlessCell(form.ceiling)];
  return Object.freeze<SqlForm>({ ...form, floor, ceiling, spellings: SPELLINGS });
}

/** The cells of other programs that responses show with the same digits and the same offset as a value. */
const SPELLINGS: readonly Encode[] = Object.freeze<Encode[]>([
  asText,
  // The result of `datetime` of SQLite.
  (value) => asText(value).replace(UTC, "").replace("T", " "),
  (value) => asText(value).replace(UTC, "+00:00"),
]);

/** By the number of fraction digits. Each form is one object, because forms are compared by identity. */
const UTC_FORMS: readonly SqlForm[] = Array.from({ length: MAX_PRECISION + 1 }, (_none, digits) => makeUtcForm(digits));

/** Returns the fraction digits of a form that `utcForm` has returned; null for any other form. */
export function digitsOfUtcForm(form: SqlForm): number | null {
  const digits = UTC_FORMS.indexOf(form);
  return digits < 0 ? null : digits;
}

const DURATION_KEY: Conversion = {
  form: plainForm("duration key", (value) => toDurationKey(asText(value))),
  apply: (operand) => sql`odata_duration_key(${operand})`,
};

/** Edm.Duration as ISO text: `PT36H` equals `P1DT12H`. */
export const DURATION_FORM: SqlForm = plainForm("duration", asText, {
  sortable: DURATION_KEY,
  comparable: DURATION_KEY,
});

/** Creates a form of instants with so many fraction digits. No cell equals `none`. */
function instantForm(
  name: string,
  digits: number,
  write: (instant: Instant) => unknown,
  none: unknown,
  toText: (operand: Sql) => Sql,
): SqlForm {
  return Object.freeze<SqlForm>({
    name,
    floor: (value) => write(toInstant(asText(value))),
    ceiling: (value) => {
      const instant = toInstant(asText(value));
      return write(roundedUp(instant, digits) ?? instant);
    },
    exact: (value) => {
      const text = asText(value);
      const instant = toInstant(text);
      // A cell with more digits is shown with all of them.
      return roundedUp(instant, digits) === null ? write(instant) : (writeInstant(instant, digitsOf(text)) ?? none);
    },
    mayBeNull: false,
    comparable: instantKey(toText),
    computable: { form: INSTANT_FORM, apply: toText },
  });
}

/** Returns the number of fraction digits of a timestamp. */
function digitsOf(timestamp: string): number {
  const { start, end } = fractionOf(timestamp);
  return Math.max(end - start, 0);
}

/** Converts to a string that sorts like its timestamp. */
export function instantKey(toText: (operand: Sql) => Sql): Conversion {
  return { form: INSTANT_KEY_FORM, apply: (operand) => sql`odata_instant_key(${toText(operand)})` };
}

function writtenDate(date: string): string {
  if (isFourDigitYear(date)) return date;
  return date.startsWith("-") ? BEFORE_ALL_TEXTS : BEHIND_ALL_TEXTS;
}

function dayOf(instant: Instant): string {
  const text = writeInstant(instant, 0);
  if (text !== null) return text.slice(0, DATE_LENGTH);
  return instant.seconds < 0 ? BEFORE_ALL_TEXTS : BEHIND_ALL_TEXTS;
}

function isMidnight({ seconds, fraction }: Instant): boolean {
  return seconds % SECONDS_PER_DAY === 0 && fraction === ZEROS;
}

function nextDay(instant: Instant): Instant {
  if (isMidnight(instant)) return instant;
  return { seconds: (Math.floor(instant.seconds / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY, fraction: ZEROS };
}

/** Removes trailing zeros of the fraction, and a trailing point; then seconds of zero. */
function shortestTime(time: string): string {
  const isWhole = !/[1-9]/.test(time.slice(CLOCK_LENGTH));
  if (isWhole) return time.slice(0, time.startsWith(":00", MINUTES_LENGTH) ? MINUTES_LENGTH : CLOCK_LENGTH);
  let end = time.length;
  while (time.endsWith("0", end)) end -= 1;
  return time.slice(0, end);
}

function longestTime(time: string): string {
  const fraction = time.slice(CLOCK_LENGTH + 1);
  return `${time.slice(0, CLOCK_LENGTH)}.${fraction.padEnd(MAX_PRECISION, "0")}`;
}

function timeKey(time: string): string {
  return (time.slice(0, CLOCK_LENGTH) + time.slice(CLOCK_LENGTH + 1)).padEnd(TIME_KEY_LENGTH, "0");
}
