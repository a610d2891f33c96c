import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { SearchClause } from "../../language/query/clauses.ts";
import type {
  RuleContext,
  SetContext,
  WriteContext,
  DeclaredEntitySet,
  ServerSetKeys,
  Transaction,
} from "../context.ts";
import type { Entities, EntitySource, Answer, CollectionQuery } from "../handlers.ts";
import type { Logger } from "../logger.ts";
import { everyOption, frozenCopy } from "../option-table.ts";
import { type Annotations, describe } from "../types/entity-type.ts";
import type { BodyOf, DeltaOf, KeyOf, ResultOf } from "../types/entity-values.ts";
import { hierarchyOf } from "../types/hierarchy.ts";
import type { LiteralContext } from "../types/literal-context.ts";
import type { GraphOf } from "../types/navigation-declaration.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { Authorization } from "./authorization.ts";
import type { ConstraintsOption } from "./constraints.ts";
import type { HierarchyOption } from "./hierarchy-option.ts";
import type { Navigations } from "./navigation.ts";
import type { OperationDeclaration } from "./operation.ts";
import type { InferredSet, SetOption } from "./set-option.ts";
import type { InheritedSettings } from "./set-settings.ts";
import { type MediaOption, withStreams } from "./stream-option.ts";
import type { TransactionalDatabase } from "./transactional-database.ts";
import type { ValidateOption } from "./validation.ts";
import type { VirtualProperty } from "./virtual-option.ts";
import type { AfterHooks, BeforeHooks } from "./write-hooks.ts";

/** Operations bound to the entities of a set, by name. */
export interface BoundOperations<E extends EntityTypeDeclaration> {
  readonly [name: string]: OperationDeclaration<KeyOf<E>, unknown, E>;
}

/** The default of navigations and operations: none. */
type None = Readonly<Record<never, never>>;

/** The keys of the structural and the navigation properties of a set. */
type MemberOf<E extends EntityTypeDeclaration, N> = (keyof E["properties"] | keyof NoInfer<N>) & string;

/**
 * The handlers of a set. Each handler that you declare adds its routes.
 * @see docs/reference/handlers.md
 */
interface EntitySetOperations<
  E extends EntityTypeDeclaration,
  N,
  R extends HandlerResults = NoResults,
  T extends Transaction = Transaction,
> {
  /** Returns a source of rows that executes every query option, such as a table. */
  readonly queryable?: (context: SetContext<E, NoInfer<N>, T>) => Answer<EntitySource<E>>;
  /** Returns all entities; the service applies query options in memory. */
  readonly getAll?: (context: SetContext<E, NoInfer<N>, T>) => Answer<Entities<E>> | R["getAll"];
  /** Applies the query itself and returns one page. */
  readonly applyQuery?: (
    query: CollectionQuery,
    context: SetContext<E, NoInfer<N>, T>,
  ) => Answer<AppliedQueryOf<E>> | R["applyQuery"];
  /** Returns one entity; null if it does not exist. */
  readonly getByKey?: (key: KeyOf<E>, context: SetContext<E, NoInfer<N>, T>) => EntityAnswer<E> | R["getByKey"];
  /** Creates an entity and returns the saved entity. */
  readonly create?: (entity: GraphOf<E, N>, context: SetContext<E, NoInfer<N>, T>) => EntityAnswer<E> | R["create"];
  /** Replaces an entity and returns the saved entity; null if it does not exist. */
  readonly replace?: (
    key: KeyOf<E>,
    entity: BodyOf<E>,
    context: WriteContext<E, NoInfer<N>, T>,
  ) => EntityAnswer<E> | R["replace"];
  /** Changes some members and returns the saved entity; null if it does not exist. */
  readonly patch?: (
    key: KeyOf<E>,
    delta: DeltaOf<E>,
    context: WriteContext<E, NoInfer<N>, T>,
  ) => EntityAnswer<E> | R["patch"];
  /** Deletes an entity; returns false if it does not exist. */
  readonly delete?: (key: KeyOf<E>, context: WriteContext<E, NoInfer<N>, T>) => Answer<boolean>;
  /** Returns the entities that match a `$search`; the service then applies the other query options. */
  readonly search?: (
    search: SearchClause,
    context: SetContext<E, NoInfer<N>, T>,
  ) => Answer<EntitySource<E> | Entities<E>>;
}

/** The options of `entitySet`, except `set`. */
interface EntitySetParts<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
  R extends HandlerResults = NoResults,
  T extends Transaction = Transaction,
  V = unknown,
