import { clausesOf, flatten, isWord, type Node } from "./statement-tree.ts";

/**
 * Whether the machines return the cast of a text, such as `("code"::text collate "C")`, as what rows are sorted, grouped or
 * listed by. Citus takes its type for that of the column, which fails unless that is `text`.
 */
export function returnsCastText(select: readonly Node[]): boolean {
  const clauses = clausesOf(select);
  const returned = [...(clauses.get("select") ?? []), ...(clauses.get("order") ?? [])];
  const windows = flatten(returned).flatMap((node, index, all) => (isWord(all[index - 1], "over") ? [node] : []));
  return [...returned, ...windows.flatMap((node) => (node.kind === "group" ? node.nodes : []))].some(isCastText);
}

function isCastText(node: Node): boolean {
  if (node.kind !== "group") return false;
  const text = node.nodes.map((each) => (each.kind === "word" || each.kind === "sign" ? each.text : each.kind));
  return /^(?:name \. )?name :: text collate name$/.test(text.join(" "));
}
