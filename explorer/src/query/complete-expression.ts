import type { Model, StructuredType } from "../model/model.ts";
import {
  type CompletionItem,
  type EndCompletion,
  enumItems,
  functionItems,
  item,
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
        ...functionItems(),
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
  if (member !== null && isCollection(member)) {
    return [
      item("function", "any(x:…)", "whether a condition is true for an item", "any(x:"),
      item("function", "all(x:…)", "whether a condition is true for all items", "all(x:"),
      item("property", "$count", "number of items"),
    ];
  }
  const [type, names] = startOf(scan, path);
  const target = type === null ? null : typeAt(type, names);
  return target === null ? [] : memberItems(target);
}

function operatorItems(member: Member | null): readonly CompletionItem[] {
  const type = member?.property?.type;
  const comparisons = [
    item("operator", "eq", "is"),
    item("operator", "ne", "is not"),
    item("operator", "gt", "is greater than"),
    item("operator", "ge", "is at least"),
    item("operator", "lt", "is less than"),
    item("operator", "le", "is at most"),
    item("operator", "in", "is one of, as in Id in (1,2)"),
  ];
  const flags = type?.kind === "enum" && type.enum.isFlags ? [item("operator", "has", "has the member")] : [];
  const isNumber = type?.kind === "primitive" && /^Edm\.(?:S?Byte|Int\d\d|Single|Double|Decimal)$/u.test(type.name);
  const arithmetic = isNumber ? words("operator", "add sub mul div mod") : [];
  return [...flags, ...comparisons, ...words("operator", "and or"), ...arithmetic];
}
