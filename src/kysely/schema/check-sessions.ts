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

/**
 * Finds settings of the sessions with which statements or values have another meaning, and reports them at the first set that
 * they concern.
 */
export function* checkSessions(
  sets: readonly PlannedSet[],
  { sessions }: DialectCatalogue,
): CatalogueSteps<readonly SchemaFinding[]> {
  if (sessions === undefined) return [];
  const { query, isOfNumbers = false, refused } = sessions;
  const first = sets.find(({ rows }) => !isOfNumbers || [...rows.plans.values()].some(isFloating));
  if (first === undefined) return [];
  const set = first.set.entitySet.name;
  return (yield query).flatMap(([setting, value]): readonly SchemaFinding[] => {
    const described = refused[textOf(setting)]?.(textOf(value));
    return described === undefined ? [] : [{ set, code: "C15", severity: "error", ...described }];
  });
}

function isFloating(plan: ColumnPlan): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some(isFloating);
  const { type } = plan.property;
  return FLOATING.has(type.name) || (plan.kind === "scalar" && plan.storage === "real");
}
