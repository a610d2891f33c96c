import { nearestName } from "../../base/errors/nearest-name.ts";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { closingDoubleQuote, nestedSearchEnd } from "./nested-value-end.ts";
import { decodePercent, malformedEscapeAt } from "./path-parser.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import { isIdentifier } from "./token.ts";

/** One `name=value` of a query string. */
interface QueryPair {
  /** The pair as written in the URL, for next links. */
  readonly raw: string;
  readonly name: string;
  readonly value: string;
}

/** The options of a query string by kind; the values are decoded, but not parsed. */
export interface QueryOptionsSyntax {
  /** Every pair in the order of the URL. */
  readonly pairs: readonly QueryPair[];
  /** System query options by name with `$`. */
  readonly system: ReadonlyMap<string, string>;
  /** Parameter aliases by name with `@`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** All other options: the values of each name in order. */
  readonly custom: ReadonlyMap<string, readonly string[]>;
  /** The custom options that look like a system query option, with that option. */
  readonly similar: ReadonlyMap<string, string>;
  /** Whether options nested in `$expand` may lack their `$`. */
  readonly signIsOptional: boolean;
  /** Whether operators may be in any letter case. */
  readonly operatorsInAnyCase: boolean;
}

/** How names without `$`, and operators, are read. */
export interface OptionNames {
  /** Whether a system query option may lack its `$`. */
  readonly signIsOptional: boolean;
  /** Whether a name is one of a parameter of the addressed function, which is never a system query option. */
  readonly isParameter: (name: string) => boolean;
  /** Whether operators may be in any letter case; absent: no. */
  readonly operatorsInAnyCase?: boolean | undefined;
}

const SIGNED_NAMES: OptionNames = Object.freeze({ signIsOptional: false, isParameter: () => false });

const SYSTEM_QUERY_OPTIONS: ReadonlySet<string> = new Set([
  "$filter",
  "$orderby",
  "$top",
  "$skip",
  "$count",
  "$search",
  "$select",
  "$expand",
  "$format",
  "$skiptoken",
  "$deltatoken",
  "$apply",
  "$compute",
  "$index",
  "$id",
]);

/** Options whose values must not begin or end with a blank. */
const OPTIONS_WITHOUT_OUTER_BLANKS: ReadonlySet<string> = new Set(["$filter", "$orderby", "$select", "$expand"]);

/** Options that exist elsewhere, with their corrections. */
const MISPLACED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["$levels", "It belongs to an item of $expand: $expand=Name($levels=2)."],
  ["$inlinecount", "Write $count=true."],
]);

/**
 * Splits a request target at its first `?`. A fragment is dropped, and so are the scheme and authority of an absolute
 * target (`http://host/path`). Nothing is decoded or normalised.
 * @see RFC 9112, section 3.2; OData URL Conventions 4.0, section 2
 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const hash = target.indexOf("#");
  const end = hash === -1 ? target.length : hash;
  const mark = target.indexOf("?");
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    path: withoutAuthority(target.slice(0, pathEnd)),
    query: pathEnd === end ? "" : target.slice(pathEnd + 1, end),
  };
}

function withoutAuthority(path: string): string {
  if (path.startsWith("/") || !/^https?:\/\//iu.test(path)) return path;
  const slash = path.indexOf("/", path.indexOf("://") + 3);
  return slash === -1 ? "/" : path.slice(slash);
}

/**
 * Splits a raw query string into pairs at `&`, and each pair at its first `=`, then percent-decodes name and value once.
 * `+` is a blank. Empty pairs are skipped; a pair without `=` has an empty value.
 * @throws ODataError 400 InvalidQueryOption, target the raw name, for an escape that is malformed or not UTF-8
 * @see OData URL Conventions 4.0, sections 2 and 5
 */
export function parseQueryString(query: string): readonly QueryPair[] {
  const pairs: QueryPair[] = [];
  for (let start = 0; start < query.length;) {
    const ampersand = query.indexOf("&", start);
    const end = ampersand === -1 ? query.length : ampersand;
    if (end > start) pairs.push(parsePair(query.slice(start, end)));
    start = end + 1;
  }
  return pairs;
}

function parsePair(raw: string): QueryPair {
  const equals = raw.indexOf("=");
  const rawName = equals === -1 ? raw : raw.slice(0, equals);
  const rawValue = equals === -1 ? "" : raw.slice(equals + 1);
  return {
    raw,
    name: decodePiece(rawName, rawName, "name"),
    value: decodePiece(rawValue, rawName, "value"),
  };
}

