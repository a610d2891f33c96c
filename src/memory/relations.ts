import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { NavigationExpression, RootExpression } from "../query/expression.ts";

/** What a navigation leads to from one entity: an entity or null, or (a collection-valued one) the related entities. */
export type RelatedObject = object | null | readonly object[];

/** By the entity that a navigation starts from: the object as its source or handler gave it. */
export type RelatedByEntity = Map<object, RelatedObject>;

/** What the expressions of one evaluation lead to; filled in before they are evaluated. */
export interface Relations {
  readonly related: Map<EntitySet, Map<NavigationProperty, RelatedByEntity>>;
  /** The entities behind `$root`; null where there is none. */
  readonly roots: Map<RootExpression, object | null>;
}

/** Returns relations to which nothing leads yet. */
export function newRelations(): Relations {
  return { related: new Map(), roots: new Map() };
}

/** The table of one navigation among the relations of an evaluation, made on first use. */
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
 * What a navigation leads to from an entity.
 * @throws Error when nothing was loaded for it: a fault of the execution
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

/** The entity behind `$root`. @throws Error when nothing was loaded for it: a fault of the execution */
export function rootOf({ roots }: Relations, expression: RootExpression): object | null {
  const entity = roots.get(expression);
  if (entity !== undefined) return entity;
  throw new Error(`$root/${expression.entitySet.name} was not loaded before it was evaluated.`);
}
