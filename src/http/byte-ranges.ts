/** A part of bytes: from `start` to the byte before `end`. */
interface Part {
  readonly start: number;
  readonly end: number;
}

const RANGE = /^bytes=[\t ]*(?:(\d+)-(\d*)|-(\d+))[\t ]*$/iu;

/**
 * Reads a Range header with one range of bytes.
 * @param length the number of bytes of the whole
 * @returns null if the whole is sent: without the header, for another unit, several ranges and a malformed header; `"none"`: no
 *   byte is in the range
 * @see RFC 9110, section 14.2
 */
export function readByteRange(header: string | undefined, length: number): Part | "none" | null {
  const [, first = "", last = "", suffix = ""] = (header === undefined ? null : RANGE.exec(header)) ?? [];
  if (first === "" && suffix === "") return null;
  const start = first === "" ? Math.max(length - Number(suffix), 0) : Number(first);
  const end = last === "" ? length : Math.min(Number(last) + 1, length);
  // A range whose last byte precedes the first is malformed.
  if (last !== "" && Number(last) < Number(first)) return null;
  return start >= length || start >= end ? "none" : { start, end };
}

/**
 * Returns whether a range counts: an If-Range header names the ETag of the whole. Dates match nothing, because streams have none.
 * @param etag the entity tag, quotes included, which is strong
 * @see RFC 9110, section 13.1.5
 */
export function isRangeCurrent(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag;
}
