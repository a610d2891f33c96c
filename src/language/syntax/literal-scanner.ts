import type { ODataError } from "../../base/errors/odata-error.ts";
import { isDigit } from "../../edm/decimal.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import { hasTwoDigits, isHexDigit, isNamePart, skipDigits, skipDottedName, type Literal } from "./token.ts";

/** The text that literals are read from, and the list that they are added to. */
export interface LiteralSource {
  readonly text: string;
  /** Offset of the text in the text of the option. */
  readonly base: number;
  readonly option: string;
  readonly literals: Literal[];
  /** The mention of the parameter alias that contains the text; null for the text of an option. */
  readonly alias?: { readonly position: number } | null;
}

const QUOTE = 39;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const COLON = 58;

const MAX_INT32 = "2147483647";
const MIN_INT32 = "2147483648";
const MAX_INT64 = "9223372036854775807";
const MIN_INT64 = "9223372036854775808";

/** Types by the suffix of a number, in lower case. */
const SUFFIX_TYPES: ReadonlyMap<string, PrimitiveTypeName> = new Map([
  ["l", "Edm.Int64"],
  ["m", "Edm.Decimal"],
  ["d", "Edm.Double"],
  ["f", "Edm.Single"],
]);

/** Types by the prefix of a quoted literal, in lower case. Enums are not included. */
const QUOTED_TYPES: ReadonlyMap<string, PrimitiveTypeName | "geo"> = new Map([
  ["duration", "Edm.Duration"],
  ["binary", "Edm.Binary"],
  ["geography", "geo"],
  ["geometry", "geo"],
]);

/** Prefixes of OData 1.0 to 3.0, with their replacements. */
const OLD_PREFIXES: ReadonlyMap<string, string> = new Map([
  ["guid", "Write a Guid without prefix and quotes."],
  ["datetime", "Write a DateTimeOffset without prefix and quotes, with Z or an offset at its end."],
  ["datetimeoffset", "Write a DateTimeOffset without prefix and quotes."],
  ["time", "Write a TimeOfDay without prefix and quotes, a Duration as duration'…'."],
  ["x", "Write binary'…' with base64url text."],
]);

/**
 * Reads a literal that starts with a digit or a sign: a number, Date, TimeOfDay, DateTimeOffset or Guid.
 * @returns the offset after it; the literal is the last of `source.literals`
 * @throws ODataError 400 if the literal is invalid
 * @see ABNF rules decimalValue, doubleValue, dateValue, dateTimeOffsetValue, timeOfDayValue, guidValue
 */
export function scanNumeric(source: LiteralSource, start: number): number {
  const { text } = source;
  const sign = text.charCodeAt(start);
  const isSigned = sign === MINUS || sign === PLUS;
  if (!isSigned && isGuid(text, start)) return addWord(source, "Edm.Guid", start, start + 36);
  const first = isSigned ? start + 1 : start;
  const end = skipDigits(text, first);
  const next = text.charCodeAt(end);
  if (next === COLON && !isSigned && end - first === 2) {
    return addWord(source, "Edm.TimeOfDay", start, timeEnd(source, start, start));
  }
  if (next === MINUS && sign !== PLUS && end - first >= 4 && isMonthAndDay(text, end)) {
    return scanDate(source, start, end + 6);
  }
  return scanNumber(source, start, end);
}

/** Returns whether `-MM-DD` begins at `offset`. */
function isMonthAndDay(text: string, offset: number): boolean {
  return hasTwoDigits(text, offset + 1) && text.charCodeAt(offset + 3) === MINUS && hasTwoDigits(text, offset + 4);
}

/**
 * Returns whether the 36 characters of a Guid begin at `start`.
 * @see ABNF rule guidValue
 */
export function isGuid(text: string, start: number): boolean {
  if (text.charCodeAt(start + 8) !== MINUS) return false;
  for (let index = 0; index < 36; index += 1) {
    const code = text.charCodeAt(start + index);
    const isHyphen = index === 8 || index === 13 || index === 18 || index === 23;
    if (isHyphen ? code !== MINUS : !isHexDigit(code)) return false;
  }
  return !isNamePart(text, start + 36);
}

