import { flatten, isSelect, isWord, type Node } from "./statement-tree.ts";

/** How the tables of a test are distributed: by the name of the table, without its schema. Others are distributed somehow. */
export type Placements = ReadonlyMap<string, TablePlacement>;
export type TablePlacement = "reference" | { readonly column: string; readonly group: string };

/** One item of a `from` clause. */
export interface FromItem {
  readonly alias: string;
  /**
   * `spread`: a table, or a derived table over it that is merged into the statement. `gathered`: a derived table with a
   * limit, an offset or groups, which is read first and sent to all parts (docs/decisions/0050-keys-before-rows.md).
   * `function`: the items of a value.
   */
  readonly kind: "spread" | "gathered" | "function" | "empty";
  readonly nodes: readonly Node[];
  /** The name of a function or table. */
  readonly name: string;
  /** Whether it is the second side of an outer join. */
  readonly isOuter: boolean;
  /** The only table of a spread item; undefined for several. */
  readonly table?: string | undefined;
}

/** The parts of a select that decide which rows it joins. */
export interface Joined {
  readonly items: readonly FromItem[];
  /** The nodes of `from` and `where`. */
  readonly conditions: readonly Node[];
}

/** Whether each machine has the rows that a select joins with one another. */
export function joinsOnMachines({ items, conditions }: Joined, placements: Placements): boolean {
  const spread = items.filter(({ kind }) => kind === "spread");
  const [first] = spread;
  const others = spread.filter((item) => !isReference(item, placements));
  // An outer join from a reference table would return its rows once per machine.
  if (first !== undefined && others.length > 0 && isReference(first, placements)) return false;
  const reached = new Set(others.slice(0, 1));
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const item of others) {
      if ([...reached].some((each) => areTied(each, item, conditions, placements))) reached.add(item);
    }
  }
  return reached.size === others.length;
}

/** Whether each machine has the rows of a subquery for its rows of the selects around it. */
export function correlatesOnMachines(
  { items, conditions }: Joined,
  outer: readonly FromItem[],
  placements: Placements,
): boolean {
  const spread = items.filter(({ kind }) => kind === "spread");
  const around = outer.filter(({ kind }) => kind === "spread");
  if (spread.every((item) => isReference(item, placements))) return around.length > 0;
  return spread.some((item) => around.some((each) => areTied(each, item, conditions, placements)));
}

/** Whether a machine has the rows of both tables with the same value. */
export function areInOneGroup(left: FromItem | undefined, right: FromItem, placements: Placements): boolean {
  const [first, second] = [left?.table, right.table].map((table) => placements.get(table ?? ""));
  if (first === undefined || second === undefined) return false;
  return second === "reference" || (first !== "reference" && first.group === second.group);
}

function isReference({ table }: FromItem, placements: Placements): boolean {
  return table !== undefined && placements.get(table) === "reference";
}

function areTied(left: FromItem, right: FromItem, conditions: readonly Node[], placements: Placements): boolean {
  const [first, second] = [left, right].map(({ table }) => (table === undefined ? undefined : placements.get(table)));
  if (typeof first !== "object" || typeof second !== "object" || first.group !== second.group) return false;
  const wanted = [`${left.alias}.${first.column}`, `${right.alias}.${second.column}`].toSorted().join(" ");
  return equalities(conditions).some((pair) => pair.toSorted().join(" ") === wanted);
}

/** The pairs of columns that some conditions require to be equal. */
function equalities(nodes: readonly Node[]): ReadonlyArray<readonly string[]> {
  return conjuncts(nodes).flatMap((conjunct) => {
    // The sides of `or` require nothing alone.
    if (conjunct.some((node) => isWord(node, "or", "not", "case"))) return [];
    const [only, ...others] = conjunct;
    if (only?.kind === "group" && others.length === 0) return isSelect(only) ? [] : equalities(only.nodes);
    const [left, sign, right] = [conjunct.slice(0, 3), conjunct[3], conjunct.slice(4)];
    const isEquality = sign?.kind === "sign" && sign.text === "=" && isColumn(left) && isColumn(right);
    return isEquality ? [[textOf(left), textOf(right)]] : [];
  });
}

/** Splits conditions at `and`, and the conditions of joins at `on`. */
function conjuncts(nodes: readonly Node[]): ReadonlyArray<readonly Node[]> {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isWord(node, "and", "on")) parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts;
}

function isColumn(nodes: readonly Node[]): boolean {
  const [alias, dot, column] = nodes;
  if (nodes.length !== 3) return false;
  return alias?.kind === "name" && dot?.kind === "sign" && dot.text === "." && column?.kind === "name";
}

function textOf(nodes: readonly Node[]): string {
  return flatten(nodes)
    .map((node) => (node.kind === "group" ? "" : node.text))
    .join("");
}
