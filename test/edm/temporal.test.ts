import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { daysInMonth, fromEpochDays, MAX_YEAR, toEpochDays } from "../../src/edm/calendar.ts";
import {
  compareDateTimeOffsets,
  dateToDateTimeOffset,
  datePartOf,
  parseDateTimeOffset,
  timePartOf,
  toEpochSeconds,
  totalOffsetMinutesOf,
  compareDates,
  dayOf,
  monthOf,
  parseDate,
  yearOf,
} from "../../src/edm/date-time-offset.ts";
import { compareDurations, negateDuration, parseDuration, totalSecondsOf } from "../../src/edm/duration.ts";
import {
  compareTimesOfDay,
  fractionalSecondsOf,
  hourOf,
  minuteOf,
  parseTimeOfDay,
  secondOf,
} from "../../src/edm/time-of-day.ts";

const YEAR_1 = Date.parse("0001-01-01T00:00:00Z");
const YEAR_9999 = Date.parse("9999-12-31T23:59:59.999Z");
const instant = fc.integer({ min: YEAR_1, max: YEAR_9999 }).map((time) => new Date(time));

/** Fraction digits as a client may write them, `""` or `.5`, and so on to twelve. */
const fraction = fc
  .array(fc.nat({ max: 9 }), { maxLength: 12 })
  .map((digits) => (digits.length === 0 ? "" : `.${digits.join("")}`));

const offset = fc.integer({ min: -840, max: 840 }).map((minutes) => {
  const size = Math.abs(minutes);
  return minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
});

