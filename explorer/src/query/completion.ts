import { FUNCTION_SIGNATURES } from "../../../src/edm/canonical-functions.ts";
import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { OPERATORS, type Token, type TokenKind } from "../../../src/language/syntax/token.ts";
import { isNumeric } from "../format/show-value.ts";
import type { EnumType, Model, StructuredType } from "../model/model.ts";
import { readQueryText } from "./option-text.ts";
import { isCollection, type Member, memberAt, nameOfType, resolvePath, targetOf, typeAt } from "./resolve-type.ts";
import { parsed } from "./syntax.ts";

/** A suggestion in a list, and the text that replaces the word at the cursor. */
interface CompletionItem {
  readonly label: string;
  /** `set`, `property`, `function`, … */
  readonly kind: string;
  readonly description: string | null;
  readonly insert: string;
}
type Items = readonly CompletionItem[];

/** Suggestions for a place in a text, and the range that a chosen one replaces. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  /** Items that begin with the word at the cursor come first, then items that contain it. */
  readonly items: Items;
}

/** Suggestions for the end of a text, which replace its last word. */
type End = readonly [word: string, items: Items];

/** The end of the value of an option, or of the innermost open parentheses in it. */
interface Place {
  /** A key of `MODES`. */
  readonly mode: string;
  /** The type whose members it names; null for an unknown one. */
  readonly type: StructuredType | null;
  /** The names that `$compute` and `$apply` define. */
  readonly columns: Items;
  /** The variables of lambdas, with the paths of their collections. */
  readonly variables: ReadonlyMap<string, string>;
  /** The path before the parenthesis. */
  readonly path: string;
  /** The tokens of the last item of a list, after those that belong to each item. */
  readonly clause: Token[];
  readonly shared: number;
}

const COLLECTION: Items = [
  item("function", "any(x:…)", "whether a condition is true for an item", "any(x:"),
  item("function", "all(x:…)", "whether a condition is true for all items", "all(x:"),
  item("property", "$count", "number of items"),
];

/** The functions of the standard; one with several signatures shows its longest. */
const FUNCTIONS = Object.entries(FUNCTION_SIGNATURES).flatMap(([name, signatures]) =>
  words("function", `${name}(${(signatures.at(-1)?.shown ?? ["value", "type"]).join()})`),
);

const OPTIONS: Items = Object.entries({
  $filter: "only the entities that meet a condition",
  $orderby: "the order of the entities",
  $select: "only these properties",
  $expand: "related entities, too",
  $top: "at most so many",
  $skip: "without the first",
  $count: "the number of all that meet the condition",
  $search: "the entities that contain words",
  $apply: "groups and totals",
  $compute: "further columns",
}).map(([name, text]) => item("option", name, text, name === "$count" ? "$count=true" : `${name}=`));
const LEVELS = item("option", "$levels", "how deep a navigation to the same type is followed", "$levels=");

const STEPS = words(
  "step",
  "filter(…) groupby((…),…) aggregate(…) compute(…) orderby(…) topcount(n,…) bottomcount(n,…) top(n) skip(n) search(…) " +
    "topsum(n,…) bottomsum(n,…) toppercent(n,…) bottompercent(n,…) concat(…,…) join(…,…) outerjoin(…,…) identity",
);

/** The form of an option, or of a step of `$apply`. */
interface Mode {
  /** The members that its operands begin with; absent: none. */
  readonly picks?: (member: Member) => boolean;
  /** Other items that may begin an operand. */
  readonly items?: Items;
  /** Whether operands are expressions, with operators and literals. */
  readonly isExpression?: true;
  /** The items that follow an operand, word by word. */
  readonly after?: readonly Items[];
}

const EXPRESSION: Mode = {
  picks: () => true,
  items: [...FUNCTIONS, ...words("operator", "not"), ...words("literal", "null")],
  isExpression: true,
};
const PATHS: Mode = { picks: (member) => !isCollection(member) };
const STEP: Mode = { items: STEPS, after: [[item("operator", "/", "the next step")]] };
const RANKS = ["", "topcount", "bottomcount", "topsum", "bottomsum", "toppercent", "bottompercent"];
const JOIN: Mode = { picks: ({ kind }) => kind === "navigation", after: [words("operator", "as")] };
const COUNT = item("function", "$count", "number of entities", "$count as ");
const METHOD = ["with", "sum average min max countdistinct"].map((list) => words("operator", list));
const AGGREGATE: Mode = { picks: () => true, items: [COUNT], after: [...METHOD, words("operator", "as")] };
/** The rows that a step receives, and their totals. */
const THESE = item("variable", "$these", "the rows of this step", "$these/");
const TOTALS = [item("property", "$count", "number of rows"), item("function", "aggregate(…)")];
const STEP_EXPRESSION: Mode = { ...EXPRESSION, items: [...(EXPRESSION.items ?? []), THESE] };

