import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { PathSegmentSyntax } from "./ast.ts";
import { isDottedName } from "./characters.ts";
import { decodePercent, malformedEscapeAt } from "./percent-encoding.ts";
import { quoteText } from "./syntax-error.ts";

const MAX_SEGMENTS = 100;

/**
 * Parses a resource path: cuts it at every `/`, then percent-decodes each segment once. What stands in parentheses is
 * kept as text for `parseKeyPredicate`. A second pair of parentheses, the key behind a function call as in
 * `ByColor(color='red')(5)`, becomes a segment of its own with an empty name.
 * @param rawPath the raw path below the service root; a slash before it and one behind it are accepted
 * @returns the segments; none for the service root
 * @throws ODataError 404 NotFound for an empty segment or one that is no name; 400 InvalidUrl for a malformed
 *   percent-encoding, parentheses that do not close, text behind them, and more than 100 segments
 * @see OData URL Conventions 4.0, sections 2 and 4; ABNF resourcePath
 */
export function parseResourcePath(rawPath: string): readonly PathSegmentSyntax[] {
  const segments: PathSegmentSyntax[] = [];
  let start = rawPath.startsWith("/") ? 1 : 0;
  if (start === rawPath.length) return segments;
  const length = rawPath.endsWith("/") ? rawPath.length - 1 : rawPath.length;
  while (start <= length) {
    const slash = rawPath.indexOf("/", start);
    const end = slash === -1 ? length : slash;
    addSegment(segments, rawPath.slice(start, end), start);
    start = end + 1;
  }
  return segments;
}

function addSegment(segments: PathSegmentSyntax[], raw: string, position: number): void {
  if (raw === "") throw emptySegment(position);
  const text = decodePercent(raw);
  if (text === null) {
    const at = malformedEscapeAt(raw);
    throw invalidUrl(
      `The path has an invalid percent-encoding ${quoteText(raw.slice(at, at + 12))} at position ${position + at}: ` +
        `write % and two hexadecimal digits for each byte of UTF-8, and %25 for a percent sign.`,
    );
  }
  const open = text.indexOf("(");
  const name = open === -1 ? text : text.slice(0, open);
  if (!isSegmentName(name)) throw noName(text, name, position);
  if (open === -1) {
    push(segments, { name, position });
    return;
  }
  for (let at = open; at < text.length;) {
    const close = closingParenthesis(text, at, position);
    push(segments, { name: at === open ? name : "", parentheses: text.slice(at + 1, close), position });
    at = close + 1;
    if (at < text.length && text[at] !== "(") {
      throw invalidUrl(
        `The path segment ${quoteText(text)} at position ${position} goes on behind its closing parenthesis with ` +
          `${quoteText(text.slice(at))}: the next segment begins with a slash.`,
      );
    }
  }
}

function push(segments: PathSegmentSyntax[], segment: PathSegmentSyntax): void {
  if (segments.length === MAX_SEGMENTS) {
    throw invalidUrl(`The path has more than ${MAX_SEGMENTS} segments: no resource is that far down.`);
  }
  segments.push(segment);
}

/** A name, a qualified name, or `$` and a name. */
function isSegmentName(name: string): boolean {
  return isDottedName(name.startsWith("$") ? name.slice(1) : name);
}

/** Finds the parenthesis that closes the one at `open`; those in quotes do not count. */
function closingParenthesis(text: string, open: number, position: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at];
    if (character === "(") {
      depth += 1;
    } else if (character === ")") {
      depth -= 1;
      if (depth === 0) return at;
    } else if (character === "'" || character === '"') {
      const close = closingQuote(text, at, character);
      if (close === -1) break;
      at = close;
    }
  }
  // What stands between is then no key, and reading it as one tells the client how a key is written.
  if (text.endsWith(")")) return text.length - 1;
  throw invalidUrl(
    `The path segment ${quoteText(text)} at position ${position} does not end its parentheses: a slash within them ` +
      `is written %2F.`,
  );
}

/** Finds the end of a string; a doubled quote reads as two strings side by side, which ends at the same place. */
function closingQuote(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === quote) return at;
    if (quote === '"' && text[at] === "\\") at += 1;
  }
  return -1;
}

function noName(text: string, name: string, position: number): ODataError {
  const advice =
    name === ""
      ? "A name stands before the parenthesis."
      : "A name has letters, digits and underscores; a key stands in parentheses, as in Name(1).";
  return protocolError("NotFound", `The path segment ${quoteText(text)} at position ${position} is no name. ${advice}`);
}

function emptySegment(position: number): ODataError {
  return protocolError("NotFound", `The path has an empty segment at position ${position}: write one slash only.`);
}

function invalidUrl(message: string): ODataError {
  return protocolError("InvalidUrl", message);
}
