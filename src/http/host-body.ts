import { type ODataError, protocolError } from "../base/errors/odata-error.ts";
import { bodyWasRead, payloadTooLarge } from "./read-json-body.ts";

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
 * @throws ODataError `PayloadTooLarge`; `InvalidBody` for a number that the parser could not represent, or may have rounded;
 * Error for a value that is not JSON
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

/**
 * Returns a value that `JSON.stringify` writes without loss.
 * @throws ODataError for a number that is not finite, or may have been rounded; Error for a value that is not JSON
 */
function toExactValue(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === "bigint") return rawJSON(String(value));
  if (typeof value === "number") return toExactNumber(value);
  // The value is already the result of a method toJSON of the original.
  const original: unknown = Reflect.get(Object(this) as object, key);
  if (typeof original === "object" && original !== null && !isJsonObject(original)) throw noJson(original);
  return value;
}

function toExactNumber(value: number): unknown {
  // A parser reads a number above the greatest double as infinite.
  if (!Number.isFinite(value)) throw tooLarge();
  if (!isExact(value)) throw roundedNumber(value);
  return Object.is(value, -0) ? rawJSON("-0") : value;
}

/** The objects that become JSON without loss. A reviver may have made valid dates. */
const JSON_OBJECTS: ReadonlySet<string> = new Set(["[object Object]", "[object Array]"]);

function isJsonObject(value: object): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return JSON_OBJECTS.has(Object.prototype.toString.call(value));
}

function tooLarge(): ODataError {
  return protocolError(
    "InvalidBody",
    "The body has a number that is too large. Send it as a string, if its type allows it.",
  );
}

function noJson(value: object): Error {
  const { name } = value.constructor as { readonly name?: string };
  return new Error(
    `A parser of the host has read the body, and left a value that is not JSON: an object of the class ${String(name)}. ` +
      "Mount the service before body parsers.",
  );
}

/** Returns whether a finite double represents only one number that a client sends: rounding leaves more digits. */
function isExact(value: number): boolean {
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const digits = String(value).replace(/e.*$/, "").replaceAll(/\D/g, "").replace(/^0+/, "");
  return digits.length <= EXACT_DIGITS;
}

/** A client can send such a number as a string. The host can mount the service before its parsers. */
function roundedNumber(value: number): ODataError {
  return protocolError(
    "InvalidBody",
    `The host parsed the body, and its number ${String(value)} may have lost digits. ` +
      "Send the number as a string, or let the host pass the raw body to the service.",
  );
}
