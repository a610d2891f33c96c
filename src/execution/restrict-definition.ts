import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import { type GuardedReference, guardedReferencesOf } from "../definition/sets/guarded-reference.ts";
import type { EntitySetHandlers, NavigationHandlers } from "../definition/sets/handlers.ts";
import { frozenMap } from "../edm/frozen-map.ts";
import { restrictApplyQuery } from "./restrict-apply-query.ts";
import { restrictCreation, restrictNavigation } from "./restrict-navigation.ts";
import { restrictReads } from "./restrict-reads.ts";
import { restrictWrites } from "./restrict-writes.ts";
import { restrictionOf } from "./row-restriction.ts";
import { noteGuarded } from "./trusted-context.ts";
import { visibleValues } from "./visible-values.ts";

/**
 * The service with handlers that obey the row rules of its sets: whatever reads or writes through it meets no row that
 * the user of a request does not see.
 * @returns the service itself where no set has a row rule
 * @see specification, Authentication (row rules)
 */
export function restrictDefinition(declared: ServiceDefinition): ServiceDefinition {
  const sets = [...declared.entitySets];
  if (sets.every(([, { rows }]) => rows === null)) return declared;
  const restricted: ServiceDefinition = Object.freeze({
    ...declared,
    entitySets: frozenMap(sets.map(([name, set]) => [name, restrictSet(set, declared)] as const)),
  });
  noteGuarded(restricted, { declared, visibleValues });
  return restricted;
}

function restrictSet(declared: EntitySetDefinition, service: ServiceDefinition): EntitySetDefinition {
  const { entitySet, rows, navigationHandlers } = declared;
  const set = { ...declared, guardedReferences: referencesOf(declared, service) };
  const navigations = Array.from(navigationHandlers, ([name, handlers]): [string, NavigationHandlers<Context>] => {
    const navigationProperty = entitySet.navigationProperties.get(name);
    const target = service.entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
    if (navigationProperty === undefined || target === undefined) return [name, handlers];
    const navigation = { navigationProperty, entitySet, target: target.entitySet };
    if (target.rows !== null) return [name, restrictNavigation(navigation, handlers)];
    const refers = referencesOf(target, service).length > 0;
    return [name, refers ? restrictCreation(navigation, handlers) : handlers];
  });
  return Object.freeze<EntitySetDefinition>({
    ...set,
    handlers: Object.freeze(restrictHandlers(set)),
    navigationHandlers: frozenMap(navigations),
    ...(rows === null ? {} : { restriction: (context) => restrictionOf(set, context) }),
  });
}

function referencesOf(
  { entitySet }: EntitySetDefinition,
  { entitySets }: ServiceDefinition,
): readonly GuardedReference[] {
  const guarded = [...entitySets.values()].filter(({ rows }) => rows !== null);
  return guardedReferencesOf(
    entitySet,
    guarded.map((set) => set.entitySet),
  );
}

/** Sets without a rule, too, may lead to those that have one: by expressions, and by what is nested in new entities. */
function restrictHandlers(set: EntitySetDefinition): EntitySetHandlers<Context> {
  const { handlers, rows } = set;
  const { applyQuery } = handlers;
  return {
    ...handlers,
    ...(rows === null ? {} : restrictReads(set)),
    ...(applyQuery === undefined ? {} : { applyQuery: restrictApplyQuery(set, applyQuery) }),
    ...restrictWrites(set),
  };
}
