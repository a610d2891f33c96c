import type { RowShape } from "./row-shape.ts";

/**
 * An entity together with what its expansions brought: what the writers get in place of the entity itself where a
 * clause expands anything. The entity stays as the application returned it.
 */
export interface ExpandedEntity {
  /** The application's object, or a row. */
  readonly entity: unknown;
  /** In the order of `expanded` of the clause. */
  readonly related: readonly Related[];
}

/** What one expansion brought for one entity; null: nothing was loaded, so nothing is written. */
export type Related = RelatedCollection | RelatedEntity | null;

/** The related entities of a collection-valued navigation property. */
export interface RelatedCollection {
  readonly kind: "collection";
  /** `ExpandedEntity` objects where the clause of the expansion expands anything itself. */
  readonly entities: readonly unknown[];
  /** The layout of the entities when they are rows. */
  readonly rowShape?: RowShape | undefined;
  /** The number before `$skip` and `$top`; present when asked for. */
  readonly count: number | bigint | undefined;
  /** Whether more follow than are written, so that a link to them is. */
  readonly hasMore: boolean;
}

/** The related entity of a single-valued navigation property. */
export interface RelatedEntity {
  readonly kind: "entity";
  /** Null: there is none. An `ExpandedEntity` where the clause of the expansion expands anything itself. */
  readonly entity: unknown;
  /** The layout of the entity when it is a row: that of its parent's row, where they share one. */
  readonly rowShape?: RowShape | undefined;
}
