import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import { toScaled } from "../../../edm/decimal.ts";
import { parseDuration, totalSecondsOf } from "../../../edm/duration.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { fractionDigits } from "../../../edm/shown-value.ts";
import { asText } from "../../../edm/value-codec.ts";
import { MAX_PRECISION } from "../../cells/instant.ts";
import { stringText, utcText, readYear } from "../../cells/text-cells.ts";
import { type ColumnFormats, onlyCell } from "../../columns/column-format.ts";
import { columnFormatOf, type ColumnParts } from "../../forms/column-table.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import { SERVER_DIGITS, TIMESTAMP_PATTERN } from "../../forms/temporal-forms.ts";
import {
  textColumns,
  readString,
  readDecimal,
  timestampCell,
  timestampOf,
  type TextColumns,
} from "../../forms/text-columns.ts";
import { type Sql, type SqlForm, textMark, type Conversion } from "../../statement/sql-form.ts";
import {
  pgAnyType,
  pgAnyText,
  pgBoundedInteger,
  pgRealDecimal,
  pgRoundedReals,
  pgTextDecimal,
  pgScaledDecimals,
  pgForms,
  pgSpreadString,
  pgDoubleText,
  pgHexadecimal,
  pgText,
} from "./forms.ts";
import { PG_NAME_JSON, withJson } from "./json.ts";
import {
  pgStoredInstants,
  pgDate,
  pgTime,
  pgTimestamps,
  pgUtcTimestamps,
  pgTexts,
  dayText,
  eraOf,
  finiteText,
  pgDateText,
  pgFinite,
} from "./temporal-forms.ts";

/** The columns of types that each database stores in its own way. */
const DEFAULTS: TextColumns["defaults"] = {
  "Edm.Boolean": () => ({
    form: pgForms().boolean,
    read: (cell) => (cell === "true" || cell === "false" ? cell === "true" : null),
    toJson: (cell) => (cell === "true" || cell === "false" ? cell : null),
  }),
  "Edm.Decimal": () => ({ form: pgForms().decimal, read: readDecimal, readable: pgFiniteNumber }),
  "Edm.Date": () => ({
    form: pgDate(),
    readable: pgFinite,
    read: readYear,
    toSelected: pgDateText,
    toReturned: (column) => orInfinity(column, sql`${dayText(column)} || ${eraOf(column, "date")}`),
    toCell: (value) => onlyCell(pgDate(), value),
  }),
  "Edm.TimeOfDay": () => ({
    form: pgTime(),
    readable: (column) => sql`(case when ${column} < '24:00' then ${column} end)`,
    toSelected: (column) => sql`regexp_replace(to_char(${column}, 'HH24:MI:SS.US'), '\\.?0+$', '')`,
    toReturned: (column) => sql`${column}::time::text`,
  }),
  "Edm.DateTimeOffset": timestamp,
};

const pgColumns = once(() =>
  textColumns({
    forms: pgForms(),
    asText: pgText,
    selectNumber: pgText,
    doubleText: pgDoubleText,
    // No comparison is true for NaN, so it has no cell there.
    doubleCell: (value) => (Number.isNaN(Number(value)) ? "NaN" : onlyCell(pgForms().double, value)),
    hexadecimal: pgHexadecimal,
    boundBytes: (cell) => sql`${cell}::bytea`,
    stringText: pgText,
    defaults: DEFAULTS,
    duration: pgTexts().duration,
    textDecimal: pgTextDecimal(),
    realDecimal: pgRealDecimal(),
    roundedReal: pgRoundedReals(),
    finiteReal: pgFiniteNumber,
    scaledDecimal: pgScaledDecimals(),
    textTimestamp: pgTexts().timestamp,
    isTimestamp: (column) => sql`${column} ~ ${sql.lit(TIMESTAMP_PATTERN)}`,
    stored: {
      ...storedFormats(pgStoredInstants()),
      "Edm.DateTimeOffset utc": utcTimestamp,
      "Edm.Decimal text": () => ({
        form: pgTextDecimal(),
        read: readDecimal,
        toSelected: selectTextDecimal,
        toReturned: null,
        compared: (column) => sql`${column}::numeric`,
      }),
      "Edm.Duration text": () => ({
        form: pgInterval(),
        read: readInterval,
        toSelected: selectInterval,
        toReturned: null,
        compared: (column) => column,
      }),
      "Edm.String text": () => ({
        form: pgAnyType(),
        read: readString,
        toSelected: pgAnyText,
        toReturned: null,
        toJson: stringText,
      }),
    },
  }),
);

