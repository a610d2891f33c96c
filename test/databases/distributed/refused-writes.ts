import { clausesOf, flatten, isWord, selectsIn, type Node } from "./statement-tree.ts";
import type { Placements } from "./table-placement.ts";

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
  "random",
  "gen_random_uuid",
  "nextval",
  "clock_timestamp",
  "current_setting",
]);

/** Reports the constructs that Citus refuses in a write. */
export function checkWrite(nodes: readonly Node[], placements: Placements, report: (fault: string) => void): void {
  const clauses = clausesOf(nodes);
  const tables = (clauses.get("head") ?? []).flatMap((node) => (node.kind === "name" ? [node.text] : []));
  const placement = placements.get(tables.at(-1) ?? "");
  const set = clauses.get("set") ?? [];
  const isMoved = set.some((node, index) => {
    const isAssigned = set[index + 1]?.kind === "sign" && [undefined, ","].includes(textAt(set[index - 1]));
    return node.kind === "name" && isAssigned && typeof placement === "object" && placement.column === node.text;
  });
  if (isMoved) report("a change of the column that distributes a table");
  if (isWord(nodes[0], "insert") && clauses.has("select")) report("an insert of a query");
  if (flatten(nodes).some((node, index, all) => isWord(node, "do") && isWord(all[index + 1], "update"))) {
    report("an upsert");
  }
  if (isWord(nodes[0], "update", "delete")) {
    if (clauses.has("from") && isWord(nodes[0], "update")) report("a write with a join");
    if (nodes.some((node) => isWord(node, "using"))) report("a write with a join");
  }
  const returned = clauses.get("returning") ?? [];
  for (const fault of unstable(returned)) report(`${fault} in returning`);
  // With bound values, Citus writes the statement for a machine anew, and compares the value of this case with a Boolean.
  if (hasSimpleCase(returned)) report("a case of a value in returning");
  for (const [clause, content] of clauses) {
    if (selectsIn(content).length > 0) report(`a subquery in ${clause === "head" ? "a write" : clause} of a write`);
    if (clause === "set" || clause === "where") for (const fault of unstable(content)) report(`${fault} in a write`);
  }
}

function textAt(node: Node | undefined): string | undefined {
  return node === undefined || node.kind === "group" ? undefined : node.text;
}

function hasSimpleCase(nodes: readonly Node[]): boolean {
  return flatten(nodes).some((node, index, all) => isWord(node, "case") && !isWord(all[index + 1], "when"));
}

/** Names the expressions whose result depends on the session, as far as the text shows it. */
export function unstable(nodes: readonly Node[]): readonly string[] {
  return flatten(nodes).flatMap((node, index, all) => {
    if (node.kind !== "word") return [];
    return UNSTABLE.has(node.text) && all[index + 1]?.kind === "group" ? [node.text] : [];
  });
}
