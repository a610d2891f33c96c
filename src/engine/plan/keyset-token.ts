import { protocolError } from "../../base/errors/odata-error.ts";
import { decodeBase64, encodeBase64Url } from "../../edm/base64.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { PlaceValue } from "../../language/query/place.ts";
import { readSkipToken, writeSkipToken } from "./plan-paging.ts";

/** Encrypts and authenticates the texts of tokens. */
interface SkipTokenSeal {
  readonly seal: (text: string, context: string) => string;
  /** Returns null if the token was not sealed for the context. */
  readonly open: (token: string, context: string) => string | null;
}

/** The start of a page. */
export interface PageStart {
  /** The number of rows before the page, as counted on the previous pages. */
  readonly position: number;
  /** The last row before the page; null: the page starts at the offset `position`. */
  readonly row: StartRow | null;
}

/** The last row before a page. */
interface StartRow {
  /** The values of the terms of the order. */
  readonly values: readonly PlaceValue[];
  /** Whether these are marks of a database, and not values of properties. */
  readonly isRow: boolean;
}

/** The scope of a token. */
export interface TokenScope {
  readonly seal: SkipTokenSeal;
  /** Identifies service, set, user, query and order. A token is valid only for the same context. */
  readonly context: string;
  /**
   * Whether a token ends with its offset, in the form of a set with paging by offset. The offset counts where the token cannot
   * be opened: in another process without a secret, for another user or query.
   */
  readonly hasOffset: boolean;
}

/**
 * Longest text of a token, in characters, because URLs are limited and values are not. A longer token contains only the
 * position.
 */
const MAX_TEXT = 1500;

/** The kinds of values in a token. */
const VALUES = 0;
const MARKS = 1;

/** Divides a sealed start from its offset. */
const OFFSET_MARK = ".";

/** Writes the start of a page as `$skiptoken`, percent-encoded. @see docs/reference/paging.md */
export function writeKeysetToken({ position, row }: PageStart, { seal, context, hasOffset }: TokenScope): string {
  const values = row === null || row.values.some((value) => isLonger(value, MAX_TEXT)) ? null : row.values.map(toText);
  const text = JSON.stringify(
    values === null ? [position] : [position, row?.isRow === true ? MARKS : VALUES, ...values],
  );
  const sealed = seal.seal(text.length > MAX_TEXT ? JSON.stringify([position]) : text, context);
  return !hasOffset ? sealed : `${sealed}${OFFSET_MARK}${encodeURIComponent(writeSkipToken(position))}`;
}

/**
 * Reads the start of a page from a token without an offset.
 * @param terms the number of terms of the order
 * @throws ODataError `InvalidSkipToken` unless the token has the same service, set, user, query and secret
 */
export function readKeysetToken(token: string, terms: number, scope: TokenScope): PageStart {
  const start = openStart(token, terms, scope);
  if (start !== null) return start;
  throw protocolError(
    "InvalidSkipToken",
    "This service did not issue the $skiptoken to this user for this query: follow @odata.nextLink unchanged, or start again without $skiptoken.",
    { target: "$skiptoken" },
  );
}

/**
 * Reads the start of a page from a token that ends with its offset: the offset alone, unless the token was sealed for the scope.
 * Anyone may send an offset, as `$skip`, so it needs no seal.
 * @param terms as for `readKeysetToken`
 * @param scope null: the user of the request is unknown, so it has no tokens
 * @throws ODataError `InvalidSkipToken` for an invalid offset
 */
export function readOffsetToken(token: string, terms: number, scope: TokenScope | null): PageStart {
  const end = token.lastIndexOf(OFFSET_MARK);
  const position = readSkipToken(token.slice(end + 1));
  const start = scope === null ? null : openStart(token.slice(0, end), terms, scope);
  return start?.position === position ? start : { position, row: null };
}

function openStart(sealed: string, terms: number, { seal, context }: TokenScope): PageStart | null {
  const text = seal.open(sealed, context);
  return text === null ? null : parseStart(text, terms);
}

/** Whether a token of a set with paging by offset also has the row before its page. */
export function hasRowBefore(token: string): boolean {
  return token.includes(OFFSET_MARK);
}

/** The service wrote the text, but with another version of the model the order may have other terms. */
function parseStart(text: string, terms: number): PageStart | null {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return null;
  const parts: readonly unknown[] = parsed;
  const [position, kind, ...texts] = parts;
  if (typeof position !== "number") return null;
  if (kind === undefined) return { position, row: null };
  if (kind !== VALUES && kind !== MARKS) return null;
  const values = texts.map((each) => (typeof each === "string" ? fromText(each) : null));
  return values.length === terms ? { position, row: { values, isRow: kind === MARKS } } : null;
}

function isLonger(value: PlaceValue, most: number): boolean {
  return (typeof value === "string" || value instanceof Uint8Array) && value.length > most;
}

/** Writes a value with a prefix for its type. */
function toText(value: PlaceValue): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `x${encodeBase64Url(value)}`;
  switch (typeof value) {
    case "string":
      return `s${value}`;
    case "bigint":
      return `i${String(value)}`;
    case "boolean":
      return value ? "t" : "f";
    default:
      return `n${Object.is(value, -0) ? "-0" : String(value)}`;
  }
}

function fromText(text: string): PrimitiveValue | null {
  const rest = text.slice(1);
  switch (text.charAt(0)) {
    case "x":
      return decodeBase64(rest);
    case "s":
      return rest;
    case "i":
      return BigInt(rest);
    case "t":
      return true;
    case "f":
      return false;
    default:
      return Number(rest);
  }
}
