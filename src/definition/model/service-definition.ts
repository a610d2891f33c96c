import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { Model, Operation, OperationImport, Singleton, StructuralProperty } from "../../edm/model.ts";
import type { Capabilities, Limits } from "../../language/query/capabilities.ts";
import type { Context, IncomingRequest, RuleContext, User, DeclaredEntitySet } from "../context.ts";
import type { Answer, EntitySetHandlers, NavigationHandlers, Awaitable } from "../handlers.ts";
import type { Logger, StatementFollower, TracedRequest, TracedStatement } from "../logger.ts";
import type { ServiceProfile } from "../service-profile.ts";
import type {
  AuthorizationRequirement,
  CategoryRequirements,
  NavigationAuthorization,
  GuardedReference,
  RowRuleChecks,
  RuledSet,
} from "../sets/authorization.ts";
import type { CacheControl } from "../sets/cache-control.ts";
import type { ConstraintErrors } from "../sets/constraints.ts";
import type { EntitySetDeclaration } from "../sets/entity-set.ts";
import type { PropertyRules } from "../sets/property-rules.ts";
import type { SingletonSource } from "../sets/singleton.ts";
import type { TransactionalDatabase } from "../sets/transactional-database.ts";
import type { Validators } from "../sets/validation.ts";
import type { VirtualRead } from "../sets/virtual-option.ts";
import type { WriteHooks } from "../sets/write-hooks.ts";
import type { Messages } from "./messages.ts";
import type { SetValues } from "./set-values.ts";
import type { AdmitTenant } from "./tenant-check.ts";
import type { TracedResponse } from "./traced-response.ts";

/**
 * One registration after startup: frozen, with every declaration checked and every name and setting resolved.
 * Requests use only this definition, never the declarations.
 */
export interface ServiceDefinition {
  readonly name: string | undefined;
  /** Starts with a slash and does not end with one; empty for the root. */
  readonly prefix: string;
  readonly group: string | undefined;
  readonly model: Model;
  /** Includes the sets of singletons that have their own handlers. */
  readonly entitySets: ReadonlyMap<string, EntitySetDefinition>;
  /** By name. */
  readonly singletons: ReadonlyMap<string, SingletonDefinition>;
  /** The functions of the virtual properties of all types. */
  readonly virtual: ReadonlyMap<StructuralProperty, VirtualRead>;
  /** Unbound operations by name. */
  readonly operationImports: ReadonlyMap<string, OperationImport>;
  /** Unbound operations with their handlers, by name. */
  readonly operations: ReadonlyMap<string, OperationDefinition>;
  /** The handlers of all sets that check row rules in their own transaction: they are called without further checks. */
  readonly handlersCheckingRows: ReadonlySet<unknown>;
  /** The checks of row rules; null if no set has a rule. */
  readonly rowRules: RowRuleChecks | null;
  /** The capabilities of related entities that belong to no declared set. */
  readonly defaultCapabilities: Capabilities;
  /** The settings of unbound operations. */
  readonly defaultSettings: EntitySetSettings;
  readonly limits: Limits;
  /** The formats and limits of batches; null if the service accepts none. */
  readonly batch: BatchDefinition | null;
  /** Which pages of other origins may use the service in a browser; null if none may. */
  readonly cors: CorsDefinition | null;
  readonly profile: ServiceProfile;
  readonly logger: Logger;
  /** Receives each SQL statement of a request. */
  readonly onStatement: ((statement: TracedStatement) => unknown) | undefined;
  /** Returns the texts of errors in the language of the user. */
  readonly messages: Messages | undefined;
  /** Receives each response that has been sent. */
  readonly onResponse: ((response: TracedResponse) => unknown) | undefined;
  /** Whether responses report the time of each stage. */
  readonly serverTiming: boolean;
  /** The configured base URL without a trailing slash, such as `https://api.example.com`. */
  readonly publicUrl: string | undefined;
  /** The name without extension of the connection files for Excel and Power BI; null if the service serves none. */
  readonly connectionFiles: string | null;
  readonly trustProxy: boolean;
  /** Whether the service refuses writes that a browser sends for a page of another site. */
  readonly refusesCrossSiteWrites: boolean;
  /** The WWW-Authenticate header of a 401. */
  readonly challenge: string;
  /** Whether responses name the check constraint that a write violated. */
  readonly exposesConstraintNames: boolean;
  /** Returns the error for the client in place of a 500. */
  readonly explainError: ((error: unknown) => ODataError | undefined) | undefined;
  /** Keeps the positions of sessions. */
  readonly positions: PositionStore | undefined;
  readonly authenticate: ((request: IncomingRequest) => Answer<User | null>) | undefined;
  /** Returns the owner of keyset tokens; the user of the request if absent. */
  readonly tokenScope: ((context: RuleContext) => string) | undefined;
  /** The rules of every request, checked before the rules of its set and category. */
  readonly authorization: readonly AuthorizationRequirement[];
  /** Whether `$metadata` states the permissions of the user. */
  readonly metadataPerUser: boolean;
  /** Admits the database of a tenant. */
  readonly admit: AdmitTenant;
  /** Returns the declaration of a set by its name: `ctx.sets` takes declarations. */
  readonly declarationOf: (name: string) => DeclaredEntitySet | undefined;
}

