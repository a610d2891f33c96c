import { JsonNumber, type JsonValue } from "../json/json-value.ts";
import { asBigInt, asNumber } from "./canonical-form.ts";
import { decimalToBigInt, parseDecimal } from "./decimal.ts";
import { invalidValue } from "./invalid-value.ts";
import { PRIMITIVE_TYPES } from "./primitive-type.ts";
import type { PrimitiveValue, ValueCodec } from "./value-codec.ts";

/** The integer types whose values are JavaScript numbers. */
export type SmallIntegerTypeName = "Edm.Byte" | "Edm.SByte" | "Edm.Int16" | "Edm.Int32";

/** The least and the greatest value of each type. */
const RANGES: Readonly<Record<SmallIntegerTypeName, readonly [number, number]>> = {
  "Edm.Byte": [0, 255],
  "Edm.SByte": [-128, 127],
  "Edm.Int16": [-32_768, 32_767],
  "Edm.Int32": [-2_147_483_648, 2_147_483_647],
};

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
/** The least number that an IEEE single rounds to infinity. */
const SINGLE_LIMIT = 2 ** 128 - 2 ** 103;

const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** No valid integer has more characters. A longer text is refused before conversion. */
const MAX_INTEGER_LENGTH = 64;

/**
 * Makes the codec of an integer type up to Edm.Int32. JSON numbers with a fraction or exponent are accepted if they are
 * whole, such as `5.0` and `5e0`; the text of a literal has only digits.
 * @see OData CSDL 4.0, section 4.4
 */
export function smallIntegerCodec(name: SmallIntegerTypeName): ValueCodec {
  const [least, greatest] = RANGES[name];
  const advice = `write a whole number from ${least} to ${greatest}`;
  const check = (integer: number, value: unknown): number => {
    // Adding zero converts -0 to 0.
    if (Number.isInteger(integer) && integer >= least && integer <= greatest) return integer + 0;
    throw invalidValue(value, name, advice);
  };
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: (value) =>
      check(typeof value === "number" || typeof value === "bigint" ? Number(value) : Number.NaN, value),
    fromJson: (value, ieee754Compatible) => {
      if (typeof value === "number") return check(value, value);
      if (typeof value === "string" && !ieee754Compatible) throw quotedNumber(value, name, advice);
      return check(Number(wholeNumberOf(value) ?? Number.NaN), value);
    },
    toJson: numberText,
    fromText: (text) => check(INTEGER.test(text) ? Number(text) : Number.NaN, text),
    toLiteral: numberText,
    toText: numberText,
    compare: compareNumbers,
  });
}

/**
 * Makes the codec of Edm.Int64. The value is a bigint, and a JSON number with all its digits on the wire: a string with
 * IEEE754Compatible. Strings are always accepted.
 * @see OData JSON Format 4.0, section 7.1
 */
export function int64Codec(): ValueCodec {
  const name = "Edm.Int64";
  const advice = `write a whole number from ${MIN_INT64.toString()} to ${MAX_INT64.toString()}`;
  const check = (integer: bigint | null, value: unknown): bigint => {
    if (integer !== null && integer >= MIN_INT64 && integer <= MAX_INT64) return integer;
    throw invalidValue(value, name, advice);
  };
  const toText = (value: PrimitiveValue): string => asBigInt(value).toString();
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: (value) => {
      if (typeof value === "bigint") return check(value, value);
      return check(typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : null, value);
    },
    fromJson: (value) => check(wholeNumberOf(value), value),
    toJson: (value, ieee754Compatible) => (ieee754Compatible ? `"${toText(value)}"` : toText(value)),
    fromText: (text) => check(parseInteger(text), text),
    toLiteral: toText,
    toText,
    compare: (left, right) => {
      if (left === right) return 0;
      return asBigInt(left) < asBigInt(right) ? -1 : 1;
    },
  });
}

/** The most characters of a floating-point number: the engine reads it in one call. */
const LONGEST_FLOAT = 65_536;

