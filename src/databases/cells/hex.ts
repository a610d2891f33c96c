const encoder = new TextEncoder();
const decoder = new TextDecoder();

const CODES = encoder.encode("0123456789abcdef");
/** Value of each digit by its code, in either letter case; NO_DIGIT for the rest. */
const NO_DIGIT = 255;
const LAST_DIGIT = 15;
const VALUES = makeValues();

function makeValues(): Uint8Array {
  const values = new Uint8Array(256).fill(NO_DIGIT);
  for (const [value, code] of CODES.entries()) {
    values[code] = value;
    values[String.fromCharCode(code).toUpperCase().charCodeAt(0)] = value;
  }
  return values;
}

/** Writes bytes as pairs of hexadecimal digits in lower case. */
export function toHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * bytes.length);
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    codes[2 * index] = CODES[byte >> 4] ?? 0;
    codes[2 * index + 1] = CODES[byte & LAST_DIGIT] ?? 0;
  }
  return decoder.decode(codes);
}

/** Reads pairs of hexadecimal digits in either letter case; null for any other text. */
export function fromHex(text: string): Uint8Array | null {
  const codes = encoder.encode(text);
  if (codes.length !== text.length || codes.length % 2 !== 0) return null;
  const bytes = new Uint8Array(codes.length / 2);
  let all = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const high = VALUES[codes[2 * index] ?? 0] ?? NO_DIGIT;
    const low = VALUES[codes[2 * index + 1] ?? 0] ?? NO_DIGIT;
    all |= high | low;
    bytes[index] = (high << 4) | low;
  }
  return all <= LAST_DIGIT ? bytes : null;
}
