import { type CalendarUnit, dateText, dayAfter, daysOf } from "./zone.ts";

/** The Monday with the number 0 of the weeks that a service counts. */
export const FIRST_MONDAY = "1969-12-29";

/**
 * Returns the first and the last day of a period as a service numbers it: 2024, 20241, 202402, a number of weeks, or as the date
 * of one of its days; null for other values.
 */
export function daysOfPeriod(unit: CalendarUnit, value: unknown): readonly [first: string, last: string] | null {
  const text = plainText(value);
  if (/^-?\d{4,}-\d\d-\d\d$/u.test(text)) return daysOf(unit, text);
  if (unit === "day" || !/^-?\d+$/u.test(text)) return null;
  if (unit === "week") return daysOf(unit, dayAfter(FIRST_MONDAY, unit, Number(text)));
  const size = { year: 1, quarter: 10, month: 100 }[unit];
  const year = Math.floor(Number(text) / size);
  const part = Math.max(Number(text) - year * size - 1, 0);
  return daysOf(unit, dayAfter("0000-01-01", "month", year * 12 + part * (unit === "quarter" ? 3 : 1)));
}

/** Names a period for people: `2024`, `Q1 2024`, `Feb 2024`, `Week of 5 Feb 2024`, `5 Feb 2024`; other values as they are. */
export function periodText(unit: CalendarUnit, value: unknown, locale: string): string {
  const [first = ""] = daysOfPeriod(unit, value) ?? [];
  if (!/^[1-9]\d{3}-/u.test(first)) return plainText(value);
  const [before, style] = {
    year: ["", { year: "numeric" }] as const,
    quarter: [`Q${Math.ceil(Number(first.slice(5, 7)) / 3)} `, { year: "numeric" }] as const,
    month: ["", { year: "numeric", month: "short" }] as const,
    week: ["Week of ", { dateStyle: "medium" }] as const,
    day: ["", { dateStyle: "medium" }] as const,
  }[unit];
  return before + dateText(first, style, locale);
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
