import { isNumeric } from "../format/show-value.ts";
import type { Model, StructuredType } from "../model/model.ts";
import {
  type CompletionItem,
  type EndCompletion,
  enumItems,
  item,
  table,
  literalItems,
  memberItems,
  words,
} from "./completion-item.ts";
import { isCollection, type Member, memberAt, targetOf, typeAt } from "./resolve-type.ts";

/** Where an expression stands. */
export interface ExpressionPlace {
  readonly model: Model;
  readonly type: StructuredType;
  /** Words that may follow an expression, such as `asc` and `desc`. */
  readonly after: readonly CompletionItem[];
  /** Names that earlier parts of the query define. */
  readonly names: readonly CompletionItem[];
}

const COMPARISONS = table("operator", {
  eq: "is",
  ne: "is not",
  gt: "is greater than",
  ge: "is at least",
  lt: "is less than",
  le: "is at most",
  in: "is one of, as in Id in (1,2)",
});
const COLLECTION: readonly CompletionItem[] = [
  item("function", "any(x:…)", "whether a condition is true for an item", "any(x:"),
  item("function", "all(x:…)", "whether a condition is true for all items", "all(x:"),
  item("property", "$count", "number of items"),
];

/** The functions of the standard. @see OData URL Conventions 4.0, section 5.1.1.4 */
const FUNCTIONS = table("function", {
  "contains(text,part)": "whether a text contains another",
  "startswith(text,part)": "whether a text begins with another",
  "endswith(text,part)": "whether a text ends with another",
  "tolower(text)": "in lower case",
  "toupper(text)": "in upper case",
  "length(text)": "number of characters",
  "indexof(text,part)": "position of the first occurrence, -1 without one",
  "substring(text,start,length)": "a part; the first character is 0",
  "trim(text)": "without blanks at both ends",
  "concat(text,text)": "one text after the other",
  "year(date)": "year of a date or time",
  "month(date)": "month, 1 to 12",
  "day(date)": "day of the month",
  "hour(time)": "hour, 0 to 23",
  "minute(time)": "minute, 0 to 59",
  "second(time)": "second, 0 to 59",
  "fractionalseconds(time)": "fraction of the second",
  "date(time)": "the date of a point in time",
  "time(time)": "the time of day of a point in time",
  "totaloffsetminutes(time)": "offset from UTC",
  "totalseconds(duration)": "a duration in seconds",
  "now()": "the time of the request",
  "mindatetime()": "the earliest point in time",
  "maxdatetime()": "the latest point in time",
  "round(number)": "to the nearest whole number",
  "floor(number)": "down to a whole number",
  "ceiling(number)": "up to a whole number",
  "cast(value,type)": "a value as another type",
  "isof(value,type)": "whether a value is of a type",
});

interface Scan {
  readonly place: ExpressionPlace;
  expects: "operand" | "operator" | "segment" | "variable" | "nothing";
  /** The names of the path before the end. */
  path: readonly string[];
  /** The property on the left of a comparison, or the first argument of a function. */
  compared: Member | null;
  /** For each open parenthesis: the variable of a lambda, and the type of the items. */
  readonly frames: { variable: string | null; readonly type: StructuredType | null }[];
}

