import { hasConstantBesideOuterJoin } from "./constant-conditions.ts";
import { returnsCastText } from "./gathered-texts.ts";
import { checkWrite } from "./refused-writes.ts";
import { clausesOf, flatten, isSelect, isWord, parseStatement, selectsIn, type Node } from "./statement-tree.ts";
import {
  areInOneGroup,
  correlatesOnMachines,
  joinsOnMachines,
  type FromItem,
  type Placements,
} from "./table-placement.ts";

/** Functions whose rows differ from call to call, or with the session. */
const UNSTABLE_ROWS = new Set([
  "json_to_record",
  "jsonb_to_record",
  "jsonb_to_recordset",
  "json_to_recordset",
  "random",
]);

const AGGREGATES = new Set(["count", "sum", "min", "max", "avg", "string_agg", "array_agg", "json_agg", "jsonb_agg"]);

/**
 * Returns the constructs of a statement that Citus refuses, or may refuse if tables are distributed by different columns;
 * none for a statement that every distribution allows, or the given one. The rules are those of its planner: subqueries that
 * name no row around them are read first, and the others must suit each shard.
 * @see docs/scaling.md
 */
export function refusedConstructs(text: string, placements: Placements = new Map()): readonly string[] {
  const found = new Set<string>();
  const check: Check = { placements, report: (fault) => found.add(fault) };
  for (const nodes of statementsOf(parseStatement(text))) checkStatement(nodes, check);
  return [...found];
}

function checkStatement(nodes: readonly Node[], check: Check): void {
  const { report } = check;
  if (comparesTruth(nodes)) report("a case of a Boolean");
  if (hasConstantBesideOuterJoin(nodes)) report("a constant condition beside an outer join");
  const cursor = nodes.findIndex((node) => isWord(node, "cursor"));
  if (isWord(nodes[0], "declare")) {
    if (!isWord(nodes[cursor - 1], "scroll") || !isWord(nodes[cursor - 2], "no")) report("a cursor that moves back");
    checkSelect(nodes.slice(cursor + 2), [], check);
  } else if (isWord(nodes[0], "with")) report("a common table expression");
  else if (isWord(nodes[0], "merge")) report("a merge");
  else if (isWord(nodes[0], "select")) checkSelect(nodes, [], check);
  else if (isWord(nodes[0], "insert", "update", "delete")) checkWrite(nodes, check.placements, report);
}

/** Whether a statement compares a value with true or false in a `case`: Citus cannot write it for its machines. */
function comparesTruth(nodes: readonly Node[]): boolean {
  return nodes.some((node, index) => {
    if (node.kind === "group") return comparesTruth(node.nodes);
    return (
      isWord(node, "when") &&
      isWord(nodes[index + 1], "true", "false") &&
      isWord(nodes[index + 2], "then") &&
      !isWord(nodes[index - 1], "case")
    );
  });
}

/** The statements of a batch. */
function statementsOf(nodes: readonly Node[]): ReadonlyArray<readonly Node[]> {
  const end = nodes.findIndex((node) => node.kind === "sign" && node.text === ";");
  return end === -1 ? [nodes] : [nodes.slice(0, end), ...statementsOf(nodes.slice(end + 1))];
}

type Report = (fault: string) => void;

type Clauses = ReadonlyMap<string, readonly Node[]>;

const AND: Node = { kind: "word", text: "and" };

interface Check {
  readonly placements: Placements;
  readonly report: Report;
}

