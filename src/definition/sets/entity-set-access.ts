import type { RowOf, RowPredicate } from "../rules/row-predicate.ts";
import type { DeltaOf, KeyOf, NewEntityOf, ReadEntityOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { NavigationDeclaration } from "./navigation-declaration.ts";

/** An entity set as declared, as far as the types of its entities tell. */
export interface DeclaredEntitySet<E extends EntityTypeDeclaration = EntityTypeDeclaration, N = unknown> {
  readonly kind: "EntitySetDeclaration";
  readonly entityType: E;
  readonly navigation: N | undefined;
}

/** How a handler opens an entity set. */
export interface AccessOptions {
  /** Whether to skip the rules of categories, `resource` rules and row rules; false when absent. */
  readonly trusted?: boolean | undefined;
}

/** A property to order by, perhaps in descending order: `"placedAt desc"`. */
export type OrderTerm<E extends EntityTypeDeclaration> =
  | (keyof E["properties"] & string)
  | `${keyof E["properties"] & string} desc`;

/** Which entities are counted. */
export interface EntityFilter<E extends EntityTypeDeclaration, N> {
  /** The condition, made of the row that it gets: `(order) => order.status.eq("open")`. All entities when absent. */
  readonly filter?: ((row: RowOf<E, N>) => RowPredicate) | undefined;
}

/** Which entities are read, and in which order. */
export interface EntityQuery<E extends EntityTypeDeclaration, N> extends EntityFilter<E, N> {
  /** When absent, the order of the key, or that of the handler of the set. */
  readonly orderBy?: OrderTerm<E> | ReadonlyArray<OrderTerm<E>> | undefined;
  /** Most entities; all when absent, whatever `maxTop` of the set says. */
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

/** What a write requires of the entity that it changes. */
export interface WriteOptions<E extends EntityTypeDeclaration> {
  /** Values that the entity must still have, such as its `version`: otherwise the write is a 412. */
  readonly expected?: Partial<ReadEntityOf<E>> | undefined;
}

/** The nested entities of a new entity, by navigation: what follows from the entity around them may be absent. */
type NestedOf<E extends EntityTypeDeclaration, N> = {
  readonly [F in keyof N]?: N[F] extends NavigationDeclaration<E, infer Target, infer C>
    ? (C extends "many" ? ReadonlyArray<Partial<NewEntityOf<Target>>> : Partial<NewEntityOf<Target>>) | null | undefined
    : never;
};

/**
 * An entity set as handlers use it. Entities have canonical values. Every method rejects with the ODataError that a
 * request would be answered by: a handler that lets it out passes it on.
 * @see docs/reference/handlers.md
 */
export interface EntitySetAccess<E extends EntityTypeDeclaration, N> {
  /** Returns one entity; null: there is none that the user sees. */
  get(key: KeyOf<E>): Promise<ReadEntityOf<E> | null>;
  /** Returns the entities that meet a condition. */
  query(query?: EntityQuery<E, N>): Promise<ReadonlyArray<ReadEntityOf<E>>>;
  /** Counts the entities that meet a condition. */
  count(query?: EntityFilter<E, N>): Promise<number>;
  /** Creates an entity, with what is nested in it where the set allows deep insert, and returns it as saved. */
  create(entity: NewEntityOf<E> & NestedOf<E, N>): Promise<ReadEntityOf<E>>;
  /** Changes some members and returns the entity as saved; null: there is none that the user sees. */
  patch(key: KeyOf<E>, delta: DeltaOf<E>, options?: WriteOptions<E>): Promise<ReadEntityOf<E> | null>;
  /** Deletes an entity; false: there is none that the user sees. */
  delete(key: KeyOf<E>, options?: WriteOptions<E>): Promise<boolean>;
}
