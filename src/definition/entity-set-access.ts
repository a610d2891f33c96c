import type { RowOf, RowPredicate } from "./predicates/row-predicate.ts";
import type { DeltaOf, KeyOf, NewEntityOf, ReadEntityOf } from "./types/infer.ts";
import type { NavigationDeclaration } from "./types/navigation-declaration.ts";
import type { EntityTypeDeclaration } from "./types/value-type.ts";

/** A declared entity set, reduced to the types of its entities. */
export interface DeclaredEntitySet<E extends EntityTypeDeclaration = EntityTypeDeclaration, N = unknown> {
  readonly kind: "EntitySetDeclaration";
  readonly entityType: E;
  readonly navigation: N | undefined;
}

/** The options of `ctx.sets`. */
export interface AccessOptions {
  /**
   * Whether the calls skip all rules of the set: of categories, `resource` rules and row rules; false if absent. A trusted
   * call reads and writes entities that the user of the request must not see.
   */
  readonly trusted?: boolean | undefined;
}

/** A property to order by, optionally in descending order: `"placedAt desc"`. */
export type OrderTerm<E extends EntityTypeDeclaration> =
  | (keyof E["properties"] & string)
  | `${keyof E["properties"] & string} desc`;

/** The options of `count`. */
export interface EntityFilter<E extends EntityTypeDeclaration, N> {
  /** A function that returns a condition on a row: `(order) => order.status.eq("open")`. All entities if absent. */
  readonly filter?: ((row: RowOf<E, N>) => RowPredicate) | undefined;
}

/** The options of `query`. */
export interface EntityQuery<E extends EntityTypeDeclaration, N> extends EntityFilter<E, N> {
  /** The properties to order by; if absent, the key, or the order in which the handler of the set returns entities. */
  readonly orderBy?: OrderTerm<E> | ReadonlyArray<OrderTerm<E>> | undefined;
  /** The maximum number of entities; all if absent. `maxTop` of the set does not apply. */
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

/** The options of `patch` and `delete`. */
export interface WriteOptions<E extends EntityTypeDeclaration> {
  /** Values that the entity must still have, such as its `version`; otherwise the write rejects with a 412 error. */
  readonly expected?: Partial<ReadEntityOf<E>> | undefined;
}

/** The nested entities of a new entity, by navigation. Values that follow from the outer entity may be absent. */
type NestedOf<E extends EntityTypeDeclaration, N> = {
  readonly [F in keyof N]?: N[F] extends NavigationDeclaration<E, infer Target, infer C>
    ? (C extends "many" ? ReadonlyArray<Partial<NewEntityOf<Target>>> : Partial<NewEntityOf<Target>>) | null | undefined
    : never;
};

/**
 * An entity set for handlers. Entities have canonical values. Every method rejects with the same ODataError that a
 * request would receive; a handler that does not catch the error passes it to the client.
 * @see docs/reference/handlers.md
 */
export interface EntitySetAccess<E extends EntityTypeDeclaration, N> {
  /** Returns one entity; null if it does not exist or the user does not see it. */
  get(key: KeyOf<E>): Promise<ReadEntityOf<E> | null>;
  /** Returns the entities that match a filter. */
  query(query?: EntityQuery<E, N>): Promise<ReadonlyArray<ReadEntityOf<E>>>;
  /** Counts the entities that match a filter. */
  count(query?: EntityFilter<E, N>): Promise<number>;
  /** Creates an entity, with nested entities if the set has `allowDeepInsert`, and returns the saved entity. */
  create(entity: NewEntityOf<E> & NestedOf<E, N>): Promise<ReadEntityOf<E>>;
  /** Changes some members and returns the saved entity; null if it does not exist or the user does not see it. */
  patch(key: KeyOf<E>, delta: DeltaOf<E>, options?: WriteOptions<E>): Promise<ReadEntityOf<E> | null>;
  /** Deletes an entity; returns false if it does not exist or the user does not see it. */
  delete(key: KeyOf<E>, options?: WriteOptions<E>): Promise<boolean>;
}
