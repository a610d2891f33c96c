import fc from "fast-check";
import { expect, test } from "vitest";
import { nextDouble, roundingDoubles } from "../../src/databases/cells/instant.ts";
import { decimalOfReal } from "../../src/edm/decimal-arithmetic.ts";
import { compareDecimals, withScale } from "../../src/edm/decimal.ts";
import { caseCount } from "../cases.ts";

/** Doubles of every size, and those about the midpoints of a scale. */
const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer().map((units) => units / 1000),
  fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.constantFrom(-1, 0, 1)).map(([units, side]) => {
    const midpoint = Number(`${String(units)}.5`) / 100;
    return side === 0 || midpoint === 0 ? midpoint : nextDouble(midpoint, side === 1 ? 1 : -1);
  }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((units) => Number(`${String(units)}5e-3`)),
  fc.constantFrom(
    0,
    -0,
    1e300,
    -1e300,
    5e-324,
    Number.MAX_VALUE,
    2.675,
    -2.675,
    1.005,
    0.1 + 0.2,
    2 ** 53,
    2 ** 52 + 1,
  ),
);
const scale = fc.nat(6);

function rounded(value: number, digits: number): string {
  const text = decimalOfReal(value, digits);
  if (text === null) throw new Error(`${String(value)} is no Decimal.`);
  return text;
}

test.each([
  [2.675, "2.68"],
  [-2.675, "-2.68"],
  [1.005, "1.01"],
  [0.1 + 0.2, "0.30"],
  [-0.001, "0.00"],
  [-0, "0.00"],
  [1e21, "1000000000000000000000.00"],
])("%d is %s", (value, text) => {
  expect(withScale(rounded(value, 2), 2)).toBe(text);
});

test("the doubles of a value are exactly those that are rounded to it", () => {
  fc.assert(
    fc.property(double, scale, (value, digits) => {
      const text = rounded(value, digits);
      const { floor, ceiling } = roundingDoubles(text, digits);
      expect(ceiling <= value && value <= floor).toBe(true);
      for (const [inside, outside] of [
        [floor, nextDouble(floor, 1)],
        [ceiling, nextDouble(ceiling, -1)],
      ] as const) {
        expect(compareDecimals(rounded(inside, digits), text)).toBe(0);
        if (Number.isFinite(outside)) expect(compareDecimals(rounded(outside, digits), text)).not.toBe(0);
      }
      // A sort by the double next to the rounded value distinguishes all values.
      expect(compareDecimals(rounded(Number(text), digits), text)).toBe(0);
    }),
    { numRuns: caseCount(5000) },
  );
});

test("a value with more digits lies between its doubles, and one beyond all doubles has none", () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(3), (units, digits) => {
      const text = decimalOfReal(units / 1000, undefined) ?? "";
      const { floor, ceiling } = roundingDoubles(text, digits);
      expect(compareDecimals(rounded(floor, digits), text)).toBeLessThanOrEqual(0);
      expect(compareDecimals(rounded(ceiling, digits), text)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: caseCount(2000) },
  );
  expect(roundingDoubles("2.675", 2)).toMatchObject({ floor: nextDouble(2.675, -1), ceiling: 2.675 });
  expect(roundingDoubles("1".padEnd(400, "0"), 2)).toEqual({ floor: Number.MAX_VALUE, ceiling: Infinity });
});
