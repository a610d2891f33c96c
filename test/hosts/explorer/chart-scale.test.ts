import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  domainOf,
  linearScale,
  numberTicks,
  toNumber,
  toTime,
} from "../../../explorer/src/screens/chart/chart-scale.ts";

describe("ticks of numbers", () => {
  test.for([
    [0, 10, [0, 2, 4, 6, 8, 10]],
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-7, 13, [-10, -5, 0, 5, 10, 15]],
    [0.1, 0.35, [0.1, 0.15, 0.2, 0.25, 0.3, 0.35]],
    [1e20, 1e21, [0, 2e20, 4e20, 6e20, 8e20, 1e21]],
    [3, 3, [3, 3]],
  ] as const)("are round from %d to %d", ([least, greatest, expected]) => {
    expect(numberTicks([least, greatest], 5)).toEqual(expected);
  });

  test("cover any domain, rise, and are few", () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 1, max: 12 }), (left, right, count) => {
        const [least, greatest] = [Math.min(left, right), Math.max(left, right)];
        const ticks = numberTicks([least, greatest], count);
        fc.pre(least < greatest);
        // No pixel is as small as this.
        const slack = 1e-8 * (greatest / 2 - least / 2) + 1e-14 * Math.max(Math.abs(least), Math.abs(greatest));
        expect((ticks[0] ?? Infinity) / 2 <= least / 2 + slack).toBe(true);
        expect((ticks.at(-1) ?? -Infinity) / 2 >= greatest / 2 - slack).toBe(true);
        expect(ticks.every((tick, index) => index === 0 || tick > (ticks[index - 1] ?? tick))).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(count + 2);
      }),
    );
  });
});

describe("domains and scales", () => {
  test("omit values without a place", () => {
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
