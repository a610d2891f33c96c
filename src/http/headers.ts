import type { ODataRequest } from "./odata-request.ts";

/**
 * Splits a list header at its commas, but not within quoted strings. Trims the items and drops empty ones. Takes time in
 * proportion to the length of the text. @see RFC 9110, section 5.6.1
 */
export function splitHeaderList(text: string, separator = ","): readonly string[] {
  const items: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (quoted && character === "\\") {
      index++;
    } else if (character === '"') {
      quoted = !quoted;
    } else if (index >= text.length || (character === separator && !quoted)) {
      const item = text.slice(start, index).trim();
      if (item !== "") items.push(item);
      start = index + 1;
    }
  }
  return items;
}

/** One `name=value` of a header: the name in lower case, the value without quotes. The value of a bare name is "". */
interface HeaderParameter {
  readonly name: string;
  readonly value: string;
}

/** Reads `name=value`, `name="value"` or `name`. @see RFC 9110, section 5.6.6 */
export function readHeaderParameter(text: string): HeaderParameter {
  const equals = text.indexOf("=");
  if (equals < 0) return { name: text.trim().toLowerCase(), value: "" };
  return { name: text.slice(0, equals).trim().toLowerCase(), value: unquote(text.slice(equals + 1).trim()) };
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  const inner = text.slice(1, -1);
  return inner.includes("\\") ? inner.replaceAll(/\\(.)/gs, "$1") : inner;
}

/**
 * Merges two values of Vary without repeating names. `*` includes all names.
 * @see RFC 9110, section 12.5.5
 */
export function mergeVary(before: string, added: string | undefined): string {
  const names = new Map<string, string>();
  for (const name of [...splitHeaderList(before), ...splitHeaderList(added ?? "")]) {
    const key = name.toLowerCase();
    if (!names.has(key)) names.set(key, name);
  }
  return names.has("*") ? "*" : [...names.values()].join(", ");
}

/** Ids that are safe in a header and in a line of a log. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns the id of a request: the `X-Request-Id` that the client or a proxy sent, else a new UUID.
 * A value with other characters, or with more than 64, is replaced.
 * @see docs/guides/deployment.md, Request ids
 */
export function readRequestId(request: Pick<ODataRequest, "header">): string {
  const sent = request.header("x-request-id");
  return sent !== undefined && SAFE_ID.test(sent) ? sent : crypto.randomUUID();
}
