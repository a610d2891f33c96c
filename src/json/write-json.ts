import { JsonNumber, type JsonObject, type JsonValue } from "./json-value.ts";

/**
 * Writes a parsed value as JSON text: numbers as they were written. Recurses, so the depth of the value must be bounded.
 * @see RFC 8259
 */
export function writeJson(value: JsonValue): string {
  if (typeof value === "string") return writeJsonString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(writeJson).join(",")}]`;
  const members = Object.entries(value as JsonObject).map(
    ([name, member]) => `${writeJsonString(name)}:${writeJson(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** Any character but those that stand for themselves: quote, backslash, controls, and surrogates that may be alone. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/**
 * Writes a text as a JSON string, quotes included; a surrogate without its partner is escaped, so that the answer is
 * always well-formed UTF-8.
 * @see RFC 8259, section 7
 */
export function writeJsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
