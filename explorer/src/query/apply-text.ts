import { isExpression, NAME, PATH, readItems } from "./syntax.ts";

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
  const base = (path === null ? word : path.replaceAll("/", "_") + word).slice(0, 120);
  const names = new Set(taken);
  let alias = base;
  for (let number = 2; names.has(alias); number += 1) alias = `${base}${number}`;
  return alias;
}

/** Writes the text of `$apply`; empty without a group and a total. */
export function writeApply({ filter, groupBy, totals }: ApplyForm): string {
  if (groupBy.length === 0 && totals.length === 0) return "";
  const aggregate = totals.length === 0 ? [] : [`aggregate(${totals.map(writeTotal).join(",")})`];
  return [
    ...(filter.trim() === "" ? [] : [`filter(${filter.trim()})`]),
    ...(groupBy.length === 0 ? aggregate : [`groupby(${[`(${groupBy.join(",")})`, ...aggregate].join(",")})`]),
  ].join("/");
}

function writeTotal({ method, path, alias }: Total): string {
  return path === null ? `$count as ${alias}` : `${path} with ${method} as ${alias}`;
}

const LIST = String.raw`\(\s*([^()\s][^()]*)\)`;
const FORM = new RegExp(
  String.raw`^\s*(?:filter\((.*)\)/)?(?:aggregate${LIST}|groupby\(\s*${LIST}\s*(?:,\s*aggregate${LIST}\s*)?\))\s*$`,
  "su",
);
const GROUP = new RegExp(`^${PATH}$`, "u");
const TOTAL = new RegExp(
  String.raw`^(?:\$count|(${PATH})\s+with\s+(sum|average|min|max|countdistinct))\s+as\s+(${NAME})$`,
  "u",
);

/** Reads the text of `$apply` as a form; null for other steps and for a fault of syntax: then the text is shown. */
export function readApply(text: string): ApplyForm | null {
  if (text.trim() === "") return NO_GROUPS;
  const steps = FORM.exec(text);
  const [, filter, only, groups = "", inner = ""] = steps ?? [];
  const groupBy = readItems(groups, GROUP)?.map(([path]) => path);
  const totals = readItems(only ?? inner, TOTAL)?.map(readTotal);
  const isRead = filter === undefined || isExpression(filter);
  if (steps === null || groupBy === undefined || totals === undefined || !isRead) return null;
  return { filter: filter?.trim() ?? "", groupBy, totals };
}

function readTotal([, path, word, alias = ""]: RegExpExecArray): Total {
  const method = [...METHOD_NAMES.keys()].find((each) => each === word) ?? "count";
  return { method, path: path ?? null, alias };
}
