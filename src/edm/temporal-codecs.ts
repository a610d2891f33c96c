import type { JsonValue } from "../base/json/write-json.ts";
import {
  compareDateTimeOffsets,
  fractionOf,
  parseDateTimeOffset,
  compareDates,
  parseDate,
} from "./date-time-offset.ts";
import type { Fraction } from "./decimal.ts";
import { compareDurations, durationFractionOf, parseDuration } from "./duration.ts";
import { PRIMITIVE_TYPES, type Facets } from "./primitive-type.ts";
import { compareTimesOfDay, parseTimeOfDay } from "./time-of-day.ts";
import { asText, type PrimitiveValue, type ValueCodec, invalidValue, outsideFacet } from "./value-codec.ts";

/** The used members of a Temporal object; only a ZonedDateTime has the last two. */
interface TemporalObject {
  toString(): string;
  readonly offsetNanoseconds?: number;
  toInstant?(): { toString(): string };
}

const NANOSECONDS_PER_MINUTE = 60e9;

/**
 * Returns the canonical timestamp of a `Date` or `Temporal` object, recognised by its tag to support polyfills; null for any
 * other object, such as a `Temporal.PlainDateTime`, which has no offset.
 */
function dateTimeOffsetOf(value: unknown): string | null {
  if (value instanceof Date) {
    const text = instantText(value);
    // The text of any other year has a sign, or more digits than were tested.
    return text === null || text.length === ISO_LENGTH ? text : parseDateTimeOffset(text);
  }
  if (hasTag(value, "Temporal.ZonedDateTime")) return parseDateTimeOffset(zonedText(value));
  return hasTag(value, "Temporal.Instant") ? parseDateTimeOffset(withoutPlus(value.toString())) : null;
}

/** Returns the canonical date of a `Date` (its day in UTC) or `Temporal.PlainDate`; null for any other value. */
function dateOf(value: unknown): string | null {
  if (value instanceof Date) {
    const text = instantText(value);
    return text === null ? null : parseDate(text.slice(0, text.indexOf("T")));
  }
  return hasTag(value, "Temporal.PlainDate") ? parseDate(withoutAnnotation(withoutPlus(value.toString()))) : null;
}

/** Returns the canonical time of a `Temporal.PlainTime`; null for any other value. */
function timeOfDayOf(value: unknown): string | null {
  return hasTag(value, "Temporal.PlainTime") ? parseTimeOfDay(value.toString()) : null;
}

/** Returns the canonical duration of a `Temporal.Duration`; null for any other value, and for one with years, months or weeks. */
function durationOf(value: unknown): string | null {
  return hasTag(value, "Temporal.Duration") ? parseDuration(value.toString()) : null;
}

/** The length of the ISO text of a Date of the years 0 to 9999, which is in canonical form. */
const ISO_LENGTH = 24;

/** Returns the ISO timestamp of a Date; null for an invalid one. */
function instantText(value: Date): string | null {
  if (Number.isNaN(value.getTime())) return null;
  const text = value.toISOString();
  return text.length === ISO_LENGTH ? text : withoutPlus(text);
}

/** Removes the sign and zeros of years outside 0 to 9999, which JavaScript writes as `+012024` or `-000044`. */
function withoutPlus(text: string): string {
  const match = /^([+-])0{0,2}(\d{4,6})(?=-)/.exec(text);
  if (match === null) return text;
  return `${match[1] === "-" ? "-" : ""}${match[2] ?? ""}${text.slice(match[0].length)}`;
}

/** Removes annotations such as `[Europe/Berlin]` and `[u-ca=hebrew]`. */
function withoutAnnotation(text: string): string {
  const bracket = text.indexOf("[");
  return bracket < 0 ? text : text.slice(0, bracket);
}

/** Writes a value whose offset has seconds in UTC, because its text rounds the offset and so changes the instant. */
function zonedText(value: TemporalObject): string {
  const hasSeconds = (value.offsetNanoseconds ?? 0) % NANOSECONDS_PER_MINUTE !== 0;
  const text = hasSeconds ? value.toInstant?.().toString() : undefined;
  return withoutAnnotation(withoutPlus(text ?? value.toString()));
}

function hasTag(value: unknown, tag: string): value is TemporalObject {
  return (
    typeof value === "object" && value !== null && Symbol.toStringTag in value && value[Symbol.toStringTag] === tag
  );
}

