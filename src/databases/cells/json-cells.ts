import { daysInMonth } from "../../edm/calendar.ts";
import { withScale } from "../../edm/decimal.ts";
import type { Facets } from "../../edm/primitive-type.ts";
import { scanString } from "./json-text.ts";

/** The place of a value in JSON that a database wrote, and the text that replaces it. */
export interface JsonPatch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The findings in one page. */
export interface JsonFindings {
  /** The values that are valid but written differently, in order. */
  readonly patches: JsonPatch[];
  /** The number of entities, those of expansions included. */
  entities: number;
  /** The bytes of the page. */
  readonly view: DataView;
}

/**
 * Finds the end of a value in JSON that a database wrote; -1 if the value is not in the form that the response requires: then
 * the rows must be read instead. The database has checked the syntax, and null is not among the values.
 */
export type ScanJson = (bytes: Uint8Array, at: number, findings: JsonFindings) => number;

const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const COMMA = 44;
const UPPER_E = 69;
const UPPER_T = 84;
const UPPER_Z = 90;
const LOWER_A = 97;
const LOWER_E = 101;
const LOWER_F = 102;
const LOWER_T = 116;
const BRACE = 125;

/** Makes the scan of an integer within a range. */
export function scanInteger(least: number, greatest: number): ScanJson {
  return (bytes, at) => {
    const start = bytes[at] === MINUS ? at + 1 : at;
    let value = 0;
    let end = start;
    for (let byte = bytes[end] ?? 0; isDigit(byte); byte = bytes[end] ?? 0) {
      value = value * 10 + byte - ZERO;
      end += 1;
    }
    if (start > at) value = -value;
    return end > start && value >= least && value <= greatest ? end : -1;
  };
}

/** Finds the end of an Edm.Int64. An integer of the database has no more than 64 bits. */
export const scanInt64: ScanJson = scanInteger(-Infinity, Infinity);

/** Finds the end of an Edm.Boolean. */
export const scanBoolean: ScanJson = (bytes, at) => {
  if (bytes[at] === LOWER_T) return at + 4;
  return bytes[at] === LOWER_F ? at + 5 : -1;
};

/** The most digits for which the text of a number is the same in every language. */
const COMMON_DIGITS = 15;

/**
 * Finds the end of an Edm.Double or Edm.Single. A number with more digits or an exponent is written as JavaScript does, and
 * infinity as its name.
 */
export const scanDouble: ScanJson = (bytes, at, { patches }) => {
  let digits = 0;
  let isCommon = true;
  let end = at;
  for (let byte = bytes[end]; byte !== COMMA && byte !== BRACE; byte = bytes[end]) {
    if (byte === undefined) return -1;
    if (isDigit(byte)) {
      if (digits > 0 || byte !== ZERO) digits += 1;
    } else if (byte === LOWER_E || byte === UPPER_E || byte === PLUS) {
      isCommon = false;
    } else if (byte !== MINUS && byte !== POINT) {
      return -1;
    }
    end += 1;
  }
  if (!isCommon || digits > COMMON_DIGITS) {
    const written = asciiText(bytes, at, end);
    const text = doubleText(Number(written));
    if (text !== written) patches.push({ start: at, end, text });
  }
  return end;
};

/** The most digits of an Edm.Decimal that is written without a check. */
const MAX_DECIMAL_LENGTH = 30;

/** Makes the scan of an Edm.Decimal without an exponent, which is written with the digits of its scale. */
export function scanDecimal(scale: Facets["scale"]): ScanJson {
  return (bytes, at, { patches }) => {
    const start = bytes[at] === MINUS ? at + 1 : at;
    const point = digitsEnd(bytes, start);
    if (point === start || (bytes[start] === ZERO && point > start + 1)) return -1;
    const end = bytes[point] === POINT ? digitsEnd(bytes, point + 1) : point;
    if (end === point + 1 || end - at > MAX_DECIMAL_LENGTH) return -1;
    if (typeof scale === "number" && Math.max(end - point - 1, 0) !== scale) {
      patches.push({ start: at, end, text: withScale(asciiText(bytes, at, end), scale) });
    }
    return end;
  };
}

