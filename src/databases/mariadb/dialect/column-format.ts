import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import { isFourDigitYear, parseDate } from "../../../edm/date-time-offset.ts";
import { parseDecimal } from "../../../edm/decimal.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { fractionDigits } from "../../../edm/shown-value.ts";
import { asText } from "../../../edm/value-codec.ts";
import { toInstant, writeInstant, type Instant } from "../../cells/instant.ts";
import { stringText, utcText } from "../../cells/text-cells.ts";
import { type ColumnFormats, ofCodec, onlyCell } from "../../columns/column-format.ts";
import { columnFormatOf, type ColumnParts } from "../../forms/column-table.ts";
import { storedFormats, castInstants, type StoredInstants } from "../../forms/stored-instants.ts";
import {
  SERVER_DIGITS,
  TIMESTAMP_PATTERN,
  textTemporalForms,
  timeForm,
  timestampForm,
  timestampForms,
  type TextTemporalForms,
} from "../../forms/temporal-forms.ts";
import {
  textColumns,
  hexParts,
  readString,
  readTimestamp,
  timestampCell,
  timestampOf,
} from "../../forms/text-columns.ts";
import {
  type Sql,
  type SqlForm,
  type Mark,
  singleForm,
  toComparable,
  type Conversion,
} from "../../statement/sql-form.ts";
import {
  myJsonText,
  myRealDecimal,
  myRoundedReals,
  myTextDecimal,
  myDoubleText,
  myHexadecimal,
  myNumberText,
  myScaledDecimals,
  myStringText,
  myText,
  myForms,
  myNumbers,
} from "./forms.ts";

/** Before and after all dates of the database. */
const BEFORE_ALL = "0000-00-00 00:00:00";
const BEHIND_ALL = "9999-12-31 23:59:59.999999";
/** The days from day 0 of `to_days` to 1970-01-01. */
const EPOCH_DAY = 719_528;
/** The same for years that begin in March. */
const MARCH_EPOCH = 719_468;

const asDateTime = (place: Sql): Sql => sql`cast(${place} as datetime(6))`;

const toDays = (operand: Sql): Sql => sql`(to_days(${operand}) - ${sql.lit(EPOCH_DAY)})`;
const dateToDays: () => Conversion = once(() => ({ form: myForms().temporal.days, apply: toDays }));

/** A date of the calendar. The server may have others, such as zeros, but casts none of them. */
const DATE_MARK: Mark = Object.freeze<Mark>({
  toSelected: myText,
  read: (cell) =>
    typeof cell === "string" && parseDate(cell.slice(0, "YYYY-MM-DD".length)) !== null ? cell : undefined,
});

/** Edm.Date as date. Compared with timestamps of midnights, so that all years are ordered. */
export const myDate: () => SqlForm = once(() =>
  singleForm(
    "date",
    {
      floor: (value) => writeDateTime(toInstant(`${asText(value)}T00:00:00Z`), false),
      ceiling: (value) => writeDateTime(toInstant(`${asText(value)}T00:00:00Z`), true),
    },
    {
      place: asDateTime,
      fromKey: (value) => sql`cast(${value} as date)`,
      mark: DATE_MARK,
      comparable: dateToDays(),
      computable: dateToDays(),
    },
  ),
);

const midnightToEpoch: () => Conversion = once(() => ({
  form: myForms().temporal.epoch,
  apply: (operand) => sql`(${toDays(operand)} * 86400)`,
}));

const toEpoch: () => Conversion = once(() => ({
  form: myForms().temporal.epoch,
  apply: (operand) => sql`(timestampdiff(microsecond, '1970-01-01', ${operand}) * 0.000001)`,
}));

/** Edm.DateTimeOffset as datetime in UTC, by its fraction digits. */
const myDateTimes: () => readonly SqlForm[] = once(() =>
  timestampForms((digits) =>
    timestampForm(`timestamp of ${String(digits)} digits`, writeDateTime, asDateTime, toEpoch(), {
      mark: DATE_MARK,
      digits,
    }),
  ),
);

/** Edm.DateTimeOffset as timestamp, which depends on the time zone of the session, or as datetime in UTC. */
const myUtcTimestamps: () => readonly SqlForm[] = once(() =>
  Object.freeze(
    myDateTimes().map((form) => Object.freeze<SqlForm>({ ...form, name: `${form.name} in UTC`, inUtcSession: true })),
  ),
);

/** A column of Edm.Date as timestamps of midnight in UTC. */
export const myMidnight: () => SqlForm = once(() =>
  timestampForm("midnight", writeDateTime, asDateTime, midnightToEpoch(), {
    mark: DATE_MARK,
  }),
);

