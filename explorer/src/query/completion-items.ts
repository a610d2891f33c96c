import { isNumeric } from "../format/show-value.ts";
import type { EnumType, Model, PropertyType, StructuredType } from "../model/model.ts";
import { isCollection, type Member, memberAt, targetOf } from "./resolve-type.ts";

/** What a list of suggestions shows of one, and the text that replaces the word at the cursor. */
export interface CompletionItem {
  readonly label: string;
  /** `set`, `property`, `function`, … */
  readonly kind: string;
  readonly description: string | null;
  readonly insert: string;
}
export type Items = readonly CompletionItem[];

/** Makes a suggestion. Of a call, the text up to its first argument is inserted. */
export function item(
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

/** Makes the suggestions of the first segment of a path. */
export function rootItems({ sets, operations }: Model): Items {
  const imports = operations.flatMap(({ importName, parameters, description, kind }) => {
    if (importName === null) return [];
    const label = `${importName}(${parameters.map(({ name }) => name).join(",")})`;
    return [item("operation", label, description, kind === "action" ? importName : undefined)];
  });
  return [...Array.from(sets.values(), ({ name, description }) => item("set", name, description)), ...imports];
}

/** Makes the suggestions of a type: its properties, then its navigations. */
export function memberItems(type: StructuredType, picks: (member: Member) => boolean = () => true): Items {
  return [...type.properties.keys(), ...type.navigations.keys()].flatMap((name) => {
    const member = memberAt(type, name);
    if (member === null || !picks(member)) return [];
    const { description } = member.navigation ?? member.property;
    const own = member.kind === "navigation" ? member.navigation.target.name : nameOfType(member.property.type);
    const shown = isCollection(member) ? `collection of ${own}` : own;
    return [item(member.kind, name, description === null ? shown : `${shown} · ${description}`)];
  });
}

function nameOfType(type: PropertyType): string {
  if (type.kind === "primitive") return type.name.replace(/^Edm\./u, "");
  return type.kind === "enum" ? type.enum.name : type.type.name;
}

/** Makes the suggestions of the literals of an enumeration. */
export function enumItems({ qualifiedName, members }: EnumType): Items {
  return members.map(({ name, description }) => item("literal", name, description, `${qualifiedName}'${name}'`));
}

/** Makes the suggestions of the literals of a member that can be listed. */
export function literalItems(member: Member | null): Items {
  const type = member?.property?.type;
  if (type?.kind === "enum") return enumItems(type.enum);
  return type?.kind === "primitive" && type.name === "Edm.Boolean" ? words("literal", "true false") : [];
}

/** Makes the suggestions of the operators after a member, or after another operand. */
export function operatorItems(member: Member | null): Items {
  const type = member?.property?.type;
  const flags = type?.kind === "enum" && type.enum.isFlags ? [item("operator", "has", "has the member")] : [];
  const arithmetic = type !== undefined && isNumeric(type) ? words("operator", "add sub mul div mod") : [];
  return [...flags, ...words("operator", "eq ne gt ge lt le in and or"), ...arithmetic];
}

/** What may follow a collection in a path. */
export const COLLECTION: Items = [
  item("function", "any(x:…)", "whether a condition is true for an item", "any(x:"),
  item("function", "all(x:…)", "whether a condition is true for all items", "all(x:"),
  item("property", "$count", "number of items"),
];

/** The functions of the standard by their arguments. @see OData URL Conventions 4.0, section 5.1.1.4 */
const FUNCTIONS = Object.entries({
  "text,part": "contains startswith endswith indexof",
  text: "tolower toupper length trim",
  "text,start,length": "substring",
  "text,text": "concat",
  time: "year month day hour minute second fractionalseconds date time totaloffsetminutes",
  "": "now mindatetime maxdatetime",
  duration: "totalseconds",
  number: "round floor ceiling",
  "value,type": "cast isof",
}).flatMap(([parameters, names]) => words("function", names.replaceAll(/\w+/gu, `$&(${parameters})`)));

/** The options of a query. */
export const OPTIONS: Items = Object.entries({
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
    "concat(…,…) identity",
);

/** What an option, or a step of `$apply`, takes. */
export interface Mode {
  /** The members that its operands begin with; absent: none. */
  readonly picks?: (member: Member) => boolean;
  /** What else may begin an operand. */
  readonly items?: Items;
  /** Whether operands are expressions, with operators and literals. */
  readonly isExpression?: true;
  /** What follows an operand, word by word. */
  readonly after?: readonly Items[];
}

const EXPRESSION: Mode = {
  picks: () => true,
  items: [...FUNCTIONS, ...words("operator", "not"), ...words("literal", "null")],
  isExpression: true,
};
const PATHS: Mode = { picks: (member) => !isCollection(member) };
const STEP: Mode = { items: STEPS, after: [[item("operator", "/", "the next step")]] };
const AGGREGATE: Mode = {
  ...PATHS,
  items: [item("function", "$count", "number of entities", "$count as ")],
  after: ["with", "sum average min max countdistinct", "as"].map((list) => words("operator", list)),
};

/** The modes of options, of steps and of parentheses without a name, with `$`. */
export const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ["$filter", EXPRESSION],
  ["$orderby", { ...EXPRESSION, after: [words("operator", "asc desc")] }],
  ["$compute", { ...EXPRESSION, after: [words("operator", "as")] }],
  ["$select", { picks: ({ kind }) => kind === "property" }],
  // Complex properties are on the way to navigations.
  ["$expand", { picks: (member) => member.kind === "navigation" || (targetOf(member)?.navigations.size ?? 0) > 0 }],
  ["option of $expand", { items: [...OPTIONS.filter(({ label }) => label !== "$apply"), LEVELS] }],
  ["$count", { items: words("literal", "true false") }],
  ["$apply", STEP],
  ["$concat", STEP],
  ["$groupby", { items: [item("step", "(", "the properties"), ...STEPS] }],
  ["$", PATHS],
  ["$topcount", PATHS],
  ["$bottomcount", PATHS],
  ["$aggregate", AGGREGATE],
]);
