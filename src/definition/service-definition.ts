import type { EntitySet, Model, OperationImport } from "../edm/model.ts";
import type { Capabilities, Limits } from "../query/capabilities.ts";
import type { Context, IncomingRequest, User } from "./context.ts";
import type { EntitySetHandlers, NavigationHandlers } from "./handlers.ts";
import type { Logger } from "./logger.ts";
import type { ServiceProfile } from "./service-profile.ts";

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
  readonly limits: Limits;
  readonly profile: ServiceProfile;
  readonly logger: Logger;
  /** The configured base address without a trailing slash, such as `https://api.example.com`. */
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  /** The WWW-Authenticate header of a 401. */
  readonly challenge: string;
  readonly authenticate: ((request: IncomingRequest) => User | null | PromiseLike<User | null>) | undefined;
}

/** One entity set after startup. */
export interface EntitySetDefinition {
  readonly entitySet: EntitySet;
  readonly handlers: EntitySetHandlers<Context>;
  /** The handlers of each navigation property that the set declares, by wire name. */
  readonly navigationHandlers: ReadonlyMap<string, NavigationHandlers<Context>>;
  readonly capabilities: Capabilities;
  readonly settings: EntitySetSettings;
}

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
