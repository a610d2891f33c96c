import type { ByteCount } from "../base/byte-count.ts";
import type { ODataError } from "../base/errors/odata-error.ts";
import type { Maybe } from "../base/maybe.ts";
import type {
  ApplyClause,
  ComputedProperty,
  ExpandedNavigation,
  FilterClause,
  OrderByItem,
  SearchClause,
  SelectedProperty,
} from "../language/query/clauses.ts";
import type { KeyedJoins, KeyedRow, QueryableSource } from "../language/query/source.ts";
import type { ResultOf } from "./types/entity-values.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "./types/value-type.ts";

/** A value or a promise of it. */
export type Awaitable<T> = Maybe<T>;

/** The result of a handler: a value, or an ODataError for the client. */
export type Answer<T> = Awaitable<T | ODataError>;

/** A source of complex values, for a composable function: the result of `sqlSource` for a complex type. */
export interface ValueSource<C extends ComplexTypeDeclaration = ComplexTypeDeclaration> extends QueryableSource {
  /** For the compiler only: the type of the values. */
  readonly _type?: C;
}

/** Entities as an iterable or an async iterable. */
export type EntityStream = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * The query that `applyQuery` receives.
 * @see docs/reference/handlers.md
 */
export interface CollectionQuery {
  readonly filter: FilterClause | null;
  /**
   * The steps of `$apply`, which come before the filter, with the row rule of the set as their first condition; absent without
   * `$apply`, and if the set does not list it in `applyQueryOptions`. There is a single branch.
   */
  readonly apply?: ApplyClause | undefined;
  /**
   * The values of `$compute`, whose names are replaced by their expressions in other clauses; absent without `$compute`, and if the
   * set does not list it in `applyQueryOptions`. The service computes them for the items that the handler returns.
   */
  readonly compute?: readonly ComputedProperty[] | undefined;
  /** The terms of `$orderby`; the handler decides the order of equal entities. */
  readonly orderBy: readonly OrderByItem[];
  /** The properties of `$select`, or the readable properties of the user; null for all properties. */
  readonly select: readonly SelectedProperty[] | null;
  /**
   * The navigation properties of `$expand`; null without `$expand`. The service expands navigations that have a handler;
   * `applyQuery` may nest the other related entities in its items.
   */
  readonly expand: readonly ExpandedNavigation[] | null;
  readonly search: SearchClause | null;
  readonly skip: number;
  /** The value of `$top`; undefined without `$top`. */
  readonly top: number | undefined;
  /** Whether the client requests the total with `$count=true`. */
  readonly count: boolean;
  /**
   * The page size if `top` is undefined or above `maxPageSize`; else null. It is never above `top`. Return one item more to
   * indicate a next page.
   */
  readonly pageSize: number | null;
}

/** The result of `applyQuery`. */
export interface AppliedQuery {
  readonly items: EntityStream;
  /** The number of all matching entities, before paging. A page that `maxPageSize` divides needs it for `$count=true`. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/** Returns a source of rows. */
export interface QueryableHandler<C> {
  (context: C): Answer<QueryableSource>;
  /**
   * The source that every call returns, if it is known at startup, such as a table of a database. With a database per tenant, and
   * for the application's `queryable` of a table, it only shows that the rows are in a database.
   */
  readonly source?: QueryableSource;
}

/** Reads one entity by its key. */
export interface GetByKeyHandler<C> {
  (key: unknown, context: C): Answer<unknown>;
  /**
   * Reads only the selected properties, as a row. The service calls it instead of the handler; only handlers of the
   * framework over a database have it.
   * @param joins single-valued expansions that `source` can join
   * @param bytes as in `ReadScope`; a row that does not fit is an error
   */
  readonly readRow?: (
    key: unknown,
    selected: readonly SelectedProperty[],
    context: C,
    joins?: KeyedJoins,
    bytes?: ByteCount,
  ) => Answer<KeyedRow | null>;
  /** The source of the rows, which decides which expansions can be joined; without it, none can. */
  readonly source?: QueryableSource;
  /** Returns this source for a request, if each may read another database. */
  readonly sourceIn?: (context: C) => Maybe<QueryableSource>;
}

/** Creates one entity, and returns it as saved. */
export interface CreateHandler<C> {
  (entity: unknown, context: C): Answer<unknown>;
  /**
   * Creates entities together, and returns them as saved, in their order. The service calls it for several entities; only handlers
   * of the framework over a database have it.
   */
  readonly many?: (entities: readonly unknown[], context: C) => Answer<readonly unknown[]>;
}

/** The handlers of a set, without the types of their declaration. */
export interface EntitySetHandlers<C> {
  readonly queryable?: QueryableHandler<C> | undefined;
  readonly getAll?: ((context: C) => Answer<EntityStream>) | undefined;
  readonly applyQuery?: ((query: CollectionQuery, context: C) => Answer<AppliedQuery>) | undefined;
  readonly getByKey?: GetByKeyHandler<C> | undefined;
  readonly create?: CreateHandler<C> | undefined;
  readonly replace?: ((key: unknown, entity: unknown, context: C) => Answer<unknown>) | undefined;
  readonly patch?: ((key: unknown, delta: unknown, context: C) => Answer<unknown>) | undefined;
  readonly delete?: ((key: unknown, context: C) => Answer<boolean>) | undefined;
  readonly search?: ((search: SearchClause, context: C) => Answer<QueryableSource | EntityStream>) | undefined;
}

/** The handlers of a navigation property, without the types of their declaration. */
export interface NavigationHandlers<C> {
  readonly get?: ((key: unknown, context: C) => Answer<unknown>) | undefined;
  readonly getBatch?: ((keys: readonly unknown[], context: C) => Answer<ReadonlyMap<unknown, unknown>>) | undefined;
  readonly create?: ((key: unknown, entity: unknown, context: C) => Answer<unknown>) | undefined;
  readonly addRef?: LinkHandler<C> | undefined;
  readonly setRef?: LinkHandler<C> | undefined;
  /** Receives the id of the link only for a collection-valued navigation. */
  readonly removeRef?: (((...args: readonly unknown[]) => Answer<void>) & Pick<LinkHandler<C>, "byKey">) | undefined;
}

/** Changes a link. */
export interface LinkHandler<C> {
  /** @param id the `@odata.id` of the request */
  (key: unknown, id: string, context: C): Answer<void>;
  /**
   * Changes a link by the key of the related entity, an entity of the target set. The service calls it instead of the
   * handler; only handlers of the framework over a database have it.
   */
  readonly byKey?: (key: unknown, related: unknown, context: C) => Answer<void>;
}

/** A handler of the framework along a navigation. */
export interface OfferedHandler {
  /**
   * Returns whether the handler can work with the target set of the navigation; otherwise the navigation does not have it.
   * @param target the options of the target set; undefined without a target set
   */
  readonly isOffered?: (target: Readonly<Record<string, unknown>> | undefined) => boolean;
}

/** A source of rows of one entity type, for `queryable`: the result of `arraySource` or `sqlSource`. */
export interface EntitySource<E extends EntityTypeDeclaration = EntityTypeDeclaration> extends QueryableSource {
  readonly entityType: E;
}

/**
 * Entities as an iterable or an async iterable: the result of `getAll`. The compiler names the property at fault in an array,
 * but not in an `Iterable`.
 */
export type Entities<E extends EntityTypeDeclaration> =
  | readonly ResultOf<E>[]
  | Iterable<ResultOf<E>>
  | AsyncIterable<ResultOf<E>>;