const timestamp = fc
  .tuple(
    fc.integer({ min: -12_000, max: 12_000 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
    fc.nat({ max: 86_399 }),
    fraction,
    offset,
  )
  .map(([year, month, day, second, fractionText, offsetText]) => {
    const years = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
    return `${years}-${two(month)}-${two(day)}T${clock(second)}${fractionText}${offsetText}`;
  });

function signOf(value: bigint): number {
  return Number(value > 0n) - Number(value < 0n);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function clock(second: number): string {
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
}

describe("the calendar", () => {
  test("agrees with Date on every instant of the years 1 to 9999", () => {
    fc.assert(
      fc.property(instant, (date) => {
        const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        const days = Math.floor(date.getTime() / 86_400_000);
        expect(toEpochDays(day.year, day.month, day.day)).toBe(days);
        expect(fromEpochDays(days)).toEqual(day);
      }),
    );
  });

  test("days and their numbers round-trip in all years", () => {
    const last = toEpochDays(MAX_YEAR, 12, 31);
    const first = toEpochDays(-MAX_YEAR, 1, 1);
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (days) => {
        const { year, month, day } = fromEpochDays(days);
        expect(toEpochDays(year, month, day)).toBe(days);
        expect(day).toBeLessThanOrEqual(daysInMonth(year, month));
        expect(day).toBeGreaterThanOrEqual(1);
      }),
    );
    expect(fromEpochDays(first - 1).year).toBe(-MAX_YEAR - 1);
  });

  test.each([
    [2000, 29],
    [1900, 28],
    [2024, 29],
    [2023, 28],
    [0, 29],
    [-4, 29],
    [-100, 28],
    [-400, 29],
  ])("February of %i has %i days", (year, days) => {
    expect(daysInMonth(year, 2)).toBe(days);
  });
});

describe("dates", () => {
  test.each([
    ["2012-09-03", "2012-09-03"],
    ["0000-01-01", "0000-01-01"],
    ["-0000-02-29", "0000-02-29"],
    ["0001-12-31", "0001-12-31"],
    ["-0044-03-15", "-0044-03-15"],
    ["-10000-04-01", "-10000-04-01"],
    ["10000-01-01", "10000-01-01"],
    ["9999999-12-31", "9999999-12-31"],
    ["2000-02-29", "2000-02-29"],
  ])("%s", (text, canonical) => {
    expect(parseDate(text)).toBe(canonical);
  });

  test.each([
    "2024-02-30",
    "2023-02-29",
    "1900-02-29",
    "2024-04-31",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "2024-01-32",

    "",
    "2024",
    "2024-1-1",
    "2024-01-1",
    "24-01-01",
    "02024-01-01",
    "+2024-01-01",
    "2024/01/01",
    "2024-01-01 ",
    " 2024-01-01",

    "2024-01-01T00:00:00Z",
    "20240101",
    "10000000-01-01",
    "INF",
    "--2024-01-01",
    "２024-01-01",
    "2024-01-0a",
    "-2024",
  ])("%j is invalid", (text) => {
    expect(parseDate(text)).toBeNull();
  });

  test("parts", () => {
    expect(["-10000-04-01", "2012-09-03", "0000-01-02"].map(yearOf)).toEqual([-10_000, 2012, 0]);
    expect(["-10000-04-01", "2012-09-03", "123456-11-30"].map(monthOf)).toEqual([4, 9, 11]);
    expect(["-10000-04-01", "2012-09-03", "123456-11-30"].map(dayOf)).toEqual([1, 3, 30]);
  });

  test("are ordered by time", () => {
    const ordered = [
      "-10000-01-01",
      "-9999-12-31",
      "-0001-01-01",
      "0000-01-01",
      "0999-12-31",
      "2024-02-28",
      "2024-02-29",
      "9999-12-31",
      "10000-01-01",
    ];
    for (const [left, leftDate] of ordered.entries()) {
      for (const [right, rightDate] of ordered.entries()) {
        expect(Math.sign(compareDates(leftDate, rightDate))).toBe(Math.sign(left - right));
      }
    }
  });
});

describe("times of day", () => {
  test.each([
    ["11:22", "11:22:00"],
    ["00:00:00", "00:00:00"],
    ["23:59:59.999999999999", "23:59:59.999999999999"],
    ["07:59:59.500", "07:59:59.500"],
  ])("%s is %s", (text, canonical) => {
    expect(parseTimeOfDay(text)).toBe(canonical);
  });

  test.each([
    "24:00",
    "24:00:00",
    "12:60",
    "12:00:60",
    "1:00",
    "12",
    "12:",
    "12:0",
    "12:00:",
    "12:00:0",
    "12:00:00.",
    "12:00:00,5",
    "12:00:00.1234567890123",
    "12:00.5",
    "-12:00",
    "12:00:00Z",
    "",
    "aa:bb",
    "12-00",
    "12:00 ",
  ])("%j is invalid", (text) => {
    expect(parseTimeOfDay(text)).toBeNull();
  });

  test("parts", () => {
    expect([hourOf("07:08:09.50"), minuteOf("07:08:09.50"), secondOf("07:08:09.50")]).toEqual([7, 8, 9]);
    expect([fractionalSecondsOf("07:08:09.50"), fractionalSecondsOf("07:08:09")]).toEqual(["0.50", "0"]);
  });

  test.each([
    ["10:00:00", "10:00:00.000", 0],
    ["10:00:00.5", "10:00:00.50", 0],
    ["10:00:00.5", "10:00:00.49", 1],
    ["10:00:00", "10:00:00.000000000001", -1],
    ["09:59:59.9", "10:00:00", -1],
    ["10:00:01", "10:00:00", 1],
  ])("%s and %s", (left, right, sign) => {
    expect(Math.sign(compareTimesOfDay(left, right))).toBe(sign);
    expect(Math.sign(compareTimesOfDay(right, left))).toBe(0 - sign);
  });
});

describe("timestamps", () => {
  test.each([
    ["2012-09-03T22:09:02Z", "2012-09-03T22:09:02Z"],
    ["2012-08-31T18:19:22.1Z", "2012-08-31T18:19:22.1Z"],
    ["-10000-04-01T00:00Z", "-10000-04-01T00:00:00Z"],
    ["-0000-04-01T00:00:00Z", "0000-04-01T00:00:00Z"],
    ["2012-09-03T12:53Z", "2012-09-03T12:53:00Z"],
    ["2012-09-03t12:53:01z", "2012-09-03T12:53:01Z"],
    ["2012-09-03T12:53:01z", "2012-09-03T12:53:01Z"],
    ["2012-09-03T12:53:01+00:00", "2012-09-03T12:53:01Z"],
    ["2012-09-03T12:53:01.000-00:00", "2012-09-03T12:53:01.000Z"],
    ["2012-09-03T12:53+02:00", "2012-09-03T12:53:00+02:00"],
    ["2012-09-03T12:53:00+10:00", "2012-09-03T12:53:00+10:00"],
    ["2012-09-03T12:53:00.123456789012-14:00", "2012-09-03T12:53:00.123456789012-14:00"],
    ["2012-09-03T12:53:00+05:45", "2012-09-03T12:53:00+05:45"],
  ])("%s is %s", (text, canonical) => {
    expect(parseDateTimeOffset(text)).toBe(canonical);
    expect(parseDateTimeOffset(canonical)).toBe(canonical);
  });

  test.each([
    "2024-02-30T00:00:00Z",
    "2011-12-31T24:00:00Z",
    "2011-12-31T23:59:60Z",
    "2024-01-01T00:00:00",
    "2024-01-01",
    "2024-01-01T",

    "2024-01-01 00:00:00Z",
    "2024-01-01T00Z",
    "2024-01-01T00:00:00+14:01",
    "2024-01-01T00:00:00+15:00",
    "2024-01-01T00:00:00+01:60",

    "2024-01-01T00:00:00+0100",
    "2024-01-01T00:00:00+01",
    "2024-01-01T00:00:00+1:00",
    "2024-01-01T00:00:00ZZ",
    "2024-01-01T00:00:00Z ",

    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00.1234567890123Z",
    "2012-09-03T23%3A59Z",
    "-INF",
    "",
    "Z",
    "2024-01-01T00:00:00+01:000",
    "2024-01-01T00:00:00 01:00",
    "2024-01-01T00:00:00+aa:00",
    "2024-01-01T00:00:00+01-00",
  ])("%j is invalid", (text) => {
    expect(parseDateTimeOffset(text)).toBeNull();
  });

  test("parts are in the offset of the value", () => {
    const value = "2012-12-31T23:05:06.0700-05:30";
    expect([yearOf(value), monthOf(value), dayOf(value)]).toEqual([2012, 12, 31]);
    expect([hourOf(value), minuteOf(value), secondOf(value)]).toEqual([23, 5, 6]);
    expect(fractionalSecondsOf(value)).toBe("0.0700");
    expect(totalOffsetMinutesOf(value)).toBe(-330);
    expect(totalOffsetMinutesOf("2012-12-31T23:05:06+14:00")).toBe(840);
    expect(totalOffsetMinutesOf("2012-12-31T23:05:06Z")).toBe(0);
    expect([datePartOf(value), timePartOf(value)]).toEqual(["2012-12-31", "23:05:06.0700"]);
    expect([datePartOf("-10000-04-01T01:02:03Z"), timePartOf("-10000-04-01T01:02:03Z")]).toEqual([
      "-10000-04-01",
      "01:02:03",
    ]);
    expect(dateToDateTimeOffset("2024-02-29")).toBe("2024-02-29T00:00:00Z");
  });

  test.each([
    ["2024-01-01T12:00:00Z", "2024-01-01T14:00:00+02:00", 0],
    ["2024-01-01T12:00:00Z", "2024-01-01T12:00:00.000Z", 0],
    ["2024-01-01T00:30:00+01:00", "2023-12-31T23:45:00Z", -1],
    ["2024-01-01T12:00:00.1Z", "2024-01-01T12:00:00.09Z", 1],
    ["2024-01-01T12:00:00.000000000001Z", "2024-01-01T12:00:00.000000000002Z", -1],
    ["2024-01-01T12:00:00.000000000001Z", "2024-01-01T13:00:00.000000000002+01:00", -1],
    ["10000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 1],
    ["-0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", -1],
    ["-0002-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", -1],
    ["100000-01-01T00:00:00Z", "2024-01-01T00:00:00.1Z", 1],
  ])("%s and %s", (left, right, sign) => {
    expect(Math.sign(compareDateTimeOffsets(left, right))).toBe(sign);
    expect(Math.sign(compareDateTimeOffsets(right, left))).toBe(0 - sign);
  });

  test("are ordered as their instants in picoseconds", () => {
    const picoseconds = (value: string): bigint => {
      const digits = fractionalSecondsOf(value).slice(2).padEnd(12, "0");
      return BigInt(toEpochSeconds(value)) * 10n ** 12n + BigInt(digits);
    };
    fc.assert(
      fc.property(timestamp, timestamp, (left, right) => {
        const difference = picoseconds(left) - picoseconds(right);
        expect(Math.sign(compareDateTimeOffsets(left, right))).toBe(signOf(difference));
      }),
    );
  });

  test("agree with Date on the instant", () => {
    fc.assert(
      fc.property(instant, offset, (date, offsetText) => {
        const text = date.toISOString();
        expect(parseDateTimeOffset(text)).toBe(text);
        expect(toEpochSeconds(text)).toBe(Math.floor(date.getTime() / 1000));
        const local = `${text.slice(0, -1)}${offsetText}`;
        expect(toEpochSeconds(local)).toBe(Math.floor(Date.parse(local) / 1000));
      }),
    );
  });

  test("parsing a canonical text returns it unchanged", () => {
    fc.assert(
      fc.property(timestamp, (value) => {
        const canonical = parseDateTimeOffset(value) ?? "";
        expect(parseDateTimeOffset(canonical)).toBe(canonical);
        expect(compareDateTimeOffsets(canonical, value.startsWith("-0000") ? value.slice(1) : value)).toBe(0);
      }),
    );
  });
});

describe("durations", () => {
  test.each([
    ["-P6DT23H59M59.9999S", "-P6DT23H59M59.9999S"],
    ["P1D", "P1D"],
    ["PT36H", "PT36H"],
    ["PT0.5S", "PT0.5S"],
    ["pt1h2m", "PT1H2M"],
    ["+P1D", "P1D"],
    ["-PT0S", "PT0S"],
    ["-P0DT0.000S", "P0DT0.000S"],
    ["P104249991374D", "P104249991374D"],
    ["PT9007199254740991S", "PT9007199254740991S"],
  ])("%s is %s", (text, canonical) => {
    expect(parseDuration(text)).toBe(canonical);
    expect(parseDuration(canonical)).toBe(canonical);
  });

  test.each([
    "P",
    "PT",
    "P1DT",
    "-P",
    "P1Y",
    "P1M",
    "P1W",
    "P1Y6DT23H59M59.9999S",
    "1D",
    "P-1D",
    "PT1S1M",
    "PT1.5H",
    "PT.5S",
    "PT1.S",

    "PT1.1234567890123S",
    "P1H",
    "PT1D",
    "",
    "P1D ",
    " P1D",
    "PT1ſ",
    "P104249991375D",
    "PT9007199254740992S",
    `P${"1".repeat(20)}D`,
  ])("%j is invalid", (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test.each([
    ["PT36H", "P1DT12H", 0],
    ["PT60S", "PT1M", 0],
    ["PT1S", "PT1.000S", 0],
    ["-PT0.5S", "-PT0.25S", -1],
    ["-PT0.5S", "PT0S", -1],
    ["PT0.5S", "PT0S", 1],
    ["P1D", "PT23H59M59.999999999999S", 1],
    ["-P1D", "-PT23H", -1],
    ["-P1D", "PT1S", -1],
  ])("%s and %s", (left, right, sign) => {
    expect(Math.sign(compareDurations(left, right))).toBe(sign);
    expect(Math.sign(compareDurations(right, left))).toBe(0 - sign);
  });

  test.each([
    ["PT0S", "0"],
    ["P1DT2H3M4.50S", "93784.50"],
    ["-PT0.5S", "-0.5"],
    ["-P1D", "-86400"],
    ["PT1M", "60"],
  ])("the total of %s is %s seconds", (value, total) => {
    expect(totalSecondsOf(value)).toBe(total);
  });

  test.each([
    ["P1D", "-P1D"],
    ["PT0S", "PT0S"],
    ["PT0.001S", "-PT0.001S"],
  ])("the negation of %s is %s", (value, negated) => {
    expect(negateDuration(value)).toBe(negated);
    expect(negateDuration(negated)).toBe(value);
  });
});