/** The resolved options of `batch`. */
export interface BatchDefinition {
  readonly multipart: boolean;
  readonly json: boolean;
  /** The most operations; null for no limit. */
  readonly maxParts: number | null;
  /** The milliseconds that all operations may take together; null for no limit. */
  readonly timeout: number | null;
  readonly changeSets: "atomic" | "sequential";
}

/** The resolved options of `cors`. */
export interface CorsDefinition {
  readonly origins: "*" | ReadonlySet<string>;
  readonly credentials: boolean;
  /** In seconds; undefined for the default of browsers. */
  readonly maxAge: number | undefined;
  /** Request headers of the application, in lower case. */
  readonly headers: ReadonlySet<string>;
  /** Whether pages send and read the positions of databases. */
  readonly takesPositions: boolean;
  /** Whether pages read the time of the stages. */
  readonly showsTiming: boolean;
}

/** One entity set after startup. */
export interface EntitySetDefinition extends RuledSet {
  /** The database of the rows; undefined if the declaration does not know it. */
  readonly database: TransactionalDatabase | undefined;
  readonly handlers: EntitySetHandlers<Context>;
  /** The handlers of each navigation property that the set declares, by wire name. */
  readonly navigationHandlers: ReadonlyMap<string, NavigationHandlers<Context>>;
  readonly capabilities: Capabilities;
  readonly settings: EntitySetSettings;
  /** Returns whether requests create entities of the set: POST, also along a navigation or with nested entities, or PUT. */
  readonly isCreated: () => boolean;
  /** The operations bound to the set or to its entities, by name. */
  readonly operations: ReadonlyMap<string, OperationDefinition>;
  readonly authorization: CategoryRequirements;
  /** The rules of single properties. */
  readonly propertyRules: PropertyRules;
  /** The rules along each navigation property that the set declares, by wire name. */
  readonly navigationAuthorization: ReadonlyMap<string, NavigationAuthorization>;
  /** Whether the handlers of the application write through `ctx.transaction`, so that change sets may contain them. */
  readonly transactional: boolean;
  /** The functions that judge the values of clients; null without any. */
  readonly validators: Validators | null;
  /** The errors for violated constraints of the database; null if the set declares none. */
  readonly constraints: ConstraintErrors | null;
  /** The functions before and after writes; null without any. */
  readonly hooks: WriteHooks | null;
  /** Locks the row of a key until the open transaction ends; absent if the rows are not in a table. */
  readonly lock: EntitySetDeclaration["lock"];
  /** Reads the row of a key as writes return it, in the open transaction; absent like `lock`. */
  readonly reread: EntitySetDeclaration["reread"];
  readonly leavesRows: EntitySetDeclaration["leavesRows"];
  readonly settle: EntitySetDeclaration["settle"];
  /** The foreign keys that refer to sets with row rules. */
  readonly guardedReferences: readonly GuardedReference[];
  /** The properties whose values the server sets; null: none. */
  readonly setValues: SetValues | null;
}

