import type { Zone } from "../format/zone.ts";
import type { StructuredType } from "../model/model.ts";
import { readApply, titleOf } from "./apply-text.ts";
import { conditionsOf, type FilterNode, filterOf } from "./filter-tree.ts";
import { wordsOf } from "./filter-words.ts";
import { limitsOf, withLimits } from "./limits.ts";
import { readOrderBy, writeOrderBy } from "./order-by-text.ts";

type Options = ReadonlyMap<string, string>;

/** A part of a query in words, with the options that remain without it. */
export interface QueryPart {
  readonly words: string;
  readonly rest: Options;
}

const OTHERS = Object.entries({ $compute: "Computed:", $skip: "Rows left out:", $top: "Rows at most:" });

/** Returns the parts of a query that choose, order and group its rows. */
export function partsOf(type: StructuredType, options: Options, zone?: Zone): readonly QueryPart[] {
  const { search, filter, steps } = limitsOf(options);
  const textOf = (name: string): string => options.get(name) ?? "";
  const without = (name: string, text = ""): Options => new Map([...options, [name, text]]);
  const ofFilter = (text: string) => filterParts(text, options, (node) => wordsOf(node, type, zone));
  const keys = readOrderBy(textOf("$orderby")) ?? [{ path: textOf("$orderby"), isDescending: false }];
  const parts: readonly (readonly [words: string, text: string, rest: Options])[] = [
    [`Search: ${search}`, search, withLimits(options, { search: "" })],
    ...ofFilter(filter).map(([words, others]) => [words, words, withLimits(options, { filter: others })] as const),
    [stepWords(steps), steps, without("$apply")],
    ...ofFilter(steps === "" ? "" : textOf("$filter")).map(
      ([words, others]) => [words, words, without("$filter", others)] as const,
    ),
    ...keys.map(({ path, isDescending }, at) => {
      const words = `${at === 0 ? "Sorted" : "then"} by ${path}${isDescending ? ", descending" : ""}`;
      return [words, path, without("$orderby", writeOrderBy(keys.toSpliced(at, 1)))] as const;
    }),
    ...OTHERS.map(([name, words]) => [`${words} ${textOf(name)}`, textOf(name), without(name)] as const),
  ];
  return parts.flatMap(([words, text, rest]) => (text === "" ? [] : [{ words, rest }]));
}

/** Returns the conditions of a filter in words, each with the filter of the others. */
function filterParts(filter: string, options: Options, toWords: (node: FilterNode) => string) {
  const all = conditionsOf(filter);
  return all.map((node, at) => {
    const words = conditionsOf(filterOf([node]), options).map(toWords);
    return [words.join(" and "), filterOf(all.toSpliced(at, 1))] as const;
  });
}

function stepWords(steps: string): string {
  const form = readApply(steps);
  if (form === null || form.filter !== "") return `Steps: ${steps}`;
  const totals = form.totals.map(({ method, path }) => titleOf(method, path)).join(", ");
  const periods = (form.dates ?? []).map(({ unit, path }) => `${unit} of ${path}`);
  const paths = [...periods, ...form.groupBy].join(", ");
  const groups = paths === "" ? "" : `Grouped by ${paths}`;
  return groups !== "" && totals !== "" ? `${groups}: ${totals}` : groups + totals;
}
