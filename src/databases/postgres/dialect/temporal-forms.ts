import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import { fromEpochDays, SECONDS_PER_DAY, toEpochDays } from "../../../edm/calendar.ts";
import { dateToEpochDays } from "../../../edm/date-time-offset.ts";
import { padDigits } from "../../../edm/decimal.ts";
import { asText } from "../../../edm/value-codec.ts";
import { toInstant, type Instant } from "../../cells/instant.ts";
import { castInstants, type StoredInstants } from "../../forms/stored-instants.ts";
import {
  SERVER_DIGITS,
  textTemporalForms,
  timeForm,
  timestampForm,
  timestampForms,
  type TextTemporalForms,
} from "../../forms/temporal-forms.ts";
import {
  type CalendarPart,
  type Conversion,
  type Mark,
  singleForm,
  type Sql,
  type SqlForm,
  textMark,
} from "../../statement/sql-form.ts";
import { byCodePoint, pgForms, pgUsualNumbers, pgText } from "./forms.ts";

/** Writes infinity as its text: `to_char` returns null for it, which would be the value of an empty cell. */
export function finiteText(column: Sql, text: Sql): Sql {
  return sql`coalesce(${text}, ${column}::text)`;
}

/** Returns the era of a date or timestamp: `to_char` writes years before 1 as positive numbers. */
export function eraOf(column: Sql, type: "date" | "timestamp" | "timestamptz"): Sql {
  const first = type === "timestamptz" ? "0001-01-01 00:00:00+00" : "0001-01-01 00:00:00";
  return sql`case when ${column} < ${sql.lit(first)}::${sql.raw(type)} then ' BC' else '' end`;
}

/**
 * Selects a date as text that does not depend on the session. `to_char` takes a timestamp, whose range ends before that of dates.
 * Without the cast it would take one in the time zone of the session, which the first day may precede.
 */
export const pgDateText = (column: Sql): Sql => {
  const near = sql`to_char(${column}::timestamp, 'YYYY-MM-DD') || ${eraOf(column, "date")}`;
  const isFar = sql`${column} > date '294276-12-31' and ${column} <> 'infinity'`;
  return finiteText(column, sql`case when ${isFar} then ${dayText(column)} else ${near} end`);
};

/** Writes the day of a date or timestamp as `to_char` does, but independent of the session. Null for infinity. */
export function dayText(value: Sql): Sql {
  const part = (name: string, digits: Sql): Sql =>
    sql`lpad(extract(${sql.raw(name)} from ${value})::text, ${digits}, '0')`;
  const year = sql`abs(extract(year from ${value}))::text`;
  const years = sql`lpad(${year}, greatest(4, length(${year})), '0')`;
  return sql`${years} || '-' || ${part("month", sql`2`)} || '-' || ${part("day", sql`2`)}`;
}

/**
 * Selects a timestamp with all its digits, as text that does not depend on the session.
 * @param inUtc converts it to a timestamp in UTC, without time zone
 */
function pgTimestampText(type: "timestamp" | "timestamptz", inUtc: (column: Sql) => Sql): (column: Sql) => Sql {
  return (column) => {
    const text = sql`to_char(${inUtc(column)}, 'YYYY-MM-DD HH24:MI:SS.US')`;
    return finiteText(column, sql`${text} || '+00' || ${eraOf(column, type)}`);
  };
}

/** Computations and responses have no infinity, so an infinite date or timestamp is null in them. */
export function pgFinite(operand: Sql): Sql {
  return sql`nullif(nullif(${operand}, 'infinity'), '-infinity')`;
}

/** Returns a part of a finite date or timestamp in UTC. The year before 1 is -1. */
function pgPart(name: CalendarPart, value: Sql): Sql {
  const part = sql`extract(${sql.raw(name)} from ${value})`;
  if (name === "year") return sql`(${part} + case when ${value} < date '0001-01-01' then 1 else 0 end)::int8`;
  return name === "second" ? sql`floor(${part})::int8` : sql`${part}::int8`;
}

const ZEROS = "0".repeat(12);
/**
 * The first day of PostgreSQL, and the last days of dates and of timestamps, since 1970.
 * @see https://www.postgresql.org/docs/current/datatype-datetime.html
 */
const FIRST_DAY = toEpochDays(-4713, 11, 24);
const LAST_DATE = toEpochDays(5_874_897, 12, 31);
const LAST_TIMESTAMP = toEpochDays(294_276, 12, 31);

const FIRST_INSTANT: Instant = { seconds: FIRST_DAY * SECONDS_PER_DAY, fraction: ZEROS };
const LAST_INSTANT: Instant = { seconds: (LAST_TIMESTAMP + 1) * SECONDS_PER_DAY - 1, fraction: "9".repeat(12) };

const dateToDays: () => Conversion = once(() => ({
  form: pgForms().temporal.days,
  apply: (operand) => sql`(${pgFinite(operand)} - date '1970-01-01')::int8`,
}));
const asDate = (place: Sql): Sql => sql`${place}::date`;