/** One singleton after startup. */
export interface SingletonDefinition {
  readonly singleton: Singleton;
  readonly source: SingletonSource;
  /** Whether a missing entity is null. */
  readonly isNullable: boolean;
}

/** One operation after startup. */
export interface OperationDefinition {
  readonly operation: Operation;
  readonly handler: OperationHandler;
  /** Whether the handler writes through `ctx.transaction`. */
  readonly transactional: boolean;
  /** The rules of an unbound operation, in addition to the rules of the registration. */
  readonly authorization: readonly AuthorizationRequirement[];
}

/** `(key, parameters, context)` for an operation bound to an entity, otherwise `(parameters, context)`. */
export type OperationHandler = (...parameters: readonly unknown[]) => Answer<unknown>;

/** The resolved settings of an entity set, except those for query options. `null` means no limit. */
export interface EntitySetSettings {
  readonly allowDeepInsert: boolean;
  readonly bindEnabled: boolean;
  readonly deepUpdateEnabled: boolean;
  readonly maxRequestBodyBytes: number | null;
  readonly propertyAccessEnabled: boolean;
  readonly propertyRouteDocsEnabled: boolean;
  readonly allowUpsert: boolean;
  readonly idempotentDelete: boolean;
  readonly requireIfMatch: boolean;
  /** The `Cache-Control` of reads; null for the usual header. */
  readonly cacheControl: CacheControl | null;
  /** The request headers that the handlers read, for `Vary`; empty for none. */
  readonly vary: string;
  readonly selectPushdownEnabled: boolean;
  readonly expandPushdownEnabled: boolean;
  readonly unknownMembers: "reject" | "ignore";
  readonly paging: "offset" | "keyset";
}

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
  readonly entitySetReferences: RouteMethods;
  readonly entity: RouteMethods;
  readonly entityReference: RouteMethods;
  readonly property: RouteMethods;
  readonly propertyValue: RouteMethods;
  readonly stream: RouteMethods;
  readonly media: RouteMethods;
  /** By wire name of the navigation property. */
  readonly navigations: ReadonlyMap<string, NavigationRouteMethods>;
}

/** The definition and the routes of a service, for API descriptions and further routes. */
export interface ServiceDescription {
  readonly definition: ServiceDefinition;
  /** By name of the entity set. */
  readonly routes: ReadonlyMap<string, EntitySetRouteMethods>;
  /** Returns the findings of the schema check, which it awaits. Never rejects. */
  readonly findings: () => Awaitable<readonly SchemaFinding[]>;
}

/** The resource of a further route. */
export type RouteResource = StaticResource | AnsweringResource;

/** A resource with the same bytes for every request of a mount path. */
export interface StaticResource {
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

/** A resource whose response depends on the request. It obeys authentication and the rules of the registration. */
export interface AnsweringResource {
  /** The path below the prefix; with `*` at its end, for every path with one more segment. */
  readonly path: string;
  /** Returns the JSON of the response; null if the resource does not exist. May throw an ODataError. */
  readonly answer: (request: RouteRequest) => Awaitable<object | null>;
  /** Returns the receiver of the statements of a request for data, before it runs; null: none. */
  readonly follow?: ((request: RouteRequest) => StatementFollower | null) | undefined;
}

/** A request as further routes see it. */
export interface RouteRequest extends TracedRequest {
  /** Null for an anonymous request. */
  readonly user: User | null;
  /** The address at the other end of the connection; undefined if the host does not know it. */
  readonly remoteAddress: string | undefined;
  /** The Host header or `:authority`. */
  readonly host: string;
  /** Returns the value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
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

/**
 * Keeps the position after the last write of a session, so that its clients need no header. The context identifies the session,
 * such as by `ctx.user`, a cookie or `ctx.host`.
 * @see docs/guides/replicas.md
 */
export interface PositionStore {
  /** Returns the stored position of the session of a request; null or undefined without one. */
  readonly read: (context: RuleContext) => Awaitable<string | null | undefined>;
  /** Stores the position of the session of a request, after a write and before its response. */
  readonly write: (context: RuleContext, position: string) => Awaitable<void>;
}
