import { attempt } from "../base/maybe.ts";
import { CAST_TEXTS } from "./cast-texts.ts";
import { decimalFromNumber, withoutFinalZeros } from "./decimal.ts";
import { integerBounds } from "./integer-bounds.ts";
import { isInteger, PRIMITIVE_TYPES, type PrimitiveType, type PrimitiveTypeName } from "./primitive-type.ts";
import { asText, InvalidValueError, type PrimitiveValue } from "./value-codec.ts";
import { SINGLE_LIMIT, valueCodec } from "./value-codecs.ts";

/** How a cast writes the fraction digits of a value: as the value has them, or without trailing zeros. */
export type CastDigits = "written" | "needed";

type Cast = (value: PrimitiveValue) => PrimitiveValue | null;

/** Whether `cast` converts values of one type to another: numbers to numbers, and most types from and to Edm.String. */
export function isCastable(source: PrimitiveType, target: PrimitiveType): boolean {
  if (source === target || target.name === "Edm.String") return true;
  if (source.name === "Edm.String") return target.name !== "Edm.Binary";
  return isNumber(source) && isNumber(target);
}

/** Whether every value of a numeric type is a value of another one, to the nearest. */
export function isWider(target: PrimitiveType, source: PrimitiveType): boolean {
  if (!isInteger(source)) return source.name === "Edm.Single" && target.name === "Edm.Double";
  if (!isInteger(target)) return isNumber(target);
  const [least, greatest] = integerBounds(source.name);
  const [lowest, highest] = integerBounds(target.name);
  return lowest <= least && greatest <= highest;
}

/**
 * Makes the cast of canonical values, not null, to another type. The result is null for a value that the target does not have.
 * @throws Error for types that `isCastable` refuses
 * @see OData URL Conventions 4.01, section 5.1.1.10.1; docs/reference/filter.md, Casts
 */
export function castOf(source: PrimitiveType, target: PrimitiveType, digits: CastDigits): Cast {
  if (target.name === "Edm.String") return writerOf(source, digits);
  if (source.name === "Edm.String") return readerOf(target);
  if (!isNumber(source) || !isNumber(target)) throw new Error(`${source.name} cannot be cast to ${target.name}.`);
  if (isInteger(target)) return (value) => toInteger(value, target);
  if (target.name === "Edm.Decimal") {
    return (value) => (typeof value === "number" ? decimalFromNumber(value) : String(value));
  }
  return (value) => toFloat(value, target);
}

function writerOf(source: PrimitiveType, digits: CastDigits): Cast {
  const { toText } = valueCodec(source);
  if (digits === "written" || !HAVE_FRACTIONS.has(source.name)) return toText;
  return (value) => withoutZeros(asText(value));
}

/** The types whose texts may have trailing zeros in their fraction. */
const HAVE_FRACTIONS: ReadonlySet<PrimitiveTypeName> = new Set<PrimitiveTypeName>([
  "Edm.Decimal",
  "Edm.TimeOfDay",
  "Edm.DateTimeOffset",
  "Edm.Duration",
]);

/** Removes trailing zeros of the fraction, which a unit or an offset may follow. */
function withoutZeros(text: string): string {
  const end = text.search(/(?:[A-Z]|[+-]\d\d:\d\d)$/);
  return end < 0 ? withoutFinalZeros(text) : withoutFinalZeros(text.slice(0, end)) + text.slice(end);
}

function readerOf(target: PrimitiveType): Cast {
  const pattern = patternOf(target);
  if (isInteger(target)) return (value) => (pattern.test(asText(value)) ? integerOf(asText(value), target) : null);
  if (target.name === "Edm.Double" || target.name === "Edm.Single") {
    return (value) => (pattern.test(asText(value)) ? toFloat(asText(value), target) : null);
  }
  const codec = valueCodec(target);
  return (value) => {
    const text = asText(value);
    if (!pattern.test(text)) return null;
    // A duration may be too long.
    const read = attempt(() => codec.fromText(text), InvalidValueError);
    return read instanceof InvalidValueError ? null : read;
  };
}

function patternOf({ name }: PrimitiveType): RegExp {
  if (name === "Edm.String" || name === "Edm.Binary") throw new Error(`No text is cast to ${name}.`);
  return CAST_TEXTS[name];
}

function integerOf(text: string, target: PrimitiveType): PrimitiveValue | null {
  return withinBounds(BigInt(text.startsWith("+") ? text.slice(1) : text), target);
}

/** Drops the fraction of a number. */
function toInteger(value: PrimitiveValue, target: PrimitiveType): PrimitiveValue | null {
  if (typeof value === "number") return Number.isFinite(value) ? withinBounds(BigInt(Math.trunc(value)), target) : null;
  const text = String(value);
  const point = text.indexOf(".");
  return withinBounds(BigInt(point < 0 ? text : text.slice(0, point)), target);
}

function withinBounds(integer: bigint, target: PrimitiveType): PrimitiveValue | null {
  const [least, greatest] = integerBounds(target.name);
  if (integer < least || integer > greatest) return null;
  return target.name === "Edm.Int64" ? integer : Number(integer);
}

/** Converts a number, or the text of one. Doubles keep INF, -INF and NaN; zero of a text has no sign. */
function toFloat(value: PrimitiveValue, target: PrimitiveType): number | null {
  const number = typeof value === "number" ? value : Number(value) + 0;
  if (typeof value === "number" && !Number.isFinite(number)) return number;
  return Math.abs(number) < floatLimit(target) ? number : null;
}

/**
 * Returns the least number that a cast to Single or Double does not convert. For Double it is the greatest one, to which some
 * databases clamp numbers.
 */
export function floatLimit({ name }: PrimitiveType): number {
  return name === "Edm.Single" ? SINGLE_LIMIT : Number.MAX_VALUE;
}

const NUMBERS: ReadonlySet<PrimitiveType> = new Set(
  (["Edm.Decimal", "Edm.Single", "Edm.Double"] as const).map((name) => PRIMITIVE_TYPES[name]),
);

function isNumber(type: PrimitiveType): boolean {
  return isInteger(type) || NUMBERS.has(type);
}
