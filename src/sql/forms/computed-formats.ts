import { sql } from "kysely";
import { readInteger } from "../../cells/text-cells.ts";
import { fromEpochDays } from "../../edm/calendar.ts";
import { timePartOf, writeDate } from "../../edm/date-time-offset.ts";
import { parseDecimal, fitScale, withoutFinalZeros } from "../../edm/decimal.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { addDurations, addDurationToDateTimeOffset } from "../../edm/temporal-arithmetic.ts";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import { makeColumnFormat, type ColumnFormat, type ColumnFormats, type ReadCell } from "../columns/column-format.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { DialectValues } from "./dialect-profile.ts";

/** The instant from which computed timestamps and times are counted. It has the fraction digits that they have at least. */
const START = "1970-01-01T00:00:00.000Z";

/** The seconds and the minutes of the offset of a timestamp: see `withOffset`. */
const WITH_OFFSET = /^(\S+) (-?\d+)$/;

/** Selects a timestamp together with its offset. */
export function withOffset(epoch: Sql, offset: Sql): Sql {
  return sql`(case when ${epoch} is not null then concat(${epoch}, ' ', ${offset}) end)`;
}

interface ComputedValues extends Pick<ColumnFormats, "columnFormat">, Pick<DialectValues, "canonicalForm"> {
  /** Selects a number as text. */
  readonly numberText: (value: Sql) => Sql;
}

/** Makes the formats of computed values for a database that computes with temporal values as numbers. */
export function castComputedFormats(values: ComputedValues): DialectValues["computedFormat"] {
  return (property) => {
    const read = NUMBERS[property.type.name];
    return read === undefined
      ? ofCanonicalForm(property, values)
      : makeColumnFormat(property, formOf(property, values), read, { toSelected: values.numberText });
  };
}

/** Returns the format of a computed value whose canonical form is read as a column of its type is. */
export function ofCanonicalForm(property: StructuralProperty, values: ComputedValues): ColumnFormat {
  const { type } = property;
  const form = formOf(property, values);
  if (type.kind === "EnumType") {
    const read: ReadCell = (cell) => {
      const number = readInteger(String(cell));
      return number === null ? null : enumFromNumber(type, Number(number));
    };
    return makeColumnFormat(property, form, read, { toSelected: values.numberText });
  }
  const format = values.columnFormat(property, undefined);
  if (format === null) throw new Error(`${property.name} is not a single value.`);
  return withShortestDecimals(property, { ...format, form });
}

/** Returns a format whose Decimals have no zeros at the end: databases differ in the digits of results. */
export function withShortestDecimals({ type }: StructuralProperty, format: ColumnFormat): ColumnFormat {
  if (type.name !== "Edm.Decimal") return format;
  return Object.freeze<ColumnFormat>({
    ...format,
    toJson: undefined,
    toValue: (cell) => {
      const value = format.toValue(cell);
      return typeof value === "string" ? withoutFinalZeros(value) : value;
    },
  });
}

function formOf({ name, type }: StructuralProperty, { canonicalForm }: ComputedValues): ColumnFormat["form"] {
  if (type.kind === "ComplexType") throw new Error(`${name} is not a single value.`);
  return canonicalForm(type);
}

/** The values of numbers, by the names of their types. */
const NUMBERS: Readonly<Record<string, ReadCell | undefined>> = {
  "Edm.Date": (cell) => {
    const days = readInteger(cell);
    return days === null ? null : writeDate(fromEpochDays(Number(days)));
  },
  "Edm.TimeOfDay": (cell) => {
    const instant = instantAfter(START, cell);
    return instant === null ? null : timePartOf(instant);
  },
  "Edm.DateTimeOffset": (cell) => {
    const [, seconds, minutes] = WITH_OFFSET.exec(String(cell)) ?? [];
    return minutes === undefined ? instantAfter(START, cell) : atOffset(Number(minutes), seconds);
  },
  "Edm.Duration": (cell) => {
    const duration = durationOf(cell);
    return duration === null ? null : addDurations("PT0S", duration);
  },
};

/** Returns the timestamp with an offset that is so many seconds after 1970. */
function atOffset(minutes: number, seconds: unknown): string | null {
  const offset = addDurationToDateTimeOffset(START, `PT${String(Math.abs(minutes))}M`);
  if (offset === null) return null;
  const sign = minutes < 0 ? "-" : "+";
  // Midnight in the time zone is earlier by its offset.
  const start = `${START.slice(0, -1)}${sign}${timePartOf(offset).slice(0, "hh:mm".length)}`;
  const midnight = addDurationToDateTimeOffset(start, `${sign === "-" ? "-" : ""}PT${String(Math.abs(minutes))}M`);
  return midnight === null ? null : instantAfter(midnight, seconds);
}

/** Returns the timestamp so many seconds after another one. */
function instantAfter(start: string, seconds: unknown): string | null {
  const duration = durationOf(seconds);
  return duration === null ? null : addDurationToDateTimeOffset(start, duration);
}

/** Returns the duration of a number of seconds. */
function durationOf(cell: unknown): string | null {
  const read = typeof cell === "string" ? parseDecimal(cell) : null;
  const seconds = read === null ? null : fitScale(withoutFinalZeros(read), MAX_FRACTION_DIGITS);
  if (seconds === null) return null;
  return seconds.startsWith("-") ? `-PT${seconds.slice(1)}S` : `PT${seconds}S`;
}
