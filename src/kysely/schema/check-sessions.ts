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

/**
 * Finds settings of the sessions with which statements or values have another meaning, and reports them at the first set that
 * they concern.
 */
export function* checkSessions(
  sets: readonly PlannedSet[],
  { sessions }: DialectCatalogue,
): CatalogueSteps<readonly SchemaFinding[]> {
  if (sessions === undefined) return [];
  const { query, types = {}, refused } = sessions;
  const concerned = new Map(Object.keys(refused).map((setting) => [setting, firstOf(sets, types[setting])]));
  if ([...concerned.values()].every((set) => set === undefined)) return [];
  return (yield query).flatMap(([setting, value]): readonly SchemaFinding[] => {
    const set = concerned.get(textOf(setting))?.set.entitySet.name;
    const described = refused[textOf(setting)]?.(textOf(value));
    return set === undefined || described === undefined ? [] : [{ set, code: "C15", severity: "error", ...described }];
  });
}

/** Finds the first set with a column of some types; the first set for all types. */
function firstOf(sets: readonly PlannedSet[], types: ReadonlySet<string> | undefined): PlannedSet | undefined {
  if (types === undefined) return sets[0];
  return sets.find(({ rows }) => [...rows.plans.values()].some((plan) => isOfType(plan, types)));
}

function isOfType(plan: ColumnPlan, types: ReadonlySet<string>): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some((member) => isOfType(member, types));
  const { type } = plan.property;
  return types.has(type.name) || (plan.kind === "scalar" && plan.storage === "real" && types.has("Edm.Double"));
}