function decodePiece(piece: string, rawName: string, part: "name" | "value"): string {
  const decoded = decodePercent(piece.includes("+") ? piece.replaceAll("+", " ") : piece);
  if (decoded !== null) return decoded;
  const at = malformedEscapeAt(piece);
  throw protocolError(
    "InvalidQueryOption",
    `The ${part} of the query option ${quoteText(rawName)} has an invalid percent-encoding ` +
      `${quoteText(piece.slice(at, at + 12))} at position ${at}: write % and two hexadecimal digits for each byte of ` +
      `UTF-8, and %25 for a percent sign.`,
    { target: rawName },
  );
}

/**
 * Sorts the options of a raw query string into system query options, parameter aliases and custom options. Names are
 * case-sensitive; each system query option and alias may appear once, with or without its `$`.
 * @throws ODataError 400 UnsupportedQueryOption for an unknown `$` option; 400 InvalidQueryOption for a repeated option,
 *   an invalid alias name, a blank before `$` or `@`, a blank at the ends of an expression or list, a semicolon in a word of a search, and a
 *   malformed percent-encoding; target the option
 * @see OData URL Conventions 4.0, section 5; OData Protocol 4.0, section 11.2.1
 */
export function parseQueryOptions(query: string, names: OptionNames = SIGNED_NAMES): QueryOptionsSyntax {
  const pairs = parseQueryString(query).map((pair) => withSign(pair, names));
  const system = new Map<string, string>();
  const aliases = new Map<string, string>();
  const custom = new Map<string, string[]>();
  const similar = new Map<string, string>();
  for (const { name, value, raw } of pairs) {
    if (name.startsWith("$")) {
      if (!SYSTEM_QUERY_OPTIONS.has(name)) throw unknownOption(name);
      if (name === "$search" || name === "$expand") checkSearchSemicolons(name, raw, value, names.signIsOptional);
      if (OPTIONS_WITHOUT_OUTER_BLANKS.has(name)) checkOuterBlanks(name, value);
      addOnce(system, name, value);
    } else if (name.startsWith("@")) {
      if (!isIdentifier(name.slice(1))) throw invalidAlias(name);
      addOnce(aliases, name, value);
    } else {
      checkFirstCharacter(name);
      addToList(custom, name, value);
      const option = `$${name.trim().toLowerCase()}`;
      if (SYSTEM_QUERY_OPTIONS.has(option) && !names.isParameter(name)) similar.set(name, option);
    }
  }
  const { signIsOptional, operatorsInAnyCase = false } = names;
  return { pairs, system, aliases, custom, similar, signIsOptional, operatorsInAnyCase };
}

/**
 * Adds the `$` to the name of a system query option that lacks it, if the service accepts such names.
 * @see OData URL Conventions 4.01, section 5.1
 */
export function withSign(pair: QueryPair, { signIsOptional, isParameter }: OptionNames): QueryPair {
  if (!signIsOptional || !SYSTEM_QUERY_OPTIONS.has(`$${pair.name}`) || isParameter(pair.name)) return pair;
  return { ...pair, name: `$${pair.name}` };
}

/** A blank or a line break before the sign of an option. */
const SIGN_AFTER_BLANK = /^[\s\p{Cc}]+(?=[$@])/u;

/**
 * Refuses an option that a blank would turn into a custom option. Without `$filter`, the response would have all rows.
 * @see ABNF customName
 */
function checkFirstCharacter(name: string): void {
  const blank = SIGN_AFTER_BLANK.exec(name)?.[0];
  if (blank === undefined) return;
  const target = name.slice(blank.length);
  const message = `A blank or a line break precedes the query option ${quoteText(target)}: remove it.`;
  throw protocolError("InvalidQueryOption", message, { target });
}

/** @see ABNF filter, orderby, select, expand, which have no BWS at their ends */
function checkOuterBlanks(name: string, value: string): void {
  const isBlankFirst = value.startsWith(" ") || value.startsWith("\t");
  if (!isBlankFirst && !value.endsWith(" ") && !value.endsWith("\t")) return;
  const message = `a blank ${isBlankFirst ? "precedes" : "follows"} its value: remove it.`;
  throw syntaxError(name, isBlankFirst ? 0 : value.length - 1, message);
}

function addOnce(options: Map<string, string>, name: string, value: string): void {
  if (options.has(name)) {
    throw protocolError("InvalidQueryOption", `${name} appears twice: give each option once.`, { target: name });
  }
  options.set(name, value);
}

function addToList(options: Map<string, string[]>, name: string, value: string): void {
  const values = options.get(name);
  if (values === undefined) options.set(name, [value]);
  else values.push(value);
}

