import { addDecimals, divideDecimals } from "../../../src/edm/decimal-arithmetic.ts";
import { compareDecimals, parseDecimal } from "../../../src/edm/decimal.ts";

/**
 * Makes the total of values as the service states them, without the rounding of doubles; null without a number. The least and the
 * greatest value stay as they are.
 */
export function totalOf(stated: readonly unknown[], method: "sum" | "average" | "min" | "max"): unknown {
  const values = stated.flatMap((value) => {
    const decimal = parseDecimal(String(value));
    return decimal === null ? [] : [{ value, decimal }];
  });
  if (values.length === 0) return null;
  if (method === "min" || method === "max") {
    const sign = method === "max" ? 1 : -1;
    return values.reduce((a, b) => (sign * compareDecimals(b.decimal, a.decimal) > 0 ? b : a)).value;
  }
  const sum = values.reduce<string | null>((all, { decimal }) => all && addDecimals(all, decimal), "0");
  // Quotients have no zeros at their end.
  return sum && divideDecimals(sum, method === "sum" ? "1" : String(values.length));
}