/** Returns the end of the digits at a place. */
export function digitsEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isDigit(bytes[end] ?? 0)) end += 1;
  return end;
}

function doubleText(number: number): string {
  if (Number.isFinite(number)) return String(number);
  return number > 0 ? '"INF"' : '"-INF"';
}

/** Returns short ASCII text. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

/** Finds the end of an Edm.Guid in lower case. */
export const scanGuid: ScanJson = (bytes, at) => {
  const end = at + GUID_LENGTH;
  if (bytes[at] !== QUOTE || bytes[end + 1] !== QUOTE) return -1;
  const hasHyphens =
    bytes[at + 9] === MINUS && bytes[at + 14] === MINUS && bytes[at + 19] === MINUS && bytes[at + 24] === MINUS;
  const isValid =
    hasHyphens &&
    isHex(bytes, at + 1, 8) &&
    isHex(bytes, at + 10, 4) &&
    isHex(bytes, at + 15, 4) &&
    isHex(bytes, at + 20, 4) &&
    isHex(bytes, at + 25, 12);
  return isValid ? end + 2 : -1;
};

/** Whether so many bytes are hexadecimal digits in lower case. */
function isHex(bytes: Uint8Array, at: number, count: number): boolean {
  for (let index = at; index < at + count; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte > NINE ? byte < LOWER_A || byte > LOWER_F : byte < ZERO) return false;
  }
  return true;
}

const GUID_LENGTH = 36;

/** Makes the scan of the name of an enumeration member. */
export function scanName(names: ReadonlySet<string>): ScanJson {
  return (bytes, at) => {
    const end = scanString(bytes, at);
    return end > 0 && names.has(new TextDecoder().decode(bytes.subarray(at + 1, end - 1))) ? end : -1;
  };
}

/** Finds the end of an Edm.Date of the years 1 to 9999. */
export const scanDate: ScanJson = (bytes, at) => {
  const end = at + 1 + DATE_LENGTH;
  return bytes[at] === QUOTE && isDate(bytes, at + 1) && bytes[end] === QUOTE ? end + 1 : -1;
};

/** Finds the end of an Edm.TimeOfDay with seconds. */
export const scanTimeOfDay: ScanJson = (bytes, at) => {
  const end = bytes[at] === QUOTE ? timeEnd(bytes, at + 1) : -1;
  return end > 0 && bytes[end] === QUOTE ? end + 1 : -1;
};

/** Finds the end of an Edm.DateTimeOffset in UTC. */
export const scanUtc: ScanJson = (bytes, at) => {
  const start = at + 1 + DATE_LENGTH;
  if (bytes[at] !== QUOTE || !isDate(bytes, at + 1) || bytes[start] !== UPPER_T) return -1;
  const end = timeEnd(bytes, start + 1);
  return end > 0 && bytes[end] === UPPER_Z && bytes[end + 1] === QUOTE ? end + 2 : -1;
};

const DATE_LENGTH = "YYYY-MM-DD".length;
const MAX_FRACTION_DIGITS = 12;

function isDate(bytes: Uint8Array, at: number): boolean {
  const century = twoDigits(bytes, at);
  const year = twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  if (century < 0 || year < 0 || century + year === 0) return false;
  if (bytes[at + 4] !== MINUS || bytes[at + 7] !== MINUS) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= daysInMonth(century * 100 + year, month);
}

/** Returns the end of `hh:mm:ss` and a fraction; -1 if it is not a time. */
function timeEnd(bytes: Uint8Array, at: number): number {
  const hour = twoDigits(bytes, at);
  const minute = twoDigits(bytes, at + 3);
  const second = twoDigits(bytes, at + 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
  if (bytes[at + 2] !== COLON || bytes[at + 5] !== COLON) return -1;
  const end = at + 8;
  if (bytes[end] !== POINT) return end;
  let last = end + 1;
  while (isDigit(bytes[last] ?? 0)) last += 1;
  const digits = last - end - 1;
  return digits < 1 || digits > MAX_FRACTION_DIGITS ? -1 : last;
}

/** Returns the number of two digits; a negative number if they are none. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] ?? 0;
  const ones = bytes[at + 1] ?? 0;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
