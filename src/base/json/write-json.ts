/**
 * Writes a parsed value as JSON text, with numbers as they were written. It recurses, so the depth of the value must be
 * limited.
 * @see RFC 8259
 */
export function writeJson(value: JsonValue): string {
  if (typeof value === "string") return writeJsonString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(writeJson).join(",")}]`;
  return writeMembers(value as JsonObject);
}

function writeMembers(object: JsonObject): string {
  let text = "";
  let separator = "{";
  for (const name of namesOf(object)) {
    text += `${separator}${writeJsonString(name)}:${writeJson(object[name] ?? null)}`;
    separator = ",";
  }
  return text === "" ? "{}" : `${text}}`;
}

/** The characters that may need an escape: quote, backslash, controls and surrogates. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** For longer texts, the engine is faster than the search for characters that need an escape. */
const LONG_TEXT = 1 << 16;

/**
 * Writes a text as a JSON string with its quotes. A lone surrogate is escaped, so that the response is well-formed UTF-8.
 * @see RFC 8259, section 7
 */
export function writeJsonString(text: string): string {
  return text.length > LONG_TEXT || NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** A JSON number as written, if a double cannot represent it exactly or it has a fraction or exponent. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object as parsed: a null-prototype object, so that `__proto__` is an ordinary name. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** The field in which an object with many members keeps their names. It is hidden: neither compared, printed nor copied. */
const NAMES: unique symbol = Symbol("names");

/** Keeps the names of the members of an object. The engine would make their list in one call, of 40 milliseconds for 100,000. */
export function keepNames(object: JsonObject, names: readonly string[]): void {
  Object.defineProperty(object, NAMES, { value: names });
}

/** Returns the names of the members of an object. */
export function namesOf(object: JsonObject): readonly string[] {
  return (object as { readonly [NAMES]?: readonly string[] })[NAMES] ?? Object.keys(object);
}

/**
 * A parsed JSON value without loss: integers that a double represents exactly are numbers, all other numbers keep their
 * text.
 */
export type JsonValue = null | boolean | number | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Returns whether a parsed value is an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
