import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDecimals,
  ceilingDecimal,
  divideDecimals,
  floorDecimal,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  roundDecimal,
  subtractDecimals,
} from "../../src/edm/decimal-arithmetic.ts";
import {
  compareDecimals,
  countWholeDigits,
  decimalFromBigInt,
  decimalFromNumber,
  decimalToBigInt,
  fitScale,
  fromScaled,
  MAX_DECIMAL_DIGITS,
  parseDecimal,
  scaleOf,
  toScaled,
} from "../../src/edm/decimal.ts";
import { processorTime } from "../processor-time.ts";

/** A canonical Decimal of common size. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 15 }))
  .map(([scaled, scale]) => parseDecimal(fromScaled(scaled, scale)) ?? "");

describe("parseDecimal", () => {
  test.each([
    ["0", "0"],
    ["-0", "0"],
    ["+0", "0"],
    ["-0.00", "0.00"],
    ["0.10", "0.10"],
    ["1.10", "1.10"],
    ["-12.50", "-12.50"],
    ["+42", "42"],
    ["007", "7"],
    ["-007.50", "-7.50"],
    ["00.5", "0.5"],
    ["1e3", "1000"],
    ["1.5e3", "1500"],
    ["1.50e1", "15.0"],
    ["1.50E+2", "150"],
    ["12e-1", "1.2"],
    ["-1e-3", "-0.001"],
    ["0e5", "0"],
    ["0e-2", "0.00"],
    ["0.000e1", "0.00"],
    ["-0e0", "0"],
    ["123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"],
  ])("%s is %s", (text, canonical) => {
    expect(parseDecimal(text)).toBe(canonical);
  });

  test.each([
    "",
    "-",
    "+",
    ".",
    "1.",
    ".5",
    "1,5",
    "1 ",
    " 1",
    "1e",
    "e3",
    "1e1.5",
    "0x1",
    "NaN",
    "INF",
    "--1",
    "1-",
    "1.2.3",
    "١",
  ])("%j is not a Decimal", (text) => {
    expect(parseDecimal(text)).toBeNull();
  });

  test.each([
    "1e1000",
    "1e999999999",
    "1e-1000",
    "1e-999999999",
    "1e99999999999999999999",
    "9".repeat(1001),
    `0.${"1".repeat(1001)}`,
  ])("%.40s is refused without conversion", (text) => {
    expect(parseDecimal(text)).toBeNull();
  });

  test.each([
    "1e999",
    `1e-${MAX_DECIMAL_DIGITS - 1}`,
    "9".repeat(1000),
    `-${"9".repeat(1000)}`,
    `0.${"1".repeat(999)}`,
  ])("%.40s is within the maximum number of digits", (text) => {
    const canonical = parseDecimal(text);
    expect(canonical?.replaceAll(/[-.]/g, "")).toHaveLength(MAX_DECIMAL_DIGITS);
  });

  test("refuses a text of 20 million digits without parsing it", () => {
    const start = processorTime();
    expect(parseDecimal("1".repeat(20_000_000))).toBeNull();
    expect(parseDecimal(`${"0".repeat(20_000_000)}x`)).toBeNull();
    expect(processorTime() - start).toBeLessThan(5000);
  });

  test("is the identity on its own results", () => {
    fc.assert(
      fc.property(decimal, (value) => {
        expect(parseDecimal(value)).toBe(value);
      }),
    );
  });
});

describe("compareDecimals", () => {
  test.each([
    ["1", "1.0", 0],
    ["1.10", "1.1", 0],
    ["0", "0.000", 0],
    ["-1.50", "-1.5", 0],
    ["9", "10", -1],
    ["-9", "-10", 1],
    ["0.1", "0.09", 1],
    ["-0.1", "0", -1],
    ["1.01", "1.1", -1],
    ["1.5", "1", 1],
    ["1", "1.5", -1],
    ["100", "99.999", 1],
    ["0.5", "5", -1],
    ["9007199254740993", "9007199254740992.9", 1],
  ])("%s and %s", (left, right, sign) => {
    expect(Math.sign(compareDecimals(left, right))).toBe(sign);
    expect(Math.sign(compareDecimals(right, left))).toBe(0 - sign);
  });

  test("agrees with scaled integers", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const difference = toScaled(left, 15) - toScaled(right, 15);
        expect(Math.sign(compareDecimals(left, right))).toBe(Number(difference > 0n) - Number(difference < 0n));
      }),
    );
  });
});

describe("conversions", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [1.1, "1.1"],
    [-1.5, "-1.5"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [0.1 + 0.2, "0.30000000000000004"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
  ])("%d is %s", (number, text) => {
    expect(decimalFromNumber(number)).toBe(text);
    expect(Number(text)).toBe(number + 0);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("%d has none", (number) => {
    expect(decimalFromNumber(number)).toBeNull();
  });

  test("every finite double round-trips through its text", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = decimalFromNumber(number) ?? "";
        expect(parseDecimal(text)).toBe(text);
        expect(Number(text)).toBe(number + 0);
      }),
    );
    expect(decimalFromNumber(Number.MIN_VALUE)).toHaveLength(326);
    expect(decimalFromNumber(Number.MAX_VALUE)).toHaveLength(309);
  });

  test.each([
    ["5", 5n],
    ["-5.00", -5n],
    ["0.0", 0n],
    ["5.5", null],
    ["-0.1", null],
  ])("the integer of %s is %s", (text, integer) => {
    expect(decimalToBigInt(text)).toBe(integer);
  });

  test("integers", () => {
    expect(decimalFromBigInt(-5n)).toBe("-5");
    expect(decimalFromBigInt(10n ** 999n)).toHaveLength(1000);
    expect(decimalFromBigInt(10n ** 1002n)).toBeNull();
  });

  test("toScaled and fromScaled are inverse", () => {
    fc.assert(
      fc.property(decimal, (value) => {
        expect(fromScaled(toScaled(value, scaleOf(value)), scaleOf(value))).toBe(value);
      }),
    );
    expect(toScaled("-1.5", 3)).toBe(-1500n);
    expect(toScaled("2", 2)).toBe(200n);
    expect(fromScaled(-5n, 3)).toBe("-0.005");
  });

  test.each([
    ["1.100", 2, "1.10"],
    ["1.000", 0, "1"],
    ["1.1", 2, "1.1"],
    ["1.101", 2, null],
    ["-0.50", 0, null],
    ["5", 0, "5"],
  ])("fitScale(%s, %i)", (value, scale, fitting) => {
    expect(fitScale(value, scale)).toBe(fitting);
  });

  test.each([
    ["0.5", 0],
    ["-0.5", 0],
    ["0", 0],
    ["7", 1],
    ["-12.5", 2],
  ])("whole digits of %s: %i", (value, count) => {
    expect(countWholeDigits(value)).toBe(count);
  });
});

describe("arithmetic", () => {
  test.each([
    ["1.10", "2", "3.10", "-0.90", "2.20"],
    ["0.1", "0.2", "0.3", "-0.1", "0.02"],
    ["-5", "5.00", "0.00", "-10.00", "-25.00"],
    ["9007199254740993", "1", "9007199254740994", "9007199254740992", "9007199254740993"],
    ["0", "0.0", "0.0", "0.0", "0.0"],
  ])("%s and %s", (left, right, sum, difference, product) => {
    expect(addDecimals(left, right)).toBe(sum);
    expect(subtractDecimals(left, right)).toBe(difference);
    expect(multiplyDecimals(left, right)).toBe(product);
  });

  test.each([
    ["10", "4", "2.5"],
    ["1", "3", "0.333333333333"],
    ["2", "3", "0.666666666667"],
    ["-2", "3", "-0.666666666667"],
    ["2", "-3", "-0.666666666667"],
    ["-2", "-3", "0.666666666667"],
    ["5", "-10", "-0.5"],
    ["10.00", "4.00", "2.5"],
    ["0", "7", "0"],
    ["0.00", "-7", "0"],
    ["1", "1000000000000", "0.000000000001"],
    ["1", "2000000000000", "0.000000000001"],
    ["1", "2000000000001", "0"],
    ["-1", "3000000000000", "0"],
    ["1.00000000000000", "3", "0.33333333333333"],
    ["100", "10", "10"],
  ])("%s div %s is %s", (left, right, quotient) => {
    expect(divideDecimals(left, right)).toBe(quotient);
  });

  test.each([
    ["7", "3", "1"],
    ["-7", "3", "-1"],
    ["7", "-3", "1"],
    ["7.5", "2", "1.5"],
    ["-7.5", "2", "-1.5"],
    ["6", "3", "0"],
    ["-6.0", "3", "0.0"],
    ["0.3", "0.1", "0.0"],
  ])("%s mod %s is %s", (left, right, remainder) => {
    expect(moduloDecimals(left, right)).toBe(remainder);
  });

  test.each(["0", "0.00"])("a divisor of %s gives nothing", (zero) => {
    expect(divideDecimals("1", zero)).toBeNull();
    expect(moduloDecimals("1", zero)).toBeNull();
  });

  test("refuses results with too many digits", () => {
    const large = "9".repeat(MAX_DECIMAL_DIGITS);
    expect(multiplyDecimals(large, large)).toBeNull();
    expect(addDecimals(large, "-1")).toHaveLength(MAX_DECIMAL_DIGITS);
    expect(addDecimals(large, "1")).toBeNull();
    expect(addDecimals(large, "0.5")).toBeNull();
    expect(subtractDecimals(`-${large}`, "1")).toBeNull();
    expect(subtractDecimals(`-${large}`, "-1")).toHaveLength(MAX_DECIMAL_DIGITS + 1);
    expect(divideDecimals(large, `0.${"0".repeat(500)}1`)).toBeNull();
    expect(divideDecimals(large, "1")).toBe(large);
    expect(moduloDecimals(large, `0.${"0".repeat(500)}1`)).toBe(`0.${"0".repeat(501)}`);
  });

  test.each([
    ["5", "-5"],
    ["-5.10", "5.10"],
    ["0", "0"],
    ["0.00", "0.00"],
    ["0.01", "-0.01"],
  ])("the negation of %s is %s", (value, negated) => {
    expect(negateDecimal(value)).toBe(negated);
    expect(negateDecimal(negated)).toBe(value);
  });

  test.each([
    ["2.5", "3", "2", "2", "3"],
    ["-2.5", "-3", "-2", "-3", "-2"],
    ["3.5", "4", "4", "3", "4"],
    ["2.4", "2", "2", "2", "3"],
    ["2.500001", "3", "3", "2", "3"],
    ["-0.5", "-1", "0", "-1", "0"],
    ["0.49", "0", "0", "0", "1"],
    ["-0.49", "0", "0", "-1", "0"],
    ["7", "7", "7", "7", "7"],
    ["7.00", "7", "7", "7", "7"],
    ["-7.0", "-7", "-7", "-7", "-7"],
    ["-1.5", "-2", "-2", "-2", "-1"],
  ])("%s: round, round half to even, floor, ceiling", (value, away, even, floor, ceiling) => {
    expect(roundDecimal(value, "half-away-from-zero")).toBe(away);
    expect(roundDecimal(value, "half-to-even")).toBe(even);
    expect(floorDecimal(value)).toBe(floor);
    expect(ceilingDecimal(value)).toBe(ceiling);
  });

  test("rounding to a scale", () => {
    expect(roundDecimal("1.2345", "half-away-from-zero", 3)).toBe("1.235");
    expect(roundDecimal("1.2345", "half-to-even", 3)).toBe("1.234");
    expect(roundDecimal("1.2", "half-to-even", 3)).toBe("1.2");
  });

  test("agrees with scaled integers", () => {
    const scaled = (value: string | null): bigint => toScaled(value ?? "", 40);
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(scaled(addDecimals(left, right))).toBe(scaled(left) + scaled(right));
        expect(scaled(subtractDecimals(left, right))).toBe(scaled(left) - scaled(right));
        expect(toScaled(multiplyDecimals(left, right) ?? "", 80)).toBe(scaled(left) * scaled(right));
        fc.pre(scaled(right) !== 0n);
        expect(scaled(moduloDecimals(left, right))).toBe(scaled(left) % scaled(right));
        const quotient = toScaled(divideDecimals(left, right) ?? "", 15);
        const error = scaled(left) * 10n ** 15n - quotient * scaled(right);
        // Half a unit of the twelfth digit, in units of the fifteenth.
        expect(2n * abs(error) <= 1000n * abs(scaled(right))).toBe(true);
      }),
    );
  });

  test("floor, ceiling and both roundings are within one of the value and ordered", () => {
    fc.assert(
      fc.property(decimal, (value) => {
        const floor = floorDecimal(value);
        const ceiling = ceilingDecimal(value);
        expect(compareDecimals(floor, value)).toBeLessThanOrEqual(0);
        expect(compareDecimals(ceiling, value)).toBeGreaterThanOrEqual(0);
        expect(["0", "1"]).toContain(subtractDecimals(ceiling, floor));
        expect([floor, ceiling]).toContain(roundDecimal(value, "half-to-even"));
        expect(roundDecimal(negateDecimal(value), "half-away-from-zero")).toBe(
          negateDecimal(roundDecimal(value, "half-away-from-zero")),
        );
      }),
    );
  });
});

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
