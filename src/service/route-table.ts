import { assertNever } from "../base/assert-never.ts";
import type { Category } from "../definition/rules/authorization.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import type { RouteMethod as Method } from "../definition/service-description.ts";
import { keyHolderOf } from "../edm/key-holder.ts";
import type { NavigationProperty, Operation } from "../edm/model.ts";
import { linkCategories } from "../endpoints/authorize-link.ts";
import type { RouteRules } from "../endpoints/authorize.ts";
import { createEntity } from "../endpoints/create-entity.ts";
import { createRelated } from "../endpoints/create-related.ts";
import { deleteEntity } from "../endpoints/delete-entity.ts";
import type { Endpoint } from "../endpoints/exchange.ts";
import { invokeAction, invokeFunction } from "../endpoints/invoke-operation.ts";
import { patchEntity } from "../endpoints/patch-entity.ts";
import { readCollection, readCount } from "../endpoints/read-collection.ts";
import { readMetadata, readServiceDocument } from "../endpoints/read-document.ts";
import { readEntity } from "../endpoints/read-entity.ts";
import { readNavigation, readNavigationCount, readRelated } from "../endpoints/read-navigation.ts";
import { readProperty, readPropertyValue } from "../endpoints/read-property.ts";
import { readReferences } from "../endpoints/read-references.ts";
import { replaceEntity } from "../endpoints/replace-entity.ts";
import { clearProperty, patchProperty, replaceProperty } from "../endpoints/write-property.ts";
import { addReference, removeReference, setReference } from "../endpoints/write-reference.ts";
import { protocolError } from "../errors/odata-error.ts";
import { readForm } from "../plan/plan-collection.ts";
import { hasNavigationRoute } from "../plan/table-navigation.ts";
import type { ResourcePath } from "../query/resource-path.ts";

/** What answers one method of a path, and by which rules of its set it is authorized. */
export interface RouteEndpoint extends RouteRules {
  readonly answer: Endpoint;
}

/** The endpoints of one path, by method; an absent one is not declared. */
export type Endpoints = Readonly<Partial<Record<Method, RouteEndpoint | undefined>>>;

/** The methods of one path. */
export class Route {
  /** The value of the Allow header. */
  readonly allow: string;
  readonly #endpoints: ReadonlyMap<string, RouteEndpoint>;

  constructor(endpoints: Endpoints) {
    const declared = Object.entries(endpoints).filter(
      (entry): entry is [string, RouteEndpoint] => entry[1] !== undefined,
    );
    const { GET: read } = endpoints;
    this.#endpoints = new Map(read === undefined ? declared : [...declared, ["HEAD", read]]);
    this.allow = [...this.#endpoints.keys(), "OPTIONS"].join(", ");
  }

  /** Whether any method is declared: without one the path does not exist. */
  get exists(): boolean {
    return this.#endpoints.size > 0;
  }

  /**
   * The endpoint of a method.
   * @throws ODataError `MethodNotAllowed`, with Allow
   * @see decisions, Responses that match no handler
   */
  endpoint(method: string): RouteEndpoint {
    const endpoint = this.#endpoints.get(method);
    if (endpoint !== undefined) return endpoint;
    throw protocolError("MethodNotAllowed", `This resource does not take that method. It takes ${this.allow}.`, {
      headers: { Allow: this.allow },
    });
  }
}

/** The routes of one navigation property. */
export type NavigationRoutes = Readonly<
  Record<"navigation" | "navigationCount" | "relatedEntity" | "reference", Endpoints>
>;

/** The routes of one entity set. */
export interface EntitySetRoutes {
  /** By wire name of the navigation property. */
  readonly navigations: ReadonlyMap<string, NavigationRoutes>;
  readonly entitySet: Endpoints;
  readonly entitySetCount: Endpoints;
  readonly entity: Endpoints;
  readonly property: Endpoints;
  readonly propertyValue: Endpoints;
}

/**
 * Which endpoint answers which path and method: a route exists only where its operation is declared.
 * @see specification, Endpoints (route table)
 */
export class RouteTable {
  /** By name of the entity set. */
  readonly entitySets: ReadonlyMap<string, EntitySetRoutes>;
  /** Routes of endpoints that were met before: those of sets are met again and again. */
  readonly #routes = new WeakMap<Endpoints, Route>();

  constructor(definition: ServiceDefinition) {
    this.entitySets = new Map([...definition.entitySets].map(([name, set]) => [name, toRoutes(definition, set)]));
  }

  /**
   * The route of a path.
   * @throws ODataError `NotFound` where no method is declared
   */
  find(path: ResourcePath): Route {
    const endpoints = this.#endpoints(path);
    const known = this.#routes.get(endpoints);
    const route = known ?? new Route(endpoints);
    if (known === undefined) this.#routes.set(endpoints, route);
    if (route.exists) return route;
    throw protocolError("NotFound", "There is no resource at this path: the service declares no operation for it.");
  }

