import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { FilterClause, OrderByItem, QueryShape, SelectedProperty } from "./clauses.ts";
import type { Row, RowShape } from "./row-shape.ts";

/**
 * What a source is asked for: `filter`, then `orderBy`, then `skip` and `top`; `count` is the number of rows after
 * `filter`. A source may keep what it compiles per `shape` (an identity: use a WeakMap).
 */
export interface SourceQuery {
  readonly shape: QueryShape;
  readonly values: readonly PrimitiveValue[];
  readonly filter: FilterClause | null;
  /**
   * The properties that the answer needs: those of `$select`, and what control information is made from. A source may
   * answer more, never less. The same object for all requests that need the same.
   */
  readonly selected: readonly SelectedProperty[];
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

/** What a source answers: entities, or rows with their layout. */
export type Page = EntityPage | RowPage;

/** What every page may carry. */
interface PageCount {
  /** Rows after the filter and before skip and top; present when asked for. */
  readonly count?: number | bigint | undefined;
}

/** A page of JavaScript objects with the application's keys. */
export interface EntityPage extends PageCount {
  readonly entities: readonly unknown[];
  readonly rowShape?: undefined;
}

/** A page of rows as arrays. */
export interface RowPage extends PageCount {
  readonly entities: readonly Row[];
  /** How to read the rows. */
  readonly rowShape: RowShape;
}

/** One entity as a row: what a keyed read of a source answers. */
export interface KeyedRow {
  readonly row: Row;
  readonly rowShape: RowShape;
}

/** Rows that can be queried: what a `queryable` handler returns. It takes every clause of a SourceQuery. */
export interface QueryableSource {
  readonly kind: "EntitySource";
  /** Answers one page, at once or by a promise. */
  read(query: SourceQuery): Page | PromiseLike<Page>;
}
