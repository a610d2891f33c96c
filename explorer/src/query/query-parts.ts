import type { Zone } from "../format/zone.ts";
import type { StructuredType } from "../model/model.ts";
import { readApply, titleOf } from "./apply-text.ts";
import { conditionsOf, filterOf } from "./filter-tree.ts";
import { wordsOf } from "./filter-words.ts";
import { limitsOf, withLimits } from "./limits.ts";
import { readOrderBy, writeOrderBy } from "./order-by-text.ts";

type Options = ReadonlyMap<string, string>;

/** A part of a query in words. */
export interface QueryPart {
  readonly words: string;
  /** The options that remain without it. */
  readonly rest: Options;
  /** Of a condition, its text, and the options with another text. */
  readonly condition?: { readonly text: string; readonly replace: (text: string) => Options };
}

const OTHERS = Object.entries({ $compute: "Computed:", $skip: "Rows left out:", $top: "Rows at most:" });

/** Returns the parts of a query that choose, order and group its rows. */
export function partsOf(type: StructuredType, options: Options, zone?: Zone): readonly QueryPart[] {
  const { search, filter, steps } = limitsOf(options);
  const textOf = (name: string): string => options.get(name) ?? "";
  const withText = (name: string, text = ""): Options => new Map([...options, [name, text]]);
  const conditions = (text: string, withFilter: (filter: string) => Options): readonly QueryPart[] => {
    const all = conditionsOf(text);
    return all.map((node, at) => {
      const shown = conditionsOf(filterOf([node]), options);
      const replace = (next: string): Options => withFilter(filterOf(all.with(at, { kind: "text", text: next })));
      const words = shown.map((each) => wordsOf(each, type, zone)).join(" and ");
      return { words, rest: replace(""), condition: { text: filterOf(shown), replace } };
    });
  };
  const keys = readOrderBy(textOf("$orderby")) ?? [{ path: textOf("$orderby"), isDescending: false }];
  const order = keys.map(({ path, isDescending }, at) => {
    const words = `${at === 0 ? "Sorted" : "then"} by ${path}${isDescending ? ", descending" : ""}`;
    return { words, rest: withText("$orderby", writeOrderBy(keys.toSpliced(at, 1))) };
  });
  return [
    ...(search === "" ? [] : [{ words: `Search: ${search}`, rest: withLimits(options, { search: "" }) }]),
    ...conditions(filter, (text) => withLimits(options, { filter: text })),
    ...(steps === "" ? [] : [{ words: stepWords(steps), rest: withText("$apply") }]),
    ...(steps === "" ? [] : conditions(textOf("$filter"), (text) => withText("$filter", text))),
    ...(textOf("$orderby") === "" ? [] : order),
    ...OTHERS.filter(([name]) => textOf(name) !== "").map(([name, words]) => {
      return { words: `${words} ${textOf(name)}`, rest: withText(name) };
    }),
  ];
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
