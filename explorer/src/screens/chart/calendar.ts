import {
  timeDay,
  type TimeInterval,
  timeMonday,
  timeMonth,
  timeYear,
  utcDay,
  utcMonday,
  utcMonth,
  utcYear,
} from "d3-time";
import { pageLocale } from "../../format/locale.ts";
import { type CalendarUnit, dayOf, instantsOf, type Zone } from "../../format/zone.ts";

export const PERIODS = ["year", "quarter", "month", "week", "day"] as const satisfies readonly CalendarUnit[];

/** A period from its start to the start of the next one, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

function intervalOf(period: CalendarUnit, zone: Zone): TimeInterval {
  const isUtc = zone === "UTC";
  const month = isUtc ? utcMonth : timeMonth;
  switch (period) {
    case "year":
      return isUtc ? utcYear : timeYear;
    case "quarter":
      return month.every(3) ?? month;
    case "month":
      return month;
    case "week":
      return isUtc ? utcMonday : timeMonday;
    case "day":
      return isUtc ? utcDay : timeDay;
  }
}

/** Returns the period that contains an instant. Weeks begin on Monday. */
export function spanAt(time: number, period: CalendarUnit, zone: Zone): Span {
  const interval = intervalOf(period, zone);
  const start = interval.floor(new Date(time));
  return { start: start.getTime(), end: interval.ceil(new Date(start.getTime() + 1)).getTime() };
}

/** Names a period for people: `2024`, `Q1 2024`, `February 2024`, `week of 5 Feb 2024`, `5 Feb 2024`. */
export function periodText(start: number, period: CalendarUnit, zone: Zone, locale = pageLocale()): string {
  const options = {
    year: { year: "numeric" },
    quarter: { year: "numeric" },
    month: { year: "numeric", month: "short" },
    week: { dateStyle: "medium" },
    day: { dateStyle: "medium" },
  } as const;
  const text = dateText(start, zone, options[period], locale);
  if (period === "week") return `week of ${text}`;
  if (period !== "quarter") return text;
  const month = zone === "UTC" ? new Date(start).getUTCMonth() : new Date(start).getMonth();
  return `Q${Math.floor(month / 3) + 1} ${text}`;
}

/** Writes a tick of a calendar axis: the largest unit that begins there. */
export function tickText(time: number, zone: Zone, locale = pageLocale()): string {
  const begins = (period: CalendarUnit): boolean => spanAt(time, period, zone).start === time;
  if (begins("year")) return dateText(time, zone, { year: "numeric" }, locale);
  if (begins("month")) return dateText(time, zone, { month: "short" }, locale);
  if (begins("day")) return dateText(time, zone, { day: "numeric", month: "short" }, locale);
  return dateText(time, zone, { timeStyle: "medium" }, locale);
}

function dateText(time: number, zone: Zone, options: Intl.DateTimeFormatOptions, locale = pageLocale()): string {
  const own = zone === "UTC" ? { ...options, timeZone: "UTC" } : options;
  return new Intl.DateTimeFormat(locale, own).format(time);
}

/** How the service groups by a period: the expressions and names of `compute`, and how a row tells the start. */
export interface PeriodKeys {
  /** Empty if the rows are grouped by the property itself. */
  readonly computed: readonly string[];
  readonly names: readonly string[];
  /** Returns the start of the period of a row; null without one. */
  readonly startOf: (values: readonly unknown[]) => number | null;
}

const MONDAY = "1969-12-29";
const WEEK_SECONDS = 604_800;
const MINUTE = 60_000;

/** Returns the minutes by which the clocks of a zone are ahead of UTC; null if they change. */
export function fixedOffset(zone: Zone): number | null {
  if (zone === "UTC") return 0;
  const months = Array.from({ length: 12 * 150 }, (_, month) => new Date(1900, month, 15).getTimezoneOffset());
  return new Set(months).size === 1 ? -(months[0] ?? 0) : null;
}

/**
 * Writes how the service groups by a period.
 * @param path of a property
 * @param type `Edm.Date` or `Edm.DateTimeOffset`
 * @param offset that of `fixedOffset`
 * @param isUtc whether all stored instants have the offset zero; others are moved to the offset
 * @param nameOf makes a name that no property has
 */
export function periodKeys(
  path: string,
  { type, offset, isUtc }: { readonly type: string; readonly offset: number; readonly isUtc: boolean },
  period: CalendarUnit,
  nameOf: (word: string) => string,
): PeriodKeys {
  const isDate = type === "Edm.Date";
  const ahead = isDate ? 0 : offset * MINUTE;
  const clock = (day: string): string => (isDate ? day : `${day}T00:00:00${offsetText(offset)}`);
  // An instant keeps the offset of the first operand.
  const origin = new Date(ahead).toISOString().replace(".000Z", offsetText(offset));
  const value = isDate || (isUtc && offset === 0) ? path : `${origin} add (${path} sub 1970-01-01T00:00:00Z)`;
  const [year, part] = [nameOf("Year"), nameOf(`${period.charAt(0).toUpperCase()}${period.slice(1)}`)];
  const years = `year(${value}) as ${year}`;
  const startOf =
    (toStart: (...keys: number[]) => number): PeriodKeys["startOf"] =>
    (keys) =>
      keys.includes(null) ? null : toStart(...keys.map(Number)) - ahead;
  switch (period) {
    case "year":
      return { computed: [years], names: [year], startOf: startOf((own = 0) => utcTime(own, 1)) };
    case "quarter":
      return {
        computed: [years, `(month(${value}) add 2) div 3 as ${part}`],
        names: [year, part],
        startOf: startOf((own = 0, quarter = 1) => utcTime(own, quarter * 3 - 2)),
      };
    case "month":
      return {
        computed: [years, `month(${value}) as ${part}`],
        names: [year, part],
        startOf: startOf((own = 0, month = 1) => utcTime(own, month)),
      };
    case "week":
      return {
        computed: [`floor(totalseconds(${path} sub ${clock(MONDAY)}) div ${WEEK_SECONDS}) as ${part}`],
        names: [part],
        startOf: startOf((week = 0) => Date.parse(MONDAY) + week * WEEK_SECONDS * 1000),
      };
    case "day":
      return {
        computed: isDate ? [] : [`date(${value}) as ${part}`],
        names: [isDate ? path : part],
        startOf: ([day]) => {
          const time = toTime(day);
          return time === null ? null : time - ahead;
        },
      };
  }
}

/** Writes an offset of OData: `Z`, `+05:30`. */
function offsetText(minutes: number): string {
  if (minutes === 0) return "Z";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** Returns the first instant of a month in UTC; of the years 0 to 99, too. */
function utcTime(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, 1);
}

/** Returns the milliseconds since 1970 of a date or an instant; null for none. */
export function toTime(value: unknown): number | null {
  // Browsers read milliseconds at most.
  const time = typeof value === "string" ? Date.parse(value.replace(/(\.\d{3})\d+/u, "$1")) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Returns the values of a property in a period, as literals: the first one, and the first one after it. */
export function literalsOf({ start, end }: Span, type: string, zone: Zone): readonly [from: string, until: string] {
  const [first, next] = [start, end].map((time) => dayOf(new Date(time), zone));
  if (first === undefined || next === undefined) throw new Error("A period has two ends.");
  if (type === "Edm.Date") return [first, next];
  return [instantsOf(first, first, zone)[0], instantsOf(next, next, zone)[0]];
}
