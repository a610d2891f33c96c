import type { AggregateSyntax } from "../../../src/syntax/aggregate-parser.ts";
import { type ApplyStepSyntax, parseApply, tokenizeApply } from "../../../src/syntax/apply-parser.ts";
import type { SyntaxNode } from "../../../src/syntax/ast.ts";
import type { Token } from "../../../src/syntax/token.ts";
import { syntaxContext } from "./syntax-context.ts";

/** How a total is made of the values of a group. */
export type TotalMethod = "sum" | "average" | "min" | "max" | "countdistinct" | "count";

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

/**
 * Reads the text of `$apply` as a form.
 * @returns null for other steps, and for a fault of syntax: then the text is shown
 */
export function readApply(text: string): ApplyForm | null {
  if (text.trim() === "") return NO_GROUPS;
  try {
    const context = syntaxContext();
    const tokens = tokenizeApply(text, context);
    const { steps } = parseApply(tokens, context);
    return readSteps(steps, text, tokens.list.tokens);
  } catch {
    return null;
  }
}

function readSteps(steps: readonly ApplyStepSyntax[], text: string, tokens: readonly Token[]): ApplyForm | null {
  const [first] = steps;
  const filter = first?.kind === "filter" ? filterText(text, tokens) : "";
  const [group, last, ...others] = first?.kind === "filter" ? steps.slice(1) : steps;
  if (group === undefined || others.length > 0) return null;
  const groups = readGroups(group);
  const limit = last === undefined ? null : readLimit(last);
  return groups === null || limit === undefined ? null : { filter, ...groups, limit };
}

/** Returns the text within the parentheses of the filter in front. */
function filterText(text: string, tokens: readonly Token[]): string {
  let depth = 0;
  for (const { kind, position } of tokens) {
    if (kind === "(") depth += 1;
    if (kind === ")") depth -= 1;
    if (kind === ")" && depth === 0) return text.slice((tokens[1]?.position ?? 0) + 1, position).trim();
  }
  return "";
}

function readGroups(step: ApplyStepSyntax): Pick<ApplyForm, "groupBy" | "totals"> | null {
  if (step.kind === "aggregate") return withTotals([], step.items);
  if (step.kind !== "groupby") return null;
  const groupBy = step.paths.map((path) => pathOf(path)).filter((path) => path !== null);
  const [inner, ...others] = step.steps ?? [];
  if (inner === undefined) return { groupBy, totals: [] };
  return inner.kind === "aggregate" && others.length === 0 ? withTotals(groupBy, inner.items) : null;
}

function withTotals(
  groupBy: readonly string[],
  items: readonly AggregateSyntax[],
): Pick<ApplyForm, "groupBy" | "totals"> | null {
  const totals: Total[] = [];
  for (const { expression, method, alias } of items) {
    const path = expression === null ? null : pathOf(expression);
    if (expression !== null && path === null) return null;
    totals.push({ method, path, alias: alias.name });
  }
  return { groupBy, totals };
}

/** Returns the limit of a last step; undefined for another step. */
function readLimit(step: ApplyStepSyntax): ApplyForm["limit"] | undefined {
  if (step.kind !== "topcount" && step.kind !== "bottomcount") return undefined;
  const by = step.expression === null ? null : pathOf(step.expression);
  if (by === null || step.count.kind !== "literal" || !/^\d{1,9}$/u.test(step.count.literal.text)) return undefined;
  return { count: Number(step.count.literal.text), by, end: step.kind === "topcount" ? "top" : "bottom" };
}

/** Returns the path of a property; null for any other expression. */
function pathOf(node: SyntaxNode): string | null {
  if (node.kind !== "member") return null;
  if (node.source === null) return node.name;
  const source = pathOf(node.source);
  return source === null ? null : `${source}/${node.name}`;
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