/** The mode of an option of a navigation. */
const NESTED = "option of $expand";

/** The modes of options and of steps; within `groupby`, a step without a name has the properties. */
const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ["$filter", EXPRESSION],
  ["$orderby", { ...EXPRESSION, after: [words("operator", "asc desc")] }],
  ["$compute", { ...EXPRESSION, after: [words("operator", "as")] }],
  ["$select", { picks: ({ kind }) => kind === "property" }],
  // Complex properties are on the way to navigations.
  ["$expand", { picks: (member) => member.kind === "navigation" || (targetOf(member)?.navigations.size ?? 0) > 0 }],
  [NESTED, { items: [...OPTIONS.filter(({ label }) => label !== "$apply"), LEVELS] }],
  ["$count", { items: words("literal", "true false") }],
  ["$apply", STEP],
  ["step filter", STEP_EXPRESSION],
  ["step compute", { ...STEP_EXPRESSION, after: [words("operator", "as")] }],
  ["step orderby", { ...EXPRESSION, after: [words("operator", "asc desc")] }],
  ["step concat", STEP],
  ["step groupby", { items: [item("step", "(", "the properties"), ...STEPS] }],
  ...RANKS.map((step) => [`step ${step}`, PATHS] as const),
  ["step join", JOIN],
  ["step outerjoin", JOIN],
  ["step aggregate", AGGREGATE],
  ["total of $these", { picks: () => true, after: METHOD }],
]);

/**
 * Suggests texts for the cursor in the text of a query, as `readQueryText` reads it, from the model alone: sets,
 * options, properties, navigations, functions, operators, literals.
 */