const DATE_MARK: Mark = textMark(pgDateText);

/** Edm.Date as date. */
export const pgDate: () => SqlForm = once(() =>
  Object.freeze<SqlForm>({
    name: "date",
    floor: (value) => writeDate(dateToEpochDays(asText(value)), false),
    ceiling: (value) => writeDate(dateToEpochDays(asText(value)), true),
    exact: (value) => {
      const day = dateToEpochDays(asText(value));
      return isWithin(day, LAST_DATE) ? writeDay(day) : null;
    },
    // A day beyond the range has no cell.
    mayBeNull: true,
    place: asDate,
    fromKey: asDate,
    mark: DATE_MARK,
    comparable: dateToDays(),
    computable: dateToDays(),
    part: (name, cell) => pgPart(name, pgFinite(cell)),
  }),
);

const midnightToEpoch: () => Conversion = once(() => ({
  form: pgForms().temporal.epoch,
  apply: (operand) => sql`((${pgFinite(operand)} - date '1970-01-01')::numeric * 86400)`,
}));

/** A column of Edm.Date as timestamps of midnight in UTC. */
export const pgMidnight: () => SqlForm = once(() =>
  singleForm(
    "midnight",
    {
      // Both are the same only for midnights.
      floor: (value) => writeDate(dayOf(toInstant(asText(value))), false),
      ceiling: (value) => writeDate(dayOf(nextMidnight(toInstant(asText(value)))), true),
    },
    { place: asDate, mark: DATE_MARK, comparable: midnightToEpoch(), computable: midnightToEpoch() },
  ),
);

const timeToClock: () => Conversion = once(() => ({
  form: pgForms().temporal.clock,
  apply: (operand) => sql`extract(epoch from ${operand})::numeric`,
}));

/** Edm.TimeOfDay as time. */
export const pgTime: () => SqlForm = once(() => timeForm((text) => sql`${text}::time`, timeToClock()));

const toEpoch: () => Conversion = once(() => ({
  form: pgForms().temporal.epoch,
  apply: (operand) => sql`extract(epoch from ${operand})::numeric`,
}));
const finiteToEpoch: () => Conversion = once(() => ({
  form: pgForms().temporal.epoch,
  apply: (operand) => toEpoch().apply(pgFinite(operand)),
}));

const TIMESTAMP_MARK = textMark(pgTimestampText("timestamptz", (column) => sql`${column} at time zone 'UTC'`));

/** Edm.DateTimeOffset as timestamptz, by its fraction digits. */
export const pgTimestamps: () => readonly SqlForm[] = once(() =>
  timestampForms((digits) =>
    timestampForm(
      `timestamp of ${String(digits)} digits`,
      writeTimestamp,
      (text) => sql`${text}::timestamptz`,
      toEpoch(),
      {
        computable: finiteToEpoch(),
        mark: TIMESTAMP_MARK,
        part: (name, cell) => pgPart(name, sql`(${pgFinite(cell)} at time zone 'UTC')`),
        digits,
      },
    ),
  ),
);

const UTC_TIMESTAMP_MARK = textMark(pgTimestampText("timestamp", (column) => column));

/**
 * Edm.DateTimeOffset as timestamp in UTC, by its fraction digits. Bound with an offset, because a driver would write a
 * timestamp in its own time zone.
 */
export const pgUtcTimestamps: () => readonly SqlForm[] = once(() =>
  timestampForms((digits) =>
    timestampForm(
      `timestamp in UTC of ${String(digits)} digits`,
      writeTimestamp,
      (text) => sql`(${text}::timestamptz at time zone 'UTC')`,
      toEpoch(),
      {
        computable: finiteToEpoch(),
        mark: UTC_TIMESTAMP_MARK,
        part: (name, cell) => pgPart(name, pgFinite(cell)),
        digits,
      },
    ),
  ),
);

/** Temporal values as strings. */
export const pgTexts: () => TextTemporalForms = once(() =>
  textTemporalForms(pgForms().temporal, {
    days: daysOfText,
    clock: clockOfText,
    offset: pgOffsetOfText,
    seconds: secondsOfText,
  }),
);

/** The offset of a timestamp in a string, in minutes. */
export function pgOffsetOfText(text: Sql): Sql {
  const part = (pattern: string): Sql => sql`substring(${text} from ${sql.lit(pattern)})::numeric`;
  const sign = sql`case when ${text} ~ '-\\d\\d:\\d\\d$' then -1 else 1 end`;
  const hours = part("[+-](\\d\\d):\\d\\d$");
  const minutes = part("[+-]\\d\\d:(\\d\\d)$");
  return sql`(case when ${text} is not null then coalesce((${sign}) * (${hours} * 60 + ${minutes}), 0) end)`;
}

