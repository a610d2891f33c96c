import { builtinModule } from "../../base/host.ts";

const QUOTE = 34;
const ZERO = 48;
const BACKSLASH = 92;
const LOWER_U = 117;

/** After so many bytes of a string, the engine searches the next ones. */
const LONG_RUN = 1 << 14;

/** The most bytes that are searched at once. */
const SEARCHED = 1 << 16;

/** The most bytes of a character after its first one. */
const MOST_CONTINUATIONS = 3;

/** Finds the end of an Edm.String, as `ScanJson`. Invalid UTF-8 and NUL have another text in JavaScript. */
export function scanString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1;
  let end = at + 1;
  let searched = end + LONG_RUN;
  for (;;) {
    if (end >= searched) {
      end = plainEnd(bytes, end);
      searched = end + LONG_RUN;
    }
    const byte = bytes[end];
    if (byte === QUOTE) return end + 1;
    if (byte === undefined) return -1;
    if (byte === BACKSLASH) {
      if (isNul(bytes, end)) return -1;
      end += 2;
    } else if (byte < 0x80) {
      end += 1;
    } else {
      const length = characterLength(bytes, end, byte);
      if (length === 0) return -1;
      end += length;
    }
  }
}

/** The check of UTF-8 of Node.js, which is many times faster than a loop; null in another runtime. */
const isUtf8: ((bytes: Uint8Array) => boolean) | null = nativeCheck();

function nativeCheck(): ((bytes: Uint8Array) => boolean) | null {
  const buffer = builtinModule("node:buffer");
  if (typeof buffer !== "object" || buffer === null || !("isUtf8" in buffer)) return null;
  return typeof buffer.isUtf8 === "function" ? (buffer.isUtf8 as (bytes: Uint8Array) => boolean) : null;
}

/** Returns a place up to which all characters are valid, and neither quotes nor backslashes. */
function plainEnd(bytes: Uint8Array, start: number): number {
  if (isUtf8 === null) return start;
  for (let at = start; ;) {
    const part = bytes.subarray(at, at + SEARCHED);
    const unescaped = before(part, BACKSLASH);
    const run = before(unescaped, QUOTE);
    // The last character may continue after the part.
    const whole = run.length < SEARCHED ? run : run.subarray(0, characterStart(run));
    if (!isUtf8(whole)) return at;
    at += whole.length;
    if (run.length < SEARCHED) return at;
  }
}

/** Returns the bytes before a byte; all of them without it. */
function before(bytes: Uint8Array, byte: number): Uint8Array {
  const index = bytes.indexOf(byte);
  return index < 0 ? bytes : bytes.subarray(0, index);
}

/** Returns where the last character of bytes starts. */
function characterStart(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (bytes.length - start <= MOST_CONTINUATIONS && isContinuation(bytes[start] ?? 0)) start -= 1;
  return start;
}

/** Whether an escape is `\u0000`. */
function isNul(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 1] !== LOWER_U) return false;
  return [2, 3, 4, 5].every((offset) => bytes[at + offset] === ZERO);
}

/** Returns the length of a character beyond ASCII; 0 if it is not valid UTF-8. @see RFC 3629, section 4 */
function characterLength(bytes: Uint8Array, at: number, first: number): number {
  const second = bytes[at + 1] ?? 0;
  if (first < 0xe0) return first >= 0xc2 && isContinuation(second) ? 2 : 0;
  if (!isContinuation(second) || !isContinuation(bytes[at + 2] ?? 0)) return 0;
  if (first < 0xf0) {
    // Neither longer than necessary nor a surrogate.
    if (first === 0xe0) return second >= 0xa0 ? 3 : 0;
    return first === 0xed && second >= 0xa0 ? 0 : 3;
  }
  if (first > 0xf4 || !isContinuation(bytes[at + 3] ?? 0)) return 0;
  if (first === 0xf0) return second >= 0x90 ? 4 : 0;
  return first === 0xf4 && second >= 0x90 ? 0 : 4;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
