import type { ODataError } from "../../base/errors/odata-error.ts";
import type { IncomingRequest, RuleContext, User } from "../context.ts";
import type { Answer, Awaitable } from "../handlers.ts";
import type { Logger, TracedStatement } from "../logger.ts";
import type { NamingPolicy } from "../names.ts";
import type { AuthorizationRules } from "../sets/authorization.ts";
import type { EntitySetDeclaration } from "../sets/entity-set.ts";
import type { OperationDeclaration } from "../sets/operation.ts";
import type { LimitSettings, InheritedSettings } from "../sets/set-settings.ts";
import type { SingletonDeclaration } from "../sets/singleton.ts";
import type { Annotations, VocabularyOptions } from "../types/entity-type.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { Messages } from "./messages.ts";
import type { PositionStore, ServiceRoute } from "./service-definition.ts";
import type { TracedResponse } from "./traced-response.ts";

/** Unbound operations by name. */
interface UnboundOperations {
  readonly [name: string]: OperationDeclaration<never, undefined>;
}

/** The settings that all sets of a service inherit, and the limits of every request. */
export interface ServiceDefaults extends InheritedSettings, LimitSettings {}

/** The formats and limits of `POST /$batch`. @see docs/reference/batch.md */
export interface BatchOptions {
  /** Whether batches in `multipart/mixed` are accepted; true if absent. */
  readonly multipart?: boolean | undefined;
  /** Whether batches in JSON, a format of OData 4.01, are accepted; false if absent. */
  readonly json?: boolean | undefined;
  /** The most operations of a batch, those of change sets included; 100 if absent, null for no limit. */
  readonly maxParts?: number | null | undefined;
  /** The milliseconds that all operations of a batch may take together; 60,000 if absent, null for no limit. */
  readonly timeout?: number | null | undefined;
  /**
   * The effect of a change set whose operations cannot share a transaction. `atomic`, the default, rejects it with 501
   * before anything is executed; `sequential` executes its operations one by one, and undoes nothing if one fails.
   */
  readonly changeSets?: "atomic" | "sequential" | undefined;
}

/** Which pages of other origins may use a service in a browser. @see docs/guides/browsers.md */
export interface CorsOptions {
  /** The origins of the pages, such as `["https://app.example.com"]`; `"*"` for all pages. */
  readonly origins: "*" | readonly string[];
  /** Whether pages may send cookies and other credentials of the browser; false if absent. */
  readonly credentials?: boolean | undefined;
  /** The number of seconds for which browsers reuse the response to a preflight; if absent, browsers decide. */
  readonly maxAge?: number | undefined;
  /** Request headers of the application, such as `["X-Api-Key"]`. Those of OData clients are always allowed. */
  readonly headers?: readonly string[] | undefined;
}

/** The effect of differences between declarations and database: stop the startup, log a warning, or do nothing. */
export type SchemaCheck = "error" | "warn" | false;

/**
 * The options of `odataService`.
 * @see docs/reference/services.md
 */
