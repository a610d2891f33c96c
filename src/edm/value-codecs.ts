import { JsonNumber, type JsonValue } from "../base/json/write-json.ts";
import { keptPer } from "../base/memo.ts";
import {
  compareDecimals,
  countWholeDigits,
  decimalFromBigInt,
  decimalFromNumber,
  fitScale,
  parseDecimal,
  decimalToBigInt,
} from "./decimal.ts";
import { enumCodec } from "./enum-codec.ts";
import { INTEGER_BOUNDS, type SmallIntegerTypeName, smallIntegerBounds } from "./integer-bounds.ts";
import type { EnumType, StructuralProperty } from "./model.ts";
import { type FormFacets, type PrimitiveType, type PrimitiveTypeName, PRIMITIVE_TYPES } from "./primitive-type.ts";
import { temporalCodec } from "./temporal-codecs.ts";
import { textCodec } from "./text-codecs.ts";
import {
  asItIs,
  asText,
  asBigInt,
  asNumber,
  type ValueCodec,
  type PrimitiveValue,
  invalidValue,
  outsideFacet,
} from "./value-codec.ts";

/**
 * Returns the codec of a type; without facets there is one per type.
 * @param facets limits for values of clients
 */
export function valueCodec(type: PrimitiveType | EnumType, facets?: FormFacets): ValueCodec {
  return facets === undefined ? plainCodec(type) : makeCodec(type, facets);
}

const plainCodec = keptPer((type: PrimitiveType | EnumType): ValueCodec => makeCodec(type, {}));

/**
 * Returns the codec of a property's value, or of each item of a collection, with the property's facets. It is made once.
 * @throws TypeError for a property of a complex type, whose values have no codec
 */
export const codecOf: (property: StructuralProperty) => ValueCodec = keptPer(({ name, type, facets }) => {
  if (type.kind === "ComplexType") throw new TypeError(`${name} is complex: its members have codecs.`);
  return makeCodec(type, facets);
});

function makeCodec(type: PrimitiveType | EnumType, facets: FormFacets): ValueCodec {
  return type.kind === "EnumType" ? enumCodec(type) : primitiveCodec(type.name, facets);
}

function primitiveCodec(name: PrimitiveTypeName, facets: FormFacets): ValueCodec {
  switch (name) {
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
      return smallIntegerCodec(name);
    case "Edm.Int64":
      return int64Codec();
    case "Edm.Single":
    case "Edm.Double":
      return floatCodec(name);
    case "Edm.Decimal":
      return decimalCodec(facets);
    case "Edm.Boolean":
    case "Edm.String":
    case "Edm.Guid":
    case "Edm.Binary":
      return textCodec(name, facets);
    case "Edm.Date":
    case "Edm.TimeOfDay":
    case "Edm.DateTimeOffset":
    case "Edm.Duration":
      return temporalCodec(name, facets);
  }
}

const DECIMAL = "Edm.Decimal";
const DECIMAL_ADVICE = "write digits with an optional sign and fraction, such as -12.50";

/**
 * Makes the codec of Edm.Decimal. The value is a canonical string, and a JSON number with all its digits on the wire: a
 * string with IEEE754Compatible. Strings are always accepted.
 * @see OData CSDL 4.0, sections 6.2.3 and 6.2.4
 */
function decimalCodec(facets: FormFacets): ValueCodec {
  const fromClient = (decimal: string | null, value: unknown): string => {
    if (decimal === null) throw invalidValue(value, DECIMAL, DECIMAL_ADVICE);
    return checkFacets(decimal, value, facets);
  };
  const toText = (value: PrimitiveValue): string => asText(value);
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[DECIMAL],
    fromHandler: (value) => {
      const decimal = decimalOfHandler(value);
      if (decimal === null) throw invalidValue(value, DECIMAL, 'return a string such as "-12.50", or a finite number');
      return decimal;
    },
    fromJson: (value) => fromClient(decimalOfJson(value), value),
    fit: (value) => checkFacets(asText(value), value, facets),
    toJson: (value, ieee754Compatible) => (ieee754Compatible ? `"${asText(value)}"` : asText(value)),
    fromText: (text) => fromClient(parseDecimal(text), text),
    toLiteral: toText,
    toText,
    compare: (left, right) => compareDecimals(asText(left), asText(right)),
  });
}

function decimalOfHandler(value: unknown): string | null {
  if (typeof value === "string") return parseDecimal(value);
  if (typeof value === "number") return decimalFromNumber(value);
  return typeof value === "bigint" ? decimalFromBigInt(value) : null;
}

function decimalOfJson(value: JsonValue): string | null {
  if (typeof value === "number") return decimalFromNumber(value);
  if (typeof value === "string") return parseDecimal(value);
  return value instanceof JsonNumber ? parseDecimal(value.text) : null;
}

/** Removes trailing zeros of the fraction that exceed the facets, which does not change the value. */
function checkFacets(decimal: string, value: unknown, { precision, scale }: FormFacets): string {
  const wholeDigits = countWholeDigits(decimal);
  if (typeof scale === "number") {
    // A fixed scale reserves its digits, even if the value does not use them.
    const fitting = fitScale(decimal, scale);
    if (fitting !== null && (precision === undefined || wholeDigits <= precision - scale)) return fitting;
    const before = precision === undefined ? "" : `${precision - scale} digits before the point and `;
    const problem = `has too many digits: write at most ${before}${scale} digits after the point`;
    const parameters = precision === undefined ? { scale } : { precision, scale };
    throw outsideFacet(value, problem, decimal, { code: "Scale", parameters });
  }
  if (precision === undefined) return decimal;
  const fitting = wholeDigits <= precision ? fitScale(decimal, precision - wholeDigits) : null;
  if (fitting === null) {
    const problem = `has too many digits: write at most ${precision} digits`;
    throw outsideFacet(value, problem, decimal, { code: "Precision", parameters: { precision } });
  }
  return fitting;
}

/** The least number that an IEEE single rounds to infinity. */
export const SINGLE_LIMIT: number = 2 ** 128 - 2 ** 103;

/** Returns the result of arithmetic as an Edm.Single: infinite beyond its range. */
export function toSingle(result: number): number {
  return Math.abs(result) < SINGLE_LIMIT ? result : result * Infinity;
}

const INTEGER = /^[+-]?\d+$/;
const FLOAT = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** No valid integer has more characters. A longer text is refused before conversion. */
const MAX_INTEGER_LENGTH = 64;

/**
 * Makes the codec of an integer type up to Edm.Int32. JSON numbers with a fraction or exponent are accepted if they are
 * whole, such as `5.0` and `5e0`; the text of a literal has only digits.
 * @see OData CSDL 4.0, section 4.4
 */
function smallIntegerCodec(name: SmallIntegerTypeName): ValueCodec {
  const [least, greatest] = smallIntegerBounds(name);
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
    fit: asItIs,
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
function int64Codec(): ValueCodec {
  const name = "Edm.Int64";
  const [least, greatest] = INTEGER_BOUNDS[name];
  const advice = `write a whole number from ${String(least)} to ${String(greatest)}`;
  const check = (integer: bigint | null, value: unknown): bigint => {
    if (integer !== null && integer >= least && integer <= greatest) return integer;
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
    fit: asItIs,
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
function floatCodec(name: "Edm.Double" | "Edm.Single"): ValueCodec {
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
    fit: asItIs,
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