>
  extends EntitySetOperations<E, N, R, T>, InheritedSettings {
  /** The name in URLs and `$metadata`; the plural of the type name if absent. */
  readonly name?: string | undefined;
  /** The further types of its entities, declared with `base`. @see docs/guides/derived-types.md */
  readonly derived?: readonly EntityTypeDeclaration[] | undefined;
  /** The properties that `$filter` may use; all if absent. */
  readonly filterProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  /** The properties that `$orderby` may use; all if absent. */
  readonly orderByProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  /** The properties that `$select` may name; all if absent. */
  readonly selectProperties?: ReadonlyArray<MemberOf<E, N> | keyof NoInfer<V>> | undefined;
  /** The navigation properties that `$expand` may name; all if absent. */
  readonly expandProperties?: ReadonlyArray<keyof NoInfer<N> & string> | undefined;
  /** The properties and navigations by which `$apply` may group; those of `selectProperties` if absent. */
  readonly groupByProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  /** The properties and navigations that `$apply` may aggregate; those of `selectProperties` if absent. */
  readonly aggregateProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  /** The further options that `applyQuery` applies itself; without them, the set refuses `$apply` and `$compute`. */
  readonly applyQueryOptions?: ReadonlyArray<"apply" | "compute"> | undefined;
  /**
   * The properties of the ETag, or `"all"`: a digest of all stored properties, for tables without a version, if requests change the
   * entities. If absent, entities have no ETag. @see docs/reference/etags.md
   */
  readonly etag?: ReadonlyArray<keyof E["properties"] & string> | "all" | undefined;
  /** Whether clients see enumerations as texts; as in the service if absent. @see docs/reference/model.md, Enumerations as texts */
  readonly enumsAsStrings?: boolean | undefined;
  /** The hierarchy of the entities, for trees: `{ parent: "parentId" }`. @see docs/guides/trees.md */
  readonly hierarchy?: HierarchyOption<E> | undefined;
  /** Navigation properties, made with `hasMany`, `hasOptional` and `hasRequired`. */
  readonly navigation?: N;
  /** Bound functions by name, made with `fn`. */
  readonly functions?: F;
  /** Bound actions by name, made with `action`. */
  readonly actions?: A;
  /**
   * Whether your handlers that write, actions included, use `ctx.transaction` if it is open. A change set of a batch may
   * then contain them together with other writes. False if absent.
   * @see docs/reference/batch.md
   */
  readonly transactional?: boolean | undefined;
  /** Functions that run before a write, in its transaction. @see docs/reference/handlers.md, Hooks */
  readonly before?: BeforeHooks<E, NoInfer<N>, T> | undefined;
  /** Functions that run after a write, in its transaction. @see docs/reference/handlers.md, Hooks */
  readonly after?: AfterHooks<E, NoInfer<N>, T> | undefined;
  /** The stream that is the media of each entity. @see docs/guides/streams.md, Media entities */
  readonly media?: MediaOption<E> | undefined;
  /** Annotations of the set in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  /** Rules that requests to the set must pass, and the rows that each user sees. */
  readonly authorization?: Authorization<E, NoInfer<N>, NoInfer<V>> | undefined;
  /** Judges values of clients: schemas of zod, valibot, arktype and others, or functions. @see docs/reference/validation.md */
  readonly validate?: ValidateOption<E, NoInfer<N>, T> | undefined;
  /** The errors for clients by the names of violated constraints of the database. @see docs/reference/validation.md */
  readonly constraints?: ConstraintsOption<keyof E["properties"] & string> | undefined;
}

/** The options of `entitySet`. Properties are named by their keys in `entityType`. */
export interface EntitySetOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
  R extends HandlerResults = NoResults,
  T extends Transaction = Transaction,
  V = unknown,
> extends EntitySetParts<E, N, F, A, R, T, V> {
  /** The properties whose values the server sets: `{ createdAt: { create: now } }`. @see docs/reference/writing.md */
  readonly set?: SetOption<E, NoInfer<N>, T> | undefined;
  /** The properties whose values the server makes for each response. @see docs/guides/virtual-properties.md */
  readonly virtual?: { readonly [field: string]: VirtualProperty<E, never> } | undefined;
}

/** The options of a call of `entitySet`, whose handlers return `R`. */
type CheckedOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E>,
  F,
  A,
  R extends HandlerResults,
  Fitting extends HandlerResults,
  S extends string,
  W,
  T,
> = EntitySetParts<E, N, F, A, R | Fitting | LiteralResults, Transaction, W> &
  CheckedResults<E, R, Fitting> &
  InferredSet<E, N, S, W, T>;

