import { parseDateTimeOffset } from "../../edm/date-time-offset.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { DEFAULT_PRECISION } from "../../edm/shown-value.ts";
import {
  nextDouble,
  BEFORE_ALL_TEXTS,
  BEHIND_ALL_TEXTS,
  fromEpoch,
  MAX_PRECISION,
  roundedUp,
  toInstant,
  withoutZeros,
  writeInstant,
  type Instant,
} from "./instant.ts";

/** A cell as the database holds it. */
export type InstantCell = bigint | number | string;

/** How the cells of a column represent instants. Cells sort like their instants. */
export interface InstantCells {
  readonly name: string;
  /** Returns the greatest cell whose instant is not after the given one. */
  readonly floor: (instant: Instant) => InstantCell;
  /** Returns the least cell whose instant is not before the given one. */
  readonly ceiling: (instant: Instant) => InstantCell;
  /** Returns the cell to store; undefined if no cell represents exactly this instant. */
  readonly write: (instant: Instant, property: StructuralProperty) => InstantCell | undefined;
  /** Reads a cell, or the text of a number that was selected as text; null if it is not a cell of this form. */
  readonly read: (cell: unknown) => Instant | null;
  /** The minimum number of fraction digits to show. */
  readonly digits: (property: StructuralProperty) => number;
}

const MILLISECOND_DIGITS = 3;
const MILLISECONDS_PER_DAY = 86_400_000;
/** The milliseconds from the start of Julian days to 1970-01-01. */
export const JULIAN_EPOCH = 210_866_760_000_000;
/** The years 0 to 9999, with one day of margin on both sides. */
const LEAST_SECONDS = -62_167_219_200 - 86_400;
const GREATEST_SECONDS = 253_402_300_800 + 86_400;
const NO_FRACTION = "0".repeat(MAX_PRECISION);
const INTEGER = /^-?\d{1,18}$/;
const SQLITE_TEXT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,12})?$/;

/** Milliseconds since 1970, as whole numbers. */
export const EPOCH_CELLS: InstantCells = epochCells("milliseconds", MILLISECOND_DIGITS, () => MILLISECOND_DIGITS);

/** Seconds since 1970, as whole numbers. */
export const EPOCH_SECOND_CELLS: InstantCells = epochCells("seconds since 1970", 0, (property) =>
  declaredDigits(property, 0),
);

function epochCells(name: string, precision: 0 | 3, digits: InstantCells["digits"]): InstantCells {
  const unit = 10n ** BigInt(precision);
  const floor = ({ seconds, fraction }: Instant): bigint =>
    BigInt(seconds) * unit + BigInt(`0${fraction.slice(0, precision)}`);
  return Object.freeze<InstantCells>({
    name,
    floor,
    ceiling: (instant) => floor(roundedUp(instant, precision) ?? instant),
    write: (instant) => (isWithinYears(instant) && roundedUp(instant, precision) === null ? floor(instant) : undefined),
    read: (cell) => {
      const integer = integerOf(cell);
      return integer === null ? null : ofMilliseconds(Number(integer) * (precision === 0 ? 1000 : 1));
    },
    digits,
  });
}

/**
 * Julian days as doubles, rounded to milliseconds as SQLite rounds them. A double resolves about 40 microseconds, so
 * several doubles represent one millisecond.
 * @see https://www.sqlite.org/lang_datefunc.html
 */
export const JULIAN_CELLS: InstantCells = Object.freeze<InstantCells>({
  name: "Julian days",
  floor: (instant) => nextDouble(leastJulianDay(millisecondsOf(clamped(instant)) + 1), -1),
  ceiling: (instant) => {
    const known = clamped(instant);
    return leastJulianDay(millisecondsOf(roundedUp(known, MILLISECOND_DIGITS) ?? known));
  },
  write: (instant) => {
    if (!isWithinYears(instant) || roundedUp(instant, MILLISECOND_DIGITS) !== null) return undefined;
    return (millisecondsOf(instant) + JULIAN_EPOCH) / MILLISECONDS_PER_DAY;
  },
  read: (cell) => {
    if (typeof cell === "string") return ofJulianMilliseconds(integerOf(cell));
    const day = typeof cell === "bigint" ? Number(cell) : cell;
    return typeof day === "number" && Number.isFinite(day) ? ofMilliseconds(julianMilliseconds(day)) : null;
  },
  digits: (property) => declaredDigits(property, DEFAULT_PRECISION),
});

