import { JsonNumber, type JsonObject, type JsonValue } from "./json-value.ts";

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
  const members = Object.entries(value as JsonObject).map(
    ([name, member]) => `${writeJsonString(name)}:${writeJson(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** The characters that may need an escape: quote, backslash, controls and surrogates. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** The characters that need an escape: quote, backslash, controls and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- control characters are meant
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/u;

/** Longer texts are written in parts: most have few characters that need an escape, and those are in few parts. */
const PART_LENGTH = 1 << 16;

/**
 * Writes a text as a JSON string with its quotes. A lone surrogate is escaped, so that the response is well-formed UTF-8.
 * @see RFC 8259, section 7
 */
export function writeJsonString(text: string): string {
  if (text.length > PART_LENGTH) return writeLongString(text);
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The greatest code point of one unit. */
const LAST_UNIT = 0xff_ff;

/** Writes a long text. A surrogate pair is in one part. */
function writeLongString(text: string): string {
  let written = '"';
  for (let start = 0; start < text.length;) {
    let end = start + PART_LENGTH;
    if ((text.codePointAt(end - 1) ?? 0) > LAST_UNIT) end += 1;
    const part = text.slice(start, end);
    written += ESCAPED.test(part) ? JSON.stringify(part).slice(1, -1) : part;
    start = end;
  }
  return `${written}"`;
}
