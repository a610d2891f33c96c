import type { EntitySet, Model, Operation, OperationImport } from "../edm/model.ts";
import type { Capabilities, Limits } from "../query/capabilities.ts";
import type { RowRestriction } from "../query/source.ts";
import type { Context, IncomingRequest, RuleContext, User } from "./context.ts";
import type { Logger } from "./logger.ts";
import type { AuthorizationRequirement, CategoryRequirements, NavigationAuthorization } from "./rules/authorization.ts";
import type { RowRule } from "./rules/row-rule.ts";
import type { ServiceProfile } from "./service-profile.ts";
import type { DeclaredEntitySet } from "./sets/entity-set-access.ts";
import type { GuardedReference } from "./sets/guarded-reference.ts";
import type { Answer, EntitySetHandlers, NavigationHandlers } from "./sets/handlers.ts";
import type { TransactionalDatabase } from "./sets/transactional-database.ts";

/**
 * One registration after startup: every declaration checked, every name and setting resolved, all of it frozen.
 * The protocol works on this alone.
 */
export interface ServiceDefinition {
  readonly name: string | undefined;
  /** Begins with a slash and does not end with one; empty for the root. */
  readonly prefix: string;
  readonly group: string | undefined;
  readonly model: Model;
  readonly entitySets: ReadonlyMap<string, EntitySetDefinition>;
  /** Unbound operations by name. */
  readonly operationImports: ReadonlyMap<string, OperationImport>;
  /** The unbound operations with their handlers, by name. */
  readonly operations: ReadonlyMap<string, OperationDefinition>;
  /** What holds for related entities that belong to no declared set. */
  readonly defaultCapabilities: Capabilities;
  /** What holds for unbound operations. */
  readonly defaultSettings: EntitySetSettings;
  readonly limits: Limits;
  readonly profile: ServiceProfile;
  readonly logger: Logger;
  /** The configured base address without a trailing slash, such as `https://api.example.com`. */
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  /** Whether writes are refused that a page of another site makes a browser send. */
  readonly refusesCrossSiteWrites: boolean;
  /** The WWW-Authenticate header of a 401. */
  readonly challenge: string;
  /** Whether responses name the check constraint that refused a write. */
  readonly exposesConstraintNames: boolean;
  readonly authenticate: ((request: IncomingRequest) => Answer<User | null>) | undefined;
  /** Returns what keyset tokens belong to; undefined: the user of the request. */
  readonly tokenScope: ((context: RuleContext) => string) | undefined;
  /** What every request must meet, before what its set and category require. */
  readonly authorization: readonly AuthorizationRequirement[];
  /** Returns the declaration of a set by its name: handlers name a set by its declaration. */
  readonly declarationOf: (name: string) => DeclaredEntitySet | undefined;
}

/** One entity set after startup. */
export interface EntitySetDefinition {
  readonly entitySet: EntitySet;
  /** The database of the rows; undefined where the declaration does not know it. */
  readonly database: TransactionalDatabase | undefined;
  readonly handlers: EntitySetHandlers<Context>;
  /** The handlers of each navigation property that the set declares, by wire name. */
  readonly navigationHandlers: ReadonlyMap<string, NavigationHandlers<Context>>;
  readonly capabilities: Capabilities;
  readonly settings: EntitySetSettings;
  /** The operations that are bound to the set or to its entities, by name. */
  readonly operations: ReadonlyMap<string, OperationDefinition>;
  readonly authorization: CategoryRequirements;
  /** The rules along each navigation property that the set declares, by wire name. */
  readonly navigationAuthorization: ReadonlyMap<string, NavigationAuthorization>;
  /** Which rows each user sees; null: all of them. */
  readonly rows: RowRule | null;
  /** The foreign keys of the set that refer to sets with row rules; present in a service with row rules. */
  readonly guardedReferences?: readonly GuardedReference[] | undefined;
  /**
   * Returns the row rule as a predicate, for writes that check it in their own transaction; present where there is a rule.
   * @returns null where the user sees all rows; the same object for a request each time
   * @throws whatever the rule throws
   */
  readonly restriction?: ((context: Context) => Answer<RowRestriction | null>) | undefined;
  /** Calls `getByKey`, and returns what the user sees of the entity; present where there is a rule. */
  readonly getSeen?: ((key: unknown, context: Context) => Answer<unknown>) | undefined;
}

/** One operation after startup. */
export interface OperationDefinition {
  readonly operation: Operation;
  readonly handler: OperationHandler;
  /** Of an unbound one: what it requires beside what the registration does. */
  readonly authorization: readonly AuthorizationRequirement[];
}

/** `(key, parameters, context)` for an operation that is bound to an entity, else `(parameters, context)`. */
export type OperationHandler = (...parameters: readonly unknown[]) => Answer<unknown>;

/** The resolved settings of an entity set that do not govern query options. `null`: no limit. */
export interface EntitySetSettings {
  readonly allowDeepInsert: boolean;
  readonly maxRequestBodyBytes: number | null;
  readonly propertyAccessEnabled: boolean;
  readonly propertyRouteDocsEnabled: boolean;
  readonly allowUpsert: boolean;
  readonly idempotentDelete: boolean;
  readonly selectPushdownEnabled: boolean;
  readonly expandPushdownEnabled: boolean;
  readonly unknownMembers: "reject" | "ignore";
  readonly paging: "offset" | "keyset";
}
