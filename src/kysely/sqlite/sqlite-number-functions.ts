import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { fromScaled } from "../../edm/decimal.ts";

type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;

/**
 * Functions of doubles and of scaled Decimals. Each answers null when an argument is null; NaN is null, too.
 *
 * - `odata_double(decimal)`: the nearest double.
 * - `odata_double_divide(a, b)`, `odata_double_modulo(a, b)`: as IEEE 754 has it, so that a division by zero is infinite.
 * - `odata_double_round(a, bankers)`: to an integer; a midpoint away from zero, to the even neighbour if `bankers` is 1.
 * - `odata_decimal_unscale(integer, scale)`: the Decimal of an integer divided by ten to the power of `scale`.
 */
export const NUMBER_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_double: (value) => toDouble(value),
  odata_double_divide: (a, b) => ofDoubles(a, b, (dividend, divisor) => dividend / divisor),
  odata_double_modulo: (a, b) => ofDoubles(a, b, (dividend, divisor) => dividend % divisor),
  odata_double_round: (a, bankers) => ofDoubles(a, bankers, (value, isBankers) => roundDouble(value, isBankers === 1)),
  odata_decimal_unscale: (value, scale) => (value === null ? null : unscale(value, scale)),
};

function ofDoubles(
  a: SQLOutputValue | undefined,
  b: SQLOutputValue | undefined,
  compute: (a: number, b: number) => number,
): number | null {
  const first = toDouble(a);
  const second = toDouble(b);
  return first === null || second === null ? null : compute(first, second);
}

function toDouble(value: SQLOutputValue | undefined): number | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) throw new Error("The database holds bytes where a number is expected.");
  return Number(value);
}

/** Exact: 0.49999999999999994 gives 0. The infinities stay. */
function roundDouble(value: number, isBankers: boolean): number {
  const whole = Math.trunc(value);
  // The fraction of a double is itself a double, so the subtraction is exact.
  const fraction = Math.abs(value - whole);
  const isAway = fraction > 0.5 || (fraction === 0.5 && (!isBankers || whole % 2 !== 0));
  return isAway ? whole + Math.sign(value) : whole;
}

function unscale(value: string | number | bigint | Uint8Array, scale: SQLOutputValue | undefined): string {
  if (typeof value === "bigint") return fromScaled(value, Number(scale));
  throw new Error("The database holds no INTEGER where a scaled Edm.Decimal is expected.");
}
