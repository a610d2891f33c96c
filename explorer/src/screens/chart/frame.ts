import type { ChartData } from "./chart-data.ts";
import {
  bandScale,
  type CalendarUnit,
  type Domain,
  dateTicks,
  domainOf,
  linearScale,
  numberTicks,
  type Scale,
  type Tick,
} from "./chart-scale.ts";

/** A tick with its text. */
export interface PlacedTick {
  readonly at: number;
  readonly text: string;
}

/** Where everything of a picture is, in pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly bottom: number;
  readonly top: number;
  readonly right: number;
  /** The middle of a point. */
  readonly xOf: (index: number) => number;
  readonly yOf: Scale;
  /** The width of a band; 0 without bands. */
  readonly band: number;
  readonly xTicks: readonly PlacedTick[];
  readonly yTicks: readonly PlacedTick[];
}

const CHARACTER = 6.6;
const MOST_LABEL = 16;
const WIDEST_BAR = 110;

/**
 * Lays a chart out. Labels that would touch each other are left out: the table has them.
 * @param locale the language of the reader; that of the browser without it
 */
export function frameOf(data: ChartData, hasZero: boolean, width: number, locale?: string): Frame {
  const height = Math.round(Math.max(240, Math.min(400, width * 0.55)));
  const top = 12;
  const bottom = height - 30;
  const right = width - 14;
  const values = domainOf(
    data.points.flatMap((point) => point.values),
    hasZero,
  ) ?? [0, 1];
  const count = Math.max(2, Math.round(height / 70));
  const domain = widened(values, numberTicks(values, count));
  const ticks = numberTicks(domain, count + 1);
  const yOf = linearScale(domain, [bottom, top]);
  const write = numberWriter(ticks, locale);
  const yTicks = ticks.map(({ value }) => ({ at: yOf(value), text: write(value) }));
  const left = Math.ceil(Math.max(...yTicks.map(({ text }) => text.length), 1) * CHARACTER) + 18;
  return { width, height, left, bottom, top, right, yOf, yTicks, ...horizontal(data, left, right, locale) };
}

/** Widens a domain to the next ticks, so that a picture begins and ends at a round number. */
function widened([least, greatest]: Domain, [first, second]: readonly Tick[]): Domain {
  const step = (second?.value ?? 0) - (first?.value ?? 0);
  if (!(step > 0)) return [least, greatest];
  const ends = [Math.floor(least / step) * step, Math.ceil(greatest / step) * step] as const;
  return ends.every(Number.isFinite) ? ends : [least, greatest];
}

function horizontal(
  { axis, points }: ChartData,
  left: number,
  right: number,
  locale: string | undefined,
): Pick<Frame, "xOf" | "band" | "xTicks"> {
  if (axis === "bands") {
    const bands = bandScale(points.length, [left, right]);
    const xOf = (index: number): number => bands.startOf(index) + bands.width / 2;
    const texts = points.map(({ label }) => shorten(label));
    const room = Math.max(...texts.map(({ length }) => length), 1) * CHARACTER + 10;
    const every = Math.max(1, Math.ceil((room * points.length) / Math.max(1, right - left)));
    const xTicks = texts.map((text, index) => ({ at: xOf(index), text })).filter((_, index) => index % every === 0);
    return { xOf, band: Math.min(bands.width, WIDEST_BAR * (points[0]?.values.length ?? 1)), xTicks };
  }
  const domain = domainOf(points.map(({ x }) => x)) ?? [0, 1];
  const scale = linearScale(domain, [left + 8, right - 8]);
  const ticks = (axis === "time" ? dateTicks : numberTicks)(domain, Math.max(4, Math.floor((right - left) / 100)));
  const write = axis === "time" ? null : numberWriter(ticks, locale);
  const xTicks = ticks.map(({ value, unit }) => ({
    at: scale(value),
    text: write?.(value) ?? dateText(value, unit, locale),
  }));
  return { xOf: (index) => scale(points[index]?.x ?? 0), band: 0, xTicks };
}

function shorten(text: string): string {
  return text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}…` : text;
}

/** Writes the numbers of an axis alike: large ones in thousands or millions, fractions with as many digits as a step needs. */
function numberWriter(ticks: readonly Tick[], locale: string | undefined): (value: number) => string {
  const most = Math.max(...ticks.map(({ value }) => Math.abs(value)), 0);
  const step = Math.abs((ticks[1]?.value ?? most) - (ticks[0]?.value ?? 0));
  const digits = step > 0 && step < 1 ? Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)) : 0;
  const format = new Intl.NumberFormat(locale, numberFormat(most, digits));
  return (value) => format.format(value);
}

function numberFormat(most: number, digits: number): Intl.NumberFormatOptions {
  if (most > 0 && most < 1e-9) return { notation: "scientific" };
  if (most >= 100_000) return { notation: "compact", maximumFractionDigits: 2 };
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

const DATES: Readonly<Record<CalendarUnit, Intl.DateTimeFormatOptions>> = {
  year: { year: "numeric" },
  month: { year: "numeric", month: "short" },
  day: { month: "short", day: "numeric" },
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  minute: { hour: "2-digit", minute: "2-digit" },
  second: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
};

/** Ticks are at round times of UTC. */
function dateText(value: number, unit: CalendarUnit | null, locale: string | undefined): string {
  return new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...DATES[unit ?? "day"] }).format(value);
}
