import { nearestName } from "../../base/errors/nearest-name.ts";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { ExpandItemSyntax, ExpandOptionsSyntax, SearchSyntax, SelectItemSyntax } from "./ast.ts";
import { parseCompute } from "./compute-parser.ts";
import { parseExpression } from "./expression-parser.ts";
import { tokenize } from "./lexer.ts";
import { nestedSearchEnd, nestedValueEnd } from "./nested-value-end.ts";
import {
  type OptionCursor,
  foundText,
  readName,
  readerError,
  skipBlanks,
  skipCharacter,
  withoutOuterBlanks,
} from "./option-reader.ts";
import { parseOrderBy } from "./order-by-parser.ts";
import type { ParseContext } from "./parse-context.ts";
import { parseBoolean, parseNonNegativeInteger } from "./query-options-parser.ts";
import { parseSearch } from "./search-parser.ts";
import { quoteText } from "./syntax-error.ts";
import { skipName, type TokenList } from "./token.ts";

/** A parsed `$expand` with its shape. */
export interface ShapedExpand {
  readonly items: readonly ExpandItemSyntax[];
  /** The text with each nested expression replaced by its shape. Texts of equal shape differ only in literals. */
  readonly shape: string;
}

interface ExpandReader extends OptionCursor {
  /** The pieces of the shape up to `shapeEnd` in the text. */
  readonly shape: string[];
  shapeEnd: number;
  readonly note: NoteOption | undefined;
}

/** Receives each nested option of an item, with its text without outer blanks. */
type NoteOption = (item: ExpandOptionsSyntax, name: OptionName, text: string) => void;

type MutableOptions = { -readonly [Name in keyof ExpandOptionsSyntax]: ExpandOptionsSyntax[Name] };
type OptionName =
  | "compute"
  | "filter"
  | "search"
  | "orderBy"
  | "skip"
  | "top"
  | "count"
  | "select"
  | "expand"
  | "levels";
type OptionNames = readonly OptionName[];

const COUNT_OPTIONS: OptionNames = ["filter", "search"];
const REFERENCE_OPTIONS: OptionNames = [...COUNT_OPTIONS, "orderBy", "skip", "top", "count"];
const ALL_OPTIONS: OptionNames = [...REFERENCE_OPTIONS, "select", "expand", "levels"];

/** The nested options by their names in the URL. */
const OPTION_NAMES: ReadonlyMap<string, OptionName> = new Map(ALL_OPTIONS.map((name) => [urlName(name), name]));

/**
 * Parses `$select`: paths of names, separated by commas.
 * @param text the decoded text of the option
 * @throws ODataError 400 InvalidQueryOption with the position, target `$select`
 * @see OData URL Conventions 4.0, section 5.1.3; ABNF select
 */
export function parseSelect(text: string, context: ParseContext): readonly SelectItemSyntax[] {
  const reader: OptionCursor = { text, context, option: "$select", position: 0 };
  const items = readSelectItems(reader);
  if (reader.position < text.length) {
    const hint = text[reader.position] === "(" ? " Properties have no options in $select." : "";
    throw readerError(reader, `a comma or the end must follow a property: found ${foundText(reader)}.${hint}`);
  }
  return items;
}

/**
 * Returns the shape of `$select`: its text without the blanks around its commas.
 * @param text the decoded text of the option
 */
export function shapeOfSelect(text: string): string {
  if (!/[ \t]/u.test(text)) return text;
  return text.split(",").map(withoutOuterBlanks).join(",");
}

/**
 * Parses `$expand`: paths to navigation properties, each with an optional `/$ref` or `/$count` and with options in
 * parentheses, separated by semicolons. It checks which options an item may have, but not names.
 * @param text the decoded text of the option
 * @throws ODataError 400 InvalidQueryOption with the position, 400 UnsupportedQueryOption for an unknown nested
 *   option; target `$expand`
 * @see OData URL Conventions 4.0, section 5.1.2; ABNF expand
 */
export function parseExpand(text: string, context: ParseContext): readonly ExpandItemSyntax[] {
  return parseShapedExpand(text, context).items;
}