/** Reads the rest of a literal that begins with a date. A following `T` makes it a DateTimeOffset. */
function scanDate(source: LiteralSource, start: number, dateEnd: number): number {
  const { text } = source;
  if ((text.charCodeAt(dateEnd) | 32) !== 116) return addWord(source, "Edm.Date", start, dateEnd);
  let end = timeEnd(source, start, dateEnd + 1);
  const zone = text.charCodeAt(end);
  if ((zone | 32) === 122) {
    end += 1;
  } else if (
    (zone === PLUS || zone === MINUS) &&
    hasTwoDigits(text, end + 1) &&
    text.charCodeAt(end + 3) === COLON &&
    hasTwoDigits(text, end + 4)
  ) {
    end += 6;
  } else {
    throw malformed(source, start, "a DateTimeOffset ends with Z or an offset such as +01:00, its plus sent as %2B");
  }
  return addWord(source, "Edm.DateTimeOffset", start, end);
}

/** Returns the offset after `hh:mm[:ss[.fff]]`. */
function timeEnd(source: LiteralSource, start: number, time: number): number {
  const { text } = source;
  if (!hasTwoDigits(text, time) || text.charCodeAt(time + 2) !== COLON || !hasTwoDigits(text, time + 3)) {
    throw malformed(source, start, "write a time as hh:mm:ss");
  }
  let end = time + 5;
  if (text.charCodeAt(end) === COLON && hasTwoDigits(text, end + 1)) {
    end += 3;
    if (text.charCodeAt(end) === DOT && isDigit(text.charCodeAt(end + 1))) end = skipDigits(text, end + 1);
  }
  return end;
}

/** Reads the rest of a number after its integer digits: fraction, exponent, suffix. */
function scanNumber(source: LiteralSource, start: number, digitsEnd: number): number {
  const { text } = source;
  // A plus sign does not change the value.
  const from = text.charCodeAt(start) === PLUS ? start + 1 : start;
  let end = digitsEnd;
  const hasFraction = text.charCodeAt(end) === DOT && isDigit(text.charCodeAt(end + 1));
  if (hasFraction) end = skipDigits(text, end + 1);
  const exponent = exponentEnd(text, end);
  const hasExponent = exponent > end;
  end = exponent;
  const suffix = SUFFIX_TYPES.get(text.charAt(end).toLowerCase());
  if (suffix !== undefined) {
    if (suffix === "Edm.Int64" ? hasFraction || hasExponent : suffix === "Edm.Decimal" && hasExponent) {
      throw malformed(source, start, `${suffix} takes no ${hasExponent ? "exponent" : "fraction"}`);
    }
    checkEnd(source, start, end + 1);
    add(source, suffix, text.slice(from, end), start);
    return end + 1;
  }
  let type: PrimitiveTypeName = "Edm.Double";
  if (!hasExponent) type = hasFraction ? "Edm.Decimal" : integerType(text, from, end);
  checkEnd(source, start, end);
  add(source, type, text.slice(from, end), start);
  return end;
}

function exponentEnd(text: string, start: number): number {
  if ((text.charCodeAt(start) | 32) !== 101) return start;
  const sign = text.charCodeAt(start + 1);
  const digits = sign === PLUS || sign === MINUS ? start + 2 : start + 1;
  const end = skipDigits(text, digits);
  return end > digits ? end : start;
}

/** Returns the smallest type for an integer: Int32, Int64 or Decimal. */
function integerType(text: string, start: number, end: number): PrimitiveTypeName {
  const isNegative = text.charCodeAt(start) === MINUS;
  let first = isNegative ? start + 1 : start;
  while (first < end - 1 && text.charCodeAt(first) === 48) first += 1;
  const length = end - first;
  if (length < MAX_INT32.length) return "Edm.Int32";
  const digits = length > MAX_INT64.length ? "" : text.slice(first, end);
  if (length === MAX_INT32.length && digits <= (isNegative ? MIN_INT32 : MAX_INT32)) return "Edm.Int32";
  if (length < MAX_INT64.length) return "Edm.Int64";
  return length === MAX_INT64.length && digits <= (isNegative ? MIN_INT64 : MAX_INT64) ? "Edm.Int64" : "Edm.Decimal";
}

