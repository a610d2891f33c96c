import { once } from "../../base/memo.ts";
import type { ExpandedNavigation, ExpansionLinks, SelectExpandClause } from "../query/clauses.ts";
import type { ExpandItemSyntax, ExpandOptionsSyntax } from "../syntax/ast.ts";
import type { QueryOptionsSyntax } from "../syntax/query-options-parser.ts";
import { parseShapedExpand } from "../syntax/select-expand-parser.ts";
import { parseContext, type QueryTarget } from "./bind-query-options.ts";

type OptionName = keyof ExpandOptionsSyntax;
/** The texts of the nested options of an item. */
type Texts = ReadonlyMap<OptionName, string>;

/** The nested options that a next link repeats, in its order. `$levels` is not among them. */
const REPEATED: readonly OptionName[] = ["compute", "filter", "search", "orderBy", "select", "expand"];

const NO_TEXTS: Texts = new Map();

/** A request whose expansions may have next links. */
interface LinkingRequest {
  readonly options: QueryOptionsSyntax;
  readonly target: QueryTarget;
  /** The bound `$select` and `$expand` of the request. */
  readonly clause: SelectExpandClause;
  /** Whether a name is one of a parameter of the addressed function, which no other resource has. */
  readonly isParameter: (name: string) => boolean;
}

/**
 * Returns the texts that next links within the expansions of a request repeat: the options of the item, as the client wrote them,
 * and the `$format`, aliases and custom options of the request. The texts are read when the first link is needed.
 * @see OData JSON Format 4.0, section 4.5.5; docs/reference/expand.md
 */
export function expansionLinks({ options, target, clause, isParameter }: LinkingRequest): ExpansionLinks {
  const found = once(() => textsOf(options, target, clause));
  const kept = once(() => {
    const isKept = (name: string): boolean =>
      name === "$format" || name.startsWith("@") || !(name.startsWith("$") || isParameter(name));
    return options.pairs.flatMap(({ name, raw }) => (isKept(name) ? [`&${raw}`] : [])).join("");
  });
  return (expansion) => {
    const texts = found().get(expansion) ?? NO_TEXTS;
    const own = REPEATED.map((name) => {
      const text = texts.get(name);
      return text === undefined ? "" : `&$${name.toLowerCase()}=${encodeValue(text)}`;
    });
    return own.join("") + kept();
  };
}

/** Percent-encodes the value of an option, except for characters that have no meaning within it. */
function encodeValue(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|2C|2F|3A|3B|3D|40)/gu, decodeURIComponent);
}

function textsOf(
  options: QueryOptionsSyntax,
  target: QueryTarget,
  clause: SelectExpandClause,
): ReadonlyMap<ExpandedNavigation, Texts> {
  const texts = new Map<ExpandOptionsSyntax, Map<OptionName, string>>();
  const expand = options.system.get("$expand") ?? "";
  const { items } = parseShapedExpand(expand, parseContext(options, target), (item, name, text) => {
    texts.set(item, (texts.get(item) ?? new Map<OptionName, string>()).set(name, text));
  });
  const found = new Map<ExpandedNavigation, Texts>();
  const collect = ({ expanded }: SelectExpandClause, level: readonly ExpandItemSyntax[]): void => {
    for (const expansion of expanded) {
      const item = itemOf(expansion, level);
      if (item === undefined) continue;
      found.set(expansion, texts.get(item.options) ?? NO_TEXTS);
      const { expand: below = [], levels = 1 } = item.options;
      collect(expansion.selectExpand, levels === 1 ? below : [...below, item]);
    }
  };
  collect(clause, items);
  return found;
}

/** Returns the item that names an expansion, in any letter case, or the star. */
function itemOf(
  { navigationProperty }: ExpandedNavigation,
  level: readonly ExpandItemSyntax[],
): ExpandItemSyntax | undefined {
  const { name } = navigationProperty;
  const named = (isName: (first: string) => boolean): ExpandItemSyntax | undefined =>
    level.find(({ path: [first = ""] }) => isName(first));
  return (
    named((first) => first === name) ??
    named((first) => first.toLowerCase() === name.toLowerCase()) ??
    named((first) => first === "*")
  );
}
