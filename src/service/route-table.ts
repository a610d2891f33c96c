import { protocolError } from "../base/errors/odata-error.ts";
import { assertNever } from "../base/required.ts";
import type {
  EntitySetDefinition,
  ServiceDefinition,
  EntitySetRouteMethods,
  RouteMethod,
  RouteMethods,
} from "../definition/model/service-definition.ts";
import type { Category } from "../definition/sets/authorization.ts";
import { keyHolderOf } from "../edm/key-holder.ts";
import { takesBytes } from "../edm/media-type.ts";
import { type NavigationProperty, type Operation, shownProperties } from "../edm/model.ts";
import { readForm } from "../engine/plan/plan-collection.ts";
import { hasNavigationRoute } from "../engine/plan/table-navigation.ts";
import { expandDepthOf } from "../language/binder/bind-expand.ts";
import {
  type EntityAddress,
  type NavigationStep,
  type ResourcePath,
  stepsOf,
} from "../language/query/resource-path.ts";
import { linkCategories } from "./endpoints/authorize-link.ts";
import { createEntity } from "./endpoints/create-entity.ts";
import { createRelated } from "./endpoints/create-related.ts";
import { patchEntity, replaceEntity } from "./endpoints/deep-update.ts";
import { deleteEntity } from "./endpoints/delete-entity.ts";
import { invokeAction, invokeFunction } from "./endpoints/invoke-operation.ts";
import { readCollection, readCount } from "./endpoints/read-collection.ts";
import { readMetadata, readServiceDocument } from "./endpoints/read-document.ts";
import { readEntity } from "./endpoints/read-entity.ts";
import { readNavigation, readNavigationCount, readNavigationEntity } from "./endpoints/read-navigation.ts";
import { readProperty, readPropertyCount, readPropertyValue } from "./endpoints/read-property.ts";
import { readEntityReference, readReferences, readSetReferences } from "./endpoints/read-references.ts";
import { readStream } from "./endpoints/read-stream.ts";
import { requiringMatch } from "./endpoints/require-match.ts";
import type { Endpoint } from "./endpoints/stages.ts";
import { clearProperty, patchProperty, replaceProperty, replacePropertyValue } from "./endpoints/write-property.ts";
import { addReference, removeReference, setReference } from "./endpoints/write-reference.ts";
import { clearStream, createMedia, deleteMedia, replaceStream } from "./endpoints/write-stream.ts";
import { type Endpoints, Route, ROUTE_METHODS, type RouteEndpoint } from "./route.ts";

/** The routes of one navigation property. */
type NavigationRoutes = Readonly<Record<"navigation" | "navigationCount" | "relatedEntity" | "reference", Endpoints>>;

/** The routes of one entity set. */
export interface EntitySetRoutes {
  /** By wire name of the navigation property. */
  readonly navigations: ReadonlyMap<string, NavigationRoutes>;
  readonly entitySet: Endpoints;
  readonly entitySetCount: Endpoints;
  readonly entitySetReferences: Endpoints;
  readonly entity: Endpoints;
  readonly entityReference: Endpoints;
  /** Of a singleton over the set: clients cannot delete its entity. */
  readonly singleton: Endpoints;
  readonly property: Endpoints;
  readonly propertyValue: Endpoints;
  /** Of bytes that PUT may replace. */
  readonly bytesValue: Endpoints;
  readonly propertyCount: Endpoints;
  /** Of a stream property. */
  readonly stream: Endpoints;
  /** Of the media of an entity. */
  readonly media: Endpoints;
}

/**
 * Finds the endpoint for a path and method. A route exists only if its handler is declared.
 * @see docs/reference/routes.md
 */
export class RouteTable {
  /** By name of the entity set. */
  readonly entitySets: ReadonlyMap<string, EntitySetRoutes>;
  /** The routes of endpoints, made on first use. */
  readonly #routes = new WeakMap<Endpoints, Route>();
  /** The routes of reads whose query options are in the body of a POST. */
  readonly #queries = new WeakMap<Route, Route>();
  /** The routes of entities by `$id`. */
  readonly #reads = new WeakMap<Route, Route>();

  readonly #takesRawBytes: boolean;
  readonly #maxSteps: number;

