import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dateTicks,
  domainOf,
  linearScale,
  numberTicks,
  toNumber,
  toTime,
} from "../../explorer/src/screens/chart/chart-scale.ts";

function values(least: number, greatest: number, count = 5): readonly number[] {
  return numberTicks([least, greatest], count).map(({ value }) => value);
}

function dates(from: string, to: string, count = 5): readonly string[] {
  return dateTicks([Date.parse(from), Date.parse(to)], count).map(
    ({ value, unit }) => `${unit ?? ""} ${new Date(value).toISOString()}`,
  );
}

describe("ticks of numbers", () => {
  test.for([
    [0, 10, [0, 2, 4, 6, 8, 10]],
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-7, 13, [-5, 0, 5, 10]],
    [0.1, 0.35, [0.1, 0.15, 0.2, 0.25, 0.3, 0.35]],
    [1e20, 1e21, [2e20, 4e20, 6e20, 8e20, 1e21]],
    [3, 3, []],
  ] as const)("are round from %d to %d", ([least, greatest, expected]) => {
    expect(values(least, greatest)).toEqual(expected);
  });

  test("lie within any domain, rise, and are few", () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 1, max: 12 }), (left, right, count) => {
        const [least, greatest] = [Math.min(left, right), Math.max(left, right)];
        const ticks = values(least, greatest, count);
        // Doubles tell apart no more digits.
        const slack = 1e-14 * Math.max(Math.abs(least), Math.abs(greatest));
        expect(ticks.every((tick) => tick / 2 >= least / 2 - slack && tick / 2 <= greatest / 2 + slack)).toBe(true);
        expect(ticks.every((tick, index) => index === 0 || tick > (ticks[index - 1] ?? tick))).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(count + 2);
      }),
    );
  });
});

describe("ticks of dates", () => {
  test("begin years, also before the year 100", () => {
    expect(dates("2001-05-01", "2020-01-01")).toEqual([
      "year 2005-01-01T00:00:00.000Z",
      "year 2010-01-01T00:00:00.000Z",
      "year 2015-01-01T00:00:00.000Z",
      "year 2020-01-01T00:00:00.000Z",
    ]);
    expect(dates("0001-01-01", "0099-01-01", 3)).toEqual(["year 0050-01-01T00:00:00.000Z"]);
  });

  test("begin months, weeks, hours and seconds", () => {
    expect(dates("2024-01-15", "2024-12-01", 4)).toEqual([
      "month 2024-04-01T00:00:00.000Z",
      "month 2024-07-01T00:00:00.000Z",
      "month 2024-10-01T00:00:00.000Z",
    ]);
    expect(dates("2024-01-01", "2024-01-22", 4)).toEqual(
      [1, 8, 15, 22].map((day) => `day 2024-01-${String(day).padStart(2, "0")}T00:00:00.000Z`),
    );
    expect(dates("2024-01-01T01:00:00Z", "2024-01-01T12:00:00Z", 4)).toEqual(
      [3, 6, 9, 12].map((hour) => `hour 2024-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`),
    );
    expect(dates("2024-01-01T00:00:01Z", "2024-01-01T00:00:03Z", 3)).toHaveLength(3);
  });

  test("are few in any domain", () => {
    const times = fc.integer({ min: -8.64e15, max: 8.64e15 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 1, max: 12 }), (left, right, count) => {
        const domain = [Math.min(left, right), Math.max(left, right)] as const;
        const ticks = dateTicks(domain, count);
        expect(ticks.every(({ value }) => value >= domain[0] && value <= domain[1])).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(count + 2);
      }),
    );
  });
});

describe("domains and scales", () => {
  test("leave out what has no place", () => {
    expect(domainOf([null, 3, Number.NaN, -1, Infinity])).toEqual([-1, 3]);
    expect(domainOf([null, Number.NaN])).toBeNull();
    expect(domainOf([])).toBeNull();
    expect(domainOf([4, 4])).toEqual([2, 6]);
    expect(domainOf([0])).toEqual([-1, 1]);
    expect(domainOf([2, 3], true)).toEqual([0, 3]);
    expect(domainOf([0], true)).toEqual([0, 1]);
  });

  test("place values on pixels", () => {
    const scale = linearScale([-10, 10], [200, 0]);
    expect([scale(-10), scale(0), scale(10)]).toEqual([200, 100, 0]);
    expect(linearScale([5, 5], [0, 100])(5)).toBe(50);
    expect(linearScale([-Number.MAX_VALUE, Number.MAX_VALUE], [0, 100])(0)).toBe(50);
  });

  test("read values of the service", () => {
    expect([1, "1.50", "9007199254740993", "INF", "NaN", "", null, true].map(toNumber)).toEqual([
      1,
      1.5,
      9007199254740992,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(["2024-01-01", "2024-01-01T00:00:00.1234567Z", "x", null].map(toTime)).toEqual([
      1704067200000,
      1704067200123,
      null,
      null,
    ]);
  });
});
