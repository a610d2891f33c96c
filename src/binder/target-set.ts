import type { EntitySet, Model, NavigationProperty } from "../edm/model.ts";

/** The set that the entities behind a navigation property of a set belong to; null: none is declared. */
export function targetSetOf({ name }: NavigationProperty, entitySet: EntitySet, model: Model): EntitySet | null {
  const target = entitySet.navigationPropertyBindings.get(name);
  return target === undefined ? null : (model.entityContainer.entitySets.get(target) ?? null);
}