/** How PostgreSQL stores a primitive or enumeration property in a column. */
export const pgColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf(() => ({
  ...pgColumns(),
  defaults: withJson(pgColumns().defaults),
  nameJson: PG_NAME_JSON,
}));

const bounded16 = once(() => pgBoundedInteger(16));
const bounded32 = once(() => pgBoundedInteger(32));

/** The same in a database on several machines. */
export const pgSpreadColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf(() => ({
  ...pgColumns(),
  defaults: withJson({
    ...pgColumns().defaults,
    "Edm.String": (property) => ({ ...pgColumns().defaults["Edm.String"](property), form: pgSpreadString() }),
    "Edm.Byte": (property) => ({ ...pgColumns().defaults["Edm.Byte"](property), form: bounded16() }),
    "Edm.SByte": (property) => ({ ...pgColumns().defaults["Edm.SByte"](property), form: bounded16() }),
    "Edm.Int16": (property) => ({ ...pgColumns().defaults["Edm.Int16"](property), form: bounded16() }),
    "Edm.Int32": (property) => ({ ...pgColumns().defaults["Edm.Int32"](property), form: bounded32() }),
  }),
  nameJson: PG_NAME_JSON,
}));

function timestamp(property: StructuralProperty): ColumnParts {
  const inUtc = (column: Sql): Sql => sql`${column} at time zone 'UTC'`;
  return timestampParts(property, { forms: pgTimestamps(), inUtc, type: "timestamptz" });
}

function utcTimestamp(property: StructuralProperty): ColumnParts {
  return timestampParts(property, { forms: pgUtcTimestamps(), inUtc: (column) => column, type: "timestamp" });
}

interface TimestampType {
  /** By the fraction digits of values. */
  readonly forms: readonly SqlForm[];
  /** The timestamp in UTC, without time zone. */
  readonly inUtc: (column: Sql) => Sql;
  readonly type: "timestamp" | "timestamptz";
}

function timestampParts(property: StructuralProperty, { forms, inUtc, type }: TimestampType): ColumnParts {
  const digits = fractionDigits(property, SERVER_DIGITS);
  const form = timestampOf(digits, forms);
  const cellOf = timestampCell(property, timestampOf(SERVER_DIGITS, forms));
  const pattern = `YYYY-MM-DD"T"HH24:MI:SS${digits === 0 ? "" : `.FF${String(digits)}`}`;
  return {
    form,
    read: readYear,
    readable: pgFinite,
    toSelected: (column) =>
      finiteText(column, sql`to_char(${inUtc(column)}, ${sql.lit(pattern)}) || 'Z' || ${eraOf(column, type)}`),
    toReturned: (column) => {
      const local = sql`(${inUtc(column)})`;
      const text = sql`${dayText(local)} || 'T' || ${clockText(local, digits)} || 'Z' || ${eraOf(column, type)}`;
      return orInfinity(column, text);
    },
    toJson: utcText,
    toCell: cellOf,
    mayRound: true,
  };
}

/** Adds infinity to the text of a returned cell: the text of an infinite cell depends on no setting, but its cast to text counts as if it did. */
function orInfinity(column: Sql, text: Sql): Sql {
  const infinity = sql`case when ${column} = 'infinity' then 'infinity' when ${column} = '-infinity' then '-infinity' end`;
  return sql`coalesce(${text}, ${infinity})`;
}

/** Writes the time of a timestamp with so many fraction digits. */
function clockText(timestamp: Sql, digits: number): Sql {
  const clock = sql`${timestamp}::time::text`;
  if (digits === 0) return sql`left(${clock}, 8)`;
  return sql`left(${clock}, 8) || '.' || rpad(substr(${clock}, 10), ${sql.lit(digits)}, '0')`;
}

/** The picoseconds of a microsecond, and the microseconds of other units. */
const PICOSECONDS = 10n ** 6n;
const SECOND = 10n ** 6n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
/** The longest interval without months in microseconds, and intervals beyond it. */
const MOST = (2n ** 31n - 1n) * DAY + DAY - 1n;
const ABOVE_ALL = "P178000000Y";
const BELOW_ALL = "P-178000000Y";
/** The result of `extract(epoch)`. */
const EPOCH = /^(-?)(\d+)\.(\d+)$/;

const toSeconds: () => Conversion = once(() => ({
  form: pgForms().temporal.seconds,
  apply: (operand) => sql`extract(epoch from ${operand})::numeric`,
}));
const asInterval = (place: Sql): Sql => sql`${place}::interval`;

/**
 * Edm.Duration as interval, which PostgreSQL compares as durations with days of 24 hours. Bound strings are ISO 8601 with a
 * sign before each number, the only notation that does not depend on `IntervalStyle`.
 */
