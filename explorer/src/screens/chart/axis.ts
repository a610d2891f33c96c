import { scaleLinear, scaleTime, scaleUtc } from "d3-scale";
import { pageLocale } from "../../format/locale.ts";
import { dateText, dayOf, isMidnight, type Zone } from "../../format/zone.ts";

/** The least and the greatest value, or the first and the last pixel. The range may run backwards. */
export type Domain = readonly [least: number, greatest: number];

/** An axis: where its ticks are, in its own values, and which pixel a value has. */
export interface Axis {
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
  /** The texts of ticks of the calendar: the largest unit that begins there. */
  readonly textOf?: (tick: number) => string;
}

/** Returns the domain of values; null without one. A single value gets a margin. Bars need 0 in theirs. */
export function domainOf(values: readonly (number | null)[], hasZero = false): Domain | null {
  const numbers = values.filter((value) => value !== null && Number.isFinite(value)) as readonly number[];
  if (numbers.length === 0) return null;
  const all = hasZero ? [0, ...numbers] : numbers;
  const [least, greatest] = [Math.min(...all), Math.max(...all)];
  if (least < greatest) return [least, greatest];
  const margin = Math.abs(least) / 2 || 1;
  return hasZero ? [0, 1] : [least - margin, greatest + margin];
}

/** Makes an axis of numbers, from a round number to another. */
export function numberAxis([least, greatest]: Domain, count: number, range: Domain): Axis {
  const step = greatest / count - least / count;
  // Steps near the limits of doubles, or of their last digits, have no round numbers.
  const isRound = step < 1e300 && step > 1e-290 && step > 1e-12 * Math.max(Math.abs(least), Math.abs(greatest));
  if (isRound) {
    const scale = scaleLinear([least, greatest], range).nice(count);
    return { ticks: scale.ticks(count), at: scale };
  }
  // The difference of the greatest numbers is infinite.
  const halves = scaleLinear([least / 2, greatest / 2], range);
  return { ticks: [...new Set([least, greatest])], at: (value) => halves(value / 2) };
}

/** Makes a calendar axis of milliseconds since 1970. The text of a tick is the largest unit that begins there. */
export function timeAxis(domain: Domain, count: number, range: Domain, zone: Zone, locale = pageLocale()): Axis {
  const scale = zone === "UTC" ? scaleUtc(domain, range) : scaleTime(domain, range);
  const textOf = (tick: number): string => {
    const exact = new Date(tick).toISOString();
    const day = dayOf(new Date(tick), zone);
    return dateText(exact, isMidnight(exact, zone) ? dayStyle(day) : clockStyle(tick), locale, zone);
  };
  return { ticks: scale.ticks(count).map(Number), at: scale, textOf };
}

function dayStyle(day: string): Intl.DateTimeFormatOptions {
  if (!day.endsWith("-01")) return { day: "numeric", month: "short" };
  return day.endsWith("-01-01") ? { year: "numeric" } : { month: "long" };
}

function clockStyle(tick: number): Intl.DateTimeFormatOptions {
  if (tick % 1000 !== 0) return { minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 };
  return { timeStyle: tick % 60_000 === 0 ? "short" : "medium" };
}

/** Returns the format of the numbers of an axis: large ones in thousands or millions, fractions with equally many digits. */
export function numberFormat(ticks: readonly number[], locale = pageLocale()): Intl.NumberFormat {
  const most = Math.max(...ticks.map(Math.abs));
  if (most >= 100_000) return new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });
  if (most < 1e-9) return new Intl.NumberFormat(locale, { notation: "scientific" });
  const digits = Math.max(...ticks.map((tick) => String(tick).split(".")[1]?.length ?? 0));
  return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns the number that a value of the service is; null for none, and for INF, -INF and NaN. */
export function toNumber(value: unknown): number | null {
  const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : null;
}
