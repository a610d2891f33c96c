import { JsonNumber, type JsonObject, type JsonValue } from "./json-value.ts";
import { writeJsonString } from "./write-json-string.ts";

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
