import { parseDateTimeOffset } from "../../edm/date-time-offset.ts";
import { parseDate } from "../../edm/date.ts";
import { writeJsonString } from "../../json/write-json.ts";

/** Readers of cells that are selected as text. Each answers null for what is no value of its kind. */

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const HEX = /^(?:[\da-f]{2})*$/i;
const BEFORE_CHRIST = / BC$/;
const LEADING_YEAR = /^\d+/;

/** An integer of 64 bits. */
export function readInteger(cell: unknown): bigint | null {
  if (typeof cell !== "string" || !INTEGER.test(cell)) return null;
  const integer = BigInt(cell);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

/** Bytes as hexadecimal digits. */
export function readBytes(cell: unknown): Uint8Array | null {
  if (typeof cell !== "string" || !HEX.test(cell)) return null;
  const bytes = new Uint8Array(cell.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(cell.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** A date, or a timestamp in UTC; behind one of a year before 1 stands ` BC`, and its year is one more. */
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
 * JSON texts of cells without a value in between, for the commonest forms. Each answers null for a cell that has not
 * exactly the form it should have, null included: then the value is read, checked and written.
 */

/** Integers of so few digits that any is an Int64, as SQLite writes them. */
const DIGITS = /^(?:0|-?[1-9]\d{0,17})$/;
/** Timestamps that no calendar need be asked about: days that every month has. */
const UTC = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?Z$/;
const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** An Edm.String. */
export function stringText(cell: unknown): string | null {
  return typeof cell === "string" ? writeJsonString(cell) : null;
}

/** An Edm.Boolean, kept as 0 or 1. */
export function booleanText(cell: unknown): string | null {
  if (cell === 1) return "true";
  return cell === 0 ? "false" : null;
}

/** An Edm.Double that is neither zero, which may be negative, nor infinite. */
export function doubleText(cell: unknown): string | null {
  return typeof cell === "number" && cell !== 0 && Number.isFinite(cell) ? String(cell) : null;
}

/** An Edm.Guid in lower case. */
export function guidText(cell: unknown): string | null {
  return typeof cell === "string" && GUID.test(cell) ? `"${cell}"` : null;
}

/** An Edm.Int32. */
export function int32Text(cell: unknown): string | null {
  return typeof cell === "number" && (cell | 0) === cell ? String(cell) : null;
}

/** An Edm.Int64 that was selected as text. */
export function int64Text(cell: unknown, ieee754Compatible: boolean): string | null {
  if (typeof cell !== "string" || !DIGITS.test(cell)) return null;
  return ieee754Compatible ? `"${cell}"` : cell;
}

/** A Decimal that was selected as the text of an integer, to be divided by ten to the power of `scale`. */
export function scaledText(scale: number): (cell: unknown, ieee754Compatible: boolean) => string | null {
  return (cell, ieee754Compatible) => {
    if (typeof cell !== "string" || !DIGITS.test(cell) || cell.length <= scale + 1) return null;
    const text = scale === 0 ? cell : `${cell.slice(0, -scale)}.${cell.slice(-scale)}`;
    return ieee754Compatible ? `"${text}"` : text;
  };
}

/** A timestamp in UTC. */
export function utcText(cell: unknown): string | null {
  return typeof cell === "string" && UTC.test(cell) ? `"${cell}"` : null;
}
