import type { Maybe } from "../../base/maybe.ts";
import type { ODataError } from "../../errors/odata-error.ts";
import type {
  ExpandedNavigation,
  FilterClause,
  OrderByItem,
  SearchClause,
  SelectedProperty,
} from "../../query/clauses.ts";
import type { KeyedJoins, KeyedRow, QueryableSource } from "../../query/source.ts";

/** A value at once or by a promise. */
export type Awaitable<T> = Maybe<T>;

/** What a handler answers: a value, or an error-shaped result meant for the client. */
export type Answer<T> = Awaitable<T | ODataError>;

/** Entities, at once or one after another. */
export type EntityStream = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * The bound query that `applyQuery` gets, with literals in place.
 * @see decisions, Smaller points
 */
export interface CollectionQuery {
  readonly filter: FilterClause | null;
  /** As the client asked; the set decides on ties. */
  readonly orderBy: readonly OrderByItem[];
  /** Null without `$select`: every property. */
  readonly select: readonly SelectedProperty[] | null;
  /** Null without `$expand`. What has a handler is expanded behind the set's answer; the rest may come with it. */
  readonly expand: readonly ExpandedNavigation[] | null;
  readonly search: SearchClause | null;
  readonly skip: number;
  /** `$top` as the client gave it; undefined when omitted. */
  readonly top: number | undefined;
  /** Whether the total is asked for. */
  readonly count: boolean;
  /** Most items that the answer will carry when `top` is undefined; null: no cap. One more tells that there is a next page. */
  readonly pageSize: number | null;
}

/** What `applyQuery` answers. */
export interface AppliedQuery {
  readonly items: Iterable<unknown>;
  /** The total before paging. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/** Gives the rows that can be queried. */
export interface QueryableHandler<C> {
  (context: C): Answer<QueryableSource>;
  /** The one source that it always answers, where that is known at startup: a table of a database. */
  readonly source?: QueryableSource;
}

/** Reads one entity by its key. */
export interface GetByKeyHandler<C> {
  (key: unknown, context: C): Answer<unknown>;
  /**
   * The same read of no more than the properties that the answer needs, as a row: what handlers that the framework
   * makes over a database offer. It is called in place of the handler itself.
   * @param joins single-valued expansions that `source` can join; absent: none
   */
  readonly readRow?: (
    key: unknown,
    selected: readonly SelectedProperty[],
    context: C,
    joins?: KeyedJoins,
  ) => Answer<KeyedRow | null>;
  /** The source of those rows, which tells what can be joined to them; absent: nothing. */
  readonly source?: QueryableSource;
}

/** The handlers of a set as the protocol calls them: their types are checked where they are declared. */
export interface EntitySetHandlers<C> {
  readonly queryable?: QueryableHandler<C> | undefined;
  readonly getAll?: ((context: C) => Answer<EntityStream>) | undefined;
  readonly applyQuery?: ((query: CollectionQuery, context: C) => Answer<AppliedQuery>) | undefined;
  readonly getByKey?: GetByKeyHandler<C> | undefined;
  readonly create?: ((entity: unknown, context: C) => Answer<unknown>) | undefined;
  readonly replace?: ((key: unknown, entity: unknown, context: C) => Answer<unknown>) | undefined;
  readonly patch?: ((key: unknown, delta: unknown, context: C) => Answer<unknown>) | undefined;
  readonly delete?: ((key: unknown, context: C) => Answer<boolean>) | undefined;
  readonly search?: ((search: SearchClause, context: C) => Answer<QueryableSource | EntityStream>) | undefined;
}

/** The handlers of a navigation property as the protocol calls them. */
export interface NavigationHandlers<C> {
  readonly get?: ((key: unknown, context: C) => Answer<unknown>) | undefined;
  readonly getBatch?: ((keys: readonly unknown[], context: C) => Answer<ReadonlyMap<unknown, unknown>>) | undefined;
  readonly create?: ((key: unknown, entity: unknown, context: C) => Answer<unknown>) | undefined;
  readonly addRef?: LinkHandler<C> | undefined;
  readonly setRef?: LinkHandler<C> | undefined;
  /** Of a collection with the id of the link, else without. */
  readonly removeRef?: (((...args: readonly unknown[]) => Answer<void>) & Pick<LinkHandler<C>, "byKey">) | undefined;
}

/** Changes a link. */
export interface LinkHandler<C> {
  /** @param id the `@odata.id` as it was sent */
  (key: unknown, id: string, context: C): Answer<void>;
  /**
   * The same by the key of the entity that the `@odata.id` names, which the framework has found to be one of the target
   * set: what handlers that the framework makes over a database offer. It is called in place of the handler itself.
   */
  readonly byKey?: (key: unknown, related: unknown, context: C) => Answer<void>;
}

/** What a handler that the framework makes along a navigation knows beside. */
export interface OfferedHandler {
  /**
   * Whether it can do its work with the set that the navigation leads to: if not, the set has no such handler.
   * @param target the options of that set; undefined where there is none
   */
  readonly isOffered?: (target: Readonly<Record<string, unknown>> | undefined) => boolean;
}

/** What a handler that the framework makes over a database does by itself. */
export interface RestrictedHandler {
  /** Whether it checks row rules within its own transaction. */
  readonly obeysRestriction?: boolean;
}

/** Tells whether a handler checks row rules within its own transaction. A handler of the application says nothing. */
export function obeysRestriction(handler: unknown): boolean {
  return typeof handler === "function" && (handler as RestrictedHandler).obeysRestriction === true;
}