  #endpoints(path: ResourcePath): Endpoints {
    switch (path.kind) {
      case "serviceRoot":
        return SERVICE_ROOT;
      case "metadata":
        return METADATA;
      case "entitySet":
      case "entitySetCount":
      case "entity":
        return this.#routesOf(path.entitySet.name)[path.kind];
      case "property":
      case "propertyValue":
        return withOperations(this.#routesOf(path.entitySet.name)[path.kind], path.operations);
      case "navigation":
      case "navigationCount":
      case "reference":
      case "relatedEntity": {
        const routes = this.#routesOf(path.entitySet.name).navigations.get(path.navigationProperty.name);
        const endpoints = routes?.[path.kind] ?? NOTHING;
        return "operations" in path ? withOperations(endpoints, path.operations) : endpoints;
      }
      case "boundOperation":
      case "operationImport":
        return operationEndpoints(path.operations);
      default:
        return assertNever(path);
    }
  }

  #routesOf(entitySet: string): EntitySetRoutes {
    const routes = this.entitySets.get(entitySet);
    if (routes === undefined) throw new Error(`The entity set ${entitySet} has no routes.`);
    return routes;
  }
}

const SERVICE_ROOT: Endpoints = { GET: { answer: readServiceDocument, category: null } };
const METADATA: Endpoints = { GET: { answer: readMetadata, category: null } };
const NOTHING = {};

function toRoutes(definition: ServiceDefinition, set: EntitySetDefinition): EntitySetRoutes {
  const { entitySet, handlers, settings } = set;
  const isReadable = readForm(handlers) !== undefined;
  const readsProperties = settings.propertyAccessEnabled && handlers.getByKey !== undefined;
  const writesProperties = settings.propertyAccessEnabled && handlers.patch !== undefined;
  return {
    navigations: new Map(
      [...entitySet.navigationProperties.values()].map((property) => [
        property.name,
        navigationRoutes(definition, set, property),
      ]),
    ),
    entitySet: {
      GET: declared(isReadable, readCollection, "read"),
      POST: declared(handlers.create, createEntity, "create"),
    },
    entitySetCount: { GET: declared(isReadable, readCount, "read") },
    entity: {
      GET: declared(handlers.getByKey, readEntity, "read"),
      PUT: declared(handlers.replace, replaceEntity, "update"),
      PATCH: declared(handlers.patch, patchEntity, "update"),
      DELETE: declared(handlers.delete, deleteEntity, "delete"),
    },
    property: {
      GET: declared(readsProperties, readProperty, "read"),
      PUT: declared(writesProperties, replaceProperty, "update"),
      PATCH: declared(writesProperties, patchProperty, "update"),
      DELETE: declared(writesProperties, clearProperty, "update"),
    },
    propertyValue: { GET: declared(readsProperties, readPropertyValue, "read") },
  };
}

/** The endpoint when its condition holds. @param along what it does with the set that a navigation leads to */
function declared(
  condition: unknown,
  answer: Endpoint,
  category: Category,
  along?: readonly Category[],
): RouteEndpoint | undefined {
  return condition === undefined || condition === false ? undefined : { answer, category, along };
}

/** The endpoints of a navigation property: each needs its handler, or (reads) a table on both sides. */
function navigationRoutes(
  definition: ServiceDefinition,
  { entitySet, navigationHandlers }: EntitySetDefinition,
  property: NavigationProperty,
): NavigationRoutes {
  const { name, isCollection } = property;
  const handlers = navigationHandlers.get(name) ?? {};
  const reads = hasNavigationRoute(definition, entitySet, name);
  const isLinked = (handlers.addRef ?? handlers.setRef ?? handlers.removeRef) !== undefined;
  const target = definition.entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  const relinks = linkCategories(keyHolderOf(entitySet, property));
  return {
    navigation: {
      GET: declared(reads, readNavigation, "read", READS),
      POST: declared(isCollection ? handlers.create : undefined, createRelated, "create", ["create"]),
    },
    navigationCount: { GET: declared(isCollection && reads, readNavigationCount, "read", READS) },
    // One entity is addressed where its own set reads by key.
    relatedEntity: { GET: declared(isCollection && reads && target?.handlers.getByKey, readRelated, "read", READS) },
    reference: {
      GET: declared(reads || isLinked, readReferences, "read", READS),
      POST: declared(handlers.addRef, addReference, "create", relinks),
      PUT: declared(handlers.setRef, setReference, "update", relinks),
      DELETE: declared(handlers.removeRef, removeReference, "update", relinks),
    },
  };
}

const READS: readonly Category[] = ["read"];

/** Endpoints of a path whose last segment is also the name of operations: a verb that is free means one of them. */
function withOperations(endpoints: Endpoints, operations: readonly Operation[]): Endpoints {
  if (operations.length === 0) return endpoints;
  const { GET, POST } = operationEndpoints(operations);
  return { ...endpoints, GET: endpoints.GET ?? GET, POST: endpoints.POST ?? POST };
}

function operationEndpoints(operations: readonly Operation[]): Endpoints {
  const has = (kind: Operation["kind"]): boolean => operations.some((operation) => operation.kind === kind);
  return {
    GET: declared(has("Function"), invokeFunction, "invoke"),
    POST: declared(has("Action"), invokeAction, "invoke"),
  };
}