/** @param around the items of the selects around it, innermost first */
function checkSelect(nodes: readonly Node[], around: readonly FromItem[], check: Check): void {
  const { placements, report } = check;
  const clauses = clausesOf(nodes);
  const from = clauses.get("from") ?? [];
  const items = fromItems(from);
  const where = clauses.get("where") ?? [];
  const isConjunction = !where.some((node) => isWord(node, "or"));
  const conditions = [...withoutDerived(from), ...(isConjunction ? [AND, ...where] : [])];
  const joined = { items, conditions };
  const outer = new Set(around.map(({ alias }) => alias));
  const spread = items.filter(({ kind }) => kind === "spread");
  if (flatten(nodes).some((node) => isWord(node, "lateral"))) report("a lateral join");
  if (spread.length > 1 && !joinsOnMachines(joined, placements)) report("a join of tables");
  if (items.some((item) => item.kind === "empty" && isRefusedEmpty(item, items, outer))) {
    report("a derived table without a table");
  }
  if (clauses.has("for") && items.some(({ kind }) => kind !== "spread")) report("a lock of anything but a table");
  checkParts(nodes, clauses, items, report);
  if (refersTo(nodes, outer)) {
    if (items.length === 0) report("a correlated subquery without a table");
    if (spread.length > 0 && !correlatesOnMachines(joined, around, placements)) {
      report("a correlated subquery over a table");
    }
    checkCorrelated(nodes, clauses, report);
  }
  if (returnsCastText(nodes)) report("the cast of a text that machines return");
  const within = [...items, ...around];
  if (selectsIn(clauses.get("select") ?? []).some(readsTable)) report("a subquery in a select list");
  if (selectsIn(clauses.get("order") ?? []).some(readsTable)) report("a subquery in an order");
  for (const { nodes: derived } of items) {
    if (isWord(derived[0], "select")) checkSelect(derived, around, check);
  }
  const aliases = new Set(within.map(({ alias }) => alias));
  for (const [clause, content] of clauses) {
    for (const each of selectsIn(clause === "from" ? withoutDerived(content) : content)) {
      const isList = clause === "from" || clause === "where";
      if (isList && kindOf(each) === "spread" && !isReadFirst(each) && !refersTo(each, aliases)) {
        report("a list that is not read first");
      }
      checkSelect(each, within, check);
    }
  }
  const groups = items.slice(1).filter((item) => clausesOf(item.nodes).has("group") && !isReadFirst(item.nodes));
  const grouped = groups.flatMap(({ nodes: each }) => fromItems(clausesOf(each).get("from") ?? []));
  if (!grouped.every((item) => areInOneGroup(spread[0], item, placements))) report("groups that are not read first");
}

/**
 * Whether Citus reads a select before the statement around it. It tries to send others to the machines, and fails if tables are
 * compared by the columns that distribute them, but are not co-located.
 */
function isReadFirst(select: readonly Node[]): boolean {
  const clauses = clausesOf(select);
  return clauses.has("limit") || clauses.has("offset");
}

/** Reports the constructs that Citus refuses in every select. */
function checkParts(nodes: readonly Node[], clauses: Clauses, items: readonly FromItem[], report: Report): void {
  const words = nodes.filter((node) => isWord(node));
  if (words.some((node) => isWord(node, "tablesample"))) report("a sample of a table");
  const grouped = clauses.get("group") ?? [];
  if (grouped.some((node) => isWord(node, "sets", "rollup", "cube"))) report("grouping sets");
  if (flatten(clauses.get("having") ?? []).some((node) => isSelect(node))) report("a subquery in having");
  for (const [index, { kind, name, isOuter }] of items.entries()) {
    if (kind === "function" && UNSTABLE_ROWS.has(name)) report(`rows of ${name}`);
    // Each shard would add the rows that it has no partner for.
    if (kind === "spread" && isOuter && items.slice(0, index).every((item) => item.kind !== "spread")) {
      report("an outer join from rows without a shard to a table");
    }
  }
  if (!clauses.has("for") || items.some(({ kind }) => kind !== "spread")) return;
  const conditions = flatten(clauses.get("where") ?? []);
  const isOfOneRow = conditions.some((node) => node.kind === "sign" && node.text === "=");
  if (!isOfOneRow || conditions.some((node) => isWord(node, "or"))) report("a lock of rows of several shards");
}