/** `make_date` has no year 0: the year before 1 is -1. */
function daysOfText(text: Sql): Sql {
  const part = (pattern: string): Sql => sql`substring(${text} from ${sql.lit(pattern)})::int`;
  const year = part("^(-?\\d+)-");
  const month = part("^-?\\d+-(\\d\\d)");
  const day = part("^-?\\d+-\\d\\d-(\\d\\d)");
  return sql`(make_date(${year} - case when ${year} < 1 then 1 else 0 end, ${month}, ${day}) - date '1970-01-01')::int8`;
}

function clockOfText(text: Sql): Sql {
  const part = (pattern: string): Sql => sql`substring(${text} from ${sql.lit(pattern)})::numeric`;
  const [hours, minutes] = [part("(?:^|T)(\\d\\d):"), part("(?:^|T)\\d\\d:(\\d\\d)")];
  return sql`${hours} * 3600 + ${minutes} * 60 + coalesce(${part("(?:^|T)\\d\\d:\\d\\d:(\\d\\d(?:\\.\\d+)?)")}, 0)`;
}

function secondsOfText(text: Sql): Sql {
  const part = (pattern: string): Sql => sql`coalesce(substring(${text} from ${sql.lit(pattern)})::numeric, 0)`;
  const total = sql`${part("(\\d+)D")} * 86400 + ${part("(\\d+)H")} * 3600 + ${part("(\\d+)M")} * 60 + ${part("([\\d.]+)S")}`;
  return sql`(case left(${text}, 1) when '-' then -1 when 'P' then 1 end * (${total}))`;
}

function isWithin(day: number, last: number): boolean {
  return day >= FIRST_DAY && day <= last;
}

/**
 * Writes the least date on or after a day since 1970, or the greatest date on or before it. Infinity is before or after all
 * dates.
 */
function writeDate(day: number, isCeiling: boolean): string {
  if (day < FIRST_DAY) return isCeiling ? writeDay(FIRST_DAY) : "-infinity";
  if (day > LAST_DATE) return isCeiling ? "infinity" : writeDay(LAST_DATE);
  return writeDay(day);
}

/** Writes a day since 1970 for PostgreSQL, with `BC` for years before 1. */
function writeDay(epochDay: number): string {
  const { year, month, day } = fromEpochDays(epochDay);
  const rest = `${padDigits(month, 2)}-${padDigits(day, 2)}`;
  return year < 1 ? `${padDigits(1 - year, 4)}-${rest} BC` : `${padDigits(year, 4)}-${rest}`;
}

function dayOf({ seconds }: Instant): number {
  return Math.floor(seconds / SECONDS_PER_DAY);
}

function nextMidnight(instant: Instant): Instant {
  const isMidnight = instant.seconds % SECONDS_PER_DAY === 0 && instant.fraction === ZEROS;
  if (isMidnight) return instant;
  return { seconds: (Math.floor(instant.seconds / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY, fraction: ZEROS };
}

/** Writes a timestamp as `writeDate` writes a date. */
function writeTimestamp(instant: Instant, isCeiling: boolean): string {
  const day = dayOf(instant);
  if (day < FIRST_DAY) return isCeiling ? writeTimestamp(FIRST_INSTANT, false) : "-infinity";
  if (day > LAST_TIMESTAMP) return isCeiling ? "infinity" : writeTimestamp(LAST_INSTANT, false);
  const [date = "", era] = writeDay(day).split(" ");
  const text = `${date} ${clockAt(instant)}+00`;
  return era === undefined ? text : `${text} ${era}`;
}

/** Writes the time of day of an instant in UTC, truncated to the digits of PostgreSQL. */
function clockAt({ seconds: whole, fraction }: Instant): string {
  const rest = whole - Math.floor(whole / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  const parts = [Math.floor(rest / 3600), Math.floor((rest % 3600) / 60), rest % 60];
  return `${parts.map((part) => padDigits(part, 2)).join(":")}.${fraction.slice(0, SERVER_DIGITS)}`;
}

/** The storage forms of timestamps and dates in other types, by the name of the storage. */
export const pgStoredInstants: () => Readonly<Record<string, StoredInstants>> = once(() =>
  castInstants({
    numbers: pgUsualNumbers(),
    forms: pgForms().temporal,
    asText: pgText,
    marks: pgForms().marks,
    exact: (cell) => sql`nullif(nullif(nullif(${cell}::numeric, 'Infinity'), '-Infinity'), 'NaN')`,
    asDouble: (place) => sql`${place}::float8`,
    julianMilliseconds: (cell) => sql`floor(${cell} * 86400000::float8 + 0.5)`,
    epochOfText: (cell) => pgTexts().epochOfUtcText(sql`${cell}::text`),
    texts: {
      place: byCodePoint,
      sortable: byCodePoint,
      ordered: (cell) => byCodePoint(sql`(${cell} || substr('.000000000000', length(${cell}) - 18))`),
    },
  }),
);