/** A string or a literal with a prefix, closed or not; a word; a number; a blank; any other character. */
const TOKENS = /(?:[\p{L}_][\p{L}\p{N}_.]*)?'(?:[^']|'')*(?:'|$)|[\p{L}_$@][\p{L}\p{N}_.]*|\d[\w.:+-]*|\s+|./gsu;

/** Suggests what may follow the text of an expression, or complete its last word. */
export function completeExpression(before: string, place: ExpressionPlace): EndCompletion {
  const tokens = Array.from(before.matchAll(TOKENS), ([text]) => text);
  const last = tokens.at(-1) ?? "";
  if (isOpenString(last)) return { word: last, items: membersOfLiteral(last, place.model) };
  const word = /^[\p{L}_$@]/u.test(last) && !last.endsWith("'") ? last : "";
  const scan: Scan = { place, expects: "operand", path: [], compared: null, frames: [] };
  let previous = "";
  for (const token of word === "" ? tokens : tokens.slice(0, -1)) {
    if (token.trim() === "") continue;
    step(scan, token, previous);
    previous = token;
  }
  return { word, items: itemsOf(scan) };
}

function isOpenString(token: string): boolean {
  const quote = token.indexOf("'");
  return quote >= 0 && (token.slice(quote).split("'").length - 1) % 2 === 1;
}

/** The members of an enumeration, whose name stands before the quote. */
function membersOfLiteral(token: string, { enums }: Model): readonly CompletionItem[] {
  const type = enums.get(token.slice(0, token.indexOf("'")));
  return type === undefined ? [] : enumItems(type);
}

function step(scan: Scan, token: string, previous: string): void {
  switch (token) {
    case "(":
      open(scan, previous);
      return;
    case ")":
      scan.frames.pop();
      scan.expects = "operator";
      scan.path = [];
      return;
    case "/":
      scan.expects = "segment";
      return;
    case ":":
      scan.expects = "operand";
      return;
    case ",":
      if (scan.path.length > 0) scan.compared = memberOf(scan, scan.path);
      scan.expects = "operand";
      return;
    default:
      readWord(scan, token);
  }
}

function open(scan: Scan, previous: string): void {
  const isLambda = /^(?:any|all)$/u.test(previous) && scan.path.length > 1;
  const source = isLambda ? memberOf(scan, scan.path.slice(0, -1)) : null;
  scan.frames.push({ variable: null, type: source === null ? null : targetOf(source) });
  scan.expects = isLambda ? "variable" : "operand";
  scan.path = [];
}

function readWord(scan: Scan, token: string): void {
  const isName = /^[\p{L}_$@]/u.test(token) && !token.includes("'");
  switch (scan.expects) {
    case "segment":
      scan.path = [...scan.path, token];
      scan.expects = "operator";
      return;
    case "variable": {
      const frame = scan.frames.at(-1);
      if (frame !== undefined) frame.variable = token;
      scan.expects = "nothing";
      return;
    }
    case "operator":
      if (token === "and" || token === "or") scan.compared = null;
      else if (scan.path.length > 0) scan.compared = memberOf(scan, scan.path);
      scan.expects = scan.place.after.some(({ label }) => label === token) ? "nothing" : "operand";
      scan.path = [];
      return;
    case "operand":
      if (token === "not" || token === "-") return;
      scan.path = isName && !/^(?:null|true|false)$/u.test(token) ? [token] : [];
      scan.expects = "operator";
      break;
    case "nothing":
      break;
  }
}

/** Returns the type at which a path begins, and the names after it. */
function startOf(
  { place, frames }: Scan,
  [first = "", ...rest]: readonly string[],
): readonly [StructuredType | null, string] {
  const frame = frames.findLast(({ variable }) => variable === first);
  if (frame !== undefined) return [frame.type, rest.join("/")];
  return first === "$it" ? [place.type, rest.join("/")] : [place.type, [first, ...rest].join("/")];
}

function memberOf(scan: Scan, path: readonly string[]): Member | null {
  const [type, names] = startOf(scan, path);
  return type === null || names === "" ? null : memberAt(type, names);
}

function itemsOf(scan: Scan): readonly CompletionItem[] {
  const { place, frames, path } = scan;
  switch (scan.expects) {
    case "operand":
      return [
        // What is compared suggests its literals; otherwise a literal comes last.
        ...(scan.compared === null ? [] : literalItems(scan.compared)),
        ...frames.flatMap(({ variable }) => (variable === null ? [] : [item("variable", variable, "the item")])),
        ...place.names,
        ...memberItems(place.type),
        ...FUNCTIONS,
        ...words("operator", "not"),
        ...(scan.compared === null ? literalItems(null) : []),
      ];
    case "segment":
      return segmentItems(scan, path);
    case "operator":
      return [...operatorItems(memberOf(scan, path)), ...place.after];
    case "variable":
      return [item("variable", "x:", "a name for the item")];
    case "nothing":
      return [];
  }
}

/** After a collection, only what asks for all of its items may follow. */
function segmentItems(scan: Scan, path: readonly string[]): readonly CompletionItem[] {
  const member = memberOf(scan, path);
  if (member !== null && isCollection(member)) return COLLECTION;
  const [type, names] = startOf(scan, path);
  const target = type === null ? null : typeAt(type, names);
  return target === null ? [] : memberItems(target);
}

function operatorItems(member: Member | null): readonly CompletionItem[] {
  const type = member?.property?.type;
  const flags = type?.kind === "enum" && type.enum.isFlags ? [item("operator", "has", "has the member")] : [];
  const isNumber = type !== undefined && isNumeric(type);
  const arithmetic = isNumber ? words("operator", "add sub mul div mod") : [];
  return [...flags, ...COMPARISONS, ...words("operator", "and or"), ...arithmetic];
}
