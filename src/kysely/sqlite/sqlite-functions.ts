import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
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
} from "../../edm/decimal-arithmetic.ts";
import { compareDecimals, decimalFromBigInt, decimalFromNumber, parseDecimal, fromScaled } from "../../edm/decimal.ts";
import { tooManyItems } from "../../query/item-budget.ts";
import { toDecimalKey } from "../cells/decimal-neighbours.ts";
import { TEMPORAL_FUNCTIONS } from "./sqlite-temporal-functions.ts";

/** Most items that the nested lambda operators of one execution look at: about a second of work. */
const MAX_NESTED_ITEMS = 2_000_000;

/** As many parameters as it has, so many arguments SQLite asks for. */
type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;
/**
 * The functions that SQLite lacks, by name. Each answers null when an argument is null. A Decimal may come as text, as
 * an INTEGER or as a REAL, which is its shortest decimal; a text that is no Decimal is an error of the statement.
 *
 * - `odata_lower(text)`, `odata_upper(text)`: Unicode; the ones of SQLite change ASCII alone.
 * - `odata_decimal_key(a)`: text in the order of the values, to sort, compare and index by.
 * - `odata_decimal_compare(a, b)`: -1, 0 or 1.
 * - `odata_decimal_add`, `_subtract`, `_multiply`, `_divide`, `_modulo(a, b)`: canonical text, or null beyond the digits
 *   that a Decimal may have and for a divisor of zero.
 * - `odata_decimal_negate(a)`, `odata_decimal_floor(a)`, `odata_decimal_ceiling(a)`.
 * - `odata_decimal_round(a, bankers)`: to an integer; a midpoint away from zero, to the even neighbour if `bankers` is 1.
 */
const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_lower: (text) => ofText(text, (value) => value.toLowerCase()),
  odata_upper: (text) => ofText(text, (value) => value.toUpperCase()),
  odata_decimal_key: (a) => ofDecimal(a, toDecimalKey),
  odata_decimal_compare: (a, b) => ofDecimals(a, b, toSign),
  odata_decimal_add: (a, b) => ofDecimals(a, b, addDecimals),
  odata_decimal_subtract: (a, b) => ofDecimals(a, b, subtractDecimals),
  odata_decimal_multiply: (a, b) => ofDecimals(a, b, multiplyDecimals),
  odata_decimal_divide: (a, b) => ofDecimals(a, b, divideDecimals),
  odata_decimal_modulo: (a, b) => ofDecimals(a, b, moduloDecimals),
  odata_decimal_negate: (a) => ofDecimal(a, negateDecimal),
  odata_decimal_floor: (a) => ofDecimal(a, floorDecimal),
  odata_decimal_ceiling: (a) => ofDecimal(a, ceilingDecimal),
  odata_decimal_round: (a, bankers) =>
    ofDecimal(a, (value) => roundDecimal(value, Number(bankers) === 0 ? "half-away-from-zero" : "half-to-even")),
};

/**
 * Registers the functions on a connection. They are pure, so an index may be made on them: every program that writes to
 * its table then needs them. After a change of the Unicode version of Node.js one on `odata_lower` wants a `reindex`.
 */
export function registerFunctions(database: DatabaseSync): void {
  for (const [name, run] of Object.entries({ ...FUNCTIONS, ...NUMBER_FUNCTIONS, ...TEMPORAL_FUNCTIONS })) {
    // As bigint, for an INTEGER beyond 2^53 would be refused otherwise. Not directOnly: indexes may not use those.
    database.function(name, { deterministic: true, useBigIntArguments: true }, run);
  }
  // Not deterministic, so that it is called for each item.
  database.function("odata_spend_item", { deterministic: false, useBigIntArguments: true }, makeItemCounter());
}

/**
 * Makes `odata_spend_item(execution, item)`: true, for so many items as the nested lambda operators of one execution may look
 * at, and an error of the statement beyond.
 */
function makeItemCounter(): SqlFunction {
  let current: SQLOutputValue = null;
  let items = 0;
  return (execution, _item) => {
    if (execution !== current) {
      current = execution;
      items = 0;
    }
    items += 1;
    if (items > MAX_NESTED_ITEMS) throw tooManyItems(MAX_NESTED_ITEMS);
    return 1n;
  };
}

function ofText(value: SQLOutputValue, compute: (text: string) => string): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) throw new Error(`The database holds bytes where an Edm.String is expected.`);
  return compute(String(value));
}

function ofDecimal<T>(value: SQLOutputValue, compute: (decimal: string) => T): T | null {
  const decimal = toDecimal(value);
  return decimal === null ? null : compute(decimal);
}

function ofDecimals<T>(
  left: SQLOutputValue,
  right: SQLOutputValue,
  compute: (left: string, right: string) => T,
): T | null {
  const first = toDecimal(left);
  const second = toDecimal(right);
  return first === null || second === null ? null : compute(first, second);
}

/** As bigint, for `node:sqlite` makes a REAL of every number. */
function toSign(left: string, right: string): bigint {
  return BigInt(Math.sign(compareDecimals(left, right)));
}

function toDecimal(value: SQLOutputValue): string | null {
  if (value === null) return null;
  const decimal = readDecimal(value);
  if (decimal === null) throw new Error(`The database holds ${describe(value)} where an Edm.Decimal is expected.`);
  return decimal;
}

function readDecimal(value: string | number | bigint | Uint8Array): string | null {
  if (typeof value === "string") return parseDecimal(value);
  if (typeof value === "number") return decimalFromNumber(value);
  return typeof value === "bigint" ? decimalFromBigInt(value) : null;
}

function describe(value: string | number | bigint | Uint8Array): string {
  if (value instanceof Uint8Array) return "bytes";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

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
