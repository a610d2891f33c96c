import { isWellFormed } from "./check-query.ts";

/** How a total is made of the values of a group. */
export type TotalMethod = "count" | "sum" | "average" | "min" | "max" | "countdistinct";

/** The names of the methods for people. */
export const METHOD_NAMES: ReadonlyMap<TotalMethod, string> = new Map([
  ["count", "Number of rows"],
  ["sum", "Sum"],
  ["average", "Average"],
  ["min", "Least"],
  ["max", "Greatest"],
  ["countdistinct", "Different values"],
]);

/** Returns the method that a word names; the number of rows for any other word. */
export function methodOf(word: string | undefined): TotalMethod {
  return [...METHOD_NAMES.keys()].find((each) => each === word) ?? "count";
}

/** A total of each group. */
export interface Total {
  readonly method: TotalMethod;
  /** The property; null for `count`. */
  readonly path: string | null;
  /** The name of the column. */
  readonly alias: string;
}

/** Groups and totals, as a form shows them. */
export interface ApplyForm {
  /** The condition of the entities that count; empty for all. */
  readonly filter: string;
  /** The properties that make the groups; none for one total of everything. */
  readonly groupBy: readonly string[];
  readonly totals: readonly Total[];
  /** The groups with the greatest or least value; null for all. */
  readonly limit: { readonly count: number; readonly by: string; readonly end: "top" | "bottom" } | null;
}

/** The form without a choice. */
export const NO_GROUPS: ApplyForm = Object.freeze({ filter: "", groupBy: [], totals: [], limit: null });

/** Writes the text of `$apply`; empty without a group and a total. */
export function writeApply({ filter, groupBy, totals, limit }: ApplyForm): string {
  if (groupBy.length === 0 && totals.length === 0) return "";
  const aggregate = totals.length === 0 ? "" : `aggregate(${totals.map(writeTotal).join(",")})`;
  const groups = `groupby((${groupBy.join(",")})${aggregate === "" ? "" : `,${aggregate}`})`;
  return [
    ...(filter.trim() === "" ? [] : [`filter(${filter.trim()})`]),
    groupBy.length === 0 ? aggregate : groups,
    ...(limit === null ? [] : [`${limit.end}count(${limit.count},${limit.by})`]),
  ].join("/");
}

/** Writes a total as `aggregate` has it. */
export function writeTotal({ method, path, alias }: Total): string {
  return path === null ? `$count as ${alias}` : `${path} with ${method} as ${alias}`;
}

const PATH = String.raw`[\p{L}_][\p{L}\p{N}_]*(?:/[\p{L}_][\p{L}\p{N}_]*)*`;
const BLANK = String.raw`\s*`;
const AGGREGATE = String.raw`aggregate\(([^()]*)\)`;
const FILTER = /^\s*filter\(((?:'[^']*'|[^'])*?)\)\/(?=(?:groupby|aggregate)\()/u;
const STEPS = new RegExp(
  `^(?:${AGGREGATE}|groupby\\(${BLANK}\\(([^()]*)\\)${BLANK}(?:,${BLANK}${AGGREGATE}${BLANK})?\\))` +
    `(?:/(top|bottom)count\\(${BLANK}(\\d{1,9})${BLANK},${BLANK}(${PATH})${BLANK}\\))?$`,
  "u",
);
const GROUP = new RegExp(`^${PATH}$`, "u");
const TOTAL = new RegExp(
  String.raw`^(?:\$count|(${PATH})\s+with\s+(sum|average|min|max|countdistinct))\s+as\s+([\p{L}_][\p{L}\p{N}_]*)$`,
  "u",
);

/**
 * Reads the text of `$apply` as a form.
 * @returns null for other steps, and for a fault of syntax: then the text is shown
 */
export function readApply(text: string): ApplyForm | null {
  if (text.trim() === "") return NO_GROUPS;
  const [front = "", filter = ""] = FILTER.exec(text) ?? [];
  const steps = STEPS.exec(text.slice(front.length).trim());
  if (steps === null) return null;
  const [, only, groups, inner, end, count, by = ""] = steps;
  const groupBy = listOf(groups);
  const totals = listOf(only ?? inner).map(readTotal);
  const isRead = groupBy.every((path) => GROUP.test(path)) && totals.every((total) => total !== null);
  if (!isRead || (front !== "" && !isWellFormed("$filter", filter))) return null;
  const limit =
    end === undefined ? null : ({ count: Number(count), by, end: end === "top" ? "top" : "bottom" } as const);
  return { filter: filter.trim(), groupBy, totals, limit };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(",").map((part) => part.trim());
}

function readTotal(text: string): Total | null {
  const [, path = null, name, alias] = TOTAL.exec(text) ?? [];
  if (alias === undefined) return null;
  return { method: methodOf(name), path, alias };
}

/** Returns a name for the column of a total that no other column has: `PriceSum`, `Count`. */
export function aliasOf(method: TotalMethod, path: string | null, taken: Iterable<string>): string {
  const word = method === "countdistinct" ? "Distinct" : method.charAt(0).toUpperCase() + method.slice(1);
  const base = (path === null ? word : path.replaceAll("/", "_") + word).slice(0, 120);
  const names = new Set(taken);
  let alias = base;
  for (let number = 2; names.has(alias); number += 1) alias = `${base}${number}`;
  return alias;
}