function unknownOption(name: string): ODataError {
  const nearest = nearestName(name, SYSTEM_QUERY_OPTIONS);
  const advice =
    MISPLACED_OPTIONS.get(name.toLowerCase()) ??
    (nearest === null ? "Custom options must not begin with $." : `Write ${nearest}.`);
  return protocolError("UnsupportedQueryOption", `Unknown query option ${quoteText(name)}. ${advice}`, {
    target: name,
    isUnsupported: false,
  });
}

function invalidAlias(name: string): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `${quoteText(name)} is not a parameter alias: write @ and a name of letters, digits and underscores.`,
    { target: name },
  );
}

/** Offsets in the decoded text of an option: of the first character, and after the last. */
type Stretch = readonly [start: number, end: number];

/**
 * Checks that words of a search contain semicolons only percent-encoded; phrases may contain any.
 * @param option `$search`, or `$expand`, whose items may contain searches
 * @param raw the option as written in the URL, with its name
 * @param text the decoded value
 * @param signIsOptional whether the name of a nested search may lack its `$`
 * @throws ODataError 400 InvalidQueryOption with the position, target the option
 * @see ABNF searchWord, searchPhrase
 */
function checkSearchSemicolons(
  option: "$search" | "$expand",
  raw: string,
  text: string,
  signIsOptional: boolean = false,
): void {
  if (!raw.includes(";") || (option === "$expand" && !text.includes("search"))) return;
  const semicolons = raw.match(/;|%3b/giu) ?? [];
  const offsets = [...text.matchAll(/;/gu)].map(({ index }) => index);
  const written = new Set(offsets.filter((_offset, at) => semicolons[at] === ";"));
  const stretches: Iterable<Stretch> = option === "$search" ? [[0, text.length]] : nestedSearches(text, signIsOptional);
  for (const [start, end] of stretches) {
    for (let at = start; at < end; at += 1) {
      if (text[at] === '"') at = closingDoubleQuote(text, at);
      else if (written.has(at)) {
        throw syntaxError(option, at, "a word must not contain a semicolon: write %3B, or a phrase in double quotes.");
      }
    }
  }
}

const SEARCH = "search=";

function* nestedSearches(text: string, signIsOptional: boolean): Iterable<Stretch> {
  // Whether the name of an option may follow.
  let isAtOption = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    const name = character === "$" ? at + 1 : at;
    if (isAtOption && (name > at || signIsOptional) && text.startsWith(SEARCH, name)) {
      const start = name + SEARCH.length;
      const end = nestedSearchEnd(text, start, signIsOptional);
      yield [start, end];
      at = end - 1;
    } else if (character === "'") {
      const close = text.indexOf("'", at + 1);
      at = close === -1 ? text.length : close;
    } else if (character === '"') {
      at = closingDoubleQuote(text, at);
    }
    isAtOption = character === "(" || character === ";" || (isAtOption && (character === " " || character === "\t"));
  }
}

/**
 * Reads the value of an option such as `$top` or `$skip`: decimal digits that a double represents exactly.
 * @param text the decoded value
 * @param option the option's name for the error, such as `$top`
 * @param where how the message names the place; absent: the option itself
 * @throws ODataError 400 InvalidQueryOption with target `option`
 * @see OData URL Conventions 4.0, section 5.1.5; ABNF top, skip
 */
export function parseNonNegativeInteger(text: string, option: string, where: string = option): number {
  if (!/^\d+$/u.test(text)) throw invalid(option, `${where} must be a whole number of 0 or more`, text);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw invalid(option, `${where} must not be greater than ${Number.MAX_SAFE_INTEGER}`, text);
  }
  return value;
}

/**
 * Reads the value of `$count`: `true` or `false` in any letter case.
 * @param text the decoded value
 * @param option the option's name for the error
 * @param where how the message names the place; absent: the option itself
 * @throws ODataError 400 InvalidQueryOption with target `option`
 * @see OData URL Conventions 4.0, section 5.1.6; ABNF inlinecount, booleanValue
 */
export function parseBoolean(text: string, option: string, where: string = option): boolean {
  if (text.length <= 5) {
    const lower = text.toLowerCase();
    if (lower === "true") return true;
    if (lower === "false") return false;
  }
  throw invalid(option, `${where} must be true or false`, text);
}

function invalid(option: string, rule: string, text: string): ODataError {
  const found = text === "" ? "it has no value" : `not ${quoteText(text)}`;
  return protocolError("InvalidQueryOption", `${rule}, ${found}.`, { target: option });
}
