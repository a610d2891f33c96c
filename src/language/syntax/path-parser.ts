import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { PathSegmentSyntax, ArgumentSyntax, KeyPredicateSyntax, SyntaxNode } from "./ast.ts";
import { parseArguments } from "./expression-parser.ts";
import { tokenize } from "./lexer.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import { type TokenKind, type TokenList, skipDottedName } from "./token.ts";

const MAX_SEGMENTS = 100;

/**
 * Parses a resource path: splits it at every `/`, then percent-decodes each segment once. The text in parentheses is
 * kept for `parseKeyPredicate`. A second pair of parentheses, the key after a function call as in
 * `ByColor(color='red')(5)`, becomes a separate segment with an empty name.
 * @param rawPath the raw path below the service root; a leading and a trailing slash are accepted
 * @returns the segments; none for the service root
 * @throws ODataError 404 NotFound for an empty segment or an invalid name; 400 InvalidUrl for a malformed
 *   percent-encoding, an unclosed parenthesis, text after the parentheses, and more than 100 segments
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
        `The path segment ${quoteText(text)} at position ${position} continues after its closing parenthesis with ` +
          `${quoteText(text.slice(at))}: start the next segment with a slash.`,
      );
    }
  }
}

function push(segments: PathSegmentSyntax[], segment: PathSegmentSyntax): void {
  if (segments.length === MAX_SEGMENTS) {
    throw invalidUrl(`The path has more than ${MAX_SEGMENTS} segments: no resource is nested that deep.`);
  }
  segments.push(segment);
}

/** Accepts a name, a qualified name, or `$` and a name. */
function isSegmentName(name: string): boolean {
  return isDottedName(name.startsWith("$") ? name.slice(1) : name);
}

/** Finds the parenthesis that closes the parenthesis at `open`. Parentheses in quotes do not count. */
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
  // The text is not a valid key. The error of the key parser then shows the client how to write a key.
  if (text.endsWith(")")) return text.length - 1;
  throw invalidUrl(
    `The path segment ${quoteText(text)} at position ${position} has an unclosed parenthesis: a slash within parentheses ` +
      `is written %2F.`,
  );
}

/** Finds the end of a string. A doubled quote is read as two adjacent strings, which end at the same offset. */
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
      ? "Write a name before the parenthesis."
      : "A name consists of letters, digits and underscores; put a key in parentheses, as in Name(1).";
  return protocolError(
    "NotFound",
    `The path segment ${quoteText(text)} at position ${position} is not a name. ${advice}`,
  );
}

function emptySegment(position: number): ODataError {
  return protocolError("NotFound", `The path has an empty segment at position ${position}: write one slash only.`);
}

function invalidUrl(message: string): ODataError {
  return protocolError("InvalidUrl", message);
}

/** The tokens allowed in the parentheses themselves, outside values of aliases. Names are allowed only before `=`. */
const INLINE_TOKENS: ReadonlySet<TokenKind> = new Set(["literal", "null", "alias", "json", "[", "]", ",", "="]);

/** The options of `parseKeyPredicate`. */
interface KeyPredicateOptions {
  /** The target of errors: `key`, or the name of the function whose arguments are read. */
  readonly target: string;
}

/**
 * Parses the text in the parentheses of a path segment: a key (`5`, `Id=5,No='x'`), or the arguments of a function.
 * Parameter aliases are replaced by their values. Literals are not added to those of the query, because keys have no shape.
 * @param parentheses the decoded text between the parentheses
 * @returns the parts; none for empty parentheses of a function
 * @throws ODataError 400 InvalidKey (target `key`) or InvalidParameter (target the function) with the position, for a
 *   syntax error, a value that is not a literal or alias, and a repeated name
 * @see OData URL Conventions 4.0, sections 4.3 and 4.5; ABNF keyPredicate, functionParameters
 */
export function parseKeyPredicate(
  parentheses: string,
  context: ParseContext,
  options: KeyPredicateOptions,
): KeyPredicateSyntax {
  const { target } = options;
  const isKey = target === "key";
  const ownContext: ParseContext = { ...context, literals: [] };
  const list = tokenize(parentheses, ownContext, target);
  const parts = parseArguments(list, ownContext);
  if (parts.length === 0 && isKey) throw syntaxError(target, 0, "a value is missing in the parentheses.");
  checkNames(parts, target);
  checkInlineValues(list);
  if (isKey) for (const { value } of parts) checkKeyValue(value);
  return { parts, position: 0 };
}

/** Requires either one part without a name, or a different name for each part. */
function checkNames(parts: readonly ArgumentSyntax[], target: string): void {
  const names = new Set<string>();
  for (const { name, value } of parts) {
    if (name === null) {
      if (parts.length === 1) return;
      throw syntaxError(target, value.position, "several values must be named: write Name=value,Name=value.");
    }
    if (name.includes(".") || name.startsWith("$")) {
      throw syntaxError(
        target,
        value.position,
        `${quoteText(name)} is not a name: use letters, digits and underscores.`,
      );
    }
    if (names.has(name)) throw syntaxError(target, value.position, `${quoteText(name)} appears twice.`);
    names.add(name);
  }
}

/** Expressions are allowed in the value of a parameter alias, but not in the path itself. */
function checkInlineValues({ tokens, option }: TokenList): void {
  for (const [index, { kind, alias, position }] of tokens.entries()) {
    if (alias !== null || INLINE_TOKENS.has(kind)) continue;
    if (kind === "name" && tokens[index + 1]?.kind === "=") continue;
    throw syntaxError(
      option,
      position,
      "a value must be a literal, such as 5 or 'text', or a parameter alias, such as @p.",
    );
  }
}

function checkKeyValue({ kind, position }: SyntaxNode): void {
  if (kind === "literal" || kind === "null" || kind === "alias") return;
  throw syntaxError("key", position, "a key value must be a literal, such as 5 or 'text'.");
}

/**
 * Decodes percent-encoding once.
 * @param text a piece of a URL, already split at its delimiters
 * @returns the decoded text, or null if an escape is malformed or the bytes are not UTF-8 (overlong forms and
 *   surrogates included); `malformedEscapeAt` finds the place
 * @see RFC 3986, section 2.1; OData URL Conventions 4.0, section 2
 */
export function decodePercent(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Finds the escapes that `decodePercent` could not decode, for an error.
 * @returns the offset of the first run of escapes that is malformed or not UTF-8
 */
export function malformedEscapeAt(text: string): number {
  const runs = /%(?:[\dA-Fa-f]{2}(?:%[\dA-Fa-f]{2})*)?/gu;
  for (const run of text.matchAll(runs)) {
    if (run[0].length < 3 || decodePercent(run[0]) === null) return run.index;
  }
  return 0;
}

/**
 * Returns whether a text is an identifier or several identifiers separated by dots, such as `Namespace.Type`.
 * @see ABNF namespace, qualifiedEntityTypeName
 */
function isDottedName(text: string): boolean {
  return text !== "" && skipDottedName(text, 0) === text.length;
}