export function complete(text: string, cursor: number, model: Model, root = ""): Completion {
  const [word, items] = completeEnd(text.slice(0, cursor), model, root);
  const [rest = ""] = (word.includes("'") ? /^[\p{L}\p{N}_]*'?/u : /^[\p{L}\p{N}_]*/u).exec(text.slice(cursor)) ?? [];
  const start = word.toLowerCase();
  const isNext = ({ insert, label }: CompletionItem): boolean =>
    insert.toLowerCase().startsWith(start) || label.toLowerCase().startsWith(start);
  const others = items.filter((each) => !isNext(each) && each.label.toLowerCase().includes(start));
  return { from: cursor - word.length, to: cursor + rest.length, items: [...items.filter(isNext), ...others] };
}

function completeEnd(before: string, model: Model, root: string): End {
  const { path, pieces } = readQueryText(before, root);
  const piece = pieces.at(-1);
  if (piece === undefined && !/\?[&\s]*$/u.test(before)) return completeResource(path, model);
  if (piece === undefined || before.slice(piece.end).includes("&")) return ["", OPTIONS];
  const written = before.slice(piece.start, piece.end);
  if (!written.includes("=")) return [written, OPTIONS];
  const type = resolvePath(model, path)?.type;
  if (type === undefined) return ["", []];
  const columns = pieces
    .filter(({ name }) => piece.name !== "$expand" && (name === "$compute" || name === "$apply"))
    .flatMap(({ value }) => tokensOf(value))
    .flatMap(({ text }, at, all) => (all[at - 1]?.text === "as" ? item("property", text, "column of this query") : []));
  const place = { mode: piece.name, type, columns, variables: new Map(), path: "", clause: [], shared: 0 };
  return completeValue(before.slice(piece.valueStart), place, model);
}

/**
 * Reads the tokens of a value; none after a fault. Signs of `$expand`, `$search` and `$select`, and those of other languages, are
 * as signs of expressions.
 */
function tokensOf(text: string): readonly Token[] {
  const value = text.replaceAll(/[;"<>!|]/gu, ",").replaceAll("*", "_");
  return parsed((context) => tokenize(value, context, "").tokens) ?? [];
}

function completeResource(path: string, model: Model): End {
  const slash = path.lastIndexOf("/");
  const word = path.slice(slash + 1);
  if (word.includes("(")) return [word, []];
  if (slash < 0) return [word, rootItems(model)];
  const place = resolvePath(model, path.slice(0, slash));
  if (place?.isCollection === true) return [word, [item("property", "$count", "number of entities")]];
  return [word, place === null ? [] : memberItems(place.type)];
}

function completeValue(text: string, start: Place, { enums }: Model): End {
  const quote = text.lastIndexOf("'");
  if (text.split("'").length % 2 === 0) {
    const name = lastWord(text.slice(0, quote));
    const type = enums.get(name);
    return [name + text.slice(quote), type === undefined ? [] : enumItems(type)];
  }
  const word = lastWord(text);
  return [word, suggest(placeAfter(text.slice(0, text.length - word.length), start))];
}

function lastWord(text: string): string {
  return /(?<![\p{L}\p{N}_.$@])[\p{L}\p{N}_.$@]*$/u.exec(text)?.[0] ?? "";
}

/** Goes into the parentheses that are still open at the end of a text. */
function placeAfter(text: string, start: Place): Place {
  const outer: Place[] = [];
  let place = start;
  for (const token of tokensOf(text)) {
    const { kind, position } = token;
    const isStep = MODES.get(place.mode)?.isExpression !== true && place.clause.at(-1)?.kind === ")";
    const last = place.clause.at(-1)?.text ?? "";
    if (kind === "(") {
      outer.push(place);
      place = enter(place);
    } else if (text[position] === ";") {
      place = { ...place, mode: NESTED, clause: [] };
    } else if (kind === "=" && place.mode === NESTED) {
      place = { ...place, mode: last, clause: [] };
    } else if (kind === ":") {
      place = { ...place, variables: new Map([...place.variables, [last, place.path]]), clause: [] };
    } else if (kind === "," || kind === "=" || (kind === "/" && isStep)) {
      place.clause.length = place.shared;
    } else {
      if (kind === ")") place = outer.pop() ?? start;
      place.clause.push(token);
    }
  }
  return place;
}

/** Goes into the parentheses at the end of a place. */
function enter(place: Place): Place {
  const { mode, clause } = place;
  // An item of a list has the form of an operand.
  if (clause.at(-1)?.text === "in") return { ...place, clause: [...clause], shared: clause.length };
  const path = pathBefore(clause);
  const slash = path.lastIndexOf("/");
  if (mode === "$expand") return { ...place, mode: NESTED, type: place.type && typeAt(place.type, path), clause: [] };
  const inner = { ...place, path: pathIn(place, path.slice(0, Math.max(slash, 0))), clause: [], shared: 0 };
  if (MODES.get(mode)?.isExpression !== true) return { ...inner, mode: `step ${path.slice(slash + 1)}` };
  if (path === "$these/aggregate") return { ...inner, mode: "total of $these" };
  return { ...inner, mode: mode.startsWith("step ") ? "step filter" : "$filter" };
}

/** Returns the path at the end of a clause; with a slash at its end if a name must follow. */
function pathBefore(clause: readonly Token[]): string {
  const isOfPath = ({ kind }: Token, at: number): boolean =>
    kind === "/" || (kind === "name" && (clause[at + 1]?.kind ?? "/") === "/");
  const start = clause.findLastIndex((token, at) => !isOfPath(token, at)) + 1;
  return Array.from(clause.slice(start), ({ text }) => text).join("");
}

const OPERANDS: ReadonlySet<TokenKind> = new Set(["literal", "null", "alias", "json", ")", "]"] as const);

/** Returns whether a clause ends with an operand. Other words follow an operand, as operators do. */
function endsWithOperand(clause: readonly Token[]): boolean {
  return clause.reduce(
    (isAfter, { kind }, at) => (kind === "name" ? clause[at - 1]?.kind === "/" || !isAfter : OPERANDS.has(kind)),
    false,
  );
}

/** Suggests the words that fit the end of a place. In expressions, operands and operators alternate. */
function suggest(place: Place): Items {
  const { type, clause, columns, variables, mode } = place;
  const { picks, items = [], after = [], isExpression = false } = MODES.get(mode) ?? {};
  const path = pathBefore(clause);
  if (isExpression && endsWithOperand(clause)) return [...after.flat(), ...operatorItems(memberIn(place, path))];
  const words = clause.filter(({ kind }, at) => kind === "name" && clause[at - 1]?.kind !== "/").length;
  // A number of entities has no method: only its name follows.
  const skipped = clause.some(({ text }) => text === "$count") ? 1 : -1;
  const last = clause.at(-1);
  if (!isExpression && words > 0 && last?.kind !== "/") return after[words + skipped] ?? [];
  if (type === null || after.flat().some(({ label }) => label === last?.text)) return [];
  if (picks === undefined) return items;
  if (last?.kind === "/") {
    const owner = path.slice(0, -1);
    if (owner === "$these") return mode.startsWith("step ") ? TOTALS : [];
    // A variable is one item of its collection.
    const member = variables.has(owner) ? null : memberIn(place, owner);
    if (isExpression && member !== null && isCollection(member)) return COLLECTION;
    const target = typeAt(type, pathIn(place, owner));
    const count = mode === "step aggregate" && member !== null && isCollection(member) ? [COUNT] : [];
    return target === null ? [] : [...memberItems(target, picks), ...count];
  }
  const compared = (last?.operator?.precedence ?? 0) > 2 ? memberIn(place, pathBefore(clause.slice(0, -1))) : null;
  const names = Array.from(variables.keys(), (name) => item("variable", name, "the item"));
  return [...literalItems(compared), ...names, ...columns, ...memberItems(type, picks), ...items];
}

/** Returns a path from the type of a place, with collections instead of variables. */
function pathIn({ variables }: Place, path: string): string {
  const [first = "", ...rest] = path.split("/");
  return [variables.get(first) ?? first, ...rest].join("/");
}

function memberIn(place: Place, path: string): Member | null {
  return place.type && memberAt(place.type, pathIn(place, path));
}

function rootItems({ sets, operations }: Model): Items {
  const imports = operations.flatMap(({ importName, parameters, description, kind }) => {
    if (importName === null) return [];
    const label = `${importName}(${parameters.map(({ name }) => name).join(",")})`;
    return [item("operation", label, description, kind === "action" ? importName : undefined)];
  });
  return [...Array.from(sets.values(), ({ name, description }) => item("set", name, description)), ...imports];
}

function memberItems(type: StructuredType, picks: (member: Member) => boolean = () => true): Items {
  return [...type.properties.keys(), ...type.navigations.keys()].flatMap((name) => {
    const member = memberAt(type, name);
    if (member === null || !picks(member)) return [];
    const { description } = member.navigation ?? member.property;
    const own = member.kind === "navigation" ? member.navigation.target.name : nameOfType(member.property.type);
    const shown = isCollection(member) ? `collection of ${own}` : own;
    return [item(member.kind, name, description === null ? shown : `${shown} · ${description}`)];
  });
}

function enumItems({ qualifiedName, members }: EnumType): Items {
  return members.map(({ name, description }) => item("literal", name, description, `${qualifiedName}'${name}'`));
}

function literalItems(member: Member | null): Items {
  const type = member?.property?.type;
  if (type?.kind === "enum") return enumItems(type.enum);
  return type?.kind === "primitive" && type.name === "Edm.Boolean" ? words("literal", "true false") : [];
}

function operatorItems(member: Member | null): Items {
  const type = member?.property?.type;
  const isFlags = type?.kind === "enum" && type.enum.isFlags;
  const isNumber = type !== undefined && isNumeric(type);
  // By precedence: `has`, comparisons, what combines them, arithmetic.
  const levels = [...(isFlags ? [8] : []), 3, 4, 2, 1, ...(isNumber ? [5, 6] : [])];
  return levels.flatMap((level) =>
    [...OPERATORS.values()].flatMap(({ symbol, precedence }) => (precedence === level ? item("operator", symbol) : [])),
  );
}

/** Makes a suggestion. Of a call, the text up to its first argument is inserted. */
function item(
  kind: string,
  label: string,
  description: string | null = null,
  insert: string = label.replace(/(\(+)(?!\)$).*$/su, "$1"),
): CompletionItem {
  return { label, kind, description, insert };
}

function words(kind: string, list: string): Items {
  return list.split(" ").map((label) => item(kind, label));
}
