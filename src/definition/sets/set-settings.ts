import type { RoundingMode } from "../../query/clauses.ts";

/**
 * What an entity set may set, and a registration as default for all of its sets. Absent or `undefined` inherits;
 * `null` means no limit.
 * @see specification, Per-entity-set settings
 */
export interface SetSettings {
  readonly filterEnabled?: boolean | undefined;
  readonly orderByEnabled?: boolean | undefined;
  readonly selectEnabled?: boolean | undefined;
  readonly expandEnabled?: boolean | undefined;
  readonly countEnabled?: boolean | undefined;
  /** Most entities of a page, and of `$top`. */
  readonly maxTop?: number | null | undefined;
  /** Whether nested values in a POST body reach `create`. */
  readonly allowDeepInsert?: boolean | undefined;
  /** In bytes. */
  readonly maxRequestBodyBytes?: number | null | undefined;
  /** Whether `/Set(key)/Property` has routes. */
  readonly propertyAccessEnabled?: boolean | undefined;
  readonly propertyRouteDocsEnabled?: boolean | undefined;
  /** Whether PUT may create. */
  readonly allowUpsert?: boolean | undefined;
  /** Whether DELETE of a missing entity is 204 instead of 404. */
  readonly idempotentDelete?: boolean | undefined;
  /** How `round()` treats a midpoint. */
  readonly roundingMode?: RoundingMode | undefined;
  readonly selectPushdownEnabled?: boolean | undefined;
  readonly expandPushdownEnabled?: boolean | undefined;
  /** What a member of a body that the type does not have means. */
  readonly unknownMembers?: "reject" | "ignore" | undefined;
  readonly paging?: "offset" | "keyset" | undefined;
}

/** Bounds on the work of one request; `null`: none. @see decisions, Settings */
export interface LimitSettings {
  readonly maxExpandDepth?: number | null | undefined;
  readonly maxExpandTop?: number | null | undefined;
  readonly maxNodeCount?: number | null | undefined;
  readonly maxAnyAllDepth?: number | null | undefined;
  readonly maxInListLength?: number | null | undefined;
  readonly maxOrderByProperties?: number | null | undefined;
  /** In characters. */
  readonly maxUrlLength?: number | null | undefined;
  readonly maxJsonDepth?: number | null | undefined;
  /** Objects, arrays, members and items of one body. */
  readonly maxJsonValues?: number | null | undefined;
  readonly maxResponseEntities?: number | null | undefined;
  readonly maxExpandItems?: number | null | undefined;
}