const timeToClock: () => Conversion = once(() => ({
  form: myForms().temporal.clock,
  apply: (operand) => sql`time_to_sec(${operand})`,
}));

/** Edm.TimeOfDay as time. */
const myTime: () => SqlForm = once(() => timeForm((text) => sql`cast(${text} as time(6))`, timeToClock()));

/** Temporal values as strings. */
export const myTexts: () => TextTemporalForms = once(() =>
  textTemporalForms(myForms().temporal, {
    days: daysOfText,
    clock: clockOfText,
    offset: myOffsetOfText,
    seconds: secondsOfText,
  }),
);

/** The offset of a timestamp in a string, in minutes. */
export function myOffsetOfText(text: Sql): Sql {
  const sign = sql`case left(right(${text}, 6), 1) when '-' then -1 else 1 end`;
  const minutes = sql`(${digits(sql`left(right(${text}, 5), 2)`)} * 60 + ${digits(sql`right(${text}, 2)`)})`;
  return sql`(case when right(${text}, 1) = 'Z' then 0 else ${sign} * ${minutes} end)`;
}

function digits(text: Sql): Sql {
  return sql`cast(${text} as signed)`;
}

/** Computes days without date functions, which support the years 0 to 9999 only. Years begin in March, so leap days end them. */
function daysOfText(text: Sql): Sql {
  // The first hyphen after an optional sign ends the year.
  const rest = sql`substr(${text}, locate('-', ${text}, 2) + 1)`;
  const month = digits(sql`left(${rest}, 2)`);
  const day = digits(sql`substr(${rest}, 4, 2)`);
  const year = sql`(${digits(sql`left(${text}, locate('-', ${text}, 2) - 1)`)} - (${month} <= 2))`;
  const leapDays = sql`floor(${year} * 0.25) - floor(${year} * 0.01) + floor(${year} * 0.0025)`;
  const dayOfYear = sql`floor((153 * mod(${month} + 9, 12) + 2) * 0.2) + ${day} - 1`;
  return sql`(365 * ${year} + ${leapDays} + ${dayOfYear} - ${sql.lit(MARCH_EPOCH)})`;
}

function clockOfText(text: Sql): Sql {
  const time = sql`substring_index(${text}, 'T', -1)`;
  const fraction = sql`regexp_substr(substr(${time}, 7), '^[0-9]{2}([.][0-9]+)?')`;
  const whole = sql`${digits(sql`left(${time}, 2)`)} * 3600 + ${digits(sql`substr(${time}, 4, 2)`)} * 60`;
  return sql`${whole} + if(substr(${time}, 6, 1) = ':', cast(${fraction} as decimal(38, 12)), 0)`;
}

function secondsOfText(text: Sql): Sql {
  const part = (letter: string): Sql => {
    const pattern = `[0-9]+([.][0-9]+)?(?=${letter})`;
    const found = sql`regexp_substr(${text}, ${sql.lit(pattern)})`;
    return sql`cast(if(${found} = '', '0', ${found}) as decimal(38, 12))`;
  };
  const total = sql`${part("D")} * 86400 + ${part("H")} * 3600 + ${part("M")} * 60 + ${part("S")}`;
  return sql`(if(left(${text}, 1) = '-', -1, 1) * (${total}))`;
}

function writeDateTime(instant: Instant, isCeiling: boolean): string {
  const text = writeInstant(instant, SERVER_DIGITS);
  // The year 0 of MariaDB has no leap day.
  if (text?.startsWith("0000-02-29") === true) return isCeiling ? "0000-03-01 00:00:00" : "0000-02-28 23:59:59.999999";
  if (text !== null) return text.replace("T", " ").slice(0, -1);
  if (instant.seconds < 0) return isCeiling ? "0000-01-01 00:00:00" : BEFORE_ALL;
  return BEHIND_ALL;
}

/** The storage forms of timestamps and dates in other types, by the name of the storage. */
const myStoredInstants: () => Readonly<Record<string, StoredInstants>> = once(() =>
  castInstants({
    numbers: myNumbers(),
    forms: myForms().temporal,
    asText: myText,
    marks: myForms().marks,
    exact: myNumbers().asInteger,
    asDouble: (place) => sql`(${place} + 0e0)`,
    julianMilliseconds: (cell) => sql`floor(${cell} * 86400000e0 + 0.5e0)`,
    epochOfText: myTexts().epochOfUtcText,
    // All collations sort digits, and all strings have the other characters in the same places.
    texts: { ordered: (cell) => sql`concat(${cell}, substr('.000000000000', length(${cell}) - 18))` },
  }),
);

