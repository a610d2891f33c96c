import {
  compareDecimals,
  decimalFromNumber,
  scaleOf,
  toScaled,
  MAX_DECIMAL_DIGITS,
  countWholeDigits,
} from "../edm/decimal.ts";
import { withoutZeros } from "./instant.ts";

/** Returns the integers next to a Decimal times ten to the power of `scale`. */
export function unitsAround(value: string, scale: number): { readonly floor: bigint; readonly ceiling: bigint } {
  const excess = scaleOf(value) - scale;
  if (excess <= 0) {
    const exact = toScaled(value, scale);
    return { floor: exact, ceiling: exact };
  }
  const whole = toScaled(value, scale + excess);
  const unit = 10n ** BigInt(excess);
  const cut = whole / unit;
  if (cut * unit === whole) return { floor: cut, ceiling: cut };
  return whole < 0n ? { floor: cut - 1n, ceiling: cut } : { floor: cut, ceiling: cut + 1n };
}

/** Returns the doubles next to a Decimal: the same double twice when its shortest text is that Decimal. */
export function doublesAround(value: string): { readonly floor: number; readonly ceiling: number } {
  const double = Number(value);
  const shortest = decimalFromNumber(double);
  if (shortest === null) return beyondDoubles(double);
  const order = compareDecimals(shortest, value);
  if (order === 0) return { floor: double, ceiling: double };
  return order < 0
    ? { floor: double, ceiling: nextDouble(double, 1) }
    : { floor: nextDouble(double, -1), ceiling: double };
}

/** Returns the bounds of a Decimal that is greater than every double, or less. */
function beyondDoubles(infinity: number): { readonly floor: number; readonly ceiling: number } {
  const isPositive = infinity > 0;
  return isPositive ? { floor: Number.MAX_VALUE, ceiling: infinity } : { floor: infinity, ceiling: -Number.MAX_VALUE };
}

/** Returns the next double above (1) or below (-1) a finite one. */
export function nextDouble(double: number, direction: 1 | -1): number {
  if (double === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  // The bits of a double, read as an integer, grow with its magnitude.
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(double > 0 ? direction : -direction));
  return view.getFloat64(0);
}

const COUNT_WIDTH = String(MAX_DECIMAL_DIGITS).length;
const GREATEST_COUNT = 10 ** COUNT_WIDTH - 1;

/**
 * Returns a sort key for a canonical Decimal: byte order is the order of the values, and equal values (`1.10` and `1.1`)
 * have equal keys. An index on it serves comparisons and sorting.
 *
 * The key of a positive value is `1`, the number of its whole digits, then its digits without the point. A negative value
 * starts with `-`, has every digit subtracted from nine, and ends in `~`, which sorts the longer fraction first. Zero is `0`.
 */
export function toDecimalKey(value: string): string {
  const isNegative = value.startsWith("-");
  const count = countWholeDigits(value);
  const digits = significantDigits(value);
  if (digits === "") return "0";
  if (!isNegative) return `1${String(count).padStart(COUNT_WIDTH, "0")}${digits}`;
  return `-${String(GREATEST_COUNT - count)}${complement(digits)}~`;
}

/** Returns the digits without a single leading `0` of the whole part and without trailing zeros. */
function significantDigits(value: string): string {
  return withoutZeros(value.replace(/^-?(?:0(?=\.))?/, "").replace(".", ""));
}

function complement(digits: string): string {
  let result = "";
  for (const digit of digits) result += String(9 - Number(digit));
  return result;
}
