import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { accessOf } from "./column-use.ts";
import { joinEnds } from "./table-rows.ts";

/** Returns the words for everything that compares the cells of a property of a set; empty if only `ctx.sets` can. */
export type ComparersOf = (set: EntitySetDefinition, property: StructuralProperty) => readonly string[];

/** Finds the routes, row rules and navigations that compare the cells of the properties of a service. */
export function comparersIn(service: ServiceDefinition): ComparersOf {
  const ends = joinEnds(service);
  const judged = judgedSets(service);
  return (set, property) => {
    const { name, entityType, etag } = set.entitySet;
    const isVisible = entityType.properties.includes(property);
    const joins = ends.get(name) ?? [];
    const uses: ReadonlyArray<readonly [word: string, isUsed: boolean]> = [
      ["keys", property.isKey],
      ["filters", isVisible && accessOf(set, property).has("filter")],
      ["preconditions", etag.includes(property)],
      ["row rules", judged.has(name)],
      ["navigations", joins.some(({ properties }) => properties.includes(property))],
    ];
    return uses.flatMap(([word, isUsed]) => (isUsed ? [word] : []));
  };
}

/** Returns whether row rules may read a property of a set. */
export type RowRulesRead = (set: EntitySetDefinition, property: StructuralProperty) => boolean;

/** Finds out which properties row rules of a service may read: all that they can compare, since a rule is a function. */
export function readByRowRules(service: ServiceDefinition): RowRulesRead {
  const judged = judgedSets(service);
  return ({ entitySet: { name, uncomparable } }, { field, isCollection }) =>
    judged.has(name) && !isCollection && uncomparable?.has(field) !== true;
}

/** Returns the names of the sets whose properties row rules may compare: rules follow navigations to single entities. */
function judgedSets({ entitySets }: ServiceDefinition): ReadonlySet<string> {
  const found = new Set(
    [...entitySets.values()].flatMap(({ entitySet, rows }) => (rows === null ? [] : [entitySet.name])),
  );
  // A set visits the names that are added during the loop, too.
  for (const name of found) {
    const entitySet = entitySets.get(name)?.entitySet;
    for (const property of entitySet?.navigationProperties.values() ?? []) {
      const target = entitySet?.navigationPropertyBindings.get(property.name);
      if (!property.isCollection && target !== undefined) found.add(target);
    }
  }
  return found;
}