  constructor(definition: ServiceDefinition) {
    this.#maxSteps = expandDepthOf(definition.limits);
    this.#takesRawBytes = definition.profile.takesRawBytes;
    this.entitySets = new Map([...definition.entitySets].map(([name, set]) => [name, toRoutes(definition, set)]));
  }

  /**
   * Returns the route of a path.
   * @throws ODataError `NotFound` if no method is declared; `InvalidQueryOption` for too many steps
   */
  find(path: ResourcePath): Route {
    this.#checkSteps(path);
    const endpoints = this.#endpoints(path);
    const known = this.#routes.get(endpoints);
    const route = known ?? new Route(endpoints);
    if (known === undefined) this.#routes.set(endpoints, route);
    if (route.exists) return route;
    throw noResource();
  }

  /**
   * Returns the route of a path with `/$query`: POST is a read of the path.
   * @throws ODataError `NotFound` if the path cannot be read
   * @see OData Protocol 4.01, section 11.2.11
   */
  findQuery(path: ResourcePath): Route {
    const resource = this.find(path);
    const read = resource.read;
    if (read === undefined || path.kind === "serviceRoot" || path.kind === "metadata") {
      throw protocolError("NotFound", "$query follows the path of data that GET can read.");
    }
    const known = this.#queries.get(resource) ?? new Route({ POST: read });
    this.#queries.set(resource, known);
    return known;
  }

  /**
   * Returns the route of an entity by `$id`, which only reads it.
   * @throws ODataError `NotFound` if the path cannot be read
   * @see OData Protocol 4.0, section 11.2.8
   */
  findRead(path: ResourcePath): Route {
    const resource = this.find(path);
    const { read } = resource;
    if (read === undefined) throw protocolError("NotFound", "The service declares no handler that reads this entity.");
    const known = this.#reads.get(resource) ?? new Route({ GET: read });
    this.#reads.set(resource, known);
    return known;
  }

  #endpoints(path: ResourcePath): Endpoints {
    switch (path.kind) {
      case "serviceRoot":
        return SERVICE_ROOT;
      case "metadata":
        return METADATA;
      case "entity": {
        if (path.step !== undefined) return this.#relatedTo(path.step);
        const routes = this.#routesOf(path.entitySet.name);
        return path.singleton === undefined ? routes.entity : routes.singleton;
      }
      case "entitySet":
      case "entitySetCount":
      case "entitySetReferences":
      case "entityReference":
        return this.#routesOf(path.entitySet.name)[path.kind];
      case "property":
        if (path.property.stream !== undefined) {
          const isMedia = path.property === path.entitySet.entityType.media;
          return this.#routesOf(path.entitySet.name)[isMedia ? "media" : "stream"];
        }
        return this.#routesOf(path.entitySet.name).property;
      case "propertyCount":
        return this.#routesOf(path.entitySet.name)[path.kind];
      case "propertyValue": {
        const takesPut = takesBytes(path.members.at(-1) ?? path.property, this.#takesRawBytes);
        return this.#routesOf(path.entitySet.name)[takesPut ? "bytesValue" : "propertyValue"];
      }
      case "navigation":
      case "navigationCount":
      case "reference":
      case "relatedEntity":
        return this.#along(path)?.[path.kind] ?? NOTHING;
      case "boundOperation":
      case "operationImport":
        return operationEndpoints(path.operations);
      default:
        return assertNever(path);
    }
  }

  /** Returns the endpoints of an entity at the end of a step. */
  #relatedTo({ from, navigationProperty, relatedKey }: NavigationStep): Endpoints {
    const routes = this.#along({ entitySet: from.entitySet, navigationProperty });
    return routes?.[relatedKey === null ? "navigation" : "relatedEntity"] ?? NOTHING;
  }

  #along({ entitySet, navigationProperty }: Along): NavigationRoutes | undefined {
    return this.#routesOf(entitySet.name).navigations.get(navigationProperty.name);
  }

  /** Checks that clients can read along the steps of a path. @throws ODataError `NotFound`, `InvalidQueryOption` */
  #checkSteps(path: ResourcePath): void {
    const steps = stepsOf(path);
    if (steps.length > this.#maxSteps) throw tooManySteps(steps.length, this.#maxSteps);
    for (const step of steps) if (this.#relatedTo(step).GET === undefined) throw noResource();
    if (steps.length > 0 && "entitySet" in path && this.#routesOf(path.entitySet.name).entity.GET === undefined) {
      throw noResource();
    }
  }

  #routesOf(entitySet: string): EntitySetRoutes {
    const routes = this.entitySets.get(entitySet);
    if (routes === undefined) throw new Error(`The entity set ${entitySet} has no routes.`);
    return routes;
  }
}

