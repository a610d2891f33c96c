import type { Fault } from "../base/errors/fault.ts";
import { writeJsonString } from "../base/json/write-json.ts";
import { decodeBase64, encodeBase64Url } from "./base64.ts";
import { PRIMITIVE_TYPES, type Facets } from "./primitive-type.ts";
import {
  asItIs,
  asBoolean,
  asBytes,
  asText,
  type PrimitiveValue,
  type ValueCodec,
  invalidValue,
  outsideFacet,
} from "./value-codec.ts";

const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const CANONICAL_GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Makes the codec of booleans, strings, Guids and bytes, whose values are texts in URLs or in JSON. */
export function textCodec(name: "Edm.Boolean" | "Edm.String" | "Edm.Guid" | "Edm.Binary", facets: Facets): ValueCodec {
  switch (name) {
    case "Edm.Boolean":
      return booleanCodec();
    case "Edm.String":
      return stringCodec(facets);
    case "Edm.Guid":
      return guidCodec();
    case "Edm.Binary":
      return binaryCodec(facets);
  }
}

/** Makes the codec of Edm.Boolean: `true` and `false`, in URLs in any letter case. @see OData ABNF, booleanValue */
function booleanCodec(): ValueCodec {
  const name = "Edm.Boolean";
  const toText = (value: PrimitiveValue): string => (asBoolean(value) ? "true" : "false");
  const fromBoolean = (value: unknown): boolean => {
    if (typeof value === "boolean") return value;
    throw invalidValue(value, name, "write true or false without quotes");
  };
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: fromBoolean,
    fromJson: fromBoolean,
    fit: asItIs,
    toJson: toText,
    fromText: (text) => {
      const word = text.length <= 5 ? text.toLowerCase() : text;
      if (word === "true" || word === "false") return word === "true";
      throw invalidValue(text, name, "write true or false");
    },
    toLiteral: toText,
    toText,
    compare: (left, right) => Number(asBoolean(left)) - Number(asBoolean(right)),
  });
}

/**
 * Makes the codec of Edm.String. Strings are ordered by code point, like UTF-8 and binary collations of databases;
 * `maxLength` counts code points.
 */
function stringCodec({ maxLength }: Facets): ValueCodec {
  const name = "Edm.String";
  const fromClient = (value: unknown): string => {
    if (typeof value !== "string") throw invalidValue(value, name, "write a string in quotes");
    // Most texts have fewer units than they may have characters.
    if (maxLength === undefined || value.length <= maxLength) return value;
    return checkLength(value, maxLength);
  };
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: (value) => {
      if (typeof value === "string") return value;
      throw invalidValue(value, name, "return a string");
    },
    fromJson: fromClient,
    fit: fromClient,
    toJson: (value) => writeJsonString(asText(value)),
    fromText: fromClient,
    toLiteral: (value) => `'${asText(value).replaceAll("'", "''")}'`,
    toText: asText,
    compare: (left, right) => compareStrings(asText(left), asText(right)),
  });
}

function tooLong(maxLength: number): Fault {
  return { code: "MaxLength", parameters: { maxLength } };
}

/**
 * Returns a text if it has at most `maxLength` code points, of which each has at most two units.
 * @throws InvalidValueError
 */
function checkLength(text: string, maxLength: number): string {
  const missing = text.length - maxLength;
  if (missing <= maxLength && hasPairs(text, missing)) return text;
  throw outsideFacet(text, `is too long: write at most ${maxLength} characters`, text, tooLong(maxLength));
}

const encoder = new TextEncoder();

/** The number of UTF-16 units that are encoded at once. */
const PART_LENGTH = 1 << 14;
/** The first byte of a character of four bytes in UTF-8, which is two units in UTF-16, and those of no other character. */
const FIRST_OF_FOUR = 0xf0;

/**
 * Whether a text has that many surrogate pairs. An iteration of the text would make a string of each character, and reads
 * of single units are slow in a part of a long text, such as a body.
 */
