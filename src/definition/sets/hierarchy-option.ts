import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The hierarchy of the entities of a set, for trees. @see docs/guides/trees.md */
export interface HierarchyOption<E extends EntityTypeDeclaration> {
  /**
   * The property that contains the key of the parent, which `on` of a navigation to the set itself uses; null for roots.
   */
  readonly parent: keyof E["properties"] & string;
  /** The name by which clients refer to the hierarchy; that of the set with `Hierarchy` behind it if absent. */
  readonly qualifier?: string | undefined;
}