/** The result of `entitySet`. */
export interface EntitySetDeclaration<
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
  N = unknown,
  F = unknown,
  A = unknown,
  S extends string = string,
>
  extends DeclaredEntitySet<E, N>, ServerSetKeys<S> {
  readonly functions: F | undefined;
  readonly actions: A | undefined;
  /** The options, which `odataService` checks and reads. To call handlers, use `ctx.sets`: it applies the rules. */
  readonly options: object;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** Returns the set with a description in `$metadata` and generated API descriptions. Register that set. */
  describe(text: string): EntitySetDeclaration<E, N, F, A, S>;
  /** The database of the rows, for transactions; absent if the declaration does not know it. */
  readonly database?: TransactionalDatabase | undefined;
  /**
   * Locks the row of a key until the open transaction ends; absent if the rows are not in a table. It returns false for a table
   * whose rows the database cannot lock.
   * @param isDeleted whether the row is about to be deleted, so that new rows that refer to it must wait, too
   */
  lock?(this: void, key: unknown, context: RuleContext, isDeleted?: boolean): Maybe<unknown>;
  /** Reads the row of a key as writes return it, in the open transaction; absent like `lock`. */
  reread?(this: void, key: unknown, context: RuleContext): Maybe<object | null>;
  /** Whether later creates in the set leave saved rows as they are, as far as the schema check has found; absent like `lock`. */
  leavesRows?(this: void, context: RuleContext): Maybe<boolean>;
  /** Runs the triggers and the checks of constraints that wait for the end of the open transaction. */
  settle?(this: void, context: RuleContext): Maybe<unknown>;
  /** The names of the options of `sqlEntitySet` that `options` lacks; absent for sets of `entitySet`. */
  readonly tableOptions?: readonly string[] | undefined;
  /** Returns the faults that only the maker of the declaration can find; `odataService` reports them with all others. */
  readonly check?: (() => Iterable<ConfigurationFault>) | undefined;
  /** The keys of properties that the database cannot compare, such as columns with a `convert`. */
  readonly uncomparable?: readonly string[] | undefined;
  /** The keys that lead to timestamps in columns without a time zone: `UTC`, `Etc/UTC` if responses may have other offsets. */
  readonly withoutZone?: readonly { readonly path: readonly string[]; readonly zone: string }[] | undefined;
  /** The keys of properties whose values are no columns but expressions, which may change without a write. */
  readonly unstored?: readonly string[] | undefined;
  /**
   * The keys of Guid properties whose columns contain text in any letter case; undefined if the database does not store
   * Guids as text.
   */
  readonly anyCaseGuids?: readonly string[] | undefined;
  /** Receives the logger of each service that registers the set. */
  readonly logTo?: ((logger: Logger) => void) | undefined;
  /**
   * The handlers that check row rules in their own transaction, such as those of a table; without them, none do. Handlers
   * with which the application replaces them are not listed.
   */
  readonly handlersCheckingRows?: readonly object[] | undefined;
}

/**
 * Declares an entity set: its entity type, its handlers, and the query options that clients may use. `odataService` checks
 * the declaration. Several services may publish the same set.
 * @see docs/reference/entity-sets.md
 */
export function entitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
  All extends object = never,
  Applied extends object = never,
  Found extends object | null = never,
  Created extends object | null = never,
  Replaced extends object | null = never,
  Patched extends object | null = never,
  FittingAll extends Answer<Entities<E>> | LiteralResults["getAll"] = never,
  FittingApplied extends Answer<AppliedQueryOf<E>> | LiteralContext = never,
  FittingFound extends EntityAnswer<E> | LiteralContext = never,
  FittingCreated extends EntityAnswer<E> | LiteralContext = never,
  FittingReplaced extends EntityAnswer<E> | LiteralContext = never,
  FittingPatched extends EntityAnswer<E> | LiteralContext = never,
  const S extends string = never,
  const W = None,
  const T = None,
>(
  type: E,
  options: CheckedOptions<
    E,
    N,
    F,
    A,
    InferredResults<All, Applied, Found, Created, Replaced, Patched>,
    InferredResults<FittingAll, FittingApplied, FittingFound, FittingCreated, FittingReplaced, FittingPatched>,
    S,
    W,
    T
  >,
  // NoInfer: otherwise `entitySets` of `odataService` would infer the type, and operations would lose their key.
): EntitySetDeclaration<NoInfer<E>, N, F, A, S> {
  const copy = frozenCopy(withStreams(type, everyOption(options)));
  const { navigation, functions, actions, derived }: Partial<typeof options> = { ...copy };
  return Object.freeze({
    kind: "EntitySetDeclaration",
    entityType: hierarchyOf(type, derived) as E,
    navigation,
    functions,
    actions,
    options: copy,
    describe,
  });
}

