import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { NavigationExpression, RootExpression } from "../query/expression.ts";

/** The related entities of one entity: an entity or null, or a list for a collection-valued navigation. */
export type RelatedObject = object | null | readonly object[];

/** By the entity in which a navigation starts: the object as its source or handler returned it. */
export type RelatedByEntity = Map<object, RelatedObject>;

/** The related entities that the expressions of one evaluation use, loaded before the evaluation. */
export interface Relations {
  readonly related: Map<EntitySet, Map<NavigationProperty, RelatedByEntity>>;
  /** The entities of `$root`; null where an entity is missing. */
  readonly roots: Map<RootExpression, object | null>;
}

/** Makes relations without entities. */
export function newRelations(): Relations {
  return { related: new Map(), roots: new Map() };
}

/** Returns the table of one navigation in the relations of an evaluation, made on first use. */
export function relatedTable(
  { related }: Relations,
  { entitySet, navigationProperty }: Pick<NavigationExpression, "entitySet" | "navigationProperty">,
): RelatedByEntity {
  const ofSet = related.get(entitySet) ?? new Map<NavigationProperty, RelatedByEntity>();
  related.set(entitySet, ofSet);
  const table = ofSet.get(navigationProperty) ?? new Map<object, RelatedObject>();
  ofSet.set(navigationProperty, table);
  return table;
}

/**
 * Returns the related entities of an entity.
 * @throws Error when they were not loaded: a fault of the execution
 */
export function relatedOf(
  { related: relations }: Relations,
  { entitySet, navigationProperty }: NavigationExpression,
  entity: object,
): RelatedObject {
  const related = relations.get(entitySet)?.get(navigationProperty)?.get(entity);
  if (related !== undefined) return related;
  throw new Error(`${entitySet.name}/${navigationProperty.name} was not loaded before it was evaluated.`);
}

/** Returns the entity of `$root`. @throws Error when it was not loaded: a fault of the execution */
export function rootOf({ roots }: Relations, expression: RootExpression): object | null {
  const entity = roots.get(expression);
  if (entity !== undefined) return entity;
  throw new Error(`$root/${expression.entitySet.name} was not loaded before it was evaluated.`);
}
