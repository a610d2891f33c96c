const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The most bytes of a header block: the limit of Node.js for the headers of a request. */
const MAX_BYTES = 16 * 1024;
const MAX_LINES = 100;

/** The characters of a header name. @see RFC 9110, section 5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// oxlint-disable-next-line no-control-regex -- it finds the control characters that no header may contain
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

const decoder = new TextDecoder();

/** The headers at the start of some bytes. */
interface HeaderBlock {
  /** By lower-case name; repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** The offset of the first byte after the empty line; the length of the bytes without one. */
  readonly end: number;
}

/** One line and the offset of the next one. */
interface TextLine {
  readonly text: string;
  readonly end: number;
}

/** Reads one line, without its line break: CRLF, or LF alone. */
export function readLine(bytes: Uint8Array, start: number): TextLine {
  const feed = bytes.subarray(start).indexOf(LINE_FEED);
  const end = feed < 0 ? bytes.length : start + feed;
  const last = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  return { text: decoder.decode(bytes.subarray(start, last)), end: feed < 0 ? end : end + 1 };
}

/**
 * Reads header lines up to an empty line or the end of the bytes. A line that starts with a blank continues the line above it.
 * @returns the problem as text, such as "has more than 100 header lines", if they cannot be read
 * @see RFC 9112, section 5
 */
export function readHeaderBlock(bytes: Uint8Array, start: number): HeaderBlock | string {
  const headers = new Map<string, string>();
  const read = bytes.subarray(0, start + MAX_BYTES + 1);
  let name: string | undefined;
  let at = start;
  for (let lines = 0; at < bytes.length; lines++) {
    const line = readLine(read, at);
    if (line.end - start > MAX_BYTES) return `has headers of more than ${String(MAX_BYTES)} bytes.`;
    at = line.end;
    const { text } = line;
    if (text.trim() === "") return { headers, end: at };
    if (lines === MAX_LINES) return `has more than ${String(MAX_LINES)} header lines.`;
    if (CONTROL.test(text)) return "has a control character in a header.";
    const colon = text.indexOf(":");
    const isContinued = name !== undefined && /^[ \t]/.test(text);
    if (!isContinued) name = text.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    if (name === undefined || !TOKEN.test(name)) return `has the header line ${quote(text)}: write Name: value.`;
    const value = (isContinued ? text : text.slice(colon + 1)).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}${isContinued ? " " : ", "}${value}`);
  }
  return { headers, end: at };
}

/** Returns whether a text is the name of a header. @see RFC 9110, section 5.1 */
export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns whether a text has no character that a header must not contain. @see RFC 9110, section 5.5 */
export function isHeaderValue(text: string): boolean {
  return !CONTROL.test(text);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
