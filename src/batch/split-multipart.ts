const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DASH = 45;
const TAB = 9;
const SPACE = 32;

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
 * @returns the parts
 * @throws MultipartError after the last part, if the closing delimiter is missing; before the first, if other text precedes a
 * delimiter in its line: the part behind it would be lost
 * @see RFC 2046, section 5.1.1
 */
export function* splitMultipart(bytes: Uint8Array, boundary: string): Generator<Uint8Array, void, void> {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  const begin = MARK.every((byte, index) => bytes[index] === byte) ? MARK.length : 0;
  let start = -1;
  let at = begin;
  for (;;) {
    at = findDelimiter(bytes, at, { delimiter, lineStart: start < 0 ? null : begin });
    if (at >= bytes.length) break;
    const line = readDelimiter(bytes, at, delimiter);
    if (line === null) {
      at += 1;
      continue;
    }
    if (start < 0 && !isLineStart(bytes, at, begin)) throw new MultipartError("misplaced");
    if (start >= 0) yield bytes.subarray(start, Math.max(start, endOfContent(bytes, at)));
    if (line.isClosing) return;
    start = line.end;
    // The next line may start another delimiter.
    at = line.end;
  }
  throw new MultipartError(start < 0 ? "no-delimiter" : "not-closed");
}

/** A search for a delimiter. */
interface Search {
  readonly delimiter: Uint8Array;
  /** Where the first line starts; null to search within lines, too. */
  readonly lineStart: number | null;
}

/** Returns the offset of the next delimiter; the length of the bytes without one. */
function findDelimiter(bytes: Uint8Array, start: number, { delimiter, lineStart }: Search): number {
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== DASH || (lineStart !== null && !isLineStart(bytes, at, lineStart))) continue;
    if (isAt(bytes, at, delimiter)) return at;
  }
  return bytes.length;
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
function readDelimiter(bytes: Uint8Array, start: number, { length }: Uint8Array): DelimiterLine | null {
  let at = start + length;
  const isClosing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (isClosing) at += 2;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (at >= bytes.length) return { isClosing, end: bytes.length };
  return bytes[at] === LINE_FEED ? { isClosing, end: at + 1 } : null;
}

/** The line break before a delimiter belongs to the delimiter. */
function endOfContent(bytes: Uint8Array, delimiter: number): number {
  const end = delimiter - 1;
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}
