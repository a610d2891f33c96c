import { fromEpochDays } from "../../edm/calendar.ts";
import { timePartOf, writeDate } from "../../edm/date-time-offset.ts";
import { parseDecimal, fitScale, withoutFinalZeros } from "../../edm/decimal.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { shownValueOf } from "../../edm/shown-value.ts";
import { addDurations, addDurationToDateTimeOffset } from "../../edm/temporal-arithmetic.ts";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import { asNumber } from "../../edm/value-codec.ts";
import { toSingle } from "../../edm/value-codecs.ts";
import { int64Text, readInteger } from "../cells/text-cells.ts";
import { makeColumnFormat, type ColumnFormat, type ColumnFormats, type ReadCell } from "../columns/column-format.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { DialectValues } from "./dialect-values.ts";

/** The instant from which computed timestamps and times are counted. */
const START = "1970-01-01T00:00:00Z";

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
      : asShown(
          property,
          makeColumnFormat(property, formOf(property, values), read, { toSelected: values.numberText }),
        );
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
  if (type.name === "Edm.Single") {
    const toValue: ColumnFormat["toValue"] = (cell) => toSingle(asNumber(format.toValue(cell)));
    return asShown(property, { ...format, form, toValue });
  }
  const shown = asShown(property, { ...format, form });
  const isWhole = type.name === "Edm.Decimal" && (property.facets.scale ?? "variable") === "variable";
  return isWhole || property.facets.scale === 0 ? Object.freeze<ColumnFormat>({ ...shown, toJson: int64Text }) : shown;
}

/** Returns a format that reads equal values alike: see `shownValueOf`. */
export function asShown(property: StructuralProperty, format: ColumnFormat): ColumnFormat {
  const shown = shownValueOf(property, format.form.shownDigits?.(property));
  if (shown === undefined) return format;
  // The text of a double that is not zero is the shown one.
  const toJson = property.type.name === "Edm.Double" ? format.toJson : undefined;
  return Object.freeze<ColumnFormat>({ ...format, toJson, toValue: (cell) => shown(format.toValue(cell)) });
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
    const instant = instantOf(cell);
    return instant === null ? null : timePartOf(instant);
  },
  "Edm.DateTimeOffset": instantOf,
  "Edm.Duration": (cell) => {
    const duration = durationOf(cell);
    return duration === null ? null : addDurations("PT0S", duration);
  },
};

/** Returns the timestamp so many seconds after 1970. */
function instantOf(seconds: unknown): string | null {
  const duration = durationOf(seconds);
  return duration === null ? null : addDurationToDateTimeOffset(START, duration);
}

/** Returns the duration of a number of seconds. */
function durationOf(cell: unknown): string | null {
  const read = typeof cell === "string" ? parseDecimal(cell) : null;
  const seconds = read === null ? null : fitScale(withoutFinalZeros(read), MAX_FRACTION_DIGITS);
  if (seconds === null) return null;
  return seconds.startsWith("-") ? `-PT${seconds.slice(1)}S` : `PT${seconds}S`;
}
