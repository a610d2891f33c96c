import type { EntityType } from "../edm/model.ts";
import type { JoinedSteps } from "../plan/join-expansions.ts";
import type { Related } from "../query/expanded-entity.ts";
import type { JoinedShape, Row, RowShape } from "../query/row-shape.ts";

/** The entities whose expansions are to be filled in. */
export interface ParentPage {
  readonly entities: readonly unknown[];
  /** The layout of the entities when they are rows. */
  readonly rowShape: RowShape | undefined;
  readonly entityType: EntityType;
  /** The expansions that stand in those rows. */
  readonly joined: JoinedSteps;
}

/** One level of parents, each with the number of times that it will be written: shared ones are loaded once. */
export interface ExpandLevel extends ParentPage {
  readonly weights: readonly number[];
}

/** The related entity that stands in the row of its parent; none where the row says so. */
export function joinedEntity(shape: JoinedShape, parent: unknown): Related {
  if (!Array.isArray(parent)) throw new TypeError("A source answered an entity that is no row beside a row shape.");
  const row: Row = parent;
  return { kind: "entity", entity: shape.isPresent(row) ? row : null, rowShape: shape };
}

/** The related entities of one parent, as a list. */
export function entitiesOf(related: Related): readonly unknown[] {
  if (related === null) return [];
  if (related.kind === "collection") return related.entities;
  return related.entity === null ? [] : [related.entity];
}
