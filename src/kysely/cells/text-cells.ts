import { parseDateTimeOffset } from "../../edm/date-time-offset.ts";
import { parseDate } from "../../edm/date.ts";

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
