import { isDigit } from "../edm/scan-digits.ts";
import { skipDottedName } from "./characters.ts";
import { add, isGuid, type LiteralSource } from "./literal-scanner.ts";
import { syntaxError } from "./syntax-error.ts";

/** The extent of a JSON array or object. */
export interface JsonExtent {
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
