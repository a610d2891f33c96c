import type { AggregateSyntax } from "../../../src/language/syntax/aggregate-parser.ts";
import { type ApplyStepSyntax, type ApplySyntax, parseApply } from "../../../src/language/syntax/apply-parser.ts";
import { tokenizeApply } from "../../../src/language/syntax/apply-tokens.ts";
import { type DateGroup, readDateGroup, writeDateGroup } from "./date-groups.ts";
import { pathOf, split, syntaxContext } from "./syntax.ts";

/** How a total is made of the values of a group. */
type TotalMethod = "count" | "sum" | "average" | "min" | "max" | "countdistinct";

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
  const steps = parsed(text)?.steps ?? [];
  const [first, ...rest] = steps;
  const filter = first?.kind === "filter" ? textIn(text, steps, 0) : "";
  const afterFilter = first?.kind === "filter" ? rest : steps;
  const dates = datesIn(text, steps, steps.length - afterFilter.length);
  const [last, ...further] = dates.length === 0 ? afterFilter : afterFilter.slice(1);
  if (last === undefined || further.length > 0) return null;
  const groups = last.kind === "groupby" ? last.paths.map(pathOf) : [];
  const isDated = dates.every(({ alias }, at) => alias === groups[at]);
  const groupBy = groups.slice(dates.length);
  const [inner, ...others] = last.kind === "groupby" ? (last.steps ?? []) : [last];
  const totals = inner?.kind === "aggregate" ? inner.items.map(toTotal) : [];
  const isForm = others.length === 0 && (inner === undefined || inner.kind === "aggregate");
  if (!isForm || !isDated || !isEach(groupBy) || !isEach(totals)) return null;
  return { filter, ...(dates.length === 0 ? {} : { dates }), groupBy, totals };
}

/** Returns the periods that a step computes; none of another step. */
function datesIn(text: string, steps: readonly ApplyStepSyntax[], at: number): readonly DateGroup[] {
  const step = steps[at];
  if (step?.kind !== "compute") return [];
  const texts = split(textIn(text, steps, at), ",");
  const dates = step.items.map((item, index) => readDateGroup(item, texts[index] ?? ""));
  return isEach(dates) ? dates : [];
}

/** The rows that `$apply` makes: the paths by which it groups. */
export interface AppliedRows {
  readonly groups: readonly string[];
  /** The search and the filter of the entities in the groups; null where other steps choose or change them. */
  readonly entities: { readonly search: string; readonly filter: string } | null;
}

/** Returns what rows `$apply` makes; null if they are entities, if branches make them, and for a fault of syntax. */
export function appliedRows(text: string): AppliedRows | null {
  const steps = parsed(text)?.steps ?? [];
  const at = steps.findLastIndex(({ kind }) => kind === "groupby" || kind === "aggregate");
  const step = steps[at];
  if (step?.kind !== "groupby" && step?.kind !== "aggregate") return null;
  const groups = step.kind === "groupby" ? step.paths.map(pathOf) : [];
  const others = [...(step.kind === "groupby" ? (step.steps ?? []) : []), ...steps.slice(at + 1)];
  const makesRows = others.some(({ kind }) => ["groupby", "concat", "join", "outerjoin"].includes(kind));
  if (!isEach(groups) || makesRows) return null;
  const before = steps.slice(0, at);
  const textsOf = (kind: string): readonly string[] =>
    before.flatMap((each, index) => (each.kind === kind ? textIn(text, steps, index) : []));
  const isPlain = before.every(({ kind }, index) => kind === "filter" || (kind === "search" && index === 0));
  const filter = textsOf("filter");
  return {
    groups,
    entities: isPlain
      ? { search: textsOf("search").join(""), filter: filter.map((each) => `(${each})`).join(" and ") }
      : null,
  };
}

function parsed(text: string): ApplySyntax | null {
  try {
    const context = syntaxContext();
    return parseApply(tokenizeApply(text, context), context);
  } catch {
    return null;
  }
}

/** Returns the text between the parentheses of a step. */
function textIn(text: string, steps: readonly ApplyStepSyntax[], at: number): string {
  const start = text.indexOf("(", steps[at]?.position) + 1;
  return text.slice(start, text.lastIndexOf(")", steps[at + 1]?.position)).trim();
}

function toTotal({ expression, method, alias: { name: alias } }: AggregateSyntax): Total | null {
  if (expression === null) return { method, path: null, alias };
  const path = method === "count" ? null : pathOf(expression);
  return path === null ? null : { method, path, alias };
}

function isEach<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return !items.includes(null);
}