const pgInterval: () => SqlForm = once(() =>
  Object.freeze<SqlForm>({
    name: "interval",
    floor: (value) => {
      const [below] = microsecondsAround(asText(value));
      if (below > MOST) return writeInterval(MOST);
      return below < -MOST ? BELOW_ALL : writeInterval(below);
    },
    ceiling: (value) => {
      const [, above] = microsecondsAround(asText(value));
      if (above < -MOST) return writeInterval(-MOST);
      return above > MOST ? ABOVE_ALL : writeInterval(above);
    },
    exact: null,
    mayBeNull: false,
    place: asInterval,
    mark: textMark(intervalText),
    fromKey: asInterval,
    comparable: toSeconds(),
    computable: toSeconds(),
  }),
);

/** Selects an interval in a notation that does not depend on `IntervalStyle`, with a sign before each number. */
function intervalText(value: Sql): Sql {
  const part = (name: string): Sql => sql`extract(${sql.raw(name)} from ${value})`;
  const months = sql`'P', ${part("year")} * 12 + ${part("month")}, 'M'`;
  const clock = sql`'DT', ${part("hour")}, 'H', ${part("minute")}, 'M', ${part("second")}, 'S'`;
  return sql`case when ${value} is not null then concat(${months}, ${part("day")}, ${clock}) end`;
}

/**
 * Selects the seconds of an interval. Selects the months of an interval with months, because months vary in length. Neither
 * text depends on `IntervalStyle`.
 */
function selectInterval(column: Sql): Sql {
  const months = sql`(extract(year from ${column}) * 12 + extract(month from ${column}))`;
  const hasDaysOnly = sql`extract(year from ${column}) = 0 and extract(month from ${column}) = 0`;
  return sql`(case when ${hasDaysOnly} then extract(epoch from ${column})::text else ${months}::text || ' mon' end)`;
}

/** Reads the result of `selectInterval`. */
function readInterval(cell: unknown): string | null {
  const match = EPOCH.exec(String(cell));
  if (match === null) throw new Error("An interval with months or years has no fixed length. Store days and seconds.");
  const [, sign = "", whole = "", fraction = ""] = match;
  const seconds = BigInt(whole);
  const [days, rest] = [seconds / 86_400n, seconds % 86_400n];
  const [hours, minutes] = [rest / 3600n, (rest % 3600n) / 60n];
  const digits = fraction.replace(/0+$/, "");
  const last = digits === "" ? String(rest % 60n) : `${String(rest % 60n)}.${digits}`;
  const parts = [
    [hours, `${String(hours)}H`],
    [minutes, `${String(minutes)}M`],
    [last === "0" ? 0n : 1n, `${last}S`],
  ] as const;
  const time = parts.flatMap(([count, text]) => (count === 0n ? [] : [text])).join("");
  const day = days === 0n ? "" : `${String(days)}D`;
  if (day === "" && time === "") return "PT0S";
  return parseDuration(`${sign}P${day}${time === "" ? "" : `T${time}`}`);
}

function microsecondsAround(duration: string): readonly [below: bigint, above: bigint] {
  const total = toScaled(totalSecondsOf(duration), MAX_PRECISION);
  const cut = total / PICOSECONDS;
  if (cut * PICOSECONDS === total) return [cut, cut];
  return total < 0n ? [cut - 1n, cut] : [cut, cut + 1n];
}

function writeInterval(microseconds: bigint): string {
  const sign = microseconds < 0n ? "-" : "";
  const size = microseconds < 0n ? -microseconds : microseconds;
  const [days, hours, minutes] = [size / DAY, (size % DAY) / HOUR, (size % HOUR) / MINUTE];
  const [seconds, fraction] = [(size % MINUTE) / SECOND, size % SECOND];
  const signed = (count: bigint): string => `${sign}${String(count)}`;
  const clock = `${signed(hours)}H${signed(minutes)}M${signed(seconds)}.${String(fraction).padStart(6, "0")}S`;
  return `P${signed(days)}DT${clock}`;
}

/** Selects a Decimal stored as text or as money, independent of `lc_monetary`. */
function selectTextDecimal(column: Sql): Sql {
  const isMoney = sql`pg_typeof(${column}) = 'money'::regtype`;
  return sql`(case when ${isMoney} then ${column}::numeric::text else ${column}::text end)`;
}

/** The same for numbers, NaN included. The column may also be of integers. */
function pgFiniteNumber(operand: Sql): Sql {
  return sql`(case when ${operand}::numeric not in ('NaN', 'Infinity', '-Infinity') then ${operand} end)`;
}
