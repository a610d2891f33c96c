import type { Fault } from "../base/errors/fault.ts";
import { type JsonValue, JsonNumber } from "../base/json/write-json.ts";
import type { EnumType } from "./model.ts";
import type { PrimitiveType } from "./primitive-type.ts";

/**
 * A single value in canonical form: Int64 is a bigint; Decimal, Guid, the temporal types and enums are canonical
 * strings; Binary is a Uint8Array; other numbers are numbers.
 */
export type PrimitiveValue = boolean | number | bigint | string | Uint8Array;

/**
 * Reads, writes and compares the values of one type with its facets. There is one frozen object per property, whose
 * functions do not use `this`.
 */
export interface ValueCodec {
  readonly type: PrimitiveType | EnumType;
  /**
   * Converts a handler's value, which is not null, to its canonical form.
   * @throws InvalidValueError for an invalid value
   */
  readonly fromHandler: (value: unknown) => PrimitiveValue;
  /**
   * Converts a parsed JSON value, which is not null, to its canonical form, and checks the facets.
   * @param ieee754Compatible whether numbers may be strings
   * @throws InvalidValueError
   */
  readonly fromJson: (value: JsonValue, ieee754Compatible: boolean) => PrimitiveValue;
  /**
   * Returns a canonical value of the application as a client could send it: with no more digits than the facets allow. Octets
   * are copied.
   * @throws InvalidValueError for a value that is too long, or has too many digits
   */
  readonly fit: (value: PrimitiveValue) => PrimitiveValue;
  /** Returns the JSON text of a canonical value. */
  readonly toJson: (value: PrimitiveValue, ieee754Compatible: boolean) => string;
  /**
   * Converts the text of a URL literal, without prefix and quotes, to its canonical form.
   * @throws InvalidValueError
   */
  readonly fromText: (text: string) => PrimitiveValue;
  /** Returns the URL literal of a canonical value, not percent-encoded. */
  readonly toLiteral: (value: PrimitiveValue) => string;
  /** Returns the text of `/$value`. */
  readonly toText: (value: PrimitiveValue) => string;
  /** Returns a negative number, zero or a positive number; NaN for a NaN operand. */
  readonly compare: (left: PrimitiveValue, right: PrimitiveValue) => number;
}

/** The `fit` of types without facets of form. */
export const asItIs = (value: PrimitiveValue): PrimitiveValue => value;

/** An invalid value. The caller chooses the code and target of the error response. */
export class InvalidValueError extends Error {
  override readonly name = "InvalidValueError";
}

/** A value of its type that violates a facet of its property. */
export class OutsideFacetError extends InvalidValueError {
  readonly #value: PrimitiveValue;
  readonly #fault: Fault;

  constructor(message: string, value: PrimitiveValue, fault: Fault) {
    super(message);
    this.#value = value;
    this.#fault = fault;
  }

  /** The facet. */
  get fault(): Fault {
    return this.#fault;
  }

  /** The value in canonical form. */
  get value(): PrimitiveValue {
    return this.#value;
  }
}

/**
 * Returns a canonical value as a string.
 * @throws TypeError for any other value, which is a programming error
 */
export function asText(value: PrimitiveValue): string {
  if (typeof value === "string") return value;
  throw wrongForm(value, "a string");
}

/**
 * Returns a canonical value as a number.
 * @throws TypeError for any other value, which is a programming error
 */
export function asNumber(value: PrimitiveValue): number {
  if (typeof value === "number") return value;
  throw wrongForm(value, "a number");
}

/**
 * Returns a canonical value of Edm.Int64.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBigInt(value: PrimitiveValue): bigint {
  if (typeof value === "bigint") return value;
  throw wrongForm(value, "a bigint");
}

/**
 * Returns a canonical value of Edm.Boolean.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBoolean(value: PrimitiveValue): boolean {
  if (typeof value === "boolean") return value;
  throw wrongForm(value, "a boolean");
}

/**
 * Returns a canonical value of Edm.Binary.
 * @throws TypeError for any other value, which is a programming error
 */
export function asBytes(value: PrimitiveValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw wrongForm(value, "a Uint8Array");
}

function wrongForm(value: PrimitiveValue, wanted: string): TypeError {
  return new TypeError(`Expected the canonical form, ${wanted}, and got a ${typeof value}.`);
}

/** Maximum number of characters of an invalid value in a message. */
const QUOTED_LENGTH = 40;

/**
 * Makes the error of a value of another type.
 * @param value the original value: JSON, the text of a literal, or a handler's value
 * @param typeName such as `Edm.Int32`
 * @param advice the correction, as a sentence without its capital and full stop
 */
export function invalidValue(value: unknown, typeName: string, advice: string): InvalidValueError {
  return new InvalidValueError(`${describeValue(value)} is not an ${typeName}: ${advice}.`);
}

/**
 * Makes the error of a value that violates the facets of its property.
 * @param value the original value
 * @param canonical the value in canonical form
 * @param fault the facet, for texts in other languages
 */
export function outsideFacet(
  value: unknown,
  problem: string,
  canonical: PrimitiveValue,
  fault: Fault,
): OutsideFacetError {
  return new OutsideFacetError(`${describeValue(value)} ${problem}.`, canonical, fault);
}

/** Describes a value for a message: strings are quoted and shortened, structures appear by their kind only. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `"${shorten(value)}"`;
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "bigint":
      return shorten(value.toString());
    case "object":
      return describeObject(value);
    case "symbol":
    case "function":
      return `A ${typeof value}`;
  }
}

function describeObject(value: object | null): string {
  if (value === null) return "null";
  if (value instanceof JsonNumber) return shorten(value.text);
  if (Array.isArray(value)) return "An array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "An invalid Date" : "A Date";
  return "An object";
}

function shorten(text: string): string {
  if (text.length <= QUOTED_LENGTH) return text;
  // Do not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(QUOTED_LENGTH - 1)) ? QUOTED_LENGTH - 1 : QUOTED_LENGTH;
  return `${text.slice(0, end)}…`;
}