/** The length of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_LENGTH = 19;
const ZEROS_BEHIND = /\.?0+$/;

/** How MariaDB and MySQL store a primitive or enumeration property in a column. */
export const myColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf(() =>
  textColumns({
    forms: myForms(),
    asText: myText,
    integerText: myNumberText,
    selectNumber: myNumberText,
    doubleText: myDoubleText,
    singleCell: (value) => onlyCell(myForms().double, withinSingle(Number(value))),
    hexadecimal: myHexadecimal,
    boundBytes: (cell) => cell,
    stringText: myStringText,
    defaults: {
      "Edm.Boolean": () => ({
        form: myForms().boolean,
        read: (cell) => (cell === "1" || cell === "0" ? cell === "1" : null),
        toSelected: myNumberText,
        readable: (column) => sql`(case when ${column} in (0, 1) then ${column} end)`,
      }),
      "Edm.Decimal": decimal,
      "Edm.Date": () => ({
        form: myDate(),
        readable: realDate,
        toCell: (value) => (isFourDigitYear(asText(value)) ? onlyCell(myDate(), value) : undefined),
      }),
      "Edm.TimeOfDay": (property) => ({
        form: myTime(),
        readable: (column) => sql`(case when ${column} >= '00:00:00' and ${column} < '24:00:00' then ${column} end)`,
        read: (cell) => ofCodec(property)(withoutZeros(String(cell))),
      }),
      "Edm.DateTimeOffset": (property) => timestamp(property, myDateTimes()),
    },
    duration: myTexts().duration,
    textDecimal: myTextDecimal(),
    realDecimal: myRealDecimal(),
    roundedReal: myRoundedReals(),
    scaledDecimal: myScaledDecimals(),
    textTimestamp: myTexts().timestamp,
    // In MariaDB, `$` also matches before a line feed at the end.
    isTimestamp: (column) => sql`${column} regexp ${sql.lit(`${TIMESTAMP_PATTERN}(?![[:space:]])`)}`,
    stored: {
      ...storedFormats(myStoredInstants()),
      // A `binary(n)` fills values with zero bytes.
      "Edm.String hex": () => ({ ...hexParts(myForms().hex, myHexadecimal), mayRound: true }),
      "Edm.String text": () => ({
        form: myJsonText(),
        read: readString,
        toJson: stringText,
        // A session without a strict mode writes `?` for a character that the column cannot have.
        compared: (column) => toComparable({ sql: column, form: myJsonText() }).sql,
      }),
      "Edm.DateTimeOffset utc": (property) => timestamp(property, myUtcTimestamps()),
    },
  }),
);

/** The greatest number of 32 bits, whose shortest digits, 3.4028235e38, are beyond it. */
const GREATEST_SINGLE = 3.402_823_466_385_288_6e38;

/** Returns the greatest number of a `float` for numbers that only rounding takes beyond it. */
function withinSingle(value: number): number {
  const isRounded = Math.abs(value) > GREATEST_SINGLE && Number.isFinite(Math.fround(value));
  return isRounded ? Math.fround(value) : value;
}

/** All cells of a column have the same number of digits: trailing zeros are dropped. */
/** A `bit(64)` is a whole number, too. */
const decimal = ({ facets: { scale } }: StructuralProperty): ColumnParts => ({
  form: myForms().decimal,
  read: (cell) => parseDecimal(withoutZeros(String(cell))),
  ...(scale === 0 && { toSelected: myNumberText }),
});

/** Null for a date that the calendar does not have, such as one of zeros. */
function realDate(column: Sql): Sql {
  return sql`(case when dayofmonth(${column}) between 1 and dayofmonth(last_day(${column})) then ${column} end)`;
}

function timestamp(property: StructuralProperty, forms: readonly SqlForm[]): ColumnParts {
  const digits = fractionDigits(property, SERVER_DIGITS);
  const length = digits === 0 ? SECONDS_LENGTH : SECONDS_LENGTH + 1 + digits;
  return {
    form: timestampOf(digits, forms),
    read: readTimestamp,
    readable: realDate,
    toSelected: (column) => sql`concat(left(date_format(${column}, '%Y-%m-%dT%H:%i:%s.%f'), ${sql.lit(length)}), 'Z')`,
    toJson: utcText,
    toCell: timestampCell(property, timestampOf(SERVER_DIGITS, forms)),
    mayRound: true,
  };
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(ZEROS_BEHIND, "") : text;
}
