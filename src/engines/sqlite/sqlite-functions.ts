import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { toDecimalKey } from "../../cells/instant.ts";
import { STORED_TEXTS, type StoredText } from "../../cells/text-cells.ts";
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
import { tooLongText, tooManyItems, tooMuchMemory } from "../../errors/odata-error.ts";
import { TEMPORAL_FUNCTIONS } from "./sqlite-temporal-functions.ts";
import { textFunctions, tooBig } from "./sqlite-text-functions.ts";
import { unreadableArgument } from "./unreadable-argument.ts";

/** The maximum number of items in nested lambda operators per execution: about a second of work. */
const MAX_NESTED_ITEMS = 2_000_000;

/** The most bytes of three and more texts that are joined. SQLite holds such a text several times. */
const MAX_JOINED_BYTES = 64_000_000;

/** A function of SQLite. Its number of parameters is the number of its SQL arguments. */
type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;

/**
 * The functions that SQLite lacks, by name. Each returns null if an argument is null. A Decimal may be text, an INTEGER or a
 * REAL, which means its shortest decimal. Any other text fails the statement.
 *
 * - `odata_too_much(bytes)`: fails the statement. The argument keeps SQLite from calling it before the first row.
 * - `odata_readable(kind, text)`: 1 if the text is a value of its kind, otherwise 0.
 * - `odata_decimal_key(a)`: text that sorts like the values, for comparisons and indexes.
 * - `odata_decimal_compare(a, b)`: -1, 0 or 1.
 * - `odata_decimal_add`, `_subtract`, `_multiply`, `_divide`, `_modulo(a, b)`: canonical text; null if the result has too
 *   many digits or the divisor is zero.
 * - `odata_decimal_negate(a)`, `odata_decimal_floor(a)`, `odata_decimal_ceiling(a)`.
 * - `odata_decimal_round(a, bankers)`: rounds half away from zero, or half to even if `bankers` is 1.
 */
const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  odata_too_much: (_bytes) => {
    throw tooMuchMemory();
  },
  odata_readable: (kind, text) => (readsText(kind, text) ? 1n : 0n),
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
 * Registers the functions on a connection. They are deterministic, so indexes may use them: every program that writes to the
 * table then needs them. If a new Node.js has another Unicode version, an index on `odata_lower` requires a `reindex`.
 */
export function registerFunctions(database: DatabaseSync, readOnly: boolean): void {
  const functions = { ...FUNCTIONS, ...textFunctions(database, readOnly), ...NUMBER_FUNCTIONS, ...TEMPORAL_FUNCTIONS };
  for (const [name, run] of Object.entries(functions)) {
    // Arguments are bigint, since an INTEGER beyond 2^53 would throw. `directOnly` would exclude indexes.
    database.function(name, { deterministic: true, useBigIntArguments: true }, run);
  }
  database.function("odata_too_long", { deterministic: true }, lengthCheckOf(database));
  // Not deterministic, so that SQLite calls it for each item.
  database.function("odata_spend_item", { deterministic: false, useBigIntArguments: true }, makeItemCounter());
  database.function("odata_spend_entities", { deterministic: false }, makeEntityCounter());
}

/**
 * Makes `odata_spend_item(execution, item)`: true up to the maximum number of items of one execution; then it fails the
 * statement.
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

/**
 * Makes `odata_spend_entities(execution, entities, most)`: true as long as the lists of one execution have no more entities in
 * all; then it fails the statement, so that a page of JSON does not grow further.
 */
function makeEntityCounter(): SqlFunction {
  let current: SQLOutputValue = null;
  let total = 0;
  return (execution, entities, most) => {
    if (execution !== current) {
      current = execution ?? null;
      total = 0;
    }
    total += Number(entities);
    if (total > Number(most)) throw new Error("There are too many entities for JSON.");
    return 1;
  };
}

/**
 * Makes `odata_too_long(bytes)`: false, if a connection may make a text of so many bytes. Otherwise it fails the statement: as
 * SQLite would after it has made the text, if only this connection may not.
 */
function lengthCheckOf(database: DatabaseSync): (bytes: SQLOutputValue) => number {
  return (given) => {
    const bytes = Number(given);
    if (bytes > MAX_JOINED_BYTES) throw tooLongText("concat", bytes, "bytes");
    if ("limits" in database && bytes > database.limits.length) throw tooBig();
    return 0;
  };
}

function readsText(kind: SQLOutputValue | undefined, text: SQLOutputValue | undefined): boolean {
  return typeof text === "string" && STORED_TEXTS[kind as StoredText](text) !== null;
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

/** Returns a bigint, since `node:sqlite` stores every number as REAL. */
function toSign(left: string, right: string): bigint {
  return BigInt(Math.sign(compareDecimals(left, right)));
}

function toDecimal(value: SQLOutputValue): string | null {
  if (value === null) return null;
  const decimal = readDecimal(value);
  if (decimal === null) throw unreadableArgument(describe(value), "an Edm.Decimal");
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
 * Functions of doubles and of scaled Decimals. Each returns null if an argument is null, and instead of NaN.
 *
 * - `odata_double(decimal)`: the nearest double.
 * - `odata_double_divide(a, b)`, `odata_double_modulo(a, b)`: as in IEEE 754, so a division by zero is infinite.
 * - `odata_double_round(a, bankers)`: rounds half away from zero, or half to even if `bankers` is 1.
 * - `odata_decimal_unscale(integer, scale)`: the Decimal of an integer divided by ten to the power of `scale`.
 */
const NUMBER_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
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
  if (value instanceof Uint8Array) throw unreadableArgument("bytes", "a number");
  return Number(value);
}

/** Rounds exactly: 0.49999999999999994 becomes 0, and infinities stay. */
function roundDouble(value: number, isBankers: boolean): number {
  const whole = Math.trunc(value);
  // The fraction of a double is itself a double, so the subtraction is exact.
  const fraction = Math.abs(value - whole);
  const isAway = fraction > 0.5 || (fraction === 0.5 && (!isBankers || whole % 2 !== 0));
  return isAway ? whole + Math.sign(value) : whole;
}

function unscale(value: string | number | bigint | Uint8Array, scale: SQLOutputValue | undefined): string {
  if (typeof value === "bigint") return fromScaled(value, Number(scale));
  throw unreadableArgument("no INTEGER", "a scaled Edm.Decimal");
}
