import { decodeBase64, encodeBase64Url } from "../edm/base64.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { KeysetValue } from "./keyset-filter.ts";

/** Encrypts and signs the texts of tokens. */
export interface SkipTokenSeal {
  readonly seal: (text: string, context: string) => string;
  /** Null for what was not sealed for the context. */
  readonly open: (token: string, context: string) => string | null;
}

/** Where a page begins. */
export interface PageStart {
  /** How many rows came before, as far as the pages tell. */
  readonly position: number;
  /** Behind which row: the values of the terms of the order; null: behind as many rows as `position` says. */
  readonly row: StartRow | null;
}

/** The row that a page comes behind. */
export interface StartRow {
  readonly values: readonly KeysetValue[];
  /** Whether it is one of a database. */
  readonly isRow: boolean;
}

/** What a token is for. */
export interface TokenScope {
  readonly seal: SkipTokenSeal;
  /** Identifies service, set, user, query and order: a token opens for the same ones only. */
  readonly context: string;
}

/**
 * Longest text of a token, in characters: values of a row may be of any length, and URLs may not. Where it would be
 * longer the token holds the position alone.
 */
const MAX_TEXT = 1500;

/** Writes where a page begins as `$skiptoken`; it needs no percent-encoding. @see threats, Values leak through skip tokens */
export function writeKeysetToken({ position, row }: PageStart, { seal, context }: TokenScope): string {
  const values = row === null || row.values.some((value) => isLonger(value, MAX_TEXT)) ? null : row.values.map(toText);
  const text = JSON.stringify(values === null ? [position] : [position, row?.isRow === true, ...values]);
  return seal.seal(text.length > MAX_TEXT ? JSON.stringify([position]) : text, context);
}

/**
 * Reads where a page begins.
 * @param terms how many values the order has
 * @throws ODataError `InvalidSkipToken` for all but a token of the same service, set, user, query and secret
 */
export function readKeysetToken(token: string, terms: number, { seal, context }: TokenScope): PageStart {
  const text = seal.open(token, context);
  const start = text === null ? null : parseStart(text, terms);
  if (start !== null) return start;
  throw protocolError(
    "InvalidSkipToken",
    "$skiptoken is not one that this service issued to this user for this query: follow @odata.nextLink as it stands, or begin anew without $skiptoken.",
    { target: "$skiptoken" },
  );
}

/** The text is ours, but another version of the model may have given the order other terms. */
function parseStart(text: string, terms: number): PageStart | null {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return null;
  const parts: readonly unknown[] = parsed;
  const [position, isRow, ...texts] = parts;
  if (typeof position !== "number") return null;
  if (isRow === undefined) return { position, row: null };
  const values = texts.map((each) => (typeof each === "string" ? fromText(each) : null));
  return values.length === terms ? { position, row: { values, isRow: isRow === true } } : null;
}

function isLonger(value: KeysetValue, most: number): boolean {
  return (typeof value === "string" || value instanceof Uint8Array) && value.length > most;
}

/** The form of a value in front of its text. */
function toText(value: KeysetValue): string | null {
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
