import type { EntitySet, EntityType, NavigationJoin } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type {
  ExpandedNavigation,
  FilterClause,
  OrderByItem,
  QueryShape,
  RoundingMode,
  SelectedProperty,
} from "./clauses.ts";
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
  /** The single-valued expansions whose entities are to stand in the same rows; absent: none. Sources that can join. */
  readonly joined?: readonly JoinedNavigation[] | undefined;
  /** Where the sets are that the query mentions beside its own; absent: it mentions none. */
  readonly sources?: SourcesBySet | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
  /** The open transaction of the request: a source of its database reads within it. Absent: there is none. */
  readonly transaction?: unknown;
}

/** The sources of entity sets, as they are for one request: a set may show each user others of its rows. */
export type SourcesBySet = ReadonlyMap<EntitySet, QueryableSource>;

/**
 * A single-valued expansion that a source reads along with its parents: an outer join. Its `$filter` decides on the
 * related entity, not on the parent. The same object for all requests of a shape.
 */
export interface JoinedNavigation {
  readonly expansion: ExpandedNavigation;
  readonly join: NavigationJoin;
  /** Of the target set, whose source is among those of the query. */
  readonly target: EntitySet;
  /** The properties of the related entity that the answer needs. */
  readonly selected: readonly SelectedProperty[];
  /** What is joined to the related entity in turn. */
  readonly joined: readonly JoinedNavigation[];
}

/**
 * What is asked of a source along one navigation: the entities related to any of many others. The same object for all
 * requests of a shape, so a source may keep what it compiles per object.
 */
export interface RelatedShape {
  /** From the parents to the entities of the source. */
  readonly join: NavigationJoin;
  readonly entityType: EntityType;
  readonly filter: FilterClause | null;
  /** Total. */
  readonly orderBy: readonly OrderByItem[];
  readonly selected: readonly SelectedProperty[];
  readonly joined: readonly JoinedNavigation[];
  readonly roundingMode: RoundingMode;
}

/** A read of related entities for many parents at once. */
export interface RelatedQuery {
  readonly shape: RelatedShape;
  readonly values: readonly PrimitiveValue[];
  /**
   * By what the parents are known: for each, the values of the properties on its side of the join, in the order of the
   * join. Distinct, and without null: what is null relates to nothing.
   */
  readonly keys: readonly (readonly PrimitiveValue[])[];
  /** Per parent. */
  readonly skip: number;
  /** Most entities per parent; undefined for all; 0 for none. */
  readonly top: number | undefined;
  /** Whether `counts` is asked for: per parent, after the filter and before skip and top. */
  readonly count: boolean;
  /** Most rows that are of use in all: where there are more, so many are answered and no parent is complete. */
  readonly maxRows: number | undefined;
  readonly sources?: SourcesBySet | undefined;
  readonly signal: AbortSignal | undefined;
  /** As in `SourceQuery`. */
  readonly transaction?: unknown;
}

/** The related entities of many parents. */
export interface RelatedPage {
  readonly rowShape: RowShape;
  /** In the order of `keys`; each list in the order that was asked for. */
  readonly related: readonly (readonly Row[])[];
  /** In the order of `keys`; present when asked for. */
  readonly counts?: readonly (number | bigint)[] | undefined;
}

/** What a source of a database can do along navigations. */
export interface RelationalSource {
  /** Whether the rows of another source can stand in one statement with those of this one. */
  joins(other: QueryableSource): boolean;
  /**
   * Whether it reads single-valued expansions along with their parents (`SourceQuery.joined`); it does when absent. If
   * not, each is a related read of its own, as a distributed database asks for.
   */
  readonly joinsExpansions?: boolean | undefined;
  /**
   * Reads one entity of this source by its key.
   * @param key in the application's form
   * @param joins single-valued expansions that stand in the same row; absent: none
   * @param transaction as in `SourceQuery`
   */
  readRow(
    key: unknown,
    selected: readonly SelectedProperty[],
    joins?: KeyedJoins,
    transaction?: unknown,
  ): KeyedRow | null | PromiseLike<KeyedRow | null>;
  /** Reads the entities of this source that are related to others, wherever those are. */
  readRelated(query: RelatedQuery): RelatedPage | PromiseLike<RelatedPage>;
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

/** What is read along with one entity, in the same row: as in `SourceQuery`. */
export interface KeyedJoins {
  readonly joined: readonly JoinedNavigation[];
  /** The values of the parameters that the conditions of the expansions mention. */
  readonly values: readonly PrimitiveValue[];
  readonly sources: SourcesBySet;
}

/** One entity as a row: what a keyed read of a source answers. */
export interface KeyedRow {
  readonly row: Row;
  readonly rowShape: RowShape;
}

/**
 * What keeps rows back for one request. `filter` is one object for all restrictions of one structure, so a source may keep
 * what it compiles for it.
 */
export interface RowRestriction {
  /** Only rows that meet it are there. */
  readonly filter: FilterClause;
  /** The values of the parameters that the filter mentions. */
  readonly values: readonly PrimitiveValue[];
  /** Where the sets are that the filter leads to, each with all of its rows. */
  readonly sources: SourcesBySet;
}

/** Rows that can be queried: what a `queryable` handler returns. It takes every clause of a SourceQuery. */
export interface QueryableSource {
  readonly kind: "EntitySource";
  /** Answers one page, at once or by a promise. */
  read(query: SourceQuery): Page | PromiseLike<Page>;
  /** What the source can do along navigations; absent for rows that are in no database. */
  readonly relational?: RelationalSource | undefined;
  /** All entities, where they are a list in memory; expressions along navigations are then evaluated over it. */
  readonly entities?: (() => Iterable<unknown>) | undefined;
  /**
   * The same source without the rows that are kept back, however it is read, joined or led through; absent for rows that
   * are in no database, which are looked at one by one.
   */
  readonly restrict?: ((restriction: RowRestriction) => QueryableSource) | undefined;
}
