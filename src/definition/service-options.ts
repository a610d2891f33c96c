import type { IncomingRequest, RuleContext, User } from "./context.ts";
import type { Logger } from "./logger.ts";
import type { NamingPolicy } from "./names.ts";
import type { OperationDeclaration } from "./operations/operation.ts";
import type { AuthorizationRules } from "./rules/authorization.ts";
import type { ServiceRoute } from "./service-description.ts";
import type { EntitySetDeclaration } from "./sets/entity-set.ts";
import type { Answer } from "./sets/handlers.ts";
import type { LimitSettings, SetSettings } from "./sets/set-settings.ts";
import type { EntityTypeDeclaration } from "./types/value-type.ts";

/** Unbound operations by name. */
export interface UnboundOperations {
  readonly [name: string]: OperationDeclaration<never, undefined>;
}

/** The defaults of a registration: what its sets inherit, and the limits of every request. */
export interface ServiceDefaults extends SetSettings, LimitSettings {}

/** Which batch formats the service takes. */
export interface BatchOptions {
  readonly multipart?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly maxParts?: number | null | undefined;
}

/** What differences between declarations and database do: keep the service from starting, go to the log, or nothing. */
export type SchemaCheck = "error" | "warn" | false;

/**
 * What `odataService` takes: one registration.
 * @see specification, section Versioning
 */
export interface ServiceOptions<Sets extends readonly EntitySetDeclaration[] = readonly EntitySetDeclaration[]> {
  /** Absent: the default registration. */
  readonly name?: string | undefined;
  /** Begins with a slash; `/` and the name when absent, the root without a name. */
  readonly prefix?: string | undefined;
  /** The namespace of $metadata; `Default` when absent. */
  readonly namespace?: string | undefined;
  /** Where generated API descriptions put this registration. */
  readonly group?: string | undefined;
  readonly entitySets: Sets;
  /** Unbound functions. */
  readonly functions?: UnboundOperations | undefined;
  /** Unbound actions. */
  readonly actions?: UnboundOperations | undefined;
  readonly defaults?: ServiceDefaults | undefined;
  /** How keys become wire names; `PascalCase` when absent. */
  readonly propertyNaming?: NamingPolicy | undefined;
  /** Whom to follow where the specification is stricter than the standard; `specification` when absent. */
  readonly profile?: "specification" | "standard" | undefined;
  readonly batch?: boolean | BatchOptions | undefined;
  /** Tells who calls; null: nobody that is known. An error answers the request in its place. */
  readonly authenticate?: ((request: IncomingRequest) => Answer<User | null>) | undefined;
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /**
   * What becomes of writes that a page of another site makes a browser send: `refuse` answers 403, for applications that
   * know their users by cookies; `allow` when absent.
   */
  readonly crossSiteWrites?: "allow" | "refuse" | undefined;
  /** The WWW-Authenticate header of a 401; `Bearer` when absent. */
  readonly challenge?: string | undefined;
  /**
   * Whether a response names the check constraint of the database that refused a write. The log names it in any case.
   * False when absent: the names are part of the schema of the database.
   * @see docs/reference/sql.md
   */
  readonly exposeConstraintNames?: boolean | undefined;
  /** Signs keyset tokens. */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * Returns what keyset tokens belong to, such as a tenant and a user: a token of another scope is 400. The `id` of the
   * user when absent. @see docs/reference/paging.md
   */
  readonly tokenScope?: ((context: RuleContext) => string) | undefined;
  /**
   * Whether the tables and columns of the databases are compared with the declarations before the first request: `error`
   * throws every difference at once, `warn` logs them, `false` reads no catalogue; `error` when absent.
   * @see docs/reference/sql.md
   */
  readonly schemaCheck?: SchemaCheck | undefined;
  /** Unhandled errors go to the console when absent. */
  readonly logger?: Logger | undefined;
  /** The address that clients see, such as `https://api.example.com`; that of the request when absent. */
  readonly publicUrl?: string | undefined;
  /** Whether `Forwarded` and `X-Forwarded-*` are believed. */
  readonly trustProxy?: boolean | undefined;
  /** Further routes below the prefix, such as `openApiRoute()` of `odatakit/openapi`. */
  readonly routes?: readonly ServiceRoute[] | undefined;
}
