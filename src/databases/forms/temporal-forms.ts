import { sql } from "kysely";
import { asText } from "../../edm/value-codec.ts";
import { roundedUp, toInstant, writeInstant, type Instant } from "../cells/instant.ts";
import {
  rangeForm,
  singleForm,
  type Conversion,
  type Mark,
  type Sql,
  type SqlForm,
  convertedForm,
} from "../statement/sql-form.ts";
import type { NumericTemporalForms } from "./numeric-temporal-forms.ts";

/** The fraction digits of databases with at most six in their temporal types. */
export const SERVER_DIGITS = 6;

/** The parts that only some timestamps need. */
interface TimestampParts {
  /** The conversion for functions, by default as for comparisons. */
  readonly computable?: Conversion;
  readonly mark?: Mark;
  readonly part?: SqlForm["part"];
  /** The fraction digits of values; a column may have more. */
  readonly digits?: number;
}

/**
 * Makes the form of timestamps, or of the midnights of dates. Cells with more digits than values represent the value that
 * responses show: all cells of a millisecond, for example.
 * @param write writes an instant, truncated to six digits; an instant out of range as a value beyond all dates on that side
 */
export function timestampForm(
  name: string,
  write: (instant: Instant, isCeiling: boolean) => string,
  place: (text: Sql) => Sql,
  toEpoch: Conversion,
  { computable = toEpoch, mark, part, digits = SERVER_DIGITS }: TimestampParts = {},
): SqlForm {
  const bounds: Pick<SqlForm, "floor" | "ceiling"> = {
    floor: (value) => write(lastWithin(toInstant(asText(value)), digits), false),
    ceiling: (value) => {
      const instant = toInstant(asText(value));
      return write(roundedUp(instant, digits) ?? instant, true);
    },
  };
  const isWhole = digits === SERVER_DIGITS;
  const others = {
    place,
    fromKey: place,
    comparable: isWhole ? toEpoch : cutEpoch(toEpoch, digits),
    computable: isWhole ? computable : cutEpoch(computable, digits),
    ...(mark && { mark }),
    ...(part && { part }),
    shownDigits: () => digits,
  };
  return isWhole ? singleForm(name, bounds, others) : rangeForm(name, bounds, others);
}

/** Makes a form for each number of fraction digits. Each is one object, because forms are compared by identity. */
export function timestampForms(make: (digits: number) => SqlForm): readonly SqlForm[] {
  return Object.freeze(Array.from({ length: SERVER_DIGITS + 1 }, (_none, digits) => make(digits)));
}

/** Returns the last instant of a column that has the same digits. */
function lastWithin({ seconds, fraction }: Instant, digits: number): Instant {
  return { seconds, fraction: fraction.slice(0, digits).padEnd(fraction.length, "9") };
}

/** Drops the digits of seconds that values do not have. */
function cutEpoch({ form, apply }: Conversion, digits: number): Conversion {
  const units = sql.raw(String(10 ** digits));
  const unit = sql.raw(digits === 0 ? "1" : `0.${"1".padStart(digits, "0")}`);
  return { form, apply: (operand) => sql`(floor(${apply(operand)} * ${units}) * ${unit})` };
}

/** Makes the form of Edm.TimeOfDay as times of six digits. */
export function timeForm(place: (text: Sql) => Sql, toClock: Conversion): SqlForm {
  const bounds: Pick<SqlForm, "floor" | "ceiling"> = {
    // Written like the ceiling: equal texts are one cell.
    floor: (value) => timeAbove(asText(value).slice(0, "hh:mm:ss.ffffff".length)),
    ceiling: (value) => timeAbove(asText(value)),
  };
  return singleForm("time", bounds, { place, fromKey: place, comparable: toClock, computable: toClock });
}

/** Returns the least time with six digits that is not less; 24:00:00 after the last time of the day. */
function timeAbove(time: string): string {
  const instant = toInstant(`1970-01-01T${time}Z`);
  const next = roundedUp(instant, SERVER_DIGITS) ?? instant;
  const text = writeInstant(next, SERVER_DIGITS) ?? "";
  return next.seconds === 86_400 ? "24:00:00" : text.slice("1970-01-01T".length, -1);
}

/** How a database converts the texts of temporal values to numbers. */
interface TemporalTexts {
  /** The days since 1970 of a date, or of a timestamp. */
  readonly days: (text: Sql) => Sql;
  /** The seconds since midnight of a time, or of a timestamp: a sum. */
  readonly clock: (text: Sql) => Sql;
  /** The offset of a timestamp from UTC, in minutes. */
  readonly offset: (text: Sql) => Sql;
  readonly seconds: (duration: Sql) => Sql;
}

/** Forms of texts of any year, with any number of fraction digits. */
export interface TextTemporalForms {
  /** Edm.DateTimeOffset with any offset. */
  readonly timestamp: SqlForm;
  /** Edm.Duration as ISO text: `PT36H` equals `P1DT12H`. */
  readonly duration: SqlForm;
  /** Within JSON. */
  readonly date: SqlForm;
  readonly time: SqlForm;
  /** The seconds since 1970 of `YYYY-MM-DD hh:mm:ss` in UTC. */
  readonly epochOfUtcText: (text: Sql) => Sql;
}

/** Makes the forms of texts from their conversions to numbers. */
export function textTemporalForms(
  forms: NumericTemporalForms,
  { days, clock, offset, seconds }: TemporalTexts,
): TextTemporalForms {
  return Object.freeze<TextTemporalForms>({
    timestamp: textForm(
      "timestamp as text",
      forms.epoch,
      (text) => sql`(${days(text)} * 86400 + ${clock(text)} - ${offset(text)} * 60)`,
    ),
    duration: textForm("duration", forms.seconds, seconds),
    date: textForm("date as text", forms.days, days),
    time: textForm("time as text", forms.clock, (text) => sql`(${clock(text)})`),
    epochOfUtcText: (text) => {
      const written = sql`replace(${text}, ' ', 'T')`;
      return sql`(${days(written)} * 86400 + ${clock(written)})`;
    },
  });
}

const YEAR = "-?([0-9]{4}|[1-9][0-9]{4,6})";
/** Years that four divides: of a century, or others. */
const LEAP_YEAR =
  "-?((|[1-9][0-9]{0,2})[0-9][0-9](0[48]|[2468][048]|[13579][26])|(|[1-9][0-9]{0,2})([02468][048]|[13579][26])00)";
const DAY = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
const SECONDS = "(:[0-5][0-9]([.][0-9]{1,12})?)?";
const TIME = `([01][0-9]|2[0-3]):[0-5][0-9]${SECONDS}`;
const OFFSET = "([Zz]|[-+]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))";

/**
 * The stored timestamps that are read, as a regular expression of PostgreSQL and of MariaDB: with an offset, or with a blank and
 * a year of four digits. It has no backslash, which a session may not escape.
 * @see docs/reference/storage.md
 */
export const TIMESTAMP_PATTERN: string = `^((${YEAR}-${DAY}|${LEAP_YEAR}-02-29)[Tt]${TIME}${OFFSET}|([0-9]{4}-${DAY}|[0-9]{2}(0[48]|[2468][048]|[13579][26])-02-29|([02468][048]|[13579][26])00-02-29) ${TIME})$`;

/** Makes the form of texts that the database converts to another form. */
function textForm(name: string, form: SqlForm, apply: (text: Sql) => Sql): SqlForm {
  return convertedForm(name, asText, { form, apply });
}