function hasPairs(text: string, count: number): boolean {
  const bytes = new Uint8Array(3 * Math.min(PART_LENGTH, text.length));
  let missing = count;
  for (let start = 0; start < text.length && missing > 0;) {
    const part = text.slice(start, start + PART_LENGTH);
    const { written } = encoder.encodeInto(part, bytes);
    for (let at = 0; at < written; at += 1) if ((bytes[at] ?? 0) >= FIRST_OF_FOUR) missing -= 1;
    // The first unit of a pair may end the part: the next part begins with it. The units of no pair count nothing.
    start += part.length < PART_LENGTH ? part.length : PART_LENGTH - 1;
  }
  return missing <= 0;
}

/** Makes the codec of Edm.Guid: input in any letter case, output in lower case. @see OData ABNF, guidValue */
function guidCodec(): ValueCodec {
  const name = "Edm.Guid";
  const fromText = (value: unknown): string => {
    if (typeof value === "string") {
      if (CANONICAL_GUID.test(value)) return value;
      if (GUID.test(value)) return value.toLowerCase();
    }
    throw invalidValue(value, name, "write 32 hexadecimal digits as 01234567-89ab-cdef-0123-456789abcdef");
  };
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: fromText,
    fromJson: fromText,
    fit: asItIs,
    toJson: (value) => `"${asText(value)}"`,
    fromText,
    toLiteral: asText,
    toText: asText,
    compare: (left, right) => compareAscii(asText(left), asText(right)),
  });
}

/**
 * Makes the codec of Edm.Binary: the output is base64url; the input may be base64url or base64, with or without padding.
 * `maxLength` counts octets.
 * @see OData ABNF, binaryValue
 */
function binaryCodec({ maxLength }: Facets): ValueCodec {
  const name = "Edm.Binary";
  const fromClient = (value: unknown): Uint8Array => {
    const bytes = typeof value === "string" ? decodeBase64(value) : null;
    if (bytes === null) throw invalidValue(value, name, "write the octets as base64url, such as T0RhdGE");
    return fitting(bytes, () => value);
  };
  const fitting = (bytes: Uint8Array, shown: () => unknown): Uint8Array => {
    if (maxLength === undefined || bytes.length <= maxLength) return bytes;
    throw outsideFacet(shown(), `is too long: write at most ${maxLength} octets`, bytes, tooLong(maxLength));
  };
  const toText = (value: PrimitiveValue): string => encodeBase64Url(asBytes(value));
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[name],
    fromHandler: bytesOfHandler,
    fromJson: fromClient,
    fit: (value) => fitting(asBytes(value), () => toText(value)).slice(),
    toJson: (value) => `"${toText(value)}"`,
    fromText: fromClient,
    toLiteral: (value) => `binary'${toText(value)}'`,
    toText,
    compare: (left, right) => compareBytes(asBytes(left), asBytes(right)),
  });
}

/** Returns any view or buffer as octets, without a copy. */
function bytesOfHandler(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw invalidValue(value, "Edm.Binary", "return a Uint8Array");
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const FIRST_SURROGATE = 0xd8_00;
const FIRST_BEHIND_SURROGATES = 0xe0_00;

/**
 * Compares two strings by code point, which is the order of their UTF-8 bytes and of binary collations, so that all
 * executors sort alike. Letter case is significant. (The operator `<` compares code units, and would place U+1F600 before
 * U+FF5E.)
 * @returns negative, zero or positive
 */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rankUnit(leftUnit) - rankUnit(rightUnit);
  }
  return left.length - right.length;
}

/** Ranks surrogates, which represent the code points from U+10000, after all other code units. */
function rankUnit(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_BEHIND_SURROGATES ? unit + 0x20_00 : unit - 0x8_00;
}

/**
 * Compares two ASCII texts, such as canonical dates, by code unit. It is faster than `compareStrings`, with the same order.
 * @returns negative, zero or positive
 */
export function compareAscii(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