/** Reports the constructs that Citus refuses in a subquery that names rows around it: it cannot be read first. */
function checkCorrelated(nodes: readonly Node[], clauses: Clauses, report: Report): void {
  const items = fromItems(clauses.get("from") ?? []);
  // That itself is refused.
  if (items.some(({ kind }) => kind === "spread")) return;
  const selected = flatten(clauses.get("select") ?? []);
  const isAggregate = selected.some((node, index, all) => {
    return node.kind === "word" && AGGREGATES.has(node.text) && all[index + 1]?.kind === "group";
  });
  if (isAggregate && !clauses.has("group")) report("an aggregate in a correlated subquery");
  for (const clause of ["limit", "offset", "group"]) {
    if (clauses.has(clause)) report(`${clause} in a correlated subquery`);
  }
  if (selected.some((node) => isWord(node, "over"))) report("a window in a correlated subquery");
  // The parts of a union on its own are read first.
  if (nodes.some((node) => isWord(node, "union", "intersect", "except"))) report("a union in a correlated subquery");
  if (isWord(clauses.get("select")?.[0], "distinct")) report("distinct in a correlated subquery");
  const hasSubquery = selectsIn(nodes).some((select) => !items.some((item) => item.nodes === select));
  if (items.length > 0 && hasSubquery) report("a subquery within a correlated one without a table");
}

/** Whether a derived table without a table is alone, is next to spread tables, or repeats values of the statement around it. */
function isRefusedEmpty({ nodes }: FromItem, items: readonly FromItem[], outer: ReadonlySet<string>): boolean {
  return items.length === 1 || items.some(({ kind }) => kind === "spread") || refersTo(nodes, outer);
}

/** Whether a select reads tables: the items of a value are not a table. */
function readsTable(select: readonly Node[]): boolean {
  const from = clausesOf(select).get("from") ?? [];
  return fromItems(from).some(({ kind }) => kind !== "function") || selectsIn(select).some(readsTable);
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

const JOINS = ["join", "inner", "left", "right", "full", "cross", "outer", "lateral"];

/** Splits a `from` clause at its joins and commas. */
function fromItems(nodes: readonly Node[]): readonly FromItem[] {
  const parts: Array<{ readonly nodes: Node[]; readonly isOuter: boolean }> = [{ nodes: [], isOuter: false }];
  for (const [index, node] of nodes.entries()) {
    const isJoin = isWord(node, "join");
    if (isJoin || (node.kind === "sign" && node.text === ",")) {
      const isOuter = isJoin && [1, 2].some((back) => isWord(nodes[index - back], "left", "right", "full"));
      parts.push({ nodes: [], isOuter });
    } else if (!isWord(node, ...JOINS)) parts.at(-1)?.nodes.push(node);
  }
  return parts.filter((part) => part.nodes.length > 0).map((part) => toItem(part.nodes, part.isOuter));
}

function toItem(part: readonly Node[], isOuter: boolean): FromItem {
  const on = part.findIndex((node) => isWord(node, "on"));
  const named = on === -1 ? part : part.slice(0, on);
  const as = named.findIndex((node) => isWord(node, "as"));
  const last = as === -1 ? named.at(-1) : named[as + 1];
  const alias = last?.kind === "name" || last?.kind === "word" ? last.text : "";
  const [first] = named;
  const name = first === undefined || first.kind === "group" ? "" : first.text;
  const item = { alias, nodes: [], name, isOuter };
  if (first?.kind === "group" && isSelect(first)) {
    return { ...item, kind: kindOf(first.nodes), nodes: first.nodes, table: tableWithin(first.nodes) };
  }
  if (first?.kind === "word") return { ...item, kind: "function" };
  const [table] = named.slice(0, as === -1 ? undefined : as).toReversed();
  return { ...item, kind: "spread", table: table?.kind === "name" ? table.text : undefined };
}

/** The only table of a derived table. */
function tableWithin(select: readonly Node[]): string | undefined {
  const [item, ...others] = fromItems(clausesOf(select).get("from") ?? []).filter(({ kind }) => kind === "spread");
  return others.length === 0 ? item?.table : undefined;
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
