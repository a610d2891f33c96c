import { writeJsonString } from "../../base/json/write-json.ts";
import { parseDateTimeOffset, parseDate } from "../../edm/date-time-offset.ts";
import { parseDecimal } from "../../edm/decimal.ts";
import { parseDuration } from "../../edm/duration.ts";
import { fromHex } from "./hex.ts";
import { readStoredTimestamp } from "./instant.ts";

/** Readers of cells that are selected as text. Each returns null for a cell that is not a value of its kind. */

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const BEFORE_CHRIST = / BC$/;
const LEADING_YEAR = /^\d+/;

/** Reads a 64-bit integer. */
export function readInteger(cell: unknown): bigint | null {
  if (typeof cell !== "string" || !INTEGER.test(cell)) return null;
  const integer = BigInt(cell);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

/** Reads bytes from hexadecimal digits. */
export function readBytes(cell: unknown): Uint8Array | null {
  return typeof cell === "string" ? fromHex(cell) : null;
}

/** Reads a date, or a timestamp in UTC. Years before 1 end in ` BC` and are counted without a year zero. */
export function readYear(cell: unknown): string | null {
  if (typeof cell !== "string") return null;
  const text = BEFORE_CHRIST.test(cell) ? toAstronomical(cell) : cell;
  return text.includes("T") ? parseDateTimeOffset(text) : parseDate(text);
}

function toAstronomical(text: string): string {
  return text.replace(BEFORE_CHRIST, "").replace(LEADING_YEAR, (digits) => {
    const year = Number(digits) - 1;
    return `${year === 0 ? "" : "-"}${String(year).padStart(4, "0")}`;
  });
}

/**
 * Functions that turn cells of the most common forms directly into JSON text. Each returns null for a cell that is null or
 * not in exactly that form: the caller then reads, checks and writes the value.
 */

/** Integers as SQLite writes them, with so few digits that each is an Int64. */
const DIGITS = /^(?:0|-?[1-9]\d{0,17})$/;
/** Numbers that JavaScript writes as databases do: at most 15 digits, no exponent, and not zero, which may be negative. */
const PLAIN_DOUBLE = /^-?(?:[1-9]\d{0,8}(?:\.\d{0,5}[1-9])?|0\.\d{0,5}[1-9])$/;
/** Timestamps on days that exist in every month, so no calendar check is needed. */
const UTC = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?Z$/;
const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Returns the JSON of an Edm.String. */
export function stringText(cell: unknown): string | null {
  return typeof cell === "string" ? writeJsonString(cell) : null;
}

/** Returns the JSON of an Edm.Boolean that is stored as 0 or 1. */
export function booleanText(cell: unknown): string | null {
  if (cell === 1) return "true";
  return cell === 0 ? "false" : null;
}

/** Returns the JSON of an Edm.Double that is neither zero (which may be negative) nor infinite. */
export function doubleText(cell: unknown): string | null {
  return typeof cell === "number" && cell !== 0 && Number.isFinite(cell) ? String(cell) : null;
}

/** Returns the JSON of an Edm.Double that was selected as text. */
export function plainDoubleText(cell: unknown): string | null {
  return typeof cell === "string" && PLAIN_DOUBLE.test(cell) ? cell : null;
}

/** Returns the JSON of an Edm.Guid in lower case. */
export function guidText(cell: unknown): string | null {
  return typeof cell === "string" && GUID.test(cell) ? `"${cell}"` : null;
}

/** Returns the JSON of an Edm.Int32. */
export function int32Text(cell: unknown): string | null {
  return typeof cell === "number" && (cell | 0) === cell ? String(cell) : null;
}

/** Makes the function for integers selected as text, for those with fewer digits than the bounds of their type. */
export function shortIntegerText(least: bigint, greatest: bigint): (cell: unknown) => string | null {
  const longest = String(greatest).length - 1;
  const longestNegative = least < 0n ? longest + 1 : 0;
  return (cell) => {
    if (typeof cell !== "string" || !INTEGER.test(cell)) return null;
    return cell.length <= (cell.startsWith("-") ? longestNegative : longest) ? cell : null;
  };
}

/** Returns the JSON of an Edm.Int64, or of an Edm.Decimal without a fraction, that was selected as text. */
export function int64Text(cell: unknown, ieee754Compatible: boolean): string | null {
  if (typeof cell !== "string" || !DIGITS.test(cell)) return null;
  return ieee754Compatible ? `"${cell}"` : cell;
}

/** Makes the function for Decimals selected as the text of an integer, which is the value times ten to the power of `scale`. */
export function scaledText(scale: number): (cell: unknown, ieee754Compatible: boolean) => string | null {
  return (cell, ieee754Compatible) => {
    if (typeof cell !== "string" || !DIGITS.test(cell) || cell.length <= scale + 1) return null;
    const text = scale === 0 ? cell : `${cell.slice(0, -scale)}.${cell.slice(-scale)}`;
    return ieee754Compatible ? `"${text}"` : text;
  };
}

/** Returns the JSON of a timestamp in UTC. */
export function utcText(cell: unknown): string | null {
  return typeof cell === "string" && UTC.test(cell) ? `"${cell}"` : null;
}

/** The kinds of texts that a database without types stores, and that SQL alone cannot distinguish from others. */
export type StoredText = "decimal" | "duration" | "timestamp";

/**
 * Return the canonical value of a stored text; null for a text that is not a value. Rows are read by them, and the function
 * `odata_readable` of SQLite calls them, so that a filter finds as null every value that a response shows as null.
 */
export const STORED_TEXTS: Readonly<Record<StoredText, (text: string) => string | null>> = Object.freeze({
  decimal: parseDecimal,
  duration: parseDuration,
  timestamp: readStoredTimestamp,
});