/**
 * Parses `$expand` as `parseExpand` does, and returns its shape, too.
 * @param note receives the nested options, if given
 * @throws ODataError as `parseExpand`
 */
export function parseShapedExpand(text: string, context: ParseContext, note?: NoteOption): ShapedExpand {
  const reader: ExpandReader = { text, context, option: "$expand", position: 0, shape: [], shapeEnd: 0, note };
  const items = readItems(reader, 0);
  if (reader.position < text.length) {
    throw readerError(reader, `a comma or the end must follow an item: found ${foundText(reader)}.`);
  }
  const shape = reader.shapeEnd === 0 ? text : [...reader.shape, text.slice(reader.shapeEnd)].join("");
  return { items, shape };
}

function readItems(reader: ExpandReader, depth: number): readonly ExpandItemSyntax[] {
  const items: ExpandItemSyntax[] = [];
  skipBlanks(reader);
  do {
    items.push(readItem(reader, depth));
  } while (skipComma(reader));
  return items;
}

function readItem(reader: ExpandReader, depth: number): ExpandItemSyntax {
  const { position } = reader;
  const path: string[] = [];
  let suffix: ExpandItemSyntax["suffix"] = null;
  do {
    suffix = readSuffix(reader, path);
    if (suffix === null) path.push(readPathName(reader, path));
  } while (suffix === null && skipCharacter(reader, "/"));
  const allowed = allowedOptions(path.at(-1) === "*", suffix);
  const options = reader.text[reader.position] === "(" ? readOptions(reader, allowed, depth) : {};
  return { path, suffix, options, position };
}

/** Reads `$ref` or `$count` after a path; null if a name follows. */
function readSuffix(reader: ExpandReader, path: readonly string[]): "$ref" | "$count" | null {
  const { text, position } = reader;
  if (text[position] !== "$") return null;
  for (const suffix of ["$ref", "$count"] as const) {
    const end = position + suffix.length;
    const isCountOfStar = suffix === "$count" && path.at(-1) === "*";
    if (path.length === 0 || isCountOfStar || !text.startsWith(suffix, position)) continue;
    if (skipName(text, end) > end) continue;
    reader.position = end;
    return suffix;
  }
  throw readerError(
    reader,
    `only /$ref or /$count may follow a navigation property, and only /$ref may follow *: found ${foundText(reader)}.`,
  );
}

function readPathName(reader: ExpandReader, path: readonly string[]): string {
  const start = reader.position;
  const name = readName(reader, "the name of a navigation property");
  if (path.at(-1) === "*") throw readerError(reader, "only /$ref may follow *.", start);
  if (name.endsWith(".*")) throw readerError(reader, "a namespace with * is allowed only in $select.", start);
  return name;
}

function allowedOptions(isStar: boolean, suffix: ExpandItemSyntax["suffix"]): OptionNames {
  if (isStar) return suffix === null ? ["levels"] : [];
  if (suffix === "$count") return COUNT_OPTIONS;
  return suffix === "$ref" ? REFERENCE_OPTIONS : ALL_OPTIONS;
}

/** Reads the options in parentheses, which may be empty, as in `Items()`. @see ABNF expandOption */
function readOptions(reader: ExpandReader, allowed: OptionNames, depth: number): ExpandOptionsSyntax {
  const open = reader.position;
  const { maxDepth } = reader.context.limits;
  if (depth >= maxDepth) {
    throw readerError(reader, `$expand nests deeper than ${maxDepth} levels: request the levels below separately.`);
  }
  reader.position += 1;
  const options: MutableOptions = {};
  skipBlanks(reader);
  if (skipCharacter(reader, ")")) return options;
  do {
    skipBlanks(reader);
    const name = readOptionName(reader, options, allowed);
    const { position } = reader;
    readOptionValue(reader, options, name, depth);
    reader.note?.(options, name, withoutOuterBlanks(reader.text.slice(position, reader.position)));
    skipBlanks(reader);
  } while (skipCharacter(reader, ";"));
  if (!skipCharacter(reader, ")")) {
    throw readerError(
      reader,
      `a semicolon or the parenthesis that closes the one at position ${open} is missing: found ${foundText(reader)}.`,
    );
  }
  return options;
}

