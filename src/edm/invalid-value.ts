import { JsonNumber } from "../json/json-value.ts";
import { InvalidValueError } from "./value-codec.ts";

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

/** Makes the error of a value that violates the facets of its property. */
export function outsideFacet(value: unknown, problem: string): InvalidValueError {
  return new InvalidValueError(`${describeValue(value)} ${problem}.`);
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
