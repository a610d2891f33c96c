import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { ServiceDefinition } from "./service-definition.ts";

/** The methods that a route may declare. Routes with GET also support HEAD, and all routes support OPTIONS. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The declared methods of one path. A path without methods does not exist. */
export type RouteMethods = ReadonlySet<RouteMethod>;

/** The declared methods along one navigation property. */
export interface NavigationRouteMethods {
  readonly navigation: RouteMethods;
  readonly navigationCount: RouteMethods;
  readonly relatedEntity: RouteMethods;
  readonly reference: RouteMethods;
}

/** The declared methods of one entity set. */
export interface EntitySetRouteMethods {
  readonly entitySet: RouteMethods;
  readonly entitySetCount: RouteMethods;
  readonly entity: RouteMethods;
  readonly property: RouteMethods;
  readonly propertyValue: RouteMethods;
  /** By wire name of the navigation property. */
  readonly navigations: ReadonlyMap<string, NavigationRouteMethods>;
}

/** The definition and the routes of a service, for API descriptions. */
export interface ServiceDescription {
  readonly definition: ServiceDefinition;
  /** By name of the entity set. */
  readonly routes: ReadonlyMap<string, EntitySetRouteMethods>;
}

/** The resource of a further route: the same bytes for every request of a mount path. */
export interface RouteResource {
  /** The path below the prefix, such as `openapi.json`. */
  readonly path: string;
  /** The Content-Type. */
  readonly contentType: string;
  /** The body, or a function that makes it for the first request. */
  readonly body: Uint8Array | (() => Uint8Array);
  /** Returns the body for a service that its host mounted below a path; absent if the path changes nothing. */
  readonly bodyBelow?: ((mountPath: string) => Uint8Array) | undefined;
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether requests skip authentication and authorization; false if absent. */
  readonly isPublic?: boolean | undefined;
}

/** Further routes of a service, such as the result of `openApiRoute`. */
export interface ServiceRoute {
  readonly kind: "ServiceRoute";
  /** The paths below the prefix. */
  readonly paths: readonly string[];
  /** Returns the faults of its options, at startup. */
  check(): Iterable<ConfigurationFault>;
  /** Lists the resources, once, at startup. */
  open(service: ServiceDescription): readonly RouteResource[];
}

const DESCRIPTION: unique symbol = Symbol("description");

/** Stores the description in a hidden field of a service that is not frozen yet. */
export function describeService(service: object, description: ServiceDescription): void {
  Object.defineProperty(service, DESCRIPTION, { value: description });
}

/** Returns the description of a service; undefined for any other object. */
export function descriptionOf(service: object): ServiceDescription | undefined {
  return (service as { readonly [DESCRIPTION]?: ServiceDescription })[DESCRIPTION];
}

/** Lets a service have the description of another one, which may change. */
export function forwardDescription(service: object, current: () => object): void {
  Object.defineProperty(service, DESCRIPTION, { get: () => descriptionOf(current()) });
}
