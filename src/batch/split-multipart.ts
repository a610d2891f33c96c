const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DASH = 45;
const BLANKS: ReadonlySet<number | undefined> = new Set([9, 32]);

/** Why a body cannot be split. */
export type MultipartFault = "no-delimiter" | "not-closed";

/** The end of a body without its closing delimiter. */
export class MultipartError extends Error {
  readonly fault: MultipartFault;

  constructor(fault: MultipartFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Splits a multipart body at its delimiters, in one pass and without a copy. A delimiter is a whole line. Lines may end in
 * CRLF or in LF alone. Text before the first delimiter and after the closing one is skipped.
 * @param boundary the boundary without its dashes
 * @throws MultipartError after the last part, if the closing delimiter is missing
 * @see RFC 2046, section 5.1.1
 */
export function* splitMultipart(bytes: Uint8Array, boundary: string): Generator<Uint8Array, void, void> {
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  let start = -1;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== DASH || (at > 0 && bytes[at - 1] !== LINE_FEED)) continue;
    const line = readDelimiter(bytes, at, delimiter);
    if (line === null) continue;
    if (start >= 0) yield bytes.subarray(start, Math.max(start, endOfContent(bytes, at)));
    if (line.isClosing) return;
    start = line.end;
    // The loop continues with the first byte of the next line, which may start another delimiter.
    at = line.end - 1;
  }
  throw new MultipartError(start < 0 ? "no-delimiter" : "not-closed");
}

interface DelimiterLine {
  readonly isClosing: boolean;
  /** The offset of the next line. */
  readonly end: number;
}

/** Reads a line that consists of the delimiter, `--` if it closes the body, and blanks; null for any other line. */
function readDelimiter(bytes: Uint8Array, start: number, delimiter: Uint8Array): DelimiterLine | null {
  for (let index = 0; index < delimiter.length; index++) {
    if (bytes[start + index] !== delimiter[index]) return null;
  }
  let at = start + delimiter.length;
  const isClosing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (isClosing) at += 2;
  while (BLANKS.has(bytes[at])) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (at >= bytes.length) return { isClosing, end: bytes.length };
  return bytes[at] === LINE_FEED ? { isClosing, end: at + 1 } : null;
}

/** The line break before a delimiter belongs to the delimiter. */
function endOfContent(bytes: Uint8Array, delimiter: number): number {
  const end = delimiter - 1;
  return bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}
