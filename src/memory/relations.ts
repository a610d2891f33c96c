import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { NavigationExpression, RootExpression } from "../query/expression.ts";

/** What a navigation leads to from one entity: an entity or null, or (a collection-valued one) the related entities. */
export type RelatedObject = object | null | readonly object[];

/** By the entity that a navigation starts from: the object as its source or handler gave it. */
export type RelatedByEntity = Map<object, RelatedObject>;

/** What the expressions of one execution lead to; filled in before they are evaluated. */
export interface Relations {
  readonly related: Map<EntitySet, Map<NavigationProperty, RelatedByEntity>>;
  /** The entities behind `$root`; null where there is none. */
  readonly roots: Map<RootExpression, object | null>;
}

/** By the array of parameter values, one per execution: expressions that lead nowhere never look here. */
const relationsByValues = new WeakMap<readonly PrimitiveValue[], Relations>();

/**
 * The relations of an execution, made on first use.
 * @param values the values of the parameters, an array that no other execution has
 */
export function relationsOf(values: readonly PrimitiveValue[]): Relations {
  let relations = relationsByValues.get(values);
  if (relations === undefined) {
    relations = { related: new Map(), roots: new Map() };
    relationsByValues.set(values, relations);
  }
  return relations;
}

/** The table of one navigation among the relations of an execution, made on first use. */
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
  values: readonly PrimitiveValue[],
  { entitySet, navigationProperty }: NavigationExpression,
  entity: object,
): RelatedObject {
  const related = relationsByValues.get(values)?.related.get(entitySet)?.get(navigationProperty)?.get(entity);
  if (related !== undefined) return related;
  throw new Error(`${entitySet.name}/${navigationProperty.name} was not loaded before it was evaluated.`);
}

/** The entity behind `$root`. @throws Error when nothing was loaded for it: a fault of the execution */
export function rootOf(values: readonly PrimitiveValue[], expression: RootExpression): object | null {
  const entity = relationsByValues.get(values)?.roots.get(expression);
  if (entity !== undefined) return entity;
  throw new Error(`$root/${expression.entitySet.name} was not loaded before it was evaluated.`);
}