/** A navigation of a set. */
type Along = Pick<NavigationStep, "navigationProperty"> & Pick<EntityAddress, "entitySet">;

function noResource(): Error {
  return protocolError("NotFound", "This path has no resource, because the service declares no handler for it.");
}

function tooManySteps(steps: number, most: number): Error {
  const message = `The path leads through ${String(steps)} related entities, and the limit is ${String(most)}. Begin at a later entity.`;
  return protocolError("InvalidQueryOption", message);
}

const SERVICE_ROOT: Endpoints = { GET: { answer: readServiceDocument, category: null } };
const METADATA: Endpoints = { GET: { answer: readMetadata, category: null } };
const NOTHING = {};

function toRoutes(definition: ServiceDefinition, set: EntitySetDefinition): EntitySetRoutes {
  const { entitySet, handlers, settings } = set;
  const entity = entityEndpoints(definition, set);
  const isReadable = readForm(handlers) !== undefined;
  // A reference is the URL of an entity, which `getByKey` reads.
  const isReferenced = definition.profile.pathReach === "further" && handlers.getByKey !== undefined;
  const readsProperties = settings.propertyAccessEnabled && handlers.getByKey !== undefined;
  const writesProperties = settings.propertyAccessEnabled && handlers.patch !== undefined;
  const matched = matching(set);
  const isMedia = entitySet.entityType.media !== undefined;
  const hasStreams =
    isMedia || shownProperties(entitySet.entityType).some(({ stream: traits }) => traits !== undefined);
  const { getByKey } = hasStreams ? handlers : {};
  const stream: Endpoints = {
    GET: declared(getByKey, readStream, "read"),
    PUT: declared(getByKey && handlers.patch, matched(replaceStream, true), "update"),
    DELETE: declared(getByKey && handlers.patch, matched(clearStream), "update"),
  };
  return {
    stream,
    media: { ...stream, DELETE: declared(getByKey && handlers.delete, matched(deleteMedia), "delete") },
    navigations: new Map(
      [...entitySet.navigationProperties.values()].map((property) => [
        property.name,
        navigationRoutes(definition, set, property),
      ]),
    ),
    entitySet: {
      GET: declared(isReadable, readCollection, "read"),
      POST: declared(handlers.create, isMedia ? createMedia : createEntity, "create"),
    },
    entitySetCount: { GET: declared(isReadable, readCount, "read") },
    entitySetReferences: { GET: declared(isReadable && isReferenced, readSetReferences, "read") },
    entityReference: { GET: declared(isReferenced, readEntityReference, "read") },
    entity,
    singleton: {
      ...entity,
      PUT: declared(handlers.replace, matched(replaceEntity), "update"),
      DELETE: undefined,
    },
    property: {
      GET: declared(readsProperties, readProperty, "read"),
      PUT: declared(writesProperties, matched(replaceProperty), "update"),
      PATCH: declared(writesProperties, matched(patchProperty), "update"),
      DELETE: declared(writesProperties, matched(clearProperty), "update"),
    },
    propertyValue: { GET: declared(readsProperties, readPropertyValue, "read") },
    bytesValue: {
      GET: declared(readsProperties, readPropertyValue, "read"),
      PUT: declared(writesProperties, matched(replacePropertyValue), "update"),
      DELETE: declared(writesProperties, matched(clearProperty), "update"),
    },
    propertyCount: { GET: declared(readsProperties, readPropertyCount, "read") },
  };
}

