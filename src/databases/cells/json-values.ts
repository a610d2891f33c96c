import { MAX_DECIMAL_DIGITS } from "../../edm/decimal.ts";
import type { Facets } from "../../edm/primitive-type.ts";
import { asciiText, digitsEnd, type ScanJson } from "./json-cells.ts";
import { scanString } from "./json-text.ts";

const QUOTE = 34;
const OPENING = 40;
const CLOSING = 41;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const UPPER_E = 69;
const LOWER_E = 101;

/** A fraction or an exponent. */
const REAL = /[.e]/i;
const ASCII = /^[ -~]*$/;

/** Makes the scan of an id, which ends in the value of a key. @param key the scan of that value */
export function scanId(key: ScanJson): ScanJson {
  return (bytes, at, findings) => {
    const last = bytes.indexOf(QUOTE, at + 1) - 1;
    if (bytes[at] !== QUOTE || bytes[last] !== CLOSING) return -1;
    return key(bytes, bytes.lastIndexOf(OPENING, last) + 1, findings) === last ? last + 2 : -1;
  };
}

/**
 * Makes the scan of a value that JavaScript writes, because its JSON is not the text or the number of its cell.
 * @param toJson returns the JSON of a cell; throws for a cell that is not a value of the column
 */
export function scanCell(toJson: (cell: unknown) => string): ScanJson {
  return (bytes, at, findings) => {
    const isText = bytes[at] === QUOTE;
    const end = isText ? scanString(bytes, at) : numberEnd(bytes, at);
    if (end <= at) return -1;
    const written = textOf(bytes, at, end);
    try {
      const text = toJson(isText ? JSON.parse(written) : toCell(written));
      if (text === written) return end;
      // The length of the text equals the length of its bytes.
      if (!ASCII.test(text)) return -1;
      findings.patches.push({ start: at, end, text });
      return end;
    } catch {
      return -1;
    }
  };
}

/**
 * Makes the scan of an Edm.Decimal. A text in canonical form, with the digits of its scale, only loses its quotes.
 * @param other scans any other value
 */
export function scanDecimalText(scale: Facets["scale"], other: ScanJson): ScanJson {
  return (bytes, at, findings) => {
    const end = bytes[at] === QUOTE ? decimalEnd(bytes, at + 1, scale) : -1;
    if (end < 0 || bytes[end] !== QUOTE || end - at > MAX_DECIMAL_DIGITS) return other(bytes, at, findings);
    findings.patches.push({ start: at, end: at + 1, text: "" }, { start: end, end: end + 1, text: "" });
    return end + 1;
  };
}

/** Returns the end of a Decimal in canonical form, with the digits of its scale; -1 for any other text. */
function decimalEnd(bytes: Uint8Array, at: number, scale: Facets["scale"]): number {
  const start = bytes[at] === MINUS ? at + 1 : at;
  const whole = digitsEnd(bytes, start);
  if (whole === start || (bytes[start] === ZERO && whole > start + 1)) return -1;
  // Whether this is negative zero is left to the other scan.
  if (start > at && bytes[start] === ZERO) return -1;
  const end = bytes[whole] === POINT ? digitsEnd(bytes, whole + 1) : whole;
  const digits = Math.max(end - whole - 1, 0);
  return end === whole + 1 || (typeof scale === "number" && digits !== scale) ? -1 : end;
}

function numberEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isInNumber(bytes[end] ?? 0)) end += 1;
  return end;
}

function isInNumber(byte: number): boolean {
  if (byte >= ZERO && byte <= NINE) return true;
  return byte === MINUS || byte === POINT || byte === PLUS || byte === LOWER_E || byte === UPPER_E;
}

/** Returns the cell as the driver returns it: an integer that a number cannot represent is a bigint. */
function toCell(written: string): number | bigint {
  const number = Number(written);
  return REAL.test(written) || Number.isSafeInteger(number) ? number : BigInt(written);
}

/** Returns the text of bytes, most of which are ASCII. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] ?? 0) >= 0x80) {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end));
    }
  }
  return asciiText(bytes, start, end);
}
