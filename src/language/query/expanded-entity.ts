import type { RowShape } from "./row-shape.ts";

/**
 * An entity with the results of its expansions. Writers get it instead of the entity if the clause has expansions. The
 * entity is unchanged, as the application returned it.
 */
export interface ExpandedEntity {
  /** The application's object, or a row. */
  readonly entity: unknown;
  /** In the order of `expanded` of the clause. */
  readonly related: readonly Related[];
}

/** The result of one expansion for one entity; null: nothing was loaded, so nothing is written. */
export type Related = RelatedCollection | RelatedEntity | null;

/** The related entities of a collection-valued navigation property. */
export interface RelatedCollection {
  readonly kind: "collection";
  /** `ExpandedEntity` objects if the expansion has nested expansions. */
  readonly entities: readonly unknown[];
  /** The layout of the entities if they are rows. */
  readonly rowShape?: RowShape | undefined;
  /** The number before `$skip` and `$top`, if requested. */
  readonly count: number | bigint | undefined;
  /** Whether more entities follow, so that a next link is written. */
  readonly hasMore: boolean;
  /** The options of that link, apart from `$skip`, each with a leading ampersand; absent: none. */
  readonly linkOptions?: string | undefined;
}

/** The related entity of a single-valued navigation property. */
export interface RelatedEntity {
  readonly kind: "entity";
  /** Null: no related entity exists. An `ExpandedEntity` if the expansion has nested expansions. */
  readonly entity: unknown;
  /** The layout of the entity if it is a row, which may be that of its parent's row. */
  readonly rowShape?: RowShape | undefined;
}