/** Reads the name of a nested option and the equals sign after it. */
function readOptionName(reader: ExpandReader, options: ExpandOptionsSyntax, allowed: OptionNames): OptionName {
  const { text, position: start } = reader;
  const isSigned = text[start] === "$";
  const end = skipName(text, isSigned ? start + 1 : start);
  const written = text.slice(start, end);
  const { signIsOptional, computesInExpand } = reader.context;
  const signed = isSigned || signIsOptional !== true ? written : `$${written}`;
  const name = signed === "$compute" && computesInExpand?.() === true ? "compute" : OPTION_NAMES.get(signed);
  if (name === undefined) throw noOption(reader, written);
  // An item that takes all options also takes this one, which only some services support.
  if (name === "compute" ? allowed !== ALL_OPTIONS : !allowed.includes(name)) {
    const list = allowed.length === 0 ? "this item takes no options" : `use only ${allowed.map(urlName).join(", ")}`;
    throw readerError(reader, `${written} is not allowed here: ${list}.`);
  }
  if (options[name] !== undefined) throw readerError(reader, `${written} appears twice: give each option once.`);
  reader.position = end;
  if (!skipCharacter(reader, "=")) {
    throw readerError(reader, `an equals sign must follow ${written}: found ${foundText(reader)}.`);
  }
  if (name !== "search" && " \t".includes(text[reader.position] ?? "-")) {
    throw readerError(reader, `a blank precedes the value of ${written}: remove it.`);
  }
  return name;
}

function noOption(reader: ExpandReader, written: string): ODataError {
  if (reader.text[reader.position] === "@") {
    return readerError(reader, "give a parameter alias its value in the query string, not within $expand.");
  }
  if (written === "" || written === "$") {
    return readerError(reader, `the name of an option, such as $filter, is missing: found ${foundText(reader)}.`);
  }
  return unknownExpandOption(reader.position, written, reader.context.computesInExpand?.());
}

/**
 * Makes the error of an option that an item of `$expand` does not have.
 * @param written its name in the URL
 * @param computes whether items take `$compute`
 */
export function unknownExpandOption(position: number, written: string, computes = false): ODataError {
  const names = [...OPTION_NAMES.keys(), ...(computes ? ["$compute"] : [])];
  const nearest = nearestName(written.startsWith("$") ? written : `$${written}`, names);
  const advice = nearest === null ? `The options are ${names.join(", ")}.` : `Write ${nearest}.`;
  return protocolError(
    "UnsupportedQueryOption",
    `Unknown option ${quoteText(written)} within $expand. ${advice} (position ${position} of $expand)`,
    { target: "$expand", isUnsupported: FURTHER_OPTIONS.has(written) },
  );
}

/** Options of an item that the standard has and this parser does not support. */
const FURTHER_OPTIONS: ReadonlySet<string> = new Set(["$apply", "$compute"]);

function readOptionValue(reader: ExpandReader, options: MutableOptions, name: OptionName, depth: number): void {
  switch (name) {
    case "compute": {
      const { position } = reader;
      options.compute = { items: readExpression(reader, parseCompute), position: position - "$compute=".length };
      break;
    }
    case "filter":
      options.filter = readExpression(reader, parseExpression);
      break;
    case "orderBy":
      options.orderBy = readExpression(reader, parseOrderBy);
      break;
    case "search":
      options.search = readSearch(reader, options);
      break;
    case "select":
      options.select = readSelectItems(reader);
      break;
    case "expand":
      options.expand = readItems(reader, depth + 1);
      break;
    case "top":
    case "skip":
      options[name] = parseNonNegativeInteger(readPlainValue(reader), "$expand", `${urlName(name)} within $expand`);
      break;
    case "count":
      options.count = parseBoolean(readPlainValue(reader), "$expand", "$count within $expand");
      break;
    case "levels":
      options.levels = readLevels(reader);
      break;
  }
}

