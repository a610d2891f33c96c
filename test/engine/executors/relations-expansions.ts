import { GRAPH } from "./relations-graph.ts";
import type { Query } from "./relations-queries.ts";

/** The value of `$levels=max`. */
const MAX_LEVELS = 3;

/** Splits a string at a character outside of parentheses and quotes. */
function split(text: string, at: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  let quote = "";
  for (const character of text) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (character === at && depth === 0 && quote === "") parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts;
}

/**
 * Returns how many statements an expansion may need: one for each level to many, one for each count, one for each
 * search. Single-valued expansions are joined to the rows of their parents, except for an entity that is read by its
 * key.
 */
function statementsOf(expand: string, set: string, isKeyed = false): number {
  const graph = GRAPH[set];
  if (graph === undefined) throw new Error(`There is no set ${set}.`);
  const { toOne, toMany } = graph;
  return split(expand, ",").reduce((sum, item) => {
    const [, name = "", inner = ""] = /^([\w*]+)(?:\/\$\w+)?(?:\((.*)\))?$/s.exec(item) ?? [];
    const perSingle = isKeyed ? 1 : 0;
    if (name === "*") return sum + Object.keys(toMany).length + perSingle * Object.keys(toOne).length;
    const options = Object.fromEntries(
      split(inner, ";").map((option) => [option.slice(0, option.indexOf("=")), option.slice(option.indexOf("=") + 1)]),
    );
    const target = toMany[name] ?? toOne[name] ?? "";
    const own =
      (name in toMany ? 1 : perSingle) + (options["$count"] === "true" ? 1 : 0) + ("$search" in options ? 2 : 0);
    const below = options["$expand"] === undefined ? 0 : statementsOf(options["$expand"], target);
    const { $levels: levels = "1" } = options;
    return sum + (own + below) * (levels === "max" ? MAX_LEVELS : Number(levels));
  }, 0);
}

/** The greatest number of statements that a request to a set over tables may make. */
export function statementsFor({ path, options }: Query): number {
  const set = /^\/(\w+)/.exec(path)?.[1] ?? "";
  const count = options["$count"] === "true" ? 1 : 0;
  return 1 + count + (options["$expand"] === undefined ? 0 : statementsOf(options["$expand"], set, path.includes("(")));
}
