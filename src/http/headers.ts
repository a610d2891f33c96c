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
  return sent !== undefined && SAFE_ID.test(sent) ? sent : makeRequestId();
}

/** The digits of each byte. */
const DIGITS: readonly string[] = Array.from({ length: 256 }, (_none, byte) => (byte + 256).toString(16).slice(1));

/** Returns a random UUID. Ids of requests are not secrets, and `crypto` would take 3 ms of each start. */
export function makeRequestId(): string {
  const first = randomBits();
  const second = randomBits();
  const third = randomBits();
  const last = randomBits();
  const version = fourDigits((second & 0x0fff) | 0x4000);
  const variant = fourDigits((third & 0x3fff) | 0x8000);
  const node = `${fourDigits(third >>> 16)}${fourDigits(last >>> 16)}${fourDigits(last)}`;
  return `${fourDigits(first >>> 16)}${fourDigits(first)}-${fourDigits(second >>> 16)}-${version}-${variant}-${node}`;
}

function randomBits(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** Writes the last 16 bits. */
function fourDigits(bits: number): string {
  return (DIGITS[(bits >>> 8) & 0xff] ?? "") + (DIGITS[bits & 0xff] ?? "");
}

/** The preferences of a client that the service supports. */
export interface Preferences {
  /** The most rows of a page. */
  readonly maxPageSize: number | undefined;
  /** The name that the client used, for Preference-Applied. */
  readonly maxPageSizeName: "maxpagesize" | "odata.maxpagesize";
  readonly return: "minimal" | "representation" | undefined;
}

const NO_PREFERENCES: Preferences = Object.freeze({
  maxPageSize: undefined,
  maxPageSizeName: "maxpagesize",
  return: undefined,
});

/**
 * Reads the Prefer header. Unknown preferences and invalid values are ignored. The first of repeated preferences counts.
 * @see RFC 7240, section 2; OData Protocol 4.0, section 8.2.8
 */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined) return NO_PREFERENCES;
  let maxPageSize: number | undefined;
  let maxPageSizeName: Preferences["maxPageSizeName"] | undefined;
  let returns: Preferences["return"];
  for (const item of splitHeaderList(header)) {
    const { name, value } = readHeaderParameter(splitHeaderList(item, ";")[0] ?? "");
    if (name === "maxpagesize" || name === "odata.maxpagesize") {
      if (maxPageSizeName !== undefined) continue;
      maxPageSizeName = name;
      maxPageSize = readPositiveInteger(value);
    } else if (name === "return" && returns === undefined && (value === "minimal" || value === "representation")) {
      returns = value;
    }
  }
  return { maxPageSize, maxPageSizeName: maxPageSizeName ?? "maxpagesize", return: returns };
}

/** The preference of a batch for what happens after an operation that fails. */
interface ContinueOnError {
  readonly value: boolean;
  /** The preference as the response confirms it. */
  readonly applied: string;
}

/**
 * Reads `continue-on-error` of a Prefer header, with or without its prefix and its value. The first one counts.
 * @returns undefined without the preference, and for another value than true or false
 * @see OData Protocol 4.0, section 8.2.8.3
 */
export function readContinueOnError(header: string | undefined): ContinueOnError | undefined {
  for (const item of splitHeaderList(header ?? "")) {
    const { name, value } = readHeaderParameter(splitHeaderList(item, ";")[0] ?? "");
    if (name !== "continue-on-error" && name !== "odata.continue-on-error") continue;
    const text = value.toLowerCase();
    if (text !== "" && text !== "true" && text !== "false") return undefined;
    return { value: text !== "false", applied: text === "" ? name : `${name}=${text}` };
  }
  return undefined;
}

function readPositiveInteger(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && Number.isSafeInteger(value) ? value : undefined;
}
