import type { RoundingMode } from "../../language/query/clauses.ts";

/**
 * The settings of an entity set. A service can set a default for all of its sets in `defaults`. An absent or undefined
 * setting is inherited; `null` means no limit.
 * @see docs/reference/entity-sets.md
 */
export interface InheritedSettings {
  /** Whether clients may use `$filter`. */
  readonly filterEnabled?: boolean | undefined;
  /** Whether clients may use `$orderby`. */
  readonly orderByEnabled?: boolean | undefined;
  /** Whether clients may use `$select`. */
  readonly selectEnabled?: boolean | undefined;
  /** Whether clients may use `$expand`. */
  readonly expandEnabled?: boolean | undefined;
  /** Whether clients may use `$count`. */
  readonly countEnabled?: boolean | undefined;
  /** Whether clients may use `$apply`. False if absent, true with the profile "standard". */
  readonly applyEnabled?: boolean | undefined;
  /** Whether clients may use `$compute`, and `compute` in `$apply`. False if absent, true with the profile "standard". */
  readonly computeEnabled?: boolean | undefined;
  /** The maximum page size and value of `$top`. */
  readonly maxTop?: number | null | undefined;
  /** Whether `create` receives nested entities of a POST body. */
  readonly allowDeepInsert?: boolean | undefined;
  /** Whether bodies link to existing entities by `Nav@odata.bind`. False if absent, true with the profile "standard". */
  readonly bindEnabled?: boolean | undefined;
  /**
   * Whether PUT and PATCH write the entities that are nested in their bodies; otherwise they ignore them. False if absent.
   * @see docs/reference/deep-update.md
   */
  readonly deepUpdateEnabled?: boolean | undefined;
  /** The maximum size of a request body, in bytes. */
  readonly maxRequestBodyBytes?: number | null | undefined;
  /** Whether the routes `/Set(key)/Property` exist. */
  readonly propertyAccessEnabled?: boolean | undefined;
  /** Whether API descriptions list the routes `/Set(key)/Property`. */
  readonly propertyRouteDocsEnabled?: boolean | undefined;
  /** Whether PUT creates a missing entity. */
  readonly allowUpsert?: boolean | undefined;
  /** Whether DELETE of a missing entity returns 204 instead of 404. */
  readonly idempotentDelete?: boolean | undefined;
  /** Whether PUT, PATCH and DELETE need a precondition: without one they are 428. Needs `etag` and `getByKey`. */
  readonly requireIfMatch?: boolean | undefined;
  /**
   * The `Cache-Control` of reads, such as "private, max-age=60". Sets whose reads obey rules, or with a database per tenant, need
   * `private`. Responses that also depend on another set must agree with it; otherwise they are `no-store`.
   * @see docs/reference/entity-sets.md, Caching
   */
  readonly cacheControl?: string | undefined;
  /**
   * The names of the request headers that the handlers read, such as "Accept-Language": responses that depend on the set name
   * them in `Vary`, and its reads are never 304, since an ETag is the same in all languages. In a set, "" takes back that of
   * `defaults`.
   * @see docs/reference/entity-sets.md, Vary
   */
  readonly vary?: string | undefined;
  /** The rounding of midpoints by `round()`. */
  readonly roundingMode?: RoundingMode | undefined;
  /** Whether sources read only the properties that the response needs. */
  readonly selectPushdownEnabled?: boolean | undefined;
  /** Whether the database may read expanded entities; otherwise only handlers do. */
  readonly expandPushdownEnabled?: boolean | undefined;
  /** Whether to reject or to ignore members of a body that the type does not have. */
  readonly unknownMembers?: "reject" | "ignore" | undefined;
  /** Whether next links contain an offset, or the values of the last entity (needs `secret`). */
  readonly paging?: "offset" | "keyset" | undefined;
}

/** The limits of one request; `null` means no limit. @see docs/reference/limits.md */
export interface LimitSettings {
  /** The maximum depth of nested `$expand`. */
  readonly maxExpandDepth?: number | null | undefined;
  /** The maximum number of entities in one expanded collection. */
  readonly maxExpandTop?: number | null | undefined;
  /** The maximum number of nodes in the expressions of a request. */
  readonly maxNodeCount?: number | null | undefined;
  /** The maximum depth of nested `any` and `all`. */
  readonly maxAnyAllDepth?: number | null | undefined;
  /** The maximum number of values in an `in` list. */
  readonly maxInListLength?: number | null | undefined;
  /** The maximum number of terms in `$orderby`. */
  readonly maxOrderByProperties?: number | null | undefined;
  /** The maximum number of steps in `$apply`. Default 20. */
  readonly maxApplySteps?: number | null | undefined;
  /** The maximum length of the URL, in characters. */
  readonly maxUrlLength?: number | null | undefined;
  /** The most bytes of query options in the body of `POST …/$query`. Default 262,144. */
  readonly maxQueryBodyBytes?: number | null | undefined;
  /** The maximum depth of nested objects and arrays in a body. */
  readonly maxJsonDepth?: number | null | undefined;
  /** The maximum number of objects, arrays, members and items in a body. */
  readonly maxJsonValues?: number | null | undefined;
  /** The maximum number of entities in a page of any set, expanded entities excluded: 1 to 50,000. Default 10,000. */
  readonly maxPageSize?: number | undefined;
  /** The maximum number of entities in a response, expanded entities included. Default 100,000. */
  readonly maxResponseEntities?: number | null | undefined;
  /** The most bytes of the entities of a response as JSON, expansions included; of a batch, of all responses together. Default 64,000,000. */
  readonly maxResponseBytes?: number | null | undefined;
  /** The most bytes that all responses hold at the same time; others wait. Default a quarter of the limit of the heap. */
  readonly maxHeldBytes?: number | null | undefined;
  /** The maximum number of items in all `$expand` options of a request. */
  readonly maxExpandItems?: number | null | undefined;
  /** The maximum number of entities in an async iterable of a handler that a request must read as a whole. Default 100,000. */
  readonly maxIterableEntities?: number | null | undefined;
  /** The maximum time of one statement of a database, in milliseconds. */
  readonly queryTimeout?: number | null | undefined;
  /**
   * The maximum time of a transaction that the service opens for functions of the application, such as the work of
   * `ctx.inTransaction`, hooks and change sets, in milliseconds. Default 10,000.
   */
  readonly transactionTimeout?: number | null | undefined;
}
