const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const CODES = new TextEncoder().encode(ALPHABET);

/** Value of each digit of base64url and base64 by its code; NO_DIGIT for the rest. */
const NO_DIGIT = 255;
const VALUES = makeValues();

const decoder = new TextDecoder();

/** Texts up to this length are faster without a buffer. */
const SHORT_LENGTH = 128;

function makeValues(): Uint8Array {
  const values = new Uint8Array(256).fill(NO_DIGIT);
  for (const [value, code] of CODES.entries()) values[code] = value;
  values["+".charCodeAt(0)] = 62;
  values["/".charCodeAt(0)] = 63;
  return values;
}

/** Writes octets as base64url without padding. @see RFC 4648, section 5 */
export function encodeBase64Url(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 4) / 3);
  return length <= SHORT_LENGTH ? encodeShort(bytes, length) : encodeLong(bytes, length);
}

/** Joins characters, which is faster for keys and row versions. */
function encodeShort(bytes: Uint8Array, length: number): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const group = groupAt(bytes, index);
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63);
    text += ALPHABET.charAt((group >> 6) & 63) + ALPHABET.charAt(group & 63);
  }
  return text.slice(0, length);
}

/** Fills a buffer, which avoids many intermediate strings for a long value. */
function encodeLong(bytes: Uint8Array, length: number): string {
  const text = new Uint8Array(length);
  let at = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const group = groupAt(bytes, index);
    // A write beyond the end of the buffer has no effect.
    text[at] = CODES[group >> 18] ?? 0;
    text[at + 1] = CODES[(group >> 12) & 63] ?? 0;
    text[at + 2] = CODES[(group >> 6) & 63] ?? 0;
    text[at + 3] = CODES[group & 63] ?? 0;
    at += 4;
  }
  return decoder.decode(text);
}

/** Returns the 24 bits of the three octets at an index; octets beyond the end are zero. */
function groupAt(bytes: Uint8Array, index: number): number {
  return ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
}

/**
 * Reads base64url or base64, with or without padding; null for any other text, and for surplus bits.
 * @see OData ABNF, binaryValue
 */
export function decodeBase64(text: string): Uint8Array | null {
  const length = digitsLength(text);
  if (length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let at = 0;
  let bits = 0;
  let bitCount = 0;
  for (let index = 0; index < length; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return null;
    bits = ((bits << 6) | value) & 0xff_ff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[at] = (bits >> bitCount) & 255;
      at += 1;
    }
  }
  const rest = bits & ((1 << bitCount) - 1);
  return rest === 0 ? bytes : null;
}

/** Returns the length without padding, which must fill the last group of four; otherwise an invalid length. */
function digitsLength(text: string): number {
  if (!text.endsWith("=")) return text.length;
  if (text.length % 4 !== 0) return 1;
  return text.endsWith("==") ? text.length - 2 : text.length - 1;
}
