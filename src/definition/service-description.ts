import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { ServiceDefinition } from "./service-definition.ts";

/** The methods of the protocol that a route may declare. HEAD goes with GET, OPTIONS with each. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The declared methods of one path; an empty one does not exist. */
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

/** What a service tells of itself to those who describe it: what it declares, and which routes that makes. */
export interface ServiceDescription {
  readonly definition: ServiceDefinition;
  /** By name of the entity set. */
  readonly routes: ReadonlyMap<string, EntitySetRouteMethods>;
}

/** What a further route answers: the same bytes for every request. */
export interface RouteResource {
  /** Below the prefix, such as `openapi.json`. */
  readonly path: string;
  /** The Content-Type. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Headers beside those of every response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether nobody is asked who they are, whatever the registration requires; absent: false. */
  readonly isPublic?: boolean | undefined;
}

/** Routes beside those of the protocol, such as those that `openApiRoute` makes. */
export interface ServiceRoute {
  readonly kind: "ServiceRoute";
  /** The paths that it takes below the prefix. */
  readonly paths: readonly string[];
  /** What keeps it from being served, found at startup. */
  check(): Iterable<ConfigurationFault>;
  /** Makes what is served, once, at startup. */
  open(service: ServiceDescription): readonly RouteResource[];
}

const DESCRIPTION: unique symbol = Symbol("description");

/** Keeps the description in a hidden field of a service that is not frozen yet: clients never see it. */
export function describeService(service: object, description: ServiceDescription): void {
  Object.defineProperty(service, DESCRIPTION, { value: description });
}

/** The description of a service; undefined for an object that is none. */
export function descriptionOf(service: object): ServiceDescription | undefined {
  return (service as { readonly [DESCRIPTION]?: ServiceDescription })[DESCRIPTION];
}
