import type { ValueType } from "../edm/model.ts";

/**
 * Tells by a short look that a value is canonical as it stands; false where it is not, or where only the codec can
 * tell.
 */
export type CanonicalTest = (value: unknown) => boolean;

/** What `typeof` says of values that need no conversion; null where more than that must be looked at. */
export type CanonicalKind = "boolean" | "number" | "bigint" | "string" | null;

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const UPPER_T = 84;
const UPPER_Z = 90;
const GUID_LENGTH = 36;
const DATE_LENGTH = 10;
const TIME_LENGTH = 8;

/** What `typeof` tells of the canonical values of a type that may be taken as they are. */
export function canonicalKind(type: ValueType): CanonicalKind {
  if (type.kind !== "PrimitiveType") return null;
  switch (type.name) {
    case "Edm.Boolean":
      return "boolean";
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Single":
    case "Edm.Double":
      return "number";
    case "Edm.Int64":
      return "bigint";
    case "Edm.String":
      return "string";
    default:
      return null;
  }
}

/**
 * The look for a type whose values `typeof` does not tell. It goes by the form alone: a text in the form of a timestamp
 * is taken for one, and whether its day exists is for the writer of the answer to find out. The codec's full check would
 * cost more than the comparison that follows.
 */
export function canonicalTest(type: ValueType): CanonicalTest {
  switch (type.kind === "PrimitiveType" ? type.name : undefined) {
    case "Edm.Decimal":
      return (value) => typeof value === "string" && isDecimal(value);
    case "Edm.Guid":
      return (value) => typeof value === "string" && value.length === GUID_LENGTH && value === value.toLowerCase();
    case "Edm.Binary":
      return (value) => value instanceof Uint8Array;
    case "Edm.Date":
      return (value) => typeof value === "string" && value.length === DATE_LENGTH && startsWithDate(value);
    case "Edm.TimeOfDay":
      return (value) => typeof value === "string" && isTime(value, 0, value.length);
    case "Edm.DateTimeOffset":
      return (value) => typeof value === "string" && isUtcDateTime(value);
    default:
      return () => false;
  }
}

/** Digits without a leading zero, then perhaps a point and digits; `-0…` is left to the codec. */
function isDecimal(text: string): boolean {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const whole = digitsEnd(text, start);
  if (whole === start) return false;
  if (text.charCodeAt(start) === ZERO && (whole > start + 1 || start > 0)) return false;
  if (whole === text.length) return true;
  return text.charCodeAt(whole) === POINT && whole + 1 < text.length && digitsEnd(text, whole + 1) === text.length;
}

function digitsEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return at;
  }
  return text.length;
}

function isUtcDateTime(text: string): boolean {
  const end = text.length - 1;
  return (
    text.charCodeAt(end) === UPPER_Z &&
    text.charCodeAt(DATE_LENGTH) === UPPER_T &&
    startsWithDate(text) &&
    isTime(text, DATE_LENGTH + 1, end)
  );
}

/** Four digits of year: a sign, or a fifth digit, would move the hyphens. */
function startsWithDate(text: string): boolean {
  return text.charCodeAt(4) === MINUS && text.charCodeAt(7) === MINUS && text.charCodeAt(0) !== MINUS;
}

/** Seconds end the time, or a point and a digit at least follow them. */
function isTime(text: string, start: number, end: number): boolean {
  const secondEnd = start + TIME_LENGTH;
  if (text.charCodeAt(start + 2) !== COLON || text.charCodeAt(start + 5) !== COLON) return false;
  return end === secondEnd || (end > secondEnd + 1 && text.charCodeAt(secondEnd) === POINT);
}
