import type { EntityType } from "../../edm/model.ts";
import { checkDistribution, type Distribution } from "../columns/distribution.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { From } from "../translate/base-query.ts";
import type { Placement } from "../translate/relation.ts";
import type { CoLocatedTables } from "./co-located-tables.ts";
import type { StatementTarget } from "./statement-target.ts";

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
