import { bodyWasRead, payloadTooLarge } from "./body-buffer.ts";

/** A number with more digits may be rounded: the host parsed it into a double. */
const EXACT_DIGITS = 15;
const JSON_TYPE = /^application\/(?:[^;,]*\+)?json\s*(?:$|;)/i;
const encoder = new TextEncoder();

/** Writes a number as its digits. The declarations of this TypeScript target lack the function. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * Returns the bytes of a body that a parser of the host has read: bytes and text as they are, JSON values written again.
 * @param contentType the Content-Type of the request; empty if absent
 * @param maxBytes the most bytes to accept; null for no limit
 * @throws ODataError `PayloadTooLarge`; Error for a value that is not JSON, or that the parser may have changed
 * @see docs/guides/hosts.md, Bodies
 */
export function bytesOfHostBody(body: unknown, contentType: string, maxBytes: number | null): Uint8Array {
  const bytes = toBytes(body, contentType);
  if (maxBytes !== null && bytes.length > maxBytes) throw payloadTooLarge(maxBytes);
  return bytes;
}

function toBytes(body: unknown, contentType: string): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return encoder.encode(body);
  if (body === undefined || !JSON_TYPE.test(contentType)) throw bodyWasRead();
  return encoder.encode(JSON.stringify(body, toExactValue));
}

/** Returns a value that `JSON.stringify` writes without loss. @throws Error for a number that may have been rounded */
function toExactValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return rawJSON(String(value));
  if (typeof value === "number" && !isExact(value)) throw roundedNumber(value);
  return value;
}

/** Returns whether a double stands for one number that a client sends: rounding leaves more digits, or none. */
function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  const digits = String(value).replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/^0+/, "");
  return digits.length <= EXACT_DIGITS;
}

function roundedNumber(value: number): Error {
  return new Error(
    `A parser of the host has read the body, and its number ${String(value)} may be rounded. ` +
      "Mount the service before body parsers.",
  );
}
