import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import type { SearchClause } from "../../query/clauses.ts";
import type { Context, WriteContext } from "../context.ts";
import type { OperationDeclaration } from "../operations/operation.ts";
import { everyOption, frozenCopy } from "../option-table.ts";
import type { Authorization } from "../rules/authorization.ts";
import type { BodyOf, DeltaOf, KeyOf, ResultOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { DeclaredEntitySet } from "./entity-set-access.ts";
import type { Entities, EntitySource } from "./entity-source.ts";
import type { Answer, CollectionQuery } from "./handlers.ts";
import type { GraphOf } from "./navigation-declaration.ts";
import type { Navigations } from "./navigation.ts";
import type { SetSettings } from "./set-settings.ts";
import type { TransactionalDatabase } from "./transactional-database.ts";

/** Operations bound to a set's entities, by name. */
export interface BoundOperations<E extends EntityTypeDeclaration> {
  readonly [name: string]: OperationDeclaration<KeyOf<E>>;
}

/** No navigations, no operations. */
type None = Readonly<Record<never, never>>;

/** The keys of the structural and the navigation properties of a set. */
type MemberOf<E extends EntityTypeDeclaration, N> = (keyof E["properties"] | keyof NoInfer<N>) & string;

/** What `applyQuery` answers: one page, and what it knows about the rest. */
export interface AppliedQueryOf<E extends EntityTypeDeclaration> {
  readonly items: Iterable<ResultOf<E>>;
  /** The total before paging. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/**
 * The operations of a set: a declared handler makes its routes, an absent one makes none.
 * @see specification, Route table
 */
export interface EntitySetOperations<E extends EntityTypeDeclaration, N> {
  /** Rows that the framework queries: every option is pushed down to the source. */
  readonly queryable?: (context: Context) => Answer<EntitySource<E>>;
  /** All entities; options are applied in memory. */
  readonly getAll?: (context: Context) => Answer<Entities<E>>;
  /** One page, for a set that applies the bound query itself. */
  readonly applyQuery?: (query: CollectionQuery, context: Context) => Answer<AppliedQueryOf<E>>;
  /** One entity; null: there is none. */
  readonly getByKey?: (key: KeyOf<E>, context: Context) => Answer<ResultOf<E> | null>;
  /** Creates an entity and returns it as saved. */
  readonly create?: (entity: GraphOf<E, N>, context: Context) => Answer<ResultOf<E> | null>;
  /** Replaces an entity and returns it as saved; null: there is none. */
  readonly replace?: (key: KeyOf<E>, entity: BodyOf<E>, context: WriteContext<E>) => Answer<ResultOf<E> | null>;
  /** Changes some members and returns the entity as saved; null: there is none. */
  readonly patch?: (key: KeyOf<E>, delta: DeltaOf<E>, context: WriteContext<E>) => Answer<ResultOf<E> | null>;
  /** Deletes an entity; false: there was none. */
  readonly delete?: (key: KeyOf<E>, context: WriteContext<E>) => Answer<boolean>;
  /** The entities that match a `$search`, to which the other options are then applied. */
  readonly search?: (search: SearchClause, context: Context) => Answer<EntitySource<E> | Entities<E>>;
}

/** What `entitySet` takes. Names of properties are the application's keys. */
export interface EntitySetOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
>
  extends EntitySetOperations<E, N>, SetSettings {
  /** The name in URLs and $metadata; the plural of the type name when absent. */
  readonly name?: string | undefined;
  /** Allowlists: what an option may mention; everything when absent. */
  readonly filterProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  readonly orderByProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  readonly selectProperties?: ReadonlyArray<MemberOf<E, N>> | undefined;
  readonly expandProperties?: ReadonlyArray<keyof NoInfer<N> & string> | undefined;
  /** The properties whose values make the ETag; none when absent. */
  readonly etag?: ReadonlyArray<keyof E["properties"] & string> | undefined;
  readonly navigation?: N;
  readonly functions?: F;
  readonly actions?: A;
  readonly authorization?: Authorization<E, NoInfer<N>> | undefined;
}

/** An entity set as declared with `entitySet`. */
export interface EntitySetDeclaration<
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
  N = unknown,
  F = unknown,
  A = unknown,
> extends DeclaredEntitySet<E, N> {
  readonly functions: F | undefined;
  readonly actions: A | undefined;
  /** The options as given, for `odataService` to check and read. Handlers use `ctx.sets`, which asks the rules. */
  readonly options: object;
  /** The database of the rows, where the declaration knows it: handlers may open a transaction over it. */
  readonly database?: TransactionalDatabase | undefined;
  /** Finds faults that only who made the declaration can find; they are listed with all others at startup. */
  readonly check?: (() => Iterable<ConfigurationFault>) | undefined;
  /** The keys of properties that the database of the set cannot compare, as those of columns with a `convert`. */
  readonly uncomparable?: readonly string[] | undefined;
  /**
   * The keys of Guid properties whose columns hold texts in any letter case; undefined for a set that is not over a
   * database with Guids as texts.
   */
  readonly anyCaseGuids?: readonly string[] | undefined;
}

/**
 * Declares an entity set: a type, the operations that it supports, and what queries may do. Nothing is checked before
 * `odataService`; one set may be registered with several services.
 * @see specification, What the service does
 */
export function entitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
>(
  type: E,
  options: EntitySetOptions<E, N, F, A>,
  // NoInfer: written inside `odataService`, the list of sets would decide about the type, and operations lose their key.
): EntitySetDeclaration<NoInfer<E>, N, F, A> {
  const copy = frozenCopy(everyOption(options));
  const { navigation, functions, actions }: Partial<typeof options> = { ...copy };
  return Object.freeze({
    kind: "EntitySetDeclaration",
    entityType: type,
    navigation,
    functions,
    actions,
    options: copy,
  });
}
