import type { Zone } from "../format/zone.ts";
import type { StructuredType } from "../model/model.ts";
import { readApply, titleOf } from "./apply-text.ts";
import { conditionsOf, type FilterNode, filterOf } from "./filter-tree.ts";
import { wordsOf } from "./filter-words.ts";
import { limitsOf, withLimits } from "./limits.ts";
import { readOrderBy, writeOrderBy } from "./order-by-text.ts";
import { NAME } from "./syntax.ts";

/** A part of a query in words. */
export interface QueryPart {
  readonly kind: "search" | "filter" | "order" | "steps" | "other";
  readonly words: string;
  /** The text of the part: of a filter its conditions, of an order its keys. */
  readonly text: string;
  /** The options without the part. */
  readonly rest: ReadonlyMap<string, string>;
}

/** A filter of more conditions is one part. */
const MOST_PARTS = 20;

/** Returns the parts of a query that choose, order and group its rows, each with the options that remain without it. */
export function partsOf(type: StructuredType, options: ReadonlyMap<string, string>, zone?: Zone): readonly QueryPart[] {
  const { search, filter, steps } = limitsOf(options);
  const order = options.get("$orderby") ?? "";
  const later = steps === "" ? "" : (options.get("$filter") ?? "");
  const without = (name: string, text = ""): ReadonlyMap<string, string> => new Map([...options, [name, text]]);
  const part = (kind: QueryPart["kind"], words: string, text: string, rest: QueryPart["rest"]): readonly QueryPart[] =>
    text === "" ? [] : [{ kind, words, text, rest }];
  const keys = readOrderBy(order);
  return [
    ...part("search", `Search: ${search}`, search, withLimits(options, { search: "" })),
    ...filterParts(filter, type, options, zone).map((each) => ({
      ...each,
      rest: withLimits(options, { filter: each.remains }),
    })),
    ...part("steps", stepWords(steps), steps, without("$apply")),
    ...filterParts(later, type, options, zone).map((each) => ({
      ...each,
      kind: "other" as const,
      rest: without("$filter", each.remains),
    })),
    ...(keys ?? []).flatMap((key, at) =>
      part(
        "order",
        `${at === 0 ? "Sorted" : "then"} by ${key.path}${key.isDescending ? ", descending" : ""}`,
        writeOrderBy([key]),
        without("$orderby", writeOrderBy((keys ?? []).toSpliced(at, 1))),
      ),
    ),
    ...part("order", `Sorted by ${order}`, keys === null ? order : "", without("$orderby")),
    ...OTHERS.flatMap(([name, words]) =>
      part("other", `${words} ${options.get(name) ?? ""}`, options.get(name) ?? "", without(name)),
    ),
  ];
}

const OTHERS = [
  ["$compute", "Computed:"],
  ["$skip", "Rows left out:"],
  ["$top", "Rows at most:"],
] as const;

function filterParts(filter: string, type: StructuredType, options: ReadonlyMap<string, string>, zone?: Zone) {
  const all = conditionsOf(filter);
  const parts = all.length > MOST_PARTS ? [all] : all.reduce<readonly (readonly FilterNode[])[]>(withBounds, []);
  return parts.map((items, at) => {
    const text = filterOf(items);
    const known = conditionsOf(withoutAliases(text, options));
    const words = items.length > 2 ? `Condition: ${text}` : known.map((each) => wordsOf(each, type, zone));
    const remains = filterOf(parts.toSpliced(at, 1).flat());
    return { kind: "filter" as const, words: typeof words === "string" ? words : joined(words, items), text, remains };
  });
}

/** The second bound of a range does not repeat the name. */
function joined(words: readonly string[], items: readonly FilterNode[]): string {
  const [first] = items;
  const name = first?.kind === "condition" ? `${first.path} ` : "";
  return words.map((each, at) => (at > 0 && each.startsWith(name) ? each.slice(name.length) : each)).join(" and ");
}

const BOUNDS = [/^g[et]$/u, /^l[et]$/u] as const;

/** Puts the lower and the upper bound of a property into one part. */
function withBounds(parts: readonly (readonly FilterNode[])[], node: FilterNode): readonly (readonly FilterNode[])[] {
  const [lower, ...more] = parts.at(-1) ?? [];
  const isRange = [lower, node].every(
    (each, at) =>
      each?.kind === "condition" &&
      node.kind === "condition" &&
      each.path === node.path &&
      BOUNDS[at]?.test(each.operator) === true,
  );
  return isRange && lower !== undefined && more.length === 0
    ? [...parts.slice(0, -1), [lower, node]]
    : [...parts, [node]];
}

const ALIAS = new RegExp(String.raw`'(?:[^']|'')*'|@${NAME}`, "gu");

/** Replaces aliases by their values. */
function withoutAliases(text: string, options: ReadonlyMap<string, string>): string {
  return text.replaceAll(ALIAS, (found) => options.get(found) ?? found);
}

function stepWords(steps: string): string {
  const form = readApply(steps);
  if (form === null || form.filter !== "") return `Steps: ${steps}`;
  const totals = form.totals.map(({ method, path }) => titleOf(method, path));
  const groups = form.groupBy.length === 0 ? [] : [`Grouped by ${form.groupBy.join(", ")}`];
  return [...groups, ...(totals.length === 0 ? [] : [totals.join(", ")])].join(": ");
}
