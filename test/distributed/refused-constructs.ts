import { clausesOf, flatten, isSelect, isWord, parseStatement, selectsIn, type Node } from "./statement-tree.ts";

/** Functions and casts whose result depends on the settings of a session: PostgreSQL calls them stable or volatile. */
const UNSTABLE = new Set([
  "to_char",
  "format",
  "concat",
  "concat_ws",
  "to_json",
  "to_jsonb",
  "pg_typeof",
  "now",
  "array_to_string",
]);

/** One item of a `from` clause. */
interface FromItem {
  readonly alias: string;
  /**
   * `spread`: a table, or a derived table over one that is merged into the statement. `gathered`: a derived table with a
   * limit, an offset or groups, which is read first and sent to all parts. `function`: the items of a value.
   */
  readonly kind: "spread" | "gathered" | "function" | "empty";
  readonly nodes: readonly Node[];
}

/**
 * Returns the constructs of a statement that Citus refuses, or may refuse if tables are distributed by different columns;
 * none for a statement that every distribution allows. See the table of "Past one machine" in the facts of the data layer.
 */
export function refusedConstructs(text: string): readonly string[] {
  const nodes = parseStatement(text);
  const found = new Set<string>();
  if (isWord(nodes[0], "select")) checkSelect(nodes, new Set(), (fault) => found.add(fault));
  else if (isWord(nodes[0], "insert", "update", "delete")) checkWrite(nodes, (fault) => found.add(fault));
  return [...found];
}

type Report = (fault: string) => void;

function checkSelect(nodes: readonly Node[], outer: ReadonlySet<string>, report: Report): void {
  const clauses = clausesOf(nodes);
  const items = fromItems(clauses.get("from") ?? []);
  if (flatten(nodes).some((node) => isWord(node, "lateral"))) report("a lateral join");
  if (items.filter(({ kind }) => kind === "spread").length > 1) report("a join of tables");
  if (items.some((item) => item.kind === "empty" && isRefusedEmpty(item, items, outer))) {
    report("a derived table without a table");
  }
  const own = new Set(items.map(({ alias }) => alias));
  if (clauses.has("for") && items.some(({ kind }) => kind !== "spread")) report("a lock of anything but a table");
  if (refersTo(nodes, outer)) {
    if (items.length === 0) report("a correlated subquery without a table");
    if (items.some(({ kind }) => kind === "spread")) report("a correlated subquery over a table");
  }
  const within = new Set([...outer, ...own]);
  if (selectsIn(clauses.get("select") ?? []).some(readsTable)) report("a subquery in a select list");
  if (selectsIn(clauses.get("order") ?? []).some(readsTable)) report("a subquery in an order");
  for (const { nodes: derived } of items) {
    if (isWord(derived[0], "select")) checkSelect(derived, outer, report);
  }
  for (const [clause, content] of clauses) {
    if (clause === "from") {
      for (const each of selectsIn(withoutDerived(content))) checkSelect(each, within, report);
    } else for (const each of selectsIn(content)) checkSelect(each, within, report);
  }
}

/** Whether a derived table without a table is beside tables, or repeats values of the statement around it. */
function isRefusedEmpty({ nodes }: FromItem, items: readonly FromItem[], outer: ReadonlySet<string>): boolean {
  return items.length === 1 || items.some(({ kind }) => kind === "spread") || refersTo(nodes, outer);
}

/** Whether a select reads tables: the items of a value are no table. */
function readsTable(select: readonly Node[]): boolean {
  const from = clausesOf(select).get("from") ?? [];
  return fromItems(from).some(({ kind }) => kind !== "function") || selectsIn(select).some(readsTable);
}

function checkWrite(nodes: readonly Node[], report: Report): void {
  const clauses = clausesOf(nodes);
  const returned = clauses.get("returning") ?? [];
  for (const fault of unstable(returned)) report(`${fault} in returning`);
  for (const [clause, content] of clauses) {
    if (selectsIn(content).length > 0) report(`a subquery in ${clause === "head" ? "a write" : clause} of a write`);
    if (clause === "set" || clause === "where") for (const fault of unstable(content)) report(`${fault} in a write`);
  }
}

/** Names the expressions whose result depends on the session, as far as the text tells. */
export function unstable(nodes: readonly Node[]): readonly string[] {
  return flatten(nodes).flatMap((node, index, all) => {
    if (node.kind !== "word") return [];
    return UNSTABLE.has(node.text) && all[index + 1]?.kind === "group" ? [node.text] : [];
  });
}

/** Whether a select, or one within it, names a relation of the statement around it. */
function refersTo(select: readonly Node[], outer: ReadonlySet<string>): boolean {
  const own = new Set(fromItems(clausesOf(select).get("from") ?? []).map(({ alias }) => alias));
  const left = new Set([...outer].filter((alias) => !own.has(alias)));
  const names = (nodes: readonly Node[]): boolean =>
    nodes.some((node, index) => {
      if (node.kind === "group") return isSelect(node) ? refersTo(node.nodes, left) : names(node.nodes);
      const next = nodes[index + 1];
      return next?.kind === "sign" && next.text === "." && node.kind !== "sign" && left.has(node.text);
    });
  return left.size > 0 && names(select);
}

const JOINS = ["join", "inner", "left", "cross", "outer", "lateral"];

/** Splits a `from` clause at its joins and commas. */
function fromItems(nodes: readonly Node[]): readonly FromItem[] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isWord(node, "join") || (node.kind === "sign" && node.text === ",")) parts.push([]);
    else if (!isWord(node, ...JOINS)) parts.at(-1)?.push(node);
  }
  return parts.filter((part) => part.length > 0).map(toItem);
}

function toItem(part: readonly Node[]): FromItem {
  const on = part.findIndex((node) => isWord(node, "on"));
  const named = on === -1 ? part : part.slice(0, on);
  const as = named.findIndex((node) => isWord(node, "as"));
  const last = as === -1 ? named.at(-1) : named[as + 1];
  const alias = last?.kind === "name" || last?.kind === "word" ? last.text : "";
  const [first] = named;
  if (first?.kind === "group" && isSelect(first)) return { alias, kind: kindOf(first.nodes), nodes: first.nodes };
  return { alias, kind: first?.kind === "word" ? "function" : "spread", nodes: [] };
}

function kindOf(select: readonly Node[]): FromItem["kind"] {
  const clauses = clausesOf(select);
  const inner = fromItems(clauses.get("from") ?? []);
  if (inner.length === 0) return "empty";
  const isGathered = ["limit", "offset", "group"].some((clause) => clauses.has(clause));
  if (isGathered || flatten(clauses.get("select") ?? []).some((node) => isWord(node, "over"))) return "gathered";
  return inner.some(({ kind }) => kind === "spread") ? "spread" : "gathered";
}

/** The conditions of joins, without the derived tables, which are checked on their own. */
function withoutDerived(from: readonly Node[]): readonly Node[] {
  let isCondition = false;
  return from.filter((node) => {
    if (isWord(node, "on")) isCondition = true;
    else if (isWord(node, ...JOINS)) isCondition = false;
    return isCondition;
  });
}
