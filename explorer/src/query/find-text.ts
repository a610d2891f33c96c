import { isText } from "../format/show-value.ts";
import type { Property } from "../model/model.ts";
import { condition, conditionsOf, type FilterNode, filterOf } from "./filter-tree.ts";
import { foundText } from "./filter-words.ts";
import { limitsOf, withLimits } from "./limits.ts";
import { toLiteral } from "./literals.ts";
import type { ResolvedPath } from "./resolve-type.ts";

/** The rows among which a text is found, and whether they are only a part of the set, to which its abilities to search do not belong. */
export type FindPlace = Pick<ResolvedPath, "type" | "set"> & { readonly isPart?: boolean };

type Options = ReadonlyMap<string, string>;

/** A filter of more texts would take long. */
const [MOST_WORDS, MOST_PROPERTIES] = [3, 8];

/** Returns options whose rows contain each word of a text, in any letter case; null where the set permits neither way. */
export function withText(place: FindPlace, options: Options, text: string): Options | null {
  const words = text.match(/\S+/gu) ?? [];
  const others = conditionsOf(limitsOf(options).filter).filter((node) => !isFound(place, node));
  const canSearch = place.isPart !== true && place.set?.abilities.canSearch === true;
  const search = canSearch ? searchOf(words) : "";
  const terms = canSearch ? [] : [...words.slice(0, MOST_WORDS), words.slice(MOST_WORDS).join(" ")];
  const nodes = terms.filter((term) => term !== "").map((term) => anyContains(textPaths(place), term));
  const isPossible = nodes.every((node) => node !== null);
  return isPossible ? withLimits(options, { search, filter: filterOf([...others, ...nodes]) }) : null;
}

/** Returns the text that `withText` has put into options. */
export function textIn(place: FindPlace, options: Options): string {
  const { search, filter } = limitsOf(options);
  const unquoted = (_: string, quoted: string): string => quoted.replaceAll(/\\(.)/gu, "$1");
  if (search !== "") return search.replaceAll(/"((?:[^"\\]|\\.)*)"/gu, unquoted);
  const found = conditionsOf(filter).filter((node) => isFound(place, node));
  return found.map((node) => foundText(node)?.text ?? "").join(" ");
}

/** Writes a search for all of some words. Words that are no operators stay as they are. */
export function searchOf(words: readonly string[]): string {
  const isPlain = (word: string): boolean => /^[\p{L}\p{N}]+$/u.test(word) && !/^(?:AND|OR|NOT)$/u.test(word);
  return words.map((word) => (isPlain(word) ? word : `"${word.replaceAll(/["\\]/gu, "\\$&")}"`)).join(" ");
}

/** Returns the texts of a type that can be filtered. */
export function textPaths(place: FindPlace): readonly string[] {
  const { set } = place;
  const canFilter = ({ name }: Property): boolean =>
    set === null || (set.abilities.canFilter && set.abilities.filterable(name));
  const properties = [...place.type.properties.values()].filter(canFilter);
  const texts = properties.filter((each) => isText(each.type) && !each.isCollection && each.mediaType === null);
  return texts.map(({ name }) => name).slice(0, MOST_PROPERTIES);
}

/** Returns the condition that one of some texts contains a term, in any letter case; null without texts. */
export function anyContains(paths: readonly string[], term: string): FilterNode | null {
  const literal = toLiteral(term.toLowerCase(), { kind: "primitive", name: "Edm.String" });
  const items = paths.map((path) => condition(path, "contains", [literal], { isLowered: true }));
  return items.length < 2 ? (items[0] ?? null) : { kind: "group", operator: "or", isNegated: false, items };
}

/** Tells a condition on all texts from one of the reader on some of them. */
function isFound(place: FindPlace, node: FilterNode): boolean {
  const found = foundText(node);
  const paths = textPaths(place);
  return found !== null && paths.length > 0 && paths.every((path) => found.paths.includes(path));
}
