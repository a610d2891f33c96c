import type { ValueType } from "../../edm/model.ts";

/** A quick check whether a value is canonical; false where it is not, or where only the codec can decide. */
export type CanonicalTest = (value: unknown) => boolean;

/** The result of `typeof` for values that need no conversion; null where `typeof` does not suffice. */
type CanonicalKind = "boolean" | "number" | "bigint" | "string" | null;

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

/** Returns the result of `typeof` that proves a value of a type canonical. */
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
 * Returns the check for a type where `typeof` does not suffice. It looks only at the form: the string of a timestamp
 * may name a day that does not exist, which the writer of the response finds out. The codec's full check would cost
 * more than the comparison.
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

/**
 * Whether a string has digits without a leading zero, then optionally a point and digits. `-0…` is left to the codec.
 */
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

/** Whether a string starts with a date with four digits of year: a sign or a fifth digit would move the hyphens. */
function startsWithDate(text: string): boolean {
  return text.charCodeAt(4) === MINUS && text.charCodeAt(7) === MINUS && text.charCodeAt(0) !== MINUS;
}

/** Whether a time ends after the seconds, or after a point and at least one digit. */
function isTime(text: string, start: number, end: number): boolean {
  const secondEnd = start + TIME_LENGTH;
  if (text.charCodeAt(start + 2) !== COLON || text.charCodeAt(start + 5) !== COLON) return false;
  return end === secondEnd || (end > secondEnd + 1 && text.charCodeAt(secondEnd) === POINT);
}
