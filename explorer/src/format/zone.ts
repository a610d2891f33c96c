import type { PropertyType } from "../model/model.ts";

/** The calendar by which instants are shown: that of UTC, or that of the reader's machine. */
export type Zone = "UTC" | "local";

/** A length of time of a calendar. Weeks begin on Monday. */
export type CalendarUnit = "day" | "week" | "month" | "quarter" | "year";

/**
 * Returns the zone in which values of a type are shown; null for values that are no instants. Those of a column without a zone
 * are in UTC, whatever the reader chose.
 */
export function zoneOf(type: PropertyType | null, chosen: Zone): Zone | null {
  if (type?.kind !== "primitive" || type.name !== "Edm.DateTimeOffset") return null;
  return /^(?:Etc\/)?UTC$/u.test(type.timezone ?? "") ? "UTC" : chosen;
}

/** Returns whether values of a type are dates without a time. */
export function isDate(type: PropertyType | null): boolean {
  return type?.kind === "primitive" && type.name === "Edm.Date";
}

/** Returns whether values of a type have a place in the calendar. */
export function isInTime(type: PropertyType | null): boolean {
  return isDate(type) || zoneOf(type, "UTC") !== null;
}

/** Returns the day that is shown for an instant, as a date input has it: `2024-02-29`. */
export function dayOf(instant: Date, zone: Zone): string {
  const local = new Date(0).setUTCFullYear(instant.getFullYear(), instant.getMonth(), instant.getDate());
  return writeDay(zone === "UTC" ? instant : new Date(local));
}

/**
 * Returns the instants of shown days, both included, as a half-open range: `path ge from and path lt until`. A day that a change
 * of the clock makes shorter or longer is whole.
 * @param first such as `2024-02-01`
 */
export function instantsOf(first: string, last: string, zone: Zone): readonly [from: string, until: string] {
  const [from, until] = timesOf(first, last, zone).map((time) =>
    plain(new Date(time).toISOString()).replace(".000Z", "Z"),
  );
  return [from ?? "", until ?? ""];
}

/** Returns the same range in milliseconds since 1970. */
export function timesOf(first: string, last: string, zone: Zone): readonly [from: number, until: number] {
  return [startOf(readDay(first), zone), startOf(moved(readDay(last), "day", 1), zone)];
}

/** Returns the first and the last day of the unit that contains a day: of a month `2024-02-01` and `2024-02-29`. */
export function daysOf(unit: CalendarUnit, day: string): readonly [first: string, last: string] {
  const first = readDay(day);
  const [months] = LENGTHS[unit];
  if (unit === "week") first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  if (months > 0) first.setUTCMonth(first.getUTCMonth() - (first.getUTCMonth() % months), 1);
  return [writeDay(first), writeDay(moved(moved(first, unit, 1), "day", -1))];
}

/** Returns the day so many units later: of the first day of a month, that of another month. */
export function dayAfter(day: string, unit: CalendarUnit, count: number): string {
  return writeDay(moved(readDay(day), unit, count));
}

/** Returns whether an instant is the beginning of the day that is shown for it. */
export function isMidnight(exact: string, zone: Zone): boolean {
  const time = Date.parse(exact);
  if (Number.isNaN(time) || /\.\d*[1-9]/u.test(exact)) return false;
  return time === startOf(readDay(dayOf(new Date(time), zone)), zone);
}

/** Writes a date or an instant in words. Browsers write the years 44 and -44 alike: those before the year 1000 stay as they are. */
export function dateText(exact: string, style: Intl.DateTimeFormatOptions, locale: string, zone: Zone = "UTC"): string {
  const time = /^[1-9]\d{3}-/u.test(exact) ? Date.parse(exact) : Number.NaN;
  const timeZone = zone === "UTC" ? zone : undefined;
  return Number.isNaN(time) ? exact : new Intl.DateTimeFormat(locale, { ...style, timeZone }).format(time);
}

/** Days are instants at midnight in UTC here, so that no change of a clock disturbs them. */
function readDay(day: string): Date {
  const [, year, month, date] = (/^(-?\d+)-(\d+)-(\d+)$/u.exec(day) ?? []).map(Number);
  return new Date(new Date(0).setUTCFullYear(year ?? Number.NaN, (month ?? 1) - 1, date));
}

function writeDay(day: Date): string {
  return plain(day.toISOString()).replace(/T.*$/u, "");
}

/** Years beyond 9999 have a sign and six digits in ISO 8601, and no sign in OData. */
function plain(text: string): string {
  return text.replace(/^([-+])0*(?=\d{4,}-)/u, (_, sign: string) => (sign === "-" ? sign : ""));
}

/** The months and days of a unit. */
const LENGTHS = { day: [0, 1], week: [0, 7], month: [1, 0], quarter: [3, 0], year: [12, 0] } as const;

function moved(day: Date, unit: CalendarUnit, count: number): Date {
  const [next, [months, days]] = [new Date(day), LENGTHS[unit]];
  next.setUTCMonth(day.getUTCMonth() + count * months, day.getUTCDate() + count * days);
  return next;
}

/** Where a change of the clock leaves a midnight out, the day begins later. */
function startOf(day: Date, zone: Zone): number {
  const start = new Date(day);
  if (zone === "local") {
    // No clock changes at noon.
    start.setHours(12);
    start.setFullYear(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate());
    start.setHours(0, 0, 0, 0);
  }
  return start.getTime();
}
