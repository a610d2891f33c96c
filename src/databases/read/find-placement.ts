import type { EntityType } from "../../edm/model.ts";
import { checkDistribution, type Distribution } from "../columns/distribution.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { From } from "../translate/base-query.ts";
import type { Placement } from "../translate/relation.ts";
import type { StatementTarget } from "./proven-columns.ts";

/** The rows whose placement is declared. */
interface Placed {
  readonly coLocated: CoLocatedTables;
  readonly entityType: EntityType;
  readonly base: From;
}

/**
 * Checks the declared distribution, and returns how to find the placement of the rows: the sets that declare the other tables
 * may be made later.
 */
export function placementOf(
  distribution: Distribution | null,
  { entityType, base: { table }, coLocated }: Placed,
  plans: PlansByField,
  report: ReportFault,
): () => Placement | undefined {
  if (distribution?.kind === "reference") {
    if (table !== undefined) coLocated.declare(table, null, distribution, report);
    return () => REFERENCE;
  }
  if (distribution?.kind !== "column") return () => undefined;
  checkDistribution(distribution, entityType.name, plans, report);
  const { field } = distribution;
  const plan = plans.get(field);
  if (table !== undefined && plan?.kind === "scalar") coLocated.declare(table, plan.column, distribution, report);
  const member = table ?? distribution.with;
  if (member === undefined) {
    report("`distributed` of a query has no `with`.", "Name the table whose rows the query returns.");
    return () => undefined;
  }
  const groupOf = (name: string): string => coLocated.groupOf(name);
  return () => ({ kind: "column", field, group: groupOf(member), groupOf });
}

const REFERENCE: Placement = Object.freeze({ kind: "reference" });

/** Returns the property whose column distributes some rows; null if it is not declared, undefined if each machine has all. */
export function distributingField({
  profile,
  placement,
}: Pick<StatementTarget, "profile" | "placement">): string | null | undefined {
  if (profile.capabilities.joins) return undefined;
  const placed = placement();
  if (placed === undefined) return null;
  return placed.kind === "column" ? placed.field : undefined;
}

/** The distribution of one table, with the name of its column. */
interface DeclaredTable {
  readonly column: string | null;
  readonly with: string | undefined;
}

/** The tables of one database whose distribution is declared. Several sets and sources may declare one table. */
export class CoLocatedTables {
  readonly #tables = new Map<string, DeclaredTable>();

  /**
   * Adds a table.
   * @param column the column that distributes it; null for a table that each machine has completely
   * @param report receives a fault if another set declares the table otherwise
   */
  declare(table: string, column: string | null, distribution: Distribution, report: ReportFault): void {
    const partner = distribution.kind === "column" && distribution.with !== table ? distribution.with : undefined;
    const known = this.#tables.get(table);
    if (known === undefined) {
      this.#tables.set(table, { column, with: partner });
    } else if (known.column !== column || known.with !== partner) {
      report(
        `\`distributed\` says that the table ${table} is ${describe({ column, with: partner })}, but another set over it says ${describe(known)}.`,
        "Declare the same in all sets over the table.",
      );
    }
  }

  /** Returns the name of the group of a table: two tables are co-located if theirs are equal. */
  groupOf(table: string): string {
    const visited: string[] = [];
    let current = table;
    while (!visited.includes(current)) {
      visited.push(current);
      const next = this.#tables.get(current)?.with;
      if (next === undefined) return current;
      current = next;
    }
    // Tables that name one another are one group, wherever the walk began.
    const circle = visited.slice(visited.indexOf(current)).toSorted();
    return circle[0] ?? table;
  }
}

function describe({ column, with: partner }: DeclaredTable): string {
  if (column === null) return "a reference table";
  return partner === undefined ? `distributed by ${column}` : `distributed by ${column} with ${partner}`;
}
