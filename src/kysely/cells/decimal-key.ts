import { MAX_DECIMAL_DIGITS, countWholeDigits } from "../../edm/decimal.ts";

const COUNT_WIDTH = String(MAX_DECIMAL_DIGITS).length;
const GREATEST_COUNT = 10 ** COUNT_WIDTH - 1;

/**
 * A text for a canonical Decimal whose order byte by byte is the order of the values; equal values (`1.10` and `1.1`)
 * have the same. So an index on it serves comparisons and sorting.
 *
 * A positive value is `1`, the number of its whole digits, and its digits without the point. Of a negative one, `-`, all
 * digits are subtracted from nine, and a `~` at the end puts the longer fraction first. Zero is `0`.
 */
export function toDecimalKey(value: string): string {
  const isNegative = value.startsWith("-");
  const count = countWholeDigits(value);
  const digits = significantDigits(value);
  if (digits === "") return "0";
  if (!isNegative) return `1${String(count).padStart(COUNT_WIDTH, "0")}${digits}`;
  return `-${String(GREATEST_COUNT - count)}${complement(digits)}~`;
}

/** All digits but the zero that stands for no whole part, and the zeros at the end. */
function significantDigits(value: string): string {
  const digits = value.replace(/^-?(?:0(?=\.))?/, "").replace(".", "");
  let end = digits.length;
  while (digits.endsWith("0", end)) end -= 1;
  return digits.slice(0, end);
}

function complement(digits: string): string {
  let result = "";
  for (const digit of digits) result += String(9 - Number(digit));
  return result;
}
