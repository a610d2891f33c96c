import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import type { SchemaFinding } from "../../errors/schema-finding.ts";
import { type CatalogueSteps, textOf } from "../../introspect/catalogue-steps.ts";
import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { DialectCatalogue } from "../dialects/dialect-profile.ts";

/** An entity set and its columns. */
interface PlannedSet {
  readonly set: EntitySetDefinition;
  readonly rows: { readonly plans: PlansByField };
}

const FLOATING: ReadonlySet<string> = new Set(["Edm.Double", "Edm.Single"]);

/** Finds out whether the database shortens the floating-point numbers of the first set that has some. */
export function* findShortened(
  sets: readonly PlannedSet[],
  { shortening }: DialectCatalogue,
): CatalogueSteps<readonly SchemaFinding[]> {
  if (shortening === undefined) return [];
  const first = sets.find(({ rows }) => [...rows.plans.values()].some(isFloating));
  if (first === undefined) return [];
  const [row] = yield shortening.query;
  if (row === undefined) return [];
  return [{ set: first.set.entitySet.name, code: "C15", severity: "error", ...shortening.describe(textOf(row[0])) }];
}

function isFloating(plan: ColumnPlan): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some(isFloating);
  const { type } = plan.property;
  return FLOATING.has(type.name) || (plan.kind === "scalar" && plan.storage === "real");
}
