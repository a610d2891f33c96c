import type { EntityType } from "../../edm/model.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import { checkStated, type StatedPlacement } from "./placement-option.ts";
import { ANYWHERE, EVERYWHERE, PlacedByValue, type Placement, TOGETHER } from "./placement.ts";

/** The rows whose placement is declared. */
interface Placed {
  readonly placedTables: PlacedTables;
  readonly entityType: EntityType;
  /** Their table; absent for a query. */
  readonly base: { readonly table?: string | undefined };
}

/**
 * Checks the stated placement, and returns how to find the placement of the rows: the sets that declare the other tables
 * may be made later.
 * @param stated null if the database is on one machine
 */
export function placementOf(
  stated: StatedPlacement | null,
  { entityType, base: { table }, placedTables }: Placed,
  plans: PlansByField,
  report: ReportFault,
): () => Placement {
  if (stated === null) return () => TOGETHER;
  if (stated.kind === "reference") {
    if (table !== undefined) placedTables.declare(table, null, stated, report);
    return () => EVERYWHERE;
  }
  if (stated.kind !== "column") return () => ANYWHERE;
  checkStated(stated, entityType.name, plans, report);
  const { field } = stated;
  const plan = plans.get(field);
  if (table !== undefined && plan?.kind === "scalar") placedTables.declare(table, plan.column, stated, report);
  const member = table ?? stated.with;
  if (member === undefined) {
    report("`distributed` of a query has no `with`.", "Name the table whose rows the query returns.");
    return () => ANYWHERE;
  }
  const groupOf = (name: string): string => placedTables.groupOf(name);
  return () => new PlacedByValue(field, groupOf(member), groupOf);
}

/** The distribution of one table, with the name of its column. */
interface DeclaredTable {
  readonly column: string | null;
  readonly with: string | undefined;
}

/** The tables of one database whose distribution is declared. Several sets and sources may declare one table. */
export class PlacedTables {
  readonly #tables = new Map<string, DeclaredTable>();

  /**
   * Adds a table.
   * @param column the column that distributes it; null for a table that each machine has completely
   * @param report receives a fault if another set declares the table otherwise
   */
  declare(table: string, column: string | null, stated: StatedPlacement, report: ReportFault): void {
    const partner = stated.kind === "column" && stated.with !== table ? stated.with : undefined;
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
