import type { Pace } from "../base/turn.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DASH = 45;
const TAB = 9;
const SPACE = 32;

/** The number of bytes that are searched between two readings of the clock. */
const SEARCHED_BYTES = 1 << 18;

/** A byte order mark in UTF-8, which some editors write before a text. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Why a body cannot be split. */
export type MultipartFault = "no-delimiter" | "not-closed" | "misplaced";

/** A body without its closing delimiter, or with a first delimiter that does not begin its line. */
export class MultipartError extends Error {
  readonly fault: MultipartFault;

  constructor(fault: MultipartFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Splits a multipart body at its delimiters, in one pass and without a copy. A delimiter is a whole line. Lines may end in
 * CRLF or in LF alone. Text before the first delimiter and after the closing one is skipped, and so is a byte order mark.
 * @param boundary the boundary without its dashes
 * @returns the parts, and null wherever the search should pause
 * @throws MultipartError after the last part, if the closing delimiter is missing; before the first, if other text precedes a
 * delimiter in its line: the part behind it would be lost
 * @see RFC 2046, section 5.1.1
 */
export function* splitMultipart(
  bytes: Uint8Array,
  boundary: string,
  pace: Pace,
): Generator<Uint8Array | null, void, void> {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  const begin = MARK.every((byte, index) => bytes[index] === byte) ? MARK.length : 0;
  let start = -1;
  let at = begin;
  while (at < bytes.length) {
    const limit = Math.min(bytes.length, at + SEARCHED_BYTES);
    at = findDelimiter(bytes, at, limit, { delimiter, lineStart: start < 0 ? null : begin });
    const line = at < limit ? yield* readDelimiter(bytes, at, delimiter, pace) : null;
    if (line !== null) {
      if (start < 0 && !isLineStart(bytes, at, begin)) throw new MultipartError("misplaced");
      if (start >= 0) yield bytes.subarray(start, Math.max(start, endOfContent(bytes, at)));
      if (line.isClosing) return;
      start = line.end;
      // The next line may start another delimiter.
      at = line.end;
    } else if (at < limit) {
      at += 1;
    }
    if (pace.isOver) yield null;
  }
  throw new MultipartError(start < 0 ? "no-delimiter" : "not-closed");
}

/** A search for a delimiter. */
interface Search {
  readonly delimiter: Uint8Array;
  /** Where the first line starts; null to search within lines, too. */
  readonly lineStart: number | null;
}

/** Returns the offset of the next delimiter; the limit without one. */
function findDelimiter(bytes: Uint8Array, start: number, limit: number, { delimiter, lineStart }: Search): number {
  for (let at = start; at < limit; at++) {
    if (bytes[at] !== DASH || (lineStart !== null && !isLineStart(bytes, at, lineStart))) continue;
    if (isAt(bytes, at, delimiter)) return at;
  }
  return limit;
}

function isLineStart(bytes: Uint8Array, at: number, begin: number): boolean {
  return at === begin || bytes[at - 1] === LINE_FEED;
}

function isAt(bytes: Uint8Array, start: number, delimiter: Uint8Array): boolean {
  for (let index = 0; index < delimiter.length; index++) {
    if (bytes[start + index] !== delimiter[index]) return false;
  }
  return true;
}

interface DelimiterLine {
  readonly isClosing: boolean;
  /** The offset of the next line. */
  readonly end: number;
}

/**
 * Reads the rest of a line that starts with the delimiter: `--` if it closes the body, and any number of blanks.
 * @returns null for any other line
 */
function* readDelimiter(
  bytes: Uint8Array,
  start: number,
  { length }: Uint8Array,
  pace: Pace,
): Generator<null, DelimiterLine | null, void> {
  let at = start + length;
  const isClosing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (isClosing) at += 2;
  for (let end = blanksEnd(bytes, at); end > at; end = blanksEnd(bytes, at)) {
    at = end;
    if (pace.isOver) yield null;
  }
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (at >= bytes.length) return { isClosing, end: bytes.length };
  return bytes[at] === LINE_FEED ? { isClosing, end: at + 1 } : null;
}

/** Returns the offset of the first byte after the blanks, or of a blank if there are many. */
function blanksEnd(bytes: Uint8Array, start: number): number {
  const limit = Math.min(bytes.length, start + SEARCHED_BYTES);
  let at = start;
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
}

/** The line break before a delimiter belongs to the delimiter. */
function endOfContent(bytes: Uint8Array, delimiter: number): number {
  const end = delimiter - 1;
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}