/** Returns the endpoints of `Set(key)`. */
function entityEndpoints({ profile }: ServiceDefinition, set: EntitySetDefinition): Endpoints {
  const { entitySet, handlers, settings } = set;
  const matched = matching(set);
  const hasChosenKey = !entitySet.entityType.key.some(({ computed }) => computed);
  const mayCreate = (settings.allowUpsert && hasChosenKey) || profile.putChecksIfNoneMatch;
  return {
    GET: declared(handlers.getByKey, readEntity, "read"),
    PUT: declared(handlers.replace, matched(replaceEntity, mayCreate), "update"),
    PATCH: declared(handlers.patch, matched(patchEntity), "update"),
    DELETE: declared(handlers.delete, matched(deleteEntity), "delete"),
  };
}

/** Makes writes of a set that requires If-Match refuse requests without it. */
function matching({ settings }: EntitySetDefinition): (endpoint: Endpoint, creates?: boolean) => Endpoint {
  return (endpoint, creates = false) => (settings.requireIfMatch ? requiringMatch(endpoint, creates) : endpoint);
}

/** Returns the endpoint if its condition holds. @param along the categories for the target set of a navigation */
function declared(
  condition: unknown,
  answer: Endpoint,
  category: Category,
  along?: readonly Category[],
): RouteEndpoint | undefined {
  return condition === undefined || condition === false ? undefined : { answer, category, along };
}

/** Returns the endpoints of a navigation property. Each needs its handler, or, for reads, a table on both sides. */
function navigationRoutes(
  definition: ServiceDefinition,
  { entitySet, navigationHandlers }: EntitySetDefinition,
  property: NavigationProperty,
): NavigationRoutes {
  const { name, isCollection } = property;
  const handlers = navigationHandlers.get(name);
  const reads = hasNavigationRoute(definition, entitySet, name);
  const isLinked = (handlers?.addRef ?? handlers?.setRef ?? handlers?.removeRef) !== undefined;
  const target = definition.entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  const relinks = linkCategories(keyHolderOf(entitySet, property));
  return {
    navigation: {
      GET: declared(reads, readNavigation, "read", READS),
      POST: declared(isCollection && handlers?.create, createRelated, "create", ["create"]),
    },
    navigationCount: { GET: declared(isCollection && reads, readNavigationCount, "read", READS) },
    relatedEntity: isCollection && reads ? relatedEndpoints(definition, target) : {},
    reference: {
      GET: declared(reads || isLinked, readReferences, "read", READS),
      POST: declared(handlers?.addRef, addReference, "create", relinks),
      PUT: declared(handlers?.setRef, setReference, "update", relinks),
      DELETE: declared(handlers?.removeRef, removeReference, "update", relinks),
    },
  };
}

/** Returns the endpoints of one entity of a collection, which need `getByKey` of the target set. */
function relatedEndpoints(definition: ServiceDefinition, target: EntitySetDefinition | undefined): Endpoints {
  if (target?.handlers.getByKey === undefined) return {};
  const writes = definition.profile.pathReach === "further" ? entityEndpoints(definition, target) : {};
  return { ...writes, GET: declared(true, readNavigationEntity, "read", READS) };
}

const READS: readonly Category[] = ["read"];

function operationEndpoints(operations: readonly Operation[]): Endpoints {
  const has = (kind: Operation["kind"]): boolean => operations.some((operation) => operation.kind === kind);
  return {
    GET: declared(has("Function"), invokeFunction, "invoke"),
    POST: declared(has("Action"), invokeAction, "invoke"),
  };
}

/** Returns the methods of the routes of each entity set, by name of the set. */
export function describedRoutes(table: RouteTable): ReadonlyMap<string, EntitySetRouteMethods> {
  return new Map([...table.entitySets].map(([name, routes]) => [name, describe(routes)]));
}

function describe(routes: EntitySetRoutes): EntitySetRouteMethods {
  const { navigations, ...own } = routes;
  return {
    entitySet: methodsOf(own.entitySet),
    entitySetCount: methodsOf(own.entitySetCount),
    entitySetReferences: methodsOf(own.entitySetReferences),
    entity: methodsOf(own.entity),
    entityReference: methodsOf(own.entityReference),
    property: methodsOf(own.property),
    propertyValue: methodsOf(own.propertyValue),
    stream: methodsOf(own.stream),
    media: methodsOf(own.media),
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
  return new Set(ROUTE_METHODS.filter((method) => endpoints[method] !== undefined));
}

function without(methods: RouteMethods, left: RouteMethod): RouteMethods {
  return new Set([...methods].filter((method) => method !== left));
}