/** The result of `applyQuery`: one page, with an optional total and next link. */
export interface AppliedQueryOf<E extends EntityTypeDeclaration> {
  readonly items: Entities<E>;
  /** The number of all matching entities, before paging. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/** The result of a handler for one entity. */
export type EntityAnswer<E extends EntityTypeDeclaration> = Answer<ResultOf<E> | null>;

/** The types that handlers return, by the names of the handlers. */
export type HandlerResults = InferredResults<unknown, unknown, unknown, unknown, unknown, unknown>;

/** No inferred types: handlers return what their set requires. */
export type NoResults = InferredResults<never, never, never, never, never, never>;

/** The types that the handlers of a call return, as the compiler infers them. */
export interface InferredResults<All, Applied, Found, Created, Replaced, Patched> {
  readonly getAll: All;
  readonly applyQuery: Applied;
  readonly getByKey: Found;
  readonly create: Created;
  readonly replace: Replaced;
  readonly patch: Patched;
}

/** Results that no handler returns: next to them, the compiler keeps literals. */
export type LiteralResults = InferredResults<
  readonly LiteralContext[],
  LiteralContext,
  LiteralContext,
  LiteralContext,
  LiteralContext,
  LiteralContext
>;

/**
 * Options in which the handlers that return wrong entities have a message as type. `entitySet` infers the types of the results
 * twice: as they are, `R`, and within the types that the set requires, `Fitting`, which are other types only for wrong results.
 * Equal types are compared at once, type parameters included. Without the message, an error of the compiler has a level for
 * each type around the wrong property.
 */
export interface CheckedResults<
  E extends EntityTypeDeclaration,
  R extends HandlerResults,
  Fitting extends HandlerResults,
> {
  readonly getAll?: Checked<"list", E, R["getAll"], Fitting["getAll"]>;
  readonly applyQuery?: Checked<"page", E, R["applyQuery"], Fitting["applyQuery"]>;
  readonly getByKey?: Checked<"entity", E, R["getByKey"], Fitting["getByKey"]>;
  readonly create?: Checked<"entity", E, R["create"], Fitting["create"]>;
  readonly replace?: Checked<"entity", E, R["replace"], Fitting["replace"]>;
  readonly patch?: Checked<"entity", E, R["patch"], Fitting["patch"]>;
}

/** The messages of the compiler for a result without entities. */
interface Otherwise {
  readonly list: "The handler must return an array or an iterable of entities.";
  readonly page: "The handler must return { items, count?, nextLink? }.";
  readonly entity: "The handler must return an entity or null.";
}

// The compiler makes the message only in the branch of a wrong result.
type Checked<Kind extends keyof Otherwise, E extends EntityTypeDeclaration, Result, Fitting> = [Result] extends [
  Fitting,
]
  ? unknown
  : Fault<ResultOf<E>, EntityIn<Kind, Settled<Result>>, Otherwise[Kind]>;

type EntityIn<Kind extends keyof Otherwise, Result> = Kind extends "list"
  ? ItemOf<Result>
  : Kind extends "page"
    ? ItemOf<ItemsOf<Result>>
    : NonNullable<Result>;

type Settled<Result> = Exclude<Awaited<Result>, ODataError>;

type ItemsOf<Page> = Page extends { readonly items: infer Items } ? Items : never;

type ItemOf<Items> = Items extends Iterable<infer Item> | AsyncIterable<infer Item> ? Item : never;

type Fault<Entity, Returned, Otherwise> = [OneOf<Faults<Entity, Returned>>] extends [never]
  ? Otherwise
  : OneOf<Faults<Entity, Returned>>;

/** The fault of each property; a union. */
type Faults<Entity, Returned> = Returned extends unknown
  ? {
      [K in keyof Entity & string]: K extends keyof Returned
        ? [Returned[K]] extends [Entity[K]]
          ? never
          : `The property '${K}' of the returned entities has a wrong type.`
        : undefined extends Entity[K]
          ? never
          : `The returned entities lack the property '${K}'.`;
    }[keyof Entity & string]
  : never;

/** One member of a union: the compiler shows a union in two levels. */
type OneOf<Union> = (Union extends unknown ? (member: () => Union) => void : never) extends (members: infer All) => void
  ? All extends () => infer Last
    ? Last
    : never
  : never;
