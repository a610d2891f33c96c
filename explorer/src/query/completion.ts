import { FUNCTION_SIGNATURES } from "../../../src/edm/canonical-functions.ts";
import { isNumeric } from "../format/show-value.ts";
import type { EnumType, Model, StructuredType } from "../model/model.ts";
import { readQueryText } from "./option-text.ts";
import { isCollection, type Member, memberAt, nameOfType, resolvePath, targetOf, typeAt } from "./resolve-type.ts";
import { NAME } from "./syntax.ts";

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

/** The value of an option, or of the innermost open parentheses in it. */
interface Place {
  /** A key of `MODES`. */
  readonly mode: string;
  readonly text: string;
  /** The type whose members it names; null for an unknown one. */
  readonly type: StructuredType | null;
  /** The names that `$compute` and `$apply` define. */
  readonly columns: Items;
  /** The variables of lambdas, with the paths of their collections. */
  readonly variables: ReadonlyMap<string, string>;
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
const JOIN: Mode = { picks: ({ kind }) => kind === "navigation", after: [words("operator", "as")] };
const COUNT = item("function", "$count", "number of entities", "$count as ");
const METHOD = ["with", "sum average min max countdistinct"].map((list) => words("operator", list));
const AGGREGATE: Mode = { picks: () => true, items: [COUNT], after: [...METHOD, words("operator", "as")] };
/** The rows that a step receives, and their totals. */
const THESE = item("variable", "$these", "the rows of this step", "$these/");
const TOTALS = [item("property", "$count", "number of rows"), item("function", "aggregate(…)")];
const STEP_EXPRESSION: Mode = { ...EXPRESSION, items: [...(EXPRESSION.items ?? []), THESE] };

/** The modes of options and of steps; within `groupby`, a step without a name has the properties. */
const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ["$filter", EXPRESSION],
  ["$orderby", { ...EXPRESSION, after: [words("operator", "asc desc")] }],
  ["$compute", { ...EXPRESSION, after: [words("operator", "as")] }],
  ["$select", { picks: ({ kind }) => kind === "property" }],
  // Complex properties are on the way to navigations.
  ["$expand", { picks: (member) => member.kind === "navigation" || (targetOf(member)?.navigations.size ?? 0) > 0 }],
  ["option of $expand", { items: [...OPTIONS.filter(({ label }) => label !== "$apply"), LEVELS] }],
  ["$count", { items: words("literal", "true false") }],
  ["$apply", STEP],
  ["step filter", STEP_EXPRESSION],
  ["step compute", { ...STEP_EXPRESSION, after: [words("operator", "as")] }],
  ["step orderby", { ...EXPRESSION, after: [words("operator", "asc desc")] }],
  ["step concat", STEP],
  ["step groupby", { items: [item("step", "(", "the properties"), ...STEPS] }],
  ["step ", PATHS],
  ...["topcount", "bottomcount", "topsum", "bottomsum", "toppercent", "bottompercent"].map((step): [string, Mode] => [
    `step ${step}`,
    PATHS,
  ]),
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
  const first = items.filter(({ insert, label }) =>
    [insert, label].some((each) => each.toLowerCase().startsWith(start)),
  );
  const others = items.filter((each) => !first.includes(each) && each.label.toLowerCase().includes(start));
  return { from: cursor - word.length, to: cursor + rest.length, items: [...first, ...others] };
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
    .flatMap(({ value }) => Array.from(value.matchAll(new RegExp(String.raw`\sas\s+(${NAME})`, "gu"))))
    .map(([, name = ""]) => item("property", name, "column of this query"));
  const text = before.slice(piece.valueStart);
  return completeValue({ mode: piece.name, text, type, columns, variables: new Map() }, model);
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

/** Suggests the end of a value. A sign replaces strings and closed parentheses, so that the open parentheses remain. */
function completeValue(place: Place, { enums }: Model): End {
  const text = place.text.replaceAll(/'(?:[^']|'')*'/gu, "#");
  const [string, typeName = ""] = /(?<![\p{L}\p{N}_.])([\p{L}\p{N}_.]*)'.*$/su.exec(text) ?? [];
  const type = enums.get(typeName);
  if (string !== undefined) return [string, type === undefined ? [] : enumItems(type)];
  const open = [""];
  for (const [part] of text.matchAll(/[()]|[^()]+/gu)) {
    const isEnd = part === ")" && open.length > 1;
    if (isEnd) open.pop();
    if (part === "(") open.push("");
    else open.push(`${open.pop() ?? ""}${isEnd ? "#" : part}`);
  }
  // An item of a list has the form of an operand after `eq`.
  const [first = "", ...contents] = open
    .join("(")
    .replace(/\sin\s*\((?:[^()]*,)?([^(),]*)$/u, " eq $1")
    .split("(");
  return suggest(contents.reduce(enter, { ...place, text: first }));
}

/** Goes into the parentheses at the end of a place. */
function enter(place: Place, content: string): Place {
  const [path = ""] = /(?<![\p{L}\p{N}_./$])[\p{L}\p{N}_./$]*$/u.exec(place.text) ?? [];
  const slash = path.lastIndexOf("/");
  if (place.mode === "$expand") {
    const option = content.slice(content.lastIndexOf(";") + 1);
    const [, mode = "option of $expand", text = option] = /^\s*(\$\w+)=(.*)$/su.exec(option) ?? [];
    return { ...place, mode, text, type: place.type && typeAt(place.type, path), columns: [] };
  }
  const word = path.slice(slash + 1);
  if (MODES.get(place.mode)?.isExpression !== true) return { ...place, mode: `step ${word}`, text: content };
  if (path === "$these/aggregate") return { ...place, mode: "total of $these", text: content };
  const [, variable, text = content] = /^\s*([\p{L}\p{N}_]+)\s*:(.*)$/su.exec(content) ?? [];
  const variables = new Map(place.variables);
  if (variable !== undefined) variables.set(variable, pathIn(place, path.slice(0, Math.max(slash, 0))));
  return { ...place, mode: place.mode.startsWith("step ") ? "step filter" : "$filter", text, variables };
}

/** Suggests the words that fit the end of a place. In expressions, operands and operators alternate. */
function suggest(place: Place): End {
  const { type, text, columns, variables } = place;
  const { picks, items = [], after = [], isExpression = false } = MODES.get(place.mode) ?? {};
  // A string and a closed parenthesis end an operand without a blank, too.
  const clause = text
    .slice(text.lastIndexOf(",") + 1)
    .replaceAll(/\bnot\s+/gu, "")
    .replace(/#$/u, "# ");
  const before = clause.trimStart().split(/\s+/u);
  const [path = ""] = /(?<![\p{L}\p{N}_./$@])[\p{L}\p{N}_./$@]*$/u.exec(before.pop() ?? "") ?? [];
  const slash = path.lastIndexOf("/");
  const word = path.slice(slash + 1);
  const [last = "", left = ""] = before.toReversed();
  const isAfter = isExpression && before.length % 2 === 1;
  if (isAfter) return [word, [...after.flat(), ...operatorItems(memberIn(place, last))]];
  // A number of entities has no method: only its name follows.
  const skipped = before[0]?.endsWith("$count") === true ? 1 : -1;
  if (!isExpression && before.length > 0) return [word, after[before.length + skipped] ?? []];
  if (type === null || after.flat().some(({ label }) => label === last)) return [word, []];
  if (picks === undefined) return [word, items];
  if (slash >= 0) {
    const owner = path.slice(0, slash);
    if (owner === "$these") return [word, place.mode.startsWith("step ") ? TOTALS : []];
    // A variable is one item of its collection.
    const member = variables.has(owner) ? null : memberIn(place, owner);
    if (isExpression && member !== null && isCollection(member)) return [word, COLLECTION];
    const target = typeAt(type, pathIn(place, owner));
    const count = place.mode === "step aggregate" && member !== null && isCollection(member) ? [COUNT] : [];
    return [word, target === null ? [] : [...memberItems(target, picks), ...count]];
  }
  const compared = /^(?:and|or)?$/u.test(last) ? null : memberIn(place, left);
  const names = Array.from(variables.keys(), (name) => item("variable", name, "the item"));
  return [word, [...literalItems(compared), ...names, ...columns, ...memberItems(type, picks), ...items]];
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
  const flags = type?.kind === "enum" && type.enum.isFlags ? [item("operator", "has", "has the member")] : [];
  const arithmetic = type !== undefined && isNumeric(type) ? words("operator", "add sub mul div mod") : [];
  return [...flags, ...words("operator", "eq ne gt ge lt le in and or"), ...arithmetic];
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
