import { keeper } from "../base/memo.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { EntitySetRuntime, NavigationRuntime } from "../endpoints/exchange.ts";
import { implicitSet } from "../endpoints/implicit-set.ts";
import { type BodySettings, compileBodyReaders, compileRelatedReader } from "../payload/body-readers.ts";
import { readForm } from "../plan/plan-collection.ts";
import { routeWays } from "../plan/table-navigation.ts";
import type { Capabilities } from "../query/capabilities.ts";

/** Prepares an entity set and its navigation properties for the endpoints. */
export function toEntitySetRuntime(definition: ServiceDefinition, set: EntitySetDefinition): EntitySetRuntime {
  const { model, limits, profile } = definition;
  const { entitySet, capabilities, settings, handlers } = set;
  const navigations = [...entitySet.navigationProperties.values()].map((navigationProperty) => {
    return [navigationProperty.name, toNavigationRuntime(definition, set, navigationProperty)] as const;
  });
  return keeper<EntitySetRuntime>({
    handlers,
    capabilities,
    settings,
    target: {
      model,
      entitySet,
      capabilities,
      capabilitiesOf: capabilitiesIn(definition),
      limits,
      fullContextUrl: profile.fullContextUrl,
    },
    form: readForm(handlers),
    bodies: compileBodyReaders(entitySet, bodySettings(definition, set)),
    navigations: new Map(navigations),
  });
}

function capabilitiesIn({
  entitySets,
  defaultCapabilities,
}: ServiceDefinition): (set: EntitySet | null) => Capabilities {
  return (set) => entitySets.get(set?.name ?? "")?.capabilities ?? defaultCapabilities;
}

function bodySettings({ model, profile }: ServiceDefinition, { settings }: EntitySetDefinition): BodySettings {
  const { unknownMembers, allowDeepInsert } = settings;
  const { ignoresBodyKeys, refusesIgnoredNesting } = profile;
  const { entitySets } = model.entityContainer;
  return { unknownMembers, allowDeepInsert, ignoresBodyKeys, refusesIgnoredNesting, entitySets };
}

function toNavigationRuntime(
  definition: ServiceDefinition,
  set: EntitySetDefinition,
  navigationProperty: NavigationProperty,
): NavigationRuntime {
  const { entitySet, navigationHandlers } = set;
  const { model, limits, entitySets, defaultCapabilities, profile } = definition;
  const { name, entityType } = navigationProperty;
  const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  const declared = navigationHandlers.get(name) ?? {};
  const ways = routeWays(definition, entitySet, name);
  // Handlers that create related entities receive no nested entities.
  const bodies = { ...bodySettings(definition, set), allowDeepInsert: false };
  const table = ways.find((way) => way.kind === "target") ?? null;
  return {
    readNew: compileRelatedReader(entitySet, navigationProperty, bodies),
    table,
    source: {
      entitySet,
      navigationProperty,
      handlers: declared,
      ways,
      target: target?.entitySet ?? null,
      place: `${entitySet.name}/${name}`,
    },
    target: {
      model,
      entitySet: target?.entitySet ?? implicitSet(`${entitySet.name}/${name}`, entityType),
      capabilities: target?.capabilities ?? defaultCapabilities,
      capabilitiesOf: capabilitiesIn(definition),
      limits,
      fullContextUrl: profile.fullContextUrl,
      // A handler may put related entities into the objects that it returns.
      areObjects: table === null,
    },
    origin: target?.entitySet ?? entityType,
    search: target?.handlers.search,
    selectPushdownEnabled: target?.settings.selectPushdownEnabled ?? true,
  };
}