/** Reads the expression of `$filter` or `$orderby`, and adds its shape to that of the whole option. */
function readExpression<Syntax>(
  reader: ExpandReader,
  parse: (list: TokenList, context: ParseContext) => Syntax,
): Syntax {
  const { text, context, position: start } = reader;
  const end = nestedValueEnd(text, start);
  const list = tokenize(text.slice(start, end), context, "$expand", start);
  reader.shape.push(text.slice(reader.shapeEnd, start), list.shape);
  reader.shapeEnd = end;
  reader.position = end;
  return parse(list, context);
}

function readSearch(reader: ExpandReader, options: MutableOptions): SearchSyntax {
  const start = reader.position;
  const end = nestedSearchEnd(reader.text, start, reader.context.signIsOptional === true);
  reader.position = end;
  options.searchText = withoutOuterBlanks(reader.text.slice(start, end));
  return parseSearch(reader.text, reader.context, { start, end, option: "$expand" });
}

function readPlainValue(reader: ExpandReader): string {
  const start = reader.position;
  reader.position = nestedValueEnd(reader.text, start);
  return withoutOuterBlanks(reader.text.slice(start, reader.position));
}

/** @see OData Protocol 4.0, section 11.2.4.2.1.1; ABNF levels */
function readLevels(reader: ExpandReader): number | "max" {
  const { position } = reader;
  const value = readPlainValue(reader);
  if (value === "max") return value;
  const levels = parseNonNegativeInteger(value, "$expand", "$levels within $expand (unless it is max)");
  // @see ABNF levels: oneToNine *DIGIT
  if (value.startsWith("0")) {
    throw readerError(reader, "$levels must be 1 or more, or max, without leading zeros.", position);
  }
  return levels;
}

function urlName(name: OptionName): string {
  return `$${name.toLowerCase()}`;
}

/**
 * Reads the items of `$select` up to the first character that does not belong to them. `*` and `Namespace.*` are whole
 * items; the parameter names of a bound function remain part of its name: `Ns.F(a,b)`.
 * @throws ODataError 400 InvalidQueryOption with the position
 * @see ABNF selectItem
 */
function readSelectItems(reader: OptionCursor): readonly SelectItemSyntax[] {
  const items: SelectItemSyntax[] = [];
  skipBlanks(reader);
  do {
    items.push(readSelectItem(reader));
  } while (skipComma(reader));
  return items;
}

function readSelectItem(reader: OptionCursor): SelectItemSyntax {
  const { position } = reader;
  const path: string[] = [];
  do {
    const start = reader.position;
    const name = readName(reader, "the name of a property");
    const isStar = name.endsWith("*");
    if (isStar && path.length > 0) {
      throw readerError(reader, "a * must not follow a path: name the property itself.", start);
    }
    const signature =
      !isStar && name.includes(".") && reader.text[reader.position] === "(" ? readSignature(reader) : "";
    path.push(name + signature);
    if (isStar || signature !== "") break;
  } while (skipCharacter(reader, "/"));
  return { path, position };
}

/** Reads the parameter names that distinguish the overloads of a bound function. @see ABNF parameterNames */
function readSignature(reader: OptionCursor): string {
  reader.position += 1;
  const names: string[] = [];
  skipBlanks(reader);
  do {
    const start = reader.position;
    const name = readName(reader, "the name of a parameter");
    if (name.includes(".") || name === "*") {
      throw readerError(reader, "a parameter name must not contain a dot or *.", start);
    }
    names.push(name);
  } while (skipComma(reader));
  if (!skipCharacter(reader, ")")) {
    throw readerError(reader, `a comma or the closing parenthesis is missing: found ${foundText(reader)}.`);
  }
  return `(${names.join(",")})`;
}

/** Moves over a comma and the blanks around it. */
function skipComma(reader: OptionCursor): boolean {
  skipBlanks(reader);
  if (!skipCharacter(reader, ",")) return false;
  skipBlanks(reader);
  return true;
}