const ONLY_ZEROS = /^0*$/;
/** No value is longer: a Duration has four components of at most 17 characters, a fraction, and three more characters. */
const MAX_LENGTH = 100;

/** The types of dates, times and durations. */
type TemporalTypeName = "Edm.Date" | "Edm.TimeOfDay" | "Edm.DateTimeOffset" | "Edm.Duration";

interface TemporalType {
  readonly parse: (text: string) => string | null;
  /** Returns the canonical value of a JavaScript object of this type, or null. */
  readonly ofObject: (value: unknown) => string | null;
  readonly compare: (left: string, right: string) => number;
  readonly fraction: (value: string) => Fraction;
  /** The prefix and suffix of a URL literal. */
  readonly quotes: readonly [string, string];
  readonly advice: string;
}

const TEMPORAL_TYPES: Readonly<Record<TemporalTypeName, TemporalType>> = {
  "Edm.Date": {
    parse: parseDate,
    ofObject: dateOf,
    compare: compareDates,
    fraction: (value) => ({ text: value, start: 0, end: 0 }),
    quotes: ["", ""],
    advice: "write a day that exists as YYYY-MM-DD, such as 2024-02-29",
  },
  "Edm.TimeOfDay": {
    parse: parseTimeOfDay,
    ofObject: timeOfDayOf,
    compare: compareTimesOfDay,
    fraction: (value) => ({ text: value, start: 9, end: value.length }),
    quotes: ["", ""],
    advice: "write hh:mm:ss from 00:00:00 to 23:59:59.999999999999, such as 07:59:59.5",
  },
  "Edm.DateTimeOffset": {
    parse: parseDateTimeOffset,
    ofObject: dateTimeOffsetOf,
    compare: compareDateTimeOffsets,
    fraction: fractionOf,
    quotes: ["", ""],
    advice:
      "write a date and time that exist with an offset, such as 2024-02-29T13:20:00Z or 2024-02-29T13:20:00.5+02:00",
  },
  "Edm.Duration": {
    parse: parseDuration,
    ofObject: durationOf,
    compare: compareDurations,
    fraction: durationFractionOf,
    quotes: ["duration'", "'"],
    advice: "write days, hours, minutes and seconds (no years, months or weeks), such as P1DT2H30M or -PT0.5S",
  },
};

/**
 * Makes the codec of a temporal type, whose value is a canonical string. A handler may also return a `Date` (for Date and
 * DateTimeOffset) or the `Temporal` object of the type. `precision` limits the fraction digits of client input.
 * @see OData CSDL 4.0, section 6.2.3
 */
export function temporalCodec(name: TemporalTypeName, { precision }: Facets): ValueCodec {
  const { parse, ofObject, compare, fraction, quotes, advice } = TEMPORAL_TYPES[name];
  const fromText = (text: string): string => {
    // Handlers and databases may write a plus sign, but the standard does not allow it in durations.
    const canonical = text.startsWith("+") || text.length > MAX_LENGTH ? null : parse(text);
    if (canonical === null) throw invalidValue(text, name, advice);
    return fit(canonical);
  };
  const fit = (canonical: string): string =>
    precision === undefined ? canonical : fitPrecision(canonical, fraction(canonical), precision);
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: (value) => {
      const canonical = typeof value === "string" ? parse(value) : ofObject(value);
      if (canonical === null) throw invalidValue(value, name, advice);
      return canonical;
    },
    fromJson: (value: JsonValue) => {
      if (typeof value === "string") return fromText(value);
      throw invalidValue(value, name, `${advice}, in quotes`);
    },
    fit: (value) => fit(asText(value)),
    toJson: (value) => `"${asText(value)}"`,
    fromText,
    toLiteral: (value: PrimitiveValue) => `${quotes[0]}${asText(value)}${quotes[1]}`,
    toText: asText,
    compare: (left, right) => compare(asText(left), asText(right)),
  });
}

/** Removes zeros beyond the precision, which does not change the value. */
function fitPrecision(canonical: string, { start, end }: Fraction, precision: number): string {
  const cut = start + precision;
  if (end <= cut) return canonical;
  if (!ONLY_ZEROS.test(canonical.slice(cut, end))) {
    const problem = `has too many fraction digits: write at most ${precision} digits after the point`;
    throw outsideFacet(canonical, problem, canonical, { code: "Precision", parameters: { precision } });
  }
  // Without digits, the point is removed, too.
  return canonical.slice(0, precision === 0 ? cut - 1 : cut) + canonical.slice(end);
}