/**
 * Reads the string in single quotes that starts at `start`.
 * @returns the offset after it; the literal is the last of `source.literals`
 * @throws ODataError 400 if it does not end
 * @see ABNF rule string
 */
export function scanString(source: LiteralSource, start: number): number {
  const end = quotedEnd(source, start);
  add(source, "Edm.String", unquote(source.text, start, end), start);
  return end;
}

/**
 * Reads a literal with a prefix: `duration'…'`, `binary'…'`, `geography'…'`, `geometry'…'`, or an enum literal
 * `Namespace.Type'…'`.
 * @param quote offset of the opening quote
 * @returns the offset after it; the literal is the last of `source.literals`
 * @throws ODataError 400 for an unknown prefix, or if the literal does not end
 * @see ABNF rules duration, binary, enum, geographyPrefix
 */
export function scanPrefixed(source: LiteralSource, start: number, quote: number): number {
  const prefix = source.text.slice(start, quote);
  const known = QUOTED_TYPES.get(prefix.toLowerCase());
  if (known === undefined && !prefix.includes(".")) {
    throw syntaxError(
      source.option,
      source.base + start,
      `${quoteText(prefix)} directly before a quote is not a literal prefix. ${
        OLD_PREFIXES.get(prefix.toLowerCase()) ??
        "Write a blank between a word and a string, and an enum with its namespace, as in Namespace.Color'Red'."
      }`,
    );
  }
  const end = quotedEnd(source, quote);
  const text = unquote(source.text, quote, end);
  const position = positionOf(source, start);
  if (known === undefined) source.literals.push({ type: "enum", text, typeName: prefix, position });
  else if (known === "geo") source.literals.push({ type: "geo", text, typeName: prefix.toLowerCase(), position });
  else add(source, known, text, start);
  return end;
}

/** Returns the offset after the quote that closes the string opened at `open`. Doubled quotes belong to the string. */
function quotedEnd(source: LiteralSource, open: number): number {
  const { text } = source;
  for (let from = open + 1; ;) {
    const quote = text.indexOf("'", from);
    if (quote === -1) {
      throw syntaxError(
        source.option,
        source.base + open,
        `the string ${quoteText(text.slice(open + 1))} does not end: close it with a quote, and double a quote within it.`,
      );
    }
    if (text.charCodeAt(quote + 1) !== QUOTE) return quote + 1;
    from = quote + 2;
  }
}

function unquote(text: string, open: number, end: number): string {
  const inner = text.slice(open + 1, end - 1);
  return inner.includes("''") ? inner.replaceAll("''", "'") : inner;
}

/** Adds a literal without quotes, after checking that it ends there. */
function addWord(source: LiteralSource, type: PrimitiveTypeName, start: number, end: number): number {
  checkEnd(source, start, end);
  const text = source.text.slice(start, end);
  add(source, type, type === "Edm.DateTimeOffset" ? text.toUpperCase() : text, start);
  return end;
}

/** Adds a literal with a given text. `start` is its offset in the text of the source. */
export function add(source: LiteralSource, type: PrimitiveTypeName, text: string, start: number): void {
  source.literals.push({ type, text, position: positionOf(source, start) });
}

/** Returns the position of a literal in its option. Everything in the value of an alias has the position of its mention. */
function positionOf(source: LiteralSource, start: number): number {
  return source.alias?.position ?? source.base + start;
}

/** Refuses a literal that continues with characters which cannot belong to it. */
function checkEnd(source: LiteralSource, start: number, end: number): void {
  const code = source.text.charCodeAt(end);
  if (code === DOT || code === COLON || isNamePart(source.text, end)) {
    throw malformed(
      source,
      start,
      "put a blank after a number, date or time; a Guid has 8-4-4-4-12 hexadecimal digits",
    );
  }
}

function malformed(source: LiteralSource, start: number, rule: string): ODataError {
  const { text } = source;
  let end = start + 1;
  while (end - start <= 40 && (isNamePart(text, end) || ".:+-".includes(text.charAt(end) || " "))) end += 1;
  return syntaxError(
    source.option,
    source.base + start,
    `${quoteText(text.slice(start, end))} is not a literal: ${rule}.`,
  );
}

