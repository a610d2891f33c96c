/** A line of a scale. */
export interface Tick {
  readonly value: number;
  /** The calendar unit of a date, to choose how it is written; null for numbers. */
  readonly unit: CalendarUnit | null;
}

/** What a tick of dates begins. */
export type CalendarUnit = "second" | "minute" | "hour" | "day" | "month" | "year";

/** The least and the greatest value. */
export type Domain = readonly [least: number, greatest: number];

/** Places values on a line of pixels. */
export type Scale = (value: number) => number;

/**
 * Returns the domain of values. Null, NaN and the infinities have no place.
 * @param hasZero whether 0 belongs to it, as bars need
 * @returns null without a value; a domain of one value is widened, so that it has a middle
 */
export function domainOf(values: Iterable<number | null>, hasZero = false): Domain | null {
  let least = hasZero ? 0 : Infinity;
  let greatest = hasZero ? 0 : -Infinity;
  let isEmpty = true;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    isEmpty = false;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  if (isEmpty) return null;
  if (least < greatest) return [least, greatest];
  const margin = Math.abs(least) / 2 || 1;
  return hasZero ? [0, 1] : [least - margin, greatest + margin];
}

/** Returns the scale that places a domain on pixels. The range may run backwards, as that of a vertical axis. */
export function linearScale([least, greatest]: Domain, [from, to]: readonly [number, number]): Scale {
  // Halves: the difference of the greatest numbers is infinite.
  const extent = greatest / 2 - least / 2;
  return (value) => from + (extent === 0 ? 0.5 : (value / 2 - least / 2) / extent) * (to - from);
}

/**
 * Returns the round numbers of a domain: steps are 1, 2 or 5 times a power of ten.
 * @param count about how many
 */
export function numberTicks([least, greatest]: Domain, count: number): readonly Tick[] {
  const [step, scale] = roundStep(greatest / count - least / count);
  const width = toValue(1, step, scale);
  const first = Math.ceil(fromStep(least, width));
  const last = Math.floor(fromStep(greatest, width));
  // Steps beyond all doubles, or too small for these.
  if (!(width > 0) || width === Infinity || !(last - first <= 4 * count + 4)) return [];
  const values = Array.from({ length: last - first + 1 }, (_, index) => toValue(first + index, step, scale));
  // Neighbours that a double cannot tell apart are one tick.
  return [...new Set(values.filter(Number.isFinite))].map((value) => ({ value: value + 0, unit: null }));
}

/** Returns the least round step that is not less than a size: a digit, and the power of ten that multiplies it. */
function roundStep(size: number): readonly [digit: number, scale: number] {
  const scale = Math.floor(Math.log10(size));
  // Doubles nearer to zero have few digits.
  if (!(scale > -300)) return [0, 0];
  const digit = [1, 2, 5].find((each) => toValue(1, each, scale) >= size);
  return digit === undefined ? [1, scale + 1] : [digit, scale];
}

/** Powers of ten with negative exponents are not exact: 3 / 10 is nearer to 0.3 than 3 * 0.1 is. */
function toValue(index: number, digit: number, scale: number): number {
  return scale < 0 ? (index * digit) / 10 ** -scale : index * digit * 10 ** scale;
}

function fromStep(value: number, width: number): number {
  const steps = value / width;
  const rounded = Math.round(steps);
  // 0.35 / 0.05 is a little less than 7.
  return Math.abs(steps - rounded) < 1e-14 * Math.max(1, Math.abs(steps)) ? rounded : steps;
}

const DAY = 86_400_000;
const YEAR = 365.2425 * DAY;

/** Steps of dates: so many milliseconds, and so many units. */
const STEPS: readonly (readonly [unit: CalendarUnit, size: number, amounts: readonly number[]])[] = [
  ["second", 1000, [1, 5, 15, 30]],
  ["minute", 60_000, [1, 5, 15, 30]],
  ["hour", 3_600_000, [1, 3, 6, 12]],
  ["day", DAY, [1, 2, 7]],
  ["month", YEAR / 12, [1, 3, 6]],
];

/**
 * Returns the dates of a domain at which a second, minute, hour, day, month or year begins, in UTC.
 * @param domain milliseconds since 1970
 * @param count about how many
 */
export function dateTicks(domain: Domain, count: number): readonly Tick[] {
  const [least, greatest] = domain;
  const size = (greatest - least) / count;
  const steps = STEPS.flatMap(([unit, each, amounts]) =>
    amounts.map((amount) => ({ unit, amount, width: amount * each })),
  );
  const step: (typeof steps)[number] = steps.find(({ width }) => width >= size) ?? {
    unit: "year",
    amount: 12 * yearStep(size / YEAR),
    width: 0,
  };
  const { unit, amount, width } = step;
  if (unit === "month" || unit === "year") return monthTicks(domain, amount, unit);
  const ticks: Tick[] = [];
  // Weeks begin on Mondays: 1970 began on a Thursday.
  const offset = amount === 7 ? 4 * DAY : 0;
  for (let value = Math.ceil((least - offset) / width) * width + offset; value <= greatest; value += width) {
    ticks.push({ value: value + 0, unit });
  }
  return ticks;
}

function yearStep(years: number): number {
  const [digit, scale] = roundStep(Math.max(years, 1));
  return toValue(1, digit, scale);
}

function monthTicks([least, greatest]: Domain, months: number, unit: CalendarUnit): readonly Tick[] {
  const ticks: Tick[] = [];
  const start = new Date(least);
  const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months);
  for (let index = first; ; index += 1) {
    const value = startOfMonth(index * months);
    // Beyond the last date there is no tick.
    if (!(value <= greatest)) return ticks;
    if (value >= least) ticks.push({ value, unit });
  }
}

function startOfMonth(month: number): number {
  // Date.UTC takes the years 0 to 99 for those of the twentieth century.
  return new Date(0).setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1);
}

/** Returns the number that a value of the service is; null for none, and for INF, -INF and NaN. */
export function toNumber(value: unknown): number | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Returns the milliseconds since 1970 of a date or a point in time of the service; null for none, and beyond what pages can show. */
export function toTime(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const time = Date.parse(value.replace(/(\.\d{3})\d+/u, "$1"));
  return Number.isNaN(time) ? null : time;
}
