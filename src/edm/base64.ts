import { once } from "../base/memo.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const encoder = new TextEncoder();

const CODES = encoder.encode(ALPHABET);
/** The code of the digit with the value 0. */
const ZERO = 65;

/** Value of each digit of base64url and base64 by its code; NO_DIGIT for the rest. */
const NO_DIGIT = 255;
const LAST_DIGIT = 63;
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

/** The two digits of each 12 bits, in the order of the machine. */
const pairsOfDigits = once((): Uint16Array => {
  const pairs = new Uint16Array(64 * 64);
  const digits = new Uint8Array(pairs.buffer);
  for (let value = 0; value < pairs.length; value += 1) {
    digits[2 * value] = CODES[value >> 6] ?? 0;
    digits[2 * value + 1] = CODES[value & 63] ?? 0;
  }
  return pairs;
});

/** Fills a buffer, two digits at once, which avoids many intermediate strings for a long value. */
function encodeLong(bytes: Uint8Array, length: number): string {
  const pairs = pairsOfDigits();
  const text = new Uint16Array(2 * Math.ceil(bytes.length / 3));
  let at = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const group = groupAt(bytes, index);
    text[at] = pairs[group >> 12] ?? 0;
    text[at + 1] = pairs[group & 4095] ?? 0;
    at += 2;
  }
  return decoder.decode(new Uint8Array(text.buffer, 0, length));
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
  const codes = encoder.encode(length === text.length ? text : text.slice(0, length));
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  return codes.length === length && decodeDigits(codes, bytes) ? bytes : null;
}

/** Decodes digits. Returns whether they are valid. */
function decodeDigits(codes: Uint8Array, bytes: Uint8Array): boolean {
  let at = 0;
  let invalid = 0;
  for (let index = 0; index < codes.length; index += 4) {
    const first = VALUES[codes[index] ?? 0] ?? 0;
    const second = VALUES[codes[index + 1] ?? 0] ?? 0;
    const third = VALUES[codes[index + 2] ?? ZERO] ?? 0;
    const fourth = VALUES[codes[index + 3] ?? ZERO] ?? 0;
    invalid |= first | second | third | fourth;
    // A write beyond the end of the array has no effect.
    bytes[at] = (first << 2) | (second >> 4);
    bytes[at + 1] = (second << 4) | (third >> 2);
    bytes[at + 2] = (third << 6) | fourth;
    at += 3;
  }
  return invalid <= LAST_DIGIT && !hasSurplusBits(codes);
}

/** Whether bits of the last digit belong to no octet, and are not zero. */
function hasSurplusBits(codes: Uint8Array): boolean {
  const rest = codes.length % 4;
  const last = VALUES[codes.at(-1) ?? ZERO] ?? 0;
  return (rest === 2 && (last & 15) !== 0) || (rest === 3 && (last & 3) !== 0);
}

/** Returns the length without padding, which must fill the last group of four; otherwise an invalid length. */
function digitsLength(text: string): number {
  if (!text.endsWith("=")) return text.length;
  if (text.length % 4 !== 0) return 1;
  return text.endsWith("==") ? text.length - 2 : text.length - 1;
}
