import type { EntitySetRouteMethods, RouteMethod, RouteMethods } from "../definition/service-description.ts";
import type { Endpoints, EntitySetRoutes, NavigationRoutes, RouteTable } from "./route-table.ts";

/** Returns the methods of the routes of each entity set, by name of the set. */
export function describedRoutes(table: RouteTable): ReadonlyMap<string, EntitySetRouteMethods> {
  return new Map([...table.entitySets].map(([name, routes]) => [name, describe(routes)]));
}

function describe(routes: EntitySetRoutes): EntitySetRouteMethods {
  const { entitySet, entitySetCount, entity, property, propertyValue, navigations } = routes;
  return {
    entitySet: methodsOf(entitySet),
    entitySetCount: methodsOf(entitySetCount),
    entity: methodsOf(entity),
    property: methodsOf(property),
    propertyValue: methodsOf(propertyValue),
    navigations: new Map([...navigations].map(([name, each]) => [name, describeNavigation(each)])),
  };
}

function describeNavigation(routes: NavigationRoutes): {
  readonly [Path in keyof NavigationRoutes]: RouteMethods;
} {
  const reference = methodsOf(routes.reference);
  return {
    navigation: methodsOf(routes.navigation),
    navigationCount: methodsOf(routes.navigationCount),
    relatedEntity: methodsOf(routes.relatedEntity),
    // Without a route for the related entities, GET of references exists only to return an error.
    reference: routes.navigation.GET === undefined ? without(reference, "GET") : reference,
  };
}

function methodsOf(endpoints: Endpoints): RouteMethods {
  const methods: readonly RouteMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  return new Set(methods.filter((method) => endpoints[method] !== undefined));
}

function without(methods: RouteMethods, left: RouteMethod): RouteMethods {
  return new Set([...methods].filter((method) => method !== left));
}