/** UTC texts in the format of `datetime()` and `CURRENT_TIMESTAMP` of SQLite. Fractions of any length are read. */
export const SQLITE_TEXT_CELLS: InstantCells = Object.freeze<InstantCells>({
  name: "datetime of SQLite",
  floor: (instant) => sqliteText(instant, MAX_PRECISION),
  ceiling: (instant) => sqliteText(instant, neededDigits(instant)),
  write: (instant, property) => {
    const most = Math.max(MILLISECOND_DIGITS, declaredDigits(property, 0));
    const needed = neededDigits(instant);
    if (!isWithinYears(instant) || needed > most) return undefined;
    return sqliteText(instant, needed === 0 ? 0 : Math.max(MILLISECOND_DIGITS, needed));
  },
  read: (cell) => {
    if (typeof cell !== "string" || !SQLITE_TEXT.test(cell)) return null;
    const value = parseDateTimeOffset(`${cell.replace(" ", "T")}Z`);
    return value === null ? null : toInstant(value);
  },
  digits: (property) => declaredDigits(property, DEFAULT_PRECISION),
});

/** Returns the canonical timestamp of an instant with at least `least` fraction digits, and all that it has. */
export function showInstant(instant: Instant, least: number): string | null {
  return writeInstant(instant, Math.max(least, neededDigits(instant)));
}

/** Returns the number of fraction digits of an instant without trailing zeros. */
function neededDigits({ fraction }: Instant): number {
  return withoutZeros(fraction).length;
}

/** A property without a declared precision has the maximum. */
function declaredDigits({ facets: { precision = MAX_PRECISION } }: StructuralProperty, otherwise: number): number {
  return precision === MAX_PRECISION ? otherwise : precision;
}

function isWithinYears(instant: Instant): boolean {
  return writeInstant(instant, 0) !== null;
}

/** Every readable cell is within these bounds, so comparisons give the same results. */
function clamped({ seconds, fraction }: Instant): Instant {
  if (seconds < LEAST_SECONDS) return { seconds: LEAST_SECONDS, fraction: NO_FRACTION };
  return seconds > GREATEST_SECONDS ? { seconds: GREATEST_SECONDS, fraction: NO_FRACTION } : { seconds, fraction };
}

function millisecondsOf({ seconds, fraction }: Instant): number {
  return seconds * 1000 + Number(fraction.slice(0, MILLISECOND_DIGITS));
}

function ofMilliseconds(milliseconds: number): Instant | null {
  return Number.isSafeInteger(milliseconds) ? fromEpoch(milliseconds) : null;
}

function ofJulianMilliseconds(milliseconds: bigint | null): Instant | null {
  return milliseconds === null ? null : ofMilliseconds(Number(milliseconds) - JULIAN_EPOCH);
}

/** Returns the milliseconds since 1970 of a Julian day. Databases compute the same value from the same double. */
function julianMilliseconds(day: number): number {
  return Math.floor(day * MILLISECONDS_PER_DAY + 0.5) - JULIAN_EPOCH;
}

/** Returns the least double that represents at least this many milliseconds since 1970. */
function leastJulianDay(milliseconds: number): number {
  let day = (milliseconds + JULIAN_EPOCH - 0.5) / MILLISECONDS_PER_DAY;
  while (julianMilliseconds(day) >= milliseconds) day = nextDouble(day, -1);
  while (julianMilliseconds(day) < milliseconds) day = nextDouble(day, 1);
  return day;
}

function sqliteText(instant: Instant, digits: number): string {
  const text = writeInstant(instant, digits);
  if (text === null) return instant.seconds < 0 ? BEFORE_ALL_TEXTS : BEHIND_ALL_TEXTS;
  return text.replace("T", " ").slice(0, -1);
}

/** Reads an integer from a number or from its text. */
function integerOf(cell: unknown): bigint | null {
  if (typeof cell === "bigint") return cell;
  if (typeof cell === "number") return Number.isSafeInteger(cell) ? BigInt(cell) : null;
  return typeof cell === "string" && INTEGER.test(cell) ? BigInt(cell) : null;
}
