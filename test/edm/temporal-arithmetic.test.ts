import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareDurations, negateDuration, parseDuration, totalSecondsOf } from "../../src/edm/duration.ts";
import {
  addDurations,
  addDurationToDate,
  addDurationToDateTimeOffset,
  divideDuration,
  multiplyDuration,
  subtractDates,
  subtractDateTimeOffsets,
  subtractDurations,
} from "../../src/edm/temporal-arithmetic.ts";

const MAX = "PT9007199254740991S";

describe("timestamps and durations", () => {
  test.each([
    ["2024-02-28T23:00:00Z", "PT1H", "2024-02-29T00:00:00Z"],
    ["2023-02-28T23:00:00Z", "PT1H", "2023-03-01T00:00:00Z"],
    ["2024-01-01T00:00:00+02:00", "-PT1S", "2023-12-31T23:59:59+02:00"],
    ["2024-01-01T00:00:00.500-05:30", "PT0.5S", "2024-01-01T00:00:01.000-05:30"],
    ["2024-01-01T00:00:00.5Z", "PT0.25S", "2024-01-01T00:00:00.75Z"],
    ["2024-01-01T00:00:00Z", "-PT0.000000000001S", "2023-12-31T23:59:59.999999999999Z"],
    ["2024-01-01T00:00:00Z", "PT0S", "2024-01-01T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "-P366D", "0000-01-01T00:00:00Z"],
    ["0000-01-01T00:00:00Z", "-PT1S", "-0001-12-31T23:59:59Z"],
    ["9999-12-31T23:59:59Z", "PT1S", "10000-01-01T00:00:00Z"],
  ])("%s + %s = %s", (value, duration, sum) => {
    expect(addDurationToDateTimeOffset(value, duration)).toBe(sum);
  });

  test.each([
    ["9999999-12-31T23:59:59Z", "PT1S"],
    ["-9999999-01-01T00:00:00Z", "-PT1S"],
    ["2024-01-01T00:00:00Z", MAX],
    ["2024-01-01T00:00:00Z", `-${MAX}`],
  ])("%s + %s is out of range", (value, duration) => {
    expect(addDurationToDateTimeOffset(value, duration)).toBeNull();
    expect(addDurationToDate(value.slice(0, value.indexOf("T")), duration === "PT1S" ? "P1D" : duration)).toBeNull();
  });

  test.each([
    ["2024-03-01T00:00:00Z", "2024-02-28T00:00:00Z", "P2D"],
    ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", "PT0S"],
    ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", "-PT0.5S"],
    ["2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z", "PT0S"],
    ["2024-01-02T01:02:03.450Z", "2024-01-01T00:00:00Z", "P1DT1H2M3.45S"],
    ["2024-01-01T00:00:00.000000000001Z", "2024-01-01T00:00:00Z", "PT0.000000000001S"],
    ["2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z", "-PT1M"],
  ])("%s - %s = %s", (left, right, duration) => {
    expect(subtractDateTimeOffsets(left, right)).toBe(duration);
  });

  test("agree with Date", () => {
    const bound = 86_400_000 * 365 * 1000;
    const times = fc.integer({ min: Date.UTC(1500), max: Date.UTC(8500) });
    fc.assert(
      fc.property(times, fc.integer({ min: -bound, max: bound }), (time, milliseconds) => {
        const start = new Date(time).toISOString();
        const end = new Date(time + milliseconds).toISOString();
        const size = Math.abs(milliseconds);
        const fraction = String(size % 1000).padStart(3, "0");
        const duration = parseDuration(`${milliseconds < 0 ? "-" : ""}PT${Math.floor(size / 1000)}.${fraction}S`) ?? "";
        expect(addDurationToDateTimeOffset(start, duration)).toBe(end);
        expect(addDurationToDateTimeOffset(end, negateDuration(duration))).toBe(start);
        const difference = subtractDateTimeOffsets(end, start) ?? "";
        expect(compareDurations(difference, duration)).toBe(0);
        expect(parseDuration(difference)).toBe(difference);
      }),
    );
  });
});

describe("dates and durations", () => {
  test.each([
    ["2024-02-28", "P1D", "2024-02-29"],
    ["2024-02-28", "PT47H", "2024-02-29"],
    ["2024-02-28", "PT48H", "2024-03-01"],
    ["2024-01-01", "-PT1H", "2023-12-31"],
    ["2024-01-01", "PT0.5S", "2024-01-01"],
    ["2024-01-01", "-PT0.5S", "2023-12-31"],
    ["0001-01-01", "-P1D", "0000-12-31"],
  ])("%s + %s = %s", (date, duration, sum) => {
    expect(addDurationToDate(date, duration)).toBe(sum);
  });

  test.each([
    ["2024-03-01", "2024-02-01", "P29D"],
    ["2024-02-01", "2024-03-01", "-P29D"],
    ["2024-02-01", "2024-02-01", "PT0S"],
    ["9999999-12-31", "-9999999-01-01", "P7304849633D"],
  ])("%s - %s = %s", (left, right, duration) => {
    expect(subtractDates(left, right)).toBe(duration);
  });
});

describe("durations", () => {
  test.each([
    ["PT1H", "PT30M", "PT1H30M", "PT30M"],
    ["P1D", "-PT1H", "PT23H", "P1DT1H"],
    ["PT0.5S", "PT0.50S", "PT1S", "PT0S"],
    ["-PT0.5S", "PT0.2S", "-PT0.3S", "-PT0.7S"],
    ["P1DT1S", "P1D", "P2DT1S", "PT1S"],
  ])("%s and %s", (left, right, sum, difference) => {
    expect(addDurations(left, right)).toBe(sum);
    expect(subtractDurations(left, right)).toBe(difference);
  });

  test("sums out of range", () => {
    expect(addDurations(MAX, "PT1S")).toBeNull();
    expect(addDurations(MAX, MAX)).toBeNull();
    expect(subtractDurations(`-${MAX}`, MAX)).toBeNull();
    expect(addDurations(MAX, "-PT1S")).toBe("P104249991374DT7H36M30S");
  });

  test.each([
    ["PT1.5S", 3, "PT4.5S"],
    ["PT1.5S", -3, "-PT4.5S"],
    ["P1D", 0.5, "PT12H"],
    ["P1D", "0.25", "PT6H"],
    ["PT1S", 10n, "PT10S"],
    ["PT0.000000000001S", 0.5, "PT0.000000000001S"],
    ["-PT0.000000000001S", 0.5, "-PT0.000000000001S"],
    ["PT0.000000000001S", 0.4, "PT0S"],
    ["P1D", 0, "PT0S"],
    ["P1D", -0, "PT0S"],
  ])("%s * %s = %s", (duration, factor, product) => {
    expect(multiplyDuration(duration, factor)).toBe(product);
  });

  test.each([
    ["P1D", 2, "PT12H"],
    ["P1D", "7", "PT3H25M42.857142857143S"],
    ["-PT1S", 4n, "-PT0.25S"],
    ["PT1S", 0.5, "PT2S"],
  ])("%s / %s = %s", (duration, divisor, quotient) => {
    expect(divideDuration(duration, divisor)).toBe(quotient);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("nothing comes of %d", (factor) => {
    expect(multiplyDuration("P1D", factor)).toBeNull();
    expect(divideDuration("P1D", factor)).toBeNull();
  });

  test("products and quotients out of range", () => {
    expect(multiplyDuration(MAX, 2)).toBeNull();
    expect(multiplyDuration("P1D", `1${"0".repeat(999)}`)).toBeNull();
    expect(multiplyDuration("P1D", 10n ** 2000n)).toBeNull();
    expect(divideDuration("P1D", 0)).toBeNull();
    expect(divideDuration("P1D", "0.00")).toBeNull();
    expect(divideDuration(MAX, "0.1")).toBeNull();
  });

  test("a duration halved and doubled is the same", () => {
    const milliseconds = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
    fc.assert(
      fc.property(milliseconds, (count) => {
        const duration = multiplyDuration("PT0.001S", count) ?? "";
        expect(Number(totalSecondsOf(duration)) * 1000).toBeCloseTo(count, 0);
        expect(multiplyDuration(divideDuration(duration, 2) ?? "", 2)).toBe(duration);
      }),
    );
  });
});