/**
 * Makes the codec of Edm.Double and Edm.Single. `INF`, `-INF` and `NaN` are valid; a finite number that would become
 * infinite is not. A Single keeps the given number and is not rounded to 24 bits.
 * @see OData JSON Format 4.0, section 7.1
 */
export function floatCodec(name: "Edm.Double" | "Edm.Single"): ValueCodec {
  const limit = name === "Edm.Single" ? SINGLE_LIMIT : Infinity;
  const range = name === "Edm.Single" ? " of at most 3.4028235e38" : "";
  const advice = `write a number such as 1.5 or 1.5e3${range}, or INF, -INF or NaN`;
  const check = (number: number, value: unknown): number => {
    if (Math.abs(number) < limit) return number;
    throw invalidValue(value, name, advice);
  };
  const short = (text: string, value: unknown): string => {
    if (text.length <= LONGEST_FLOAT) return text;
    throw invalidValue(value, name, `write at most ${String(LONGEST_FLOAT)} characters`);
  };
  const fromText = (text: string): number => {
    return SPECIAL_VALUES.get(short(text, text)) ?? check(FLOAT.test(text) ? Number(text) : Number.NaN, text);
  };
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: (value) => {
      if (typeof value !== "number") throw invalidValue(value, name, "return a number");
      return Number.isFinite(value) ? check(value, value) : value;
    },
    fromJson: (value, ieee754Compatible) => {
      if (typeof value === "number") return check(value, value);
      if (value instanceof JsonNumber) return check(Number(short(value.text, value)), value);
      if (typeof value !== "string") throw invalidValue(value, name, advice);
      if (!ieee754Compatible && !SPECIAL_VALUES.has(short(value, value))) throw quotedNumber(value, name, advice);
      return fromText(value);
    },
    toJson: (value) => {
      const number = asNumber(value);
      return Number.isFinite(number) ? floatText(number) : `"${floatText(number)}"`;
    },
    fromText,
    toLiteral: floatText,
    toText: floatText,
    compare: compareNumbers,
  });
}

const SPECIAL_VALUES: ReadonlyMap<string, number> = new Map([
  ["INF", Infinity],
  ["-INF", -Infinity],
  ["NaN", Number.NaN],
]);

function floatText(value: PrimitiveValue): string {
  const number = asNumber(value);
  if (Number.isFinite(number)) return Object.is(number, -0) ? "-0" : String(number);
  if (Number.isNaN(number)) return "NaN";
  return number > 0 ? "INF" : "-INF";
}

function numberText(value: PrimitiveValue): string {
  return String(asNumber(value));
}

/** Returns NaN if an operand is NaN, which does not equal any value. */
function compareNumbers(left: PrimitiveValue, right: PrimitiveValue): number {
  const leftNumber = asNumber(left);
  const rightNumber = asNumber(right);
  if (leftNumber < rightNumber) return -1;
  if (leftNumber > rightNumber) return 1;
  return leftNumber === rightNumber ? 0 : Number.NaN;
}

/** Returns the integer of a JSON number or string; null for any other value. */
function wholeNumberOf(value: JsonValue): bigint | null {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : null;
  if (typeof value === "string") return parseInteger(value);
  if (!(value instanceof JsonNumber)) return null;
  const integer = parseInteger(value.text);
  if (integer !== null) return integer;
  const decimal = parseDecimal(value.text);
  return decimal === null ? null : decimalToBigInt(decimal);
}

function parseInteger(text: string): bigint | null {
  if (text.length > MAX_INTEGER_LENGTH || !INTEGER.test(text)) return null;
  return BigInt(text.startsWith("+") ? text.slice(1) : text);
}

/** Makes the error of a number in quotes in a request without IEEE754Compatible. */
function quotedNumber(value: string, name: string, advice: string): Error {
  return invalidValue(
    value,
    name,
    `${advice} without quotes, or say IEEE754Compatible=true in the Content-Type to send numbers as strings`,
  );
}
