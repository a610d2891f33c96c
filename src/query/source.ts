import type { FilterClause, OrderByItem, QueryShape } from "./clauses.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";

/**
 * What a source is asked for: `filter`, then `orderBy`, then `skip` and `top`; `count` is the number of rows after
 * `filter`. A source may keep what it compiles per `shape` (an identity: use a WeakMap).
 */
export interface SourceQuery {
  readonly shape: QueryShape;
  readonly values: readonly PrimitiveValue[];
  readonly filter: FilterClause | null;
  /** Total: the key is appended where the order must be stable. Empty: the source's own order. */
  readonly orderBy: readonly OrderByItem[];
  readonly skip: number;
  /** Most rows to answer; undefined for all. */
  readonly top: number | undefined;
  /** Whether `count` of the page is asked for. */
  readonly count: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** What a source answers. */
export interface Page {
  /** Entities as JavaScript objects with the application's keys. */
  readonly entities: readonly unknown[];
  /** Rows after the filter and before skip and top; present when asked for. */
  readonly count?: number | bigint | undefined;
}

/** Rows that can be queried: what a `queryable` handler returns. It takes every clause of a SourceQuery. */
export interface QueryableSource {
  readonly kind: "EntitySource";
  /** Answers one page, at once or by a promise. */
  read(query: SourceQuery): Page | PromiseLike<Page>;
}
