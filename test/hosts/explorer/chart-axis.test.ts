import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { domainOf, numberAxis, timeAxis, toNumber } from "../../../explorer/src/screens/chart/axis.ts";

describe("an axis of numbers", () => {
  test.for([
    [0, 10, [0, 2, 4, 6, 8, 10]],
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-7, 13, [-10, -5, 0, 5, 10, 15]],
    [0.1, 0.35, [0.1, 0.15, 0.2, 0.25, 0.3, 0.35]],
    [1e20, 1e21, [0, 2e20, 4e20, 6e20, 8e20, 1e21]],
    [-Number.MAX_VALUE, Number.MAX_VALUE, [-Number.MAX_VALUE, Number.MAX_VALUE]],
  ] as const)("has round ticks from %d to %d", ([least, greatest, expected]) => {
    expect(numberAxis([least, greatest], 5, [0, 100]).ticks).toEqual(expected);
  });

  test("has a place for each value of any domain, few ticks, and in their order", () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 1, max: 12 }), (left, right, count) => {
        const [least, greatest] = [Math.min(left, right), Math.max(left, right)];
        fc.pre(least < greatest);
        const { ticks, at } = numberAxis([least, greatest], count, [0, 100]);
        const places = [at(least), at(greatest)];
        expect(places.every((place) => place >= -1e-6 && place <= 100 + 1e-6)).toBe(true);
        expect(ticks.every((tick, index) => index === 0 || tick > (ticks[index - 1] ?? tick))).toBe(true);
        expect(ticks.length).toBeLessThanOrEqual(3 * count + 3);
      }),
    );
  });

  test("may run backwards", () => {
    const { at } = numberAxis([-10, 10], 5, [200, 0]);
    expect([at(-10), at(0), at(10)]).toEqual([200, 100, 0]);
    expect(numberAxis([-Number.MAX_VALUE, Number.MAX_VALUE], 5, [0, 100]).at(0)).toBe(50);
  });
});

test("a calendar axis has ticks where months begin", () => {
  const { ticks, at } = timeAxis([Date.UTC(2024, 0, 1), Date.UTC(2024, 6, 1)], 6, [0, 182], "UTC");
  expect(ticks).toEqual([0, 1, 2, 3, 4, 5, 6].map((month) => Date.UTC(2024, month, 1)));
  // January has 31 days, February 29.
  expect([1, 2].map((month) => at(Date.UTC(2024, month, 1)))).toEqual([31, 60]);
});

test.each([
  ["2023-12-01", "2024-03-15", 4, ["Dezember", "2024", "Februar", "März"]],
  ["2024-02-27", "2024-03-01", 4, ["27. Feb.", "28. Feb.", "29. Feb.", "März"]],
  ["2024-02-28T22:00:00", "2024-02-29T01:00:00", 4, ["22:00", "23:00", "29. Feb.", "01:00"]],
  ["2024-02-28T22:00:00", "2024-02-28T22:00:01", 2, ["22:00", "00:00,500", "22:00:01"]],
])("the ticks of a calendar axis from %s to %s are in the language of the page", (from, until, count, texts) => {
  const [least, greatest] = [from, until].map((text) => Date.parse(text.includes("T") ? `${text}Z` : text));
  const { ticks, textOf } = timeAxis([least ?? 0, greatest ?? 0], count, [0, 100], "UTC", "de");
  expect(ticks.map((tick) => textOf?.(tick))).toEqual(texts);
});

describe("domains and values", () => {
  test("omit values without a place", () => {
    expect(domainOf([null, 3, Number.NaN, -1, Infinity])).toEqual([-1, 3]);
    expect(domainOf([null, Number.NaN])).toBeNull();
    expect(domainOf([])).toBeNull();
    expect(domainOf([4, 4])).toEqual([2, 6]);
    expect(domainOf([0])).toEqual([-1, 1]);
    expect(domainOf([2, 3], true)).toEqual([0, 3]);
    expect(domainOf([0], true)).toEqual([0, 1]);
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
  });
});