export interface ServiceOptions<Sets extends readonly EntitySetDeclaration[] = readonly EntitySetDeclaration[]> {
  /** The name that distinguishes services, also in `ctx.service`. The services of one server need different names. */
  readonly name?: string | undefined;
  /** The path of the service, such as `/odata`; if absent, `/` and the name, or the root without a name. */
  readonly prefix?: string | undefined;
  /** The namespace in `$metadata`; `Default` if absent. */
  readonly namespace?: string | undefined;
  /** The group of this service in generated API descriptions. */
  readonly group?: string | undefined;
  readonly entitySets: Sets;
  /** Single entities with names of their own, made with `singleton`. @see docs/guides/singletons.md */
  readonly singletons?: readonly SingletonDeclaration[] | undefined;
  /** Unbound functions by name. */
  readonly functions?: UnboundOperations | undefined;
  /** Unbound actions by name. */
  readonly actions?: UnboundOperations | undefined;
  /** Settings that the sets inherit, and limits of every request. */
  readonly defaults?: ServiceDefaults | undefined;
  /** How the keys of properties become wire names; `PascalCase` if absent. */
  readonly propertyNaming?: NamingPolicy | undefined;
  /**
   * Whether clients see enumerations as Edm.String with their names as allowed values, as SAP UI5 needs; false if absent.
   * @see docs/reference/model.md, Enumerations as texts
   */
  readonly enumsAsStrings?: boolean | undefined;
  /**
   * `standard` follows OData 4.0 to the letter where `specification`, the default, is stricter.
   * @see docs/reference/services.md, The profile of the standard
   */
  readonly profile?: "specification" | "standard" | undefined;
  /** Whether, and how, the service accepts several requests in one `POST /$batch`; multipart only if absent. */
  readonly batch?: boolean | BatchOptions | undefined;
  /** Which pages of other origins may use the service in a browser; none if absent. */
  readonly cors?: CorsOptions | undefined;
  /** Returns the user of a request; null for an anonymous request. An error becomes the response. */
  readonly authenticate?: ((request: IncomingRequest) => Answer<User | null>) | undefined;
  /** Rules that every request must pass, in addition to the rules of its set. */
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /**
   * Whether `$metadata` states the permissions of the user on properties with rules, by `Core.Permissions`; false if absent.
   * @see docs/guides/authorization.md, Permissions in $metadata
   */
  readonly metadataPerUser?: boolean | undefined;
  /**
   * Whether to refuse writes that a browser sends for a page of another site. Set `refuse` if cookies identify your
   * users: the service then returns 403. `allow` if absent.
   */
  readonly crossSiteWrites?: "allow" | "refuse" | undefined;
  /** The `WWW-Authenticate` header of a 401; `Bearer` if absent. */
  readonly challenge?: string | undefined;
  /**
   * Whether the response names the check constraint that a write violated. The names reveal parts of the schema of the
   * database, so the default is false. The log always names the constraint.
   * @see docs/reference/table-writes.md
   */
  readonly exposeConstraintNames?: boolean | undefined;
  /** The secret that seals keyset tokens and positions: at least 16 random characters, the same for all processes of the service. */
  readonly secret?: string | Uint8Array | undefined;
  /**
   * Returns the owner of keyset tokens, such as a tenant and a user. With keyset paging, the service rejects a
   * token of another owner with 400; with paging by offset, it continues at the offset. The `id` of the user if absent.
   * @see docs/reference/paging.md
   */
  readonly tokenScope?: ((context: RuleContext) => string) | undefined;
  /**
   * Whether the service compares its declarations with the tables and columns of the databases before the first request.
   * `error`, the default, throws all differences at once; `warn` logs them; `false` skips the comparison.
   * @see docs/reference/schema-check.md
   */
  readonly schemaCheck?: SchemaCheck | undefined;
  /**
   * Returns the error for the client in place of the generic 500, for an error that a handler or a database has thrown;
   * undefined for the 500. The log always has the error itself. Also called with the 413 `PayloadTooLarge` of a body above a
   * limit; undefined keeps it.
   * @see docs/reference/errors.md
   */
  readonly explainError?: ((error: unknown) => ODataError | undefined) | undefined;
  /**
   * Returns the text of an error in the language of the user; undefined for the text of odatakit. It gets the code of a facet,
   * such as `MinLength`, else the code of the error, with the parameters of the text.
   * @see docs/reference/errors.md, Texts in other languages
   */
  readonly messages?: Messages | undefined;
  /**
   * Keeps the position after the last write of a session, for sets with `readFrom`; if absent, clients return the header
   * `X-OData-Position`.
   */
  readonly positions?: PositionStore | undefined;
  /** The logger of errors and warnings; the console if absent. */
  readonly logger?: Logger | undefined;
  /**
   * Receives each SQL statement of a request when it has ended, such as `({ sql, ms, request }) => log(request.id, ms, sql)`.
   * Its errors are logged and do not change the response.
   * @see docs/reference/tables.md, Trace statements
   */
  readonly onStatement?: ((statement: TracedStatement) => Awaitable<void>) | undefined;
  /**
   * Receives each response when the service has passed it to the host, for access logs: `({ request, status, ms, user, set }) => …`. Its errors are
   * logged, and it is not awaited.
   * @see docs/guides/errors-and-logging.md, Log requests
   */
  readonly onResponse?: ((response: TracedResponse) => Awaitable<void>) | undefined;
  /**
   * Whether responses report the time of each stage and of the database in `Server-Timing`, for development and support; false
   * if absent.
   * @see docs/reference/services.md, Time the stages
   */
  readonly serverTiming?: boolean | undefined;
  /** The base URL that clients use, such as `https://api.example.com`; if absent, derived from each request. */
  readonly publicUrl?: string | undefined;
  /**
   * Whether the service trusts the headers `Forwarded` and `X-Forwarded-*`; false if absent. Clients can forge these
   * headers: set true only if a proxy in front of the service replaces them.
   */
  readonly trustProxy?: boolean | undefined;
  /**
   * Whether the service serves connection files at `service.odc` (Excel) and `service.pbids` (Power BI); true if absent. A text
   * is their name in place of `service`.
   * @see docs/guides/excel-and-power-bi.md
   */
  readonly connectionFiles?: boolean | string | undefined;
  /** Annotations of the entity container in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  /**
   * Where `$metadata` lists annotations, those of the service too: `inline`, the default, in their elements; `external` in
   * `Annotations` elements at the end, except those of operations and parameters.
   */
  readonly annotationForm?: "inline" | "external" | undefined;
  /** Vocabularies that odatakit does not know, or knows in an older version, by alias. */
  readonly vocabularies?: { readonly [alias: string]: VocabularyOptions } | undefined;
  /** Further routes below the prefix, such as `openApiRoute()` of `odatakit/openapi`. */
  readonly routes?: readonly ServiceRoute[] | undefined;
}
