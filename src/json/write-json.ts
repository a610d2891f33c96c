import { JsonNumber, type JsonObject, type JsonValue, namesOf } from "./json-value.ts";

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
