import type { Maybe } from "../../base/maybe.ts";
import type { EntitySet, EtagDigest, EntityType, NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type {
  ExpandedNavigation,
  FilterClause,
  OrderByItem,
  QueryShape,
  RoundingMode,
  SelectedProperty,
} from "./clauses.ts";
import type { JsonEntities } from "./json-entities.ts";
import type { MarkedRow, Place, PlaceValue } from "./place.ts";
import type { ReadScope } from "./reading.ts";
import type { Row, RowShape } from "./row-shape.ts";

/**
 * A query to a source: the steps of `shape.apply`, then `filter`, `orderBy`, `after`, `skip` and `top`; `count` is the number
 * of rows after `filter`. Clauses of equal structure may be the same object or copies.
 */
export interface SourceQuery extends ReadScope {
  readonly shape: QueryShape;
  readonly values: readonly PrimitiveValue[];
  readonly filter: FilterClause | null;
  /**
   * The properties that the response needs: those of `$select` and of control information. A source may return more, but
   * not fewer.
   */
  readonly selected: readonly SelectedProperty[];
  /** Total: includes the key if the order must be stable. Empty: the source chooses the order. */
  readonly orderBy: readonly OrderByItem[];
  /** The row after which the page starts: one of the same source, in the same order; absent: it starts with the first row. */
  readonly after?: Place | undefined;
  /** The row that the next page may start after; absent: none. A source of rows returns the sorted values of this row. */
  readonly marked?: MarkedRow | undefined;
  readonly skip: number;
  /** Maximum number of rows to return; undefined for all. */
  readonly top: number | undefined;
  /** The number of rows that the response may contain, for a source of rows; absent: `top`. */
  readonly shown?: number | undefined;
  /** Whether the page must contain `count`. */
  readonly count: boolean;
  /** The single-valued expansions to join into the same rows; absent: none. Only for sources that can join. */
  readonly joined?: readonly JoinedNavigation[] | undefined;
  /** The sources of the other sets that the query mentions; absent: it mentions none. */
  readonly sources?: SourcesBySet | undefined;
  /** The members of the entities in the response, if these have nothing else: then a source may return a `JsonPage`. */
  readonly json?: JsonMembers | undefined;
  /** Returns the text of an `@odata.id` before the value of the key, for members with an `id`. */
  readonly idStart?: ((entitySet: EntitySet) => string) | undefined;
  /** The most entities of a `JsonPage`, expansions included; a larger page is one of rows. Null or absent: no limit. */
  readonly maxEntities?: number | null | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds that a database may take for one statement; null or absent: no limit. */
  readonly timeout?: number | null | undefined;
  /** The state of several reads that make one page; absent: the page is one read. */
  readonly state?: ReadState | undefined;
}

/**
 * The members of entities that are written with nothing but values: the id if there is one, the properties in order, then the
 * expansions.
 */
export interface JsonMembers {
  /** The `@odata.id` that comes before all members. Absent: the entities have no such member. */
  readonly id?: JsonId | undefined;
  /** The `@odata.etag` that comes before the properties. Absent: the entities have no such member. */
  readonly etag?: JsonEtag | undefined;
  readonly selected: readonly SelectedProperty[];
  readonly expanded: readonly JsonExpansion[];
}

/** The id of an entity without its key. */
export interface JsonId {
  readonly entitySet: EntitySet;
  /** The key: an integer. */
  readonly key: StructuralProperty;
}

/** The ETag of an entity, in a page of JSON. */
export interface JsonEtag {
  /** The properties whose members it is made of, in order, whether the response contains them or not. */
  readonly properties: readonly StructuralProperty[];
  readonly digest: EtagDigest;
}

/** An expansion in a page of JSON. */
export interface JsonExpansion {
  readonly expansion: Pick<
    ExpandedNavigation,
    "navigationProperty" | "filter" | "orderBy" | "skip" | "count" | "roundingMode"
  >;
  readonly join: NavigationJoin;
  /** The target set, whose source is one of the sources of the query. */
  readonly target: EntitySet;
  /** Whether the key of the target limits each parent to one related entity. */
  readonly isKeyed: boolean;
  /** Total. */
  readonly orderBy: readonly OrderByItem[];
  /** The most entities of one parent in the response; undefined: all. If there are more, the page is one of rows. */
  readonly size: number | undefined;
  /** The most entities to read: `size`, or one more to find out whether there are more. */
  readonly readSize: number | undefined;
  /** The members of the related entities; null: only their number is written. */
  readonly members: JsonMembers | null;
}

/** The state that several reads share. */
export interface ReadState {
  /** The value of `now()`. */
  readonly now: string;
  /** Counts evaluated items. @throws ODataError `InvalidQueryOption` above the limit */
  spendItems(items: number): void;
}

/** The sources of entity sets for one request. A set may show each user different rows. */
export type SourcesBySet = ReadonlyMap<EntitySet, QueryableSource>;

/**
 * A single-valued expansion that a source reads together with its parents, by an outer join. Its `$filter` applies to the
 * related entity, not to the parent.
 */
export interface JoinedNavigation {
  readonly expansion: Pick<ExpandedNavigation, "navigationProperty" | "entitySet" | "filter" | "roundingMode">;
  readonly join: NavigationJoin;
  /** The target set, whose source is one of the sources of the query. */
  readonly target: EntitySet;
  /** The properties of the related entity that the response needs. */
  readonly selected: readonly SelectedProperty[];
  /** The expansions that are joined to the related entity. */
  readonly joined: readonly JoinedNavigation[];
}

/** The shape of a read of related entities for many parents. */
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

/** The values of a parent on its side of a join, in the order of the join. */
export type JoinValues = readonly PrimitiveValue[];

/** A read of related entities for many parents at once. */
export interface RelatedQuery extends ReadScope {
  readonly shape: RelatedShape;
  readonly values: readonly PrimitiveValue[];
  /**
   * For each parent, the values of the properties on its side of the join, in the order of the join. They are distinct and
   * without null, because null is not related to anything.
   */
  readonly keys: readonly JoinValues[];
  /** Per parent. */
  readonly skip: number;
  /** Maximum number of entities per parent; undefined for all; 0 for none. */
  readonly top: number | undefined;
  /** Whether `counts` is requested: per parent, after the filter and before skip and top. */
  readonly count: boolean;
  /** Maximum number of rows in total. If there are more, the source returns that many, and no parent is complete. */
  readonly maxRows: number | undefined;
  readonly sources?: SourcesBySet | undefined;
  readonly signal: AbortSignal | undefined;
  /** As in `SourceQuery`. */
  readonly timeout?: number | null | undefined;
}

/** The related entities of many parents. */
export interface RelatedPage {
  readonly rowShape: RowShape;
  /** As in `Page`: then no list after the last related row is complete. */
  readonly isCut?: boolean | undefined;
  /** In the order of `keys`; each list in the requested order. */
  readonly related: readonly (readonly Row[])[];
  /** In the order of `keys`; present if requested. */
  readonly counts?: readonly (number | bigint)[] | undefined;
}

type JoinsExpansion = (join: NavigationJoin, parents: QueryableSource, target: QueryableSource) => boolean;
/** The clauses of queries whose reads see the same state of a database. */
export type ReadsScope = Pick<SourceQuery, "signal" | "transaction">;

/** The navigation support of a source of a database. */
export interface RelationalSource {
  /** Returns whether one statement can join the rows of another source with rows of this source. */
  joins(other: QueryableSource): boolean;
  /**
   * Whether it joins single-valued expansions to their parents (`SourceQuery.joined`) instead of reading them separately; true
   * when absent. A function decides on each: its parents are in this source, or in a joined one.
   */
  readonly joinsExpansions?: boolean | JoinsExpansion | undefined;
  /**
   * Returns whether one statement evaluates the single branch of `$apply` of a shape, and the computed values among its
   * selected properties. Absent: it evaluates neither. Without it, the rows of the set are read, and both are evaluated in
   * memory. Rows have a column for each computed value.
   * @param sources the sources of the sets that the shape mentions; sets without a source are missing
   */
  readonly applies?: ((shape: QueryShape, sources: SourcesBySet) => boolean) | undefined;
  /**
   * Runs the reads of some queries to this source in one state of the database. Absent: each may see another.
   * @param queries at least one; a read may want fewer rows
   * @param read runs the queries, one after another, each with the given scope; null: as they are
   */
  readonly inOneState?:
    | (<T>(queries: readonly SourceQuery[], read: (scope: ReadsScope | null) => Maybe<T>) => Maybe<T>)
    | undefined;
  /**
   * Reads one entity of this source by its key.
   * @param key in the application's form
   * @param joins single-valued expansions to join into the same row; absent: none
   * @param scope as in `SourceQuery`
   */
  readRow(
    key: unknown,
    selected: readonly SelectedProperty[],
    joins?: KeyedJoins,
    scope?: ReadScope,
  ): KeyedRow | null | PromiseLike<KeyedRow | null>;
  /**
   * Returns a source of the entities that are related to one parent, which may be in any source. Absent: `readRelated` reads
   * them.
   * @param key null: nothing is related to the parent
   */
  readonly relatedTo?: ((join: NavigationJoin, key: JoinValues | null) => QueryableSource) | undefined;
  /** Reads the entities of this source that are related to the given parents, which may be in any source. */
  readRelated(query: RelatedQuery): RelatedPage | PromiseLike<RelatedPage>;
}

/** The result of a source: entities, rows with their layout, or JSON. */
export type Page = EntityPage | RowPage | JsonPage;

/** The common part of all pages. */
interface PageCount {
  /** Rows after the filter and before skip and top; present if requested. */
  readonly count?: number | bigint | undefined;
  /** Whether it ended early, before the first row that did not fit into the bytes of the query; absent: false. */
  readonly isCut?: boolean | undefined;
}

/** A page of objects with the application's keys. */
export interface EntityPage extends PageCount {
  readonly entities: readonly unknown[];
  readonly json?: undefined;
  readonly rowShape?: undefined;
  readonly valuesOf?: undefined;
}

/** A page of rows as arrays. */
interface RowPage extends PageCount {
  readonly entities: readonly Row[];
  readonly json?: undefined;
  /** The layout of the rows. */
  readonly rowShape: RowShape;
  readonly valuesOf?: undefined;
}

/** A page as the response contains it, for a query with `json`. */
export interface JsonPage extends PageCount {
  /** Always empty. */
  readonly entities: readonly never[];
  readonly json: JsonEntities;
  readonly rowShape?: undefined;
  /**
   * For a query with `marked`: returns the sorted values of the marked row; null if they are not known exactly.
   * @param json the entities up to this row
   */
  readonly valuesOf?: ((json: JsonEntities) => readonly PlaceValue[] | null) | undefined;
}

/** The joins of a read of one entity, as in `SourceQuery`. */
export interface KeyedJoins {
  readonly joined: readonly JoinedNavigation[];
  /** The values of the parameters in the conditions of the expansions. */
  readonly values: readonly PrimitiveValue[];
  readonly sources: SourcesBySet;
}

/** One entity as a row: the result of a read by key. */
export interface KeyedRow {
  readonly row: Row;
  readonly rowShape: RowShape;
}

/** A row rule for one request. */
export interface RowRestriction {
  /** Rows that do not meet it do not exist for the request. */
  readonly filter: FilterClause;
  /** The values of the parameters in the filter. */
  readonly values: readonly PrimitiveValue[];
  /** The sources of the sets that the filter mentions, each with all of its rows. */
  readonly sources: SourcesBySet;
  /** Whether no row meets it, so that reading needs no statement; absent: some may. */
  readonly hidesAll?: true;
}

/** Rows that can be queried, as returned by a `queryable` handler. It must support every clause of a SourceQuery. */
export interface QueryableSource {
  readonly kind: "EntitySource";
  /** Reads one page, synchronously or as a promise. */
  read(query: SourceQuery): Page | PromiseLike<Page>;
  /** The navigation support of the source; absent if the rows are not in a database. */
  readonly relational?: RelationalSource | undefined;
  /** Returns all entities of a list in memory, over which expressions with navigations are evaluated. */
  readonly entities?: (() => Iterable<unknown>) | undefined;
  /**
   * Returns the same source without the hidden rows, whether it is read, joined or navigated; absent if the rows are not in
   * a database, where each row is checked in memory.
   */
  readonly restrict?: ((restriction: RowRestriction) => QueryableSource) | undefined;
  /** Returns the source in the database of a request, which this source represents; absent: it is the source itself. */
  readonly openIn?: ((context: unknown) => Maybe<QueryableSource>) | undefined;
}
