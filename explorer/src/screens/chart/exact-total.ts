import { toNumber } from "./axis.ts";
import type { ChartChoice } from "./chart-choice.ts";

const PLAIN = /^-?\d+(?:\.\d+)?$/u;
/** The digits of an average behind those of its values. */
const MORE_DIGITS = 12;

/**
 * Makes the total of values as the service states them, without the rounding of doubles; null without a number. The least and the
 * greatest value stay as they are.
 */
export function totalOf(stated: readonly unknown[], method: ChartChoice["method"]): unknown {
  const values = stated.filter((each) => toNumber(each) !== null);
  const texts = values.map(String);
  if (values.length === 0) return null;
  if (!texts.every((text) => PLAIN.test(text))) return totalOfDoubles(values.map(Number), method);
  const scale = texts.reduce((most, text) => Math.max(most, fractionOf(text).length), 0);
  const units = texts.map((text) => BigInt(text.replace(/\..*$/u, "") + fractionOf(text).padEnd(scale, "0")));
  const first = (isBefore: (a: bigint, b: bigint) => boolean): unknown =>
    values[units.reduce((best, unit, at) => (isBefore(unit, units[best] ?? unit) ? at : best), 0)];
  if (method === "min") return first((a, b) => a < b);
  if (method === "max") return first((a, b) => a > b);
  const sum = units.reduce((all, unit) => all + unit, 0n);
  if (method === "sum") return writeDecimal(sum, scale);
  const [count, more] = [BigInt(values.length), sum * 10n ** BigInt(MORE_DIGITS)];
  return writeDecimal((2n * more + (more < 0n ? -count : count)) / (2n * count), scale + MORE_DIGITS);
}

function fractionOf(text: string): string {
  return text.split(".")[1] ?? "";
}

/** Writes an integer as a decimal with so many digits behind the point, without zeros at the end. */
function writeDecimal(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  const end = fraction.replace(/0+$/u, "");
  return `${units < 0n ? "-" : ""}${whole}${end === "" ? "" : `.${end}`}`;
}

/** Sums of doubles show no more digits than doubles have. */
function totalOfDoubles(values: readonly number[], method: ChartChoice["method"]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return Number({ sum, average: sum / values.length, min, max }[method].toPrecision(15));
}
