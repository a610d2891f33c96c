import { clausesOf, flatten, isSelect, isWord, type Node } from "./statement-tree.ts";

/**
 * Whether a statement has an outer join and a condition without a column, such as `$1::boolean = $2::boolean`: Citus
 * rejects both together on PostgreSQL 15 and 16. The planner drops a literal that is true.
 */
export function hasConstantBesideOuterJoin(nodes: readonly Node[]): boolean {
  const all = flatten(nodes);
  const isOuter = all.some((node, index) => isWord(node, "join") && isWord(all[index - 1], "left", "right", "full"));
  return isOuter && selectsWithin(nodes).some((select) => conditionsOf(select).some(isConstant));
}

function selectsWithin(nodes: readonly Node[]): ReadonlyArray<readonly Node[]> {
  const inner = nodes.flatMap((node) => (node.kind === "group" ? selectsWithin(node.nodes) : []));
  return nodes.some((node) => isWord(node, "select")) ? [nodes, ...inner] : inner;
}

/** The conditions of a select over tables that must hold together. The items of a value, and a row without a table, are none. */
function conditionsOf(select: readonly Node[]): ReadonlyArray<readonly Node[]> {
  const clauses = clausesOf(select);
  const from = clauses.get("from") ?? [];
  const [first] = from;
  if (first?.kind === "word" || (first?.kind === "group" && !clausesOf(first.nodes).has("from"))) return [];
  const on = splitAt(from, "on", "join").filter((part) => isWord(part[0], "on"));
  return [clauses.get("where") ?? [], ...on.map((part) => withoutJoins(part.slice(1)))].flatMap(conjunctsOf);
}

/** Splits before each of some words. */
function splitAt(nodes: readonly Node[], ...words: readonly string[]): ReadonlyArray<readonly Node[]> {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isWord(node, ...words)) parts.push([]);
    parts.at(-1)?.push(node);
  }
  return parts;
}

function withoutJoins(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => !isWord(node, "left", "right", "full", "inner", "cross", "outer"));
}

function conjunctsOf(nodes: readonly Node[]): ReadonlyArray<readonly Node[]> {
  const parts: Node[][] = [[]];
  let cases = 0;
  let isRange = false;
  for (const node of nodes) {
    if (isWord(node, "case")) cases += 1;
    if (isWord(node, "end")) cases -= 1;
    if (isWord(node, "between")) isRange = true;
    if (!isWord(node, "and") || cases > 0) parts.at(-1)?.push(node);
    else if (isRange) isRange = false;
    else parts.push([]);
  }
  return parts.flatMap((part) => {
    const [only, ...others] = part;
    const isNested = only?.kind === "group" && others.length === 0 && !isSelect(only);
    const hasOr = part.some((node) => isWord(node, "or"));
    return isNested && !hasOr ? conjunctsOf(only.nodes) : [part];
  });
}

function isConstant(condition: readonly Node[]): boolean {
  const nodes = flatten(condition);
  const text = nodes.map((node) => (node.kind === "group" ? "" : node.text)).join("");
  if (text === "" || text === "1=1") return false;
  return !nodes.some((node, index) => {
    const next = nodes[index + 1];
    return node.kind === "name" || isWord(node, "select") || (next?.kind === "sign" && next.text === ".");
  });
}
