import type { AggregateSyntax } from "../../../src/language/syntax/aggregate-parser.ts";
import { type ApplySyntax, parseApply } from "../../../src/language/syntax/apply-parser.ts";
import { type ApplyTokens, tokenizeApply } from "../../../src/language/syntax/apply-tokens.ts";
import { type DateGroup, readDateGroup, writeDateGroup } from "./date-groups.ts";
import { parsed, pathOf, syntaxContext, textOf } from "./syntax.ts";

/** How a total is made of the values of a group. */
export type TotalMethod = AggregateSyntax["method"];

/** The names of the methods for people. */
export const METHOD_NAMES: ReadonlyMap<TotalMethod, string> = new Map([
  ["count", "Number of rows"],
  ["sum", "Sum"],
  ["average", "Average"],
  ["min", "Least"],
  ["max", "Greatest"],
  ["countdistinct", "Different values"],
]);

/** A total of each group, as a column of that name. The path is null for `count`. */
export interface Total {
  readonly method: TotalMethod;
  readonly path: string | null;
  readonly alias: string;
}

/** Groups and totals, as a form shows them: of all entities without a filter, and of everything without groups. */
export interface ApplyForm {
  readonly filter: string;
  /** Periods, before the paths. */
  readonly dates?: readonly DateGroup[];
  readonly groupBy: readonly string[];
  readonly totals: readonly Total[];
}

/** The form without a choice. */
export const NO_GROUPS: ApplyForm = Object.freeze({ filter: "", groupBy: [], totals: [] });

/** Returns the name of a total for people: `Sum of Price`. */
export function titleOf(method: TotalMethod, path: string | null): string {
  const name = METHOD_NAMES.get(method) ?? method;
  return path === null ? name : `${name} of ${path}`;
}

/** Returns a name for the column of a total that no other column has: `PriceSum`, `Count`. */
export function aliasOf(method: TotalMethod, path: string | null, taken: Iterable<string>): string {
  const word = method === "countdistinct" ? "Distinct" : method.charAt(0).toUpperCase() + method.slice(1);
  return freeName(path === null ? word : path + word, taken);
}

/** Returns a name like a text that no other column has. */
export function freeName(text: string, taken: Iterable<string>): string {
  const base = text.replaceAll("/", "_").slice(0, 120);
  const names = new Set(taken);
  let alias = base;
  for (let number = 2; names.has(alias); number += 1) alias = `${base}${number}`;
  return alias;
}

/** Writes the text of `$apply`; empty without a group and a total. */
export function writeApply({ filter, dates = [], groupBy, totals }: ApplyForm): string {
  const groups = [...dates.map(({ alias }) => alias), ...groupBy];
  if (groups.length === 0 && totals.length === 0) return "";
  const aggregate = totals.length === 0 ? [] : [`aggregate(${totals.map(writeTotal).join(",")})`];
  return [
    ...(filter.trim() === "" ? [] : [`filter(${filter.trim()})`]),
    ...(dates.length === 0 ? [] : [`compute(${dates.map(writeDateGroup).join(",")})`]),
    ...(groups.length === 0 ? aggregate : [`groupby(${[`(${groups.join(",")})`, ...aggregate].join(",")})`]),
  ].join("/");
}

function writeTotal({ method, path, alias }: Total): string {
  return path === null ? `$count as ${alias}` : `${path} with ${method} as ${alias}`;
}

/** Reads the text of `$apply` as a form; null for other steps and for a fault of syntax: then the text is shown. */
export function readApply(text: string): ApplyForm | null {
  if (text.trim() === "") return NO_GROUPS;
  const { steps, list } = syntaxOf(text);
  const [first, ...others] = steps;
  const isFiltered = first?.kind === "filter";
  const [begun, ...following] = isFiltered ? others : steps;
  const computed = begun?.kind === "compute" ? begun.items : [];
  const dates = computed.map((item) => readDateGroup(item, list));
  const [last, ...further] = computed.length > 0 ? following : [begun, ...following];
  if (last === undefined || further.length > 0 || !isEach(dates)) return null;
  const groups = last.kind === "groupby" ? last.paths.map((path) => pathOf(path)) : [];
  const groupBy = groups.slice(dates.length);
  const [inner, ...more] = last.kind === "groupby" ? (last.steps ?? []) : [last];
  const totals = inner?.kind === "aggregate" ? inner.items.map(toTotal) : [];
  const isForm = more.length === 0 && (inner === undefined || inner.kind === "aggregate");
  const isDated = dates.every((each, at) => each?.alias === groups[at]);
  if (!isForm || !isDated || !isEach(groupBy) || !isEach(totals)) return null;
  const filter = isFiltered ? textOf(first.expression, list) : "";
  return { filter, ...(dates.length === 0 ? {} : { dates }), groupBy, totals };
}

/** Returns the search that is the first step of `$apply`, and the steps after it. */
export function searchOf(text: string): readonly [search: string, steps: string] {
  const { steps, searches } = syntaxOf(text);
  const { start = 0, end = 0 } = steps[0]?.kind === "search" ? (searches[0] ?? {}) : {};
  return [text.slice(start, end), end === 0 ? text : text.slice(steps[1]?.position ?? text.length)];
}

/** The rows that `$apply` makes: the paths by which it groups, and those of them that are periods. */
export interface AppliedRows {
  readonly groups: readonly string[];
  readonly dates: readonly DateGroup[];
  /** The search and the filter of the entities in the groups; null where other steps choose or change them. */
  readonly entities: { readonly search: string; readonly filter: string } | null;
}

/** Returns what rows `$apply` makes; null if they are entities, if branches make them, and for a fault of syntax. */
export function appliedRows(text: string): AppliedRows | null {
  const { steps, list } = syntaxOf(text);
  const at = steps.findLastIndex(({ kind }) => kind === "groupby" || kind === "aggregate");
  const step = steps[at];
  if (step?.kind !== "groupby" && step?.kind !== "aggregate") return null;
  const groups = step.kind === "groupby" ? step.paths.map((path) => pathOf(path)) : [];
  const others = [...(step.kind === "groupby" ? (step.steps ?? []) : []), ...steps.slice(at + 1)];
  const makesRows = others.some(({ kind }) => ["groupby", "concat", "join", "outerjoin"].includes(kind));
  if (!isEach(groups) || makesRows) return null;
  const computed = steps[at - 1];
  const made = computed?.kind === "compute" ? computed.items.map((item) => readDateGroup(item, list)) : [];
  const dates = isEach(made) ? made : [];
  const before = steps.slice(0, dates.length > 0 ? at - 1 : at);
  const isPlain = before.every(({ kind }, index) => kind === "filter" || (kind === "search" && index === 0));
  const filters = before.flatMap((each) => (each.kind === "filter" ? `(${textOf(each.expression, list)})` : []));
  return { groups, dates, entities: isPlain ? { search: searchOf(text)[0], filter: filters.join(" and ") } : null };
}

/** Reads the steps of `$apply`; none for a fault of syntax. */
function syntaxOf(text: string): ApplyTokens & Pick<ApplySyntax, "steps"> {
  const syntax = parsed((context) => {
    const tokens = tokenizeApply(text, context);
    return { ...tokens, ...parseApply(tokens, context) };
  });
  return syntax ?? { ...tokenizeApply("", syntaxContext()), steps: [] };
}

function toTotal({ expression, method, alias: { name: alias } }: AggregateSyntax): Total | null {
  if (expression === null) return { method, path: null, alias };
  const path = method === "count" ? null : pathOf(expression);
  return path === null ? null : { method, path, alias };
}

function isEach<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return !items.includes(null);
}
