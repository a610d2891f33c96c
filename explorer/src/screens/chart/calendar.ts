import * as time from "d3-time";
import { type CalendarUnit, dayOf, instantsOf, type Zone } from "../../format/zone.ts";

export const PERIODS = ["year", "quarter", "month", "week", "day"] as const satisfies readonly CalendarUnit[];

/** A period from its start to the start of the next one, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

function intervalOf(period: CalendarUnit, zone: Zone): time.TimeInterval {
  const [year, month, week, day] =
    zone === "UTC"
      ? [time.utcYear, time.utcMonth, time.utcMonday, time.utcDay]
      : [time.timeYear, time.timeMonth, time.timeMonday, time.timeDay];
  return { year, quarter: month.every(3) ?? month, month, week, day }[period];
}

/** Returns the period that contains an instant. Weeks begin on Monday. */
export function spanAt(instant: number, period: CalendarUnit, zone: Zone): Span {
  const interval = intervalOf(period, zone);
  const start = interval.floor(new Date(instant)).getTime();
  return { start, end: interval.ceil(new Date(start + 1)).getTime() };
}

/** Names a period for people: `2024`, `Q1 2024`, `Feb 2024`, `week of 5 Feb 2024`, `5 Feb 2024`. */
export function periodText(start: number, period: CalendarUnit, zone: Zone, locale: string): string {
  const [before, style]: readonly [string, Intl.DateTimeFormatOptions] = {
    year: ["", { year: "numeric" }] as const,
    quarter: [`Q${Math.ceil(Number(dayOf(new Date(start), zone).slice(-5, -3)) / 3)} `, { year: "numeric" }] as const,
    month: ["", { year: "numeric", month: "short" }] as const,
    week: ["week of ", { dateStyle: "medium" }] as const,
    day: ["", { dateStyle: "medium" }] as const,
  }[period];
  return before + new Intl.DateTimeFormat(locale, zone === "UTC" ? { ...style, timeZone: "UTC" } : style).format(start);
}

const [DAY, MONDAY] = [86_400, "1969-12-29"];

/**
 * Returns how the service numbers the periods of a property in UTC.
 * @param type `Edm.Date` or `Edm.DateTimeOffset`
 * @param isUtc whether all stored instants have the offset zero
 * @returns an expression, and the start of a period by its number
 */
export function periodNumber(
  path: string,
  type: string,
  isUtc: boolean,
  period: CalendarUnit,
): readonly [expression: string, startOf: (number: number) => number] {
  const epoch = "1970-01-01T00:00:00Z";
  // An instant keeps the offset of the first operand.
  const value = type === "Edm.Date" || isUtc ? path : `${epoch} add (${path} sub ${epoch})`;
  const seconds = (first: string): string =>
    `totalseconds(${path} sub ${type === "Edm.Date" ? first : `${first}T00:00:00Z`})`;
  // Months beyond 12 belong to later years.
  const monthOf = (month: number): number => new Date(0).setUTCFullYear(0, month - 1, 1);
  switch (period) {
    case "year":
      return [`year(${value})`, (year) => monthOf(year * 12 + 1)];
    case "quarter":
      return [`year(${value}) mul 4 add (month(${value}) sub 1) div 3`, (quarter) => monthOf(quarter * 3 + 1)];
    case "month":
      return [`year(${value}) mul 12 add month(${value})`, monthOf];
    case "week":
      return [`floor(${seconds(MONDAY)} div ${7 * DAY})`, (week) => Date.parse(MONDAY) + week * 7 * DAY * 1000];
    case "day":
      return [`floor(${seconds("1970-01-01")} div ${DAY})`, (day) => day * DAY * 1000];
  }
}

/** Returns the milliseconds since 1970 of a date or an instant; null for none. */
export function toTime(value: unknown): number | null {
  // Browsers read milliseconds at most.
  const instant = typeof value === "string" ? Date.parse(value.replace(/(\.\d{3})\d+/u, "$1")) : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}

/** Returns the values of a property in a period, as literals: the first one, and the first one after it. */
export function literalsOf({ start, end }: Span, type: string, zone: Zone): readonly [from: string, until: string] {
  const literal = (instant: number): string => {
    const day = dayOf(new Date(instant), zone);
    return type === "Edm.Date" ? day : instantsOf(day, day, zone)[0];
  };
  return [literal(start), literal(end)];
}