/** The extent of a JSON array or object. */
interface JsonExtent {
  /** Offset after it. */
  readonly end: number;
  /** Whether it is an array of literals and nulls only, so that its items can be read as literals. */
  readonly isList: boolean;
}

const OPENING = "[{";

/**
 * Finds the end of the JSON array or object that starts at `start`. Strings may be in double quotes, as in JSON, or in
 * single quotes; other text between the brackets is not checked.
 * @param maxDepth maximum nesting of brackets
 * @throws ODataError 400 if it does not end or nests too deeply
 * @see ABNF rule arrayOrObject
 */
export function scanJson(source: LiteralSource, start: number, maxDepth: number): JsonExtent {
  const { text } = source;
  // The expected closing brackets, innermost last.
  let closers = "";
  let isList = text.charAt(start) === "[";
  for (let offset = start; offset < text.length;) {
    const character = text.charAt(offset);
    if (character === '"' || character === "'") {
      offset = character === '"' ? doubleQuotedEnd(source, offset) : singleQuotedEnd(source, offset);
    } else if (OPENING.includes(character)) {
      if (closers.length >= maxDepth) {
        throw syntaxError(
          source.option,
          source.base + offset,
          `the JSON value is nested deeper than ${maxDepth} levels: give one with fewer arrays and objects within one another.`,
        );
      }
      isList = isList && closers.length === 0;
      closers += character === "[" ? "]" : "}";
      offset += 1;
    } else if (character === "]" || character === "}") {
      const closer = closers.slice(-1);
      if (character !== closer) {
        throw syntaxError(source.option, source.base + offset, `expected "${closer}", found "${character}".`);
      }
      closers = closers.slice(0, -1);
      offset += 1;
      if (closers.length === 0) return { end: offset, isList };
    } else {
      const end = isList ? listWordEnd(text, offset) : offset;
      isList = end > offset;
      offset = isList ? end : offset + 1;
    }
  }
  throw syntaxError(
    source.option,
    source.base + start,
    `the JSON value does not end: "${closers.slice(-1)}" is missing.`,
  );
}

/** Returns the offset after the piece of a list of literals that starts at `start`, or `start` without such a piece. */
function listWordEnd(text: string, start: number): number {
  if (isGuid(text, start)) return start + 36;
  const character = text.charAt(start);
  if (" \t,-+.:".includes(character) || isDigit(text.charCodeAt(start))) return start + 1;
  const end = skipDottedName(text, start);
  if (end === start) return start;
  if (text.charAt(end) === "'" || isDigit(text.charCodeAt(start - 1))) return end;
  const word = text.slice(start, end);
  const isLiteral = word === "null" || word === "INF" || word === "NaN" || /^(?:true|false)$/iu.test(word);
  return isLiteral ? end : start;
}

/**
 * Reads the JSON string in double quotes that starts at `start`.
 * @returns the offset after it; the literal is the last of `source.literals`
 * @throws ODataError 400 if it does not end or has an invalid escape
 * @see RFC 8259, section 7
 */
export function scanJsonString(source: LiteralSource, start: number): number {
  const end = doubleQuotedEnd(source, start);
  let value: unknown;
  try {
    value = JSON.parse(source.text.slice(start, end));
  } catch {
    throw syntaxError(
      source.option,
      source.base + start,
      "the JSON string has an invalid escape or a control character.",
    );
  }
  add(source, "Edm.String", String(value), start);
  return end;
}

function doubleQuotedEnd(source: LiteralSource, open: number): number {
  const { text } = source;
  for (let offset = open + 1; offset < text.length; offset += 1) {
    const character = text.charAt(offset);
    if (character === '"') return offset + 1;
    if (character === "\\") offset += 1;
  }
  throw syntaxError(source.option, source.base + open, "the JSON string does not end.");
}

/** A doubled quote is read as two adjacent strings, which end at the same offset. */
function singleQuotedEnd(source: LiteralSource, open: number): number {
  const quote = source.text.indexOf("'", open + 1);
  if (quote === -1) throw syntaxError(source.option, source.base + open, "the string does not end.");
  return quote + 1;
}
