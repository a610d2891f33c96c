import { type CalendarUnit, dayAfter, daysOf } from "./zone.ts";

/** The Monday with the number 0 of the weeks that a service counts. */
const FIRST_MONDAY = "0000-02-28";

/**
 * Returns the first and the last day of a period as a service numbers it: 2024, 20241, 202402, a number of weeks, or the date
 * of a day; null for other values.
 */
export function daysOfPeriod(unit: CalendarUnit, value: unknown): readonly [first: string, last: string] | null {
  const text = plainText(value);
  if (unit === "day") return /^\d{4,}-\d\d-\d\d$/u.test(text) ? [text, text] : null;
  if (!/^\d+$/u.test(text)) return null;
  if (unit === "week") return daysOf(unit, dayAfter(FIRST_MONDAY, unit, Number(text)));
  const digits = { year: 0, quarter: 1, month: 2 }[unit];
  const [year, part] = [text.slice(0, text.length - digits), Number(text.slice(text.length - digits))];
  const month = unit === "quarter" ? part * 3 - 2 : Math.max(part, 1);
  return daysOf(unit, `${year.padStart(4, "0")}-${String(month).padStart(2, "0")}-01`);
}

/** Names a period for people: `2024`, `Q1 2024`, `Feb 2024`, `Week of 5 Feb 2024`, `5 Feb 2024`; other values as they are. */
export function periodText(unit: CalendarUnit, value: unknown, locale: string): string {
  const [first] = daysOfPeriod(unit, value) ?? [];
  if (first === undefined || first.startsWith("0")) return plainText(value);
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(Date.parse(first));
  switch (unit) {
    case "year":
      return first.replace(/-.*$/u, "");
    case "quarter":
      return `Q${Math.ceil(Number(first.slice(-5, -3)) / 3)} ${first.replace(/-.*$/u, "")}`;
    case "month":
      return format({ year: "numeric", month: "short" });
    case "week":
      return `Week of ${format({ dateStyle: "medium" })}`;
    case "day":
      return format({ dateStyle: "medium" });
  }
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
