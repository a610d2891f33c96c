import { keeper, keptPerPair } from "../base/memo.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet, EntityType, NavigationJoin } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { FilterClause, QueryShape, SelectedProperty } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import type { RelatedShape } from "../query/source.ts";
import { totalOrder } from "./total-order.ts";

/** A navigation from table to table that needs no handler: what its routes read. */
export interface TableNavigation {
  readonly join: NavigationJoin;
  readonly target: EntitySet;
}

/**
 * How the routes of a navigation without a handler are answered.
 * @param name wire name of the navigation property
 * @returns null where it has none: both sets must be tables, the join declared, and the parents readable by key
 * @see specification, Navigation routes
 */
export function tableNavigation(
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): TableNavigation | null {
  const { queryable, getByKey } = entitySets.get(entitySet.name)?.handlers ?? {};
  const join = entitySet.navigationJoins.get(name);
  const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  if (queryable?.source?.relational === undefined || getByKey === undefined || join === undefined) return null;
  if (target?.handlers.queryable?.source?.relational === undefined) return null;
  return Object.freeze({ join, target: target.entitySet });
}

/**
 * Whether `GET /Set(key)/Nav` has a route: a handler leads along the navigation property, or it leads from table to
 * table. References can be read where it has.
 * @see specification, Route table
 */
export function hasNavigationRoute(
  definition: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): boolean {
  const { get, getBatch } = definition.entitySets.get(entitySet.name)?.navigationHandlers.get(name) ?? {};
  return (get ?? getBatch) !== undefined || tableNavigation(definition, entitySet, name) !== null;
}

/** What of a query the shape of a related read says again. */
type RelatedClauses = Pick<QueryShape, "entityType" | "filter" | "orderBy" | "roundingMode">;

/** The object for each selection, so that a source compiles one statement for all requests of a shape. */
const collectionShapes = keptPerPair((shape: QueryShape, join: NavigationJoin) => shapesOf(join, shape));
const entityShapes = keptPerPair((join: NavigationJoin, entityType: EntityType) =>
  shapesOf(join, oneOf(entityType, null)),
);
const keyedShapes = keptPerPair((join: NavigationJoin, entityType: EntityType) =>
  shapesOf(join, oneOf(entityType, keyFilter(entityType))),
);

/**
 * What a source is asked for along one navigation when a query runs over the related entities alone.
 * @param selected the properties that the answer needs
 * @returns the same object for the same arguments
 */
export function relatedShape(
  shape: QueryShape,
  join: NavigationJoin,
  selected: readonly SelectedProperty[],
): RelatedShape {
  return collectionShapes(shape, join)(selected);
}

/**
 * What a source is asked for along one navigation when one related entity is wanted.
 * @param isKeyed whether it is the one whose key the values of the query are, in the order of the key
 * @param selected the properties that the answer needs
 * @returns the same object for the same arguments
 */
export function relatedEntityShape(
  { join, target: { entityType } }: TableNavigation,
  isKeyed: boolean,
  selected: readonly SelectedProperty[],
): RelatedShape {
  return (isKeyed ? keyedShapes : entityShapes)(join, entityType)(selected);
}

function oneOf(entityType: EntityType, filter: FilterClause | null): RelatedClauses {
  return { entityType, filter, orderBy: [], roundingMode: "spec-compliant" };
}

/** Makes the shapes of one query along one navigation, by selection. */
function shapesOf(
  join: NavigationJoin,
  { entityType, filter, orderBy, roundingMode }: RelatedClauses,
): (selected: readonly SelectedProperty[]) => RelatedShape {
  const order = totalOrder(orderBy, entityType);
  const shapes = new WeakMap<readonly SelectedProperty[], RelatedShape>();
  return (selected) => {
    let shape = shapes.get(selected);
    if (shape === undefined) {
      shape = keeper({ join, entityType, filter, orderBy: order, selected, joined: [], roundingMode });
      shapes.set(selected, Object.freeze(shape));
    }
    return shape;
  };
}

/** Each property of the key equals the parameter that has its position. */
function keyFilter(entityType: EntityType): FilterClause {
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  const terms = entityType.key.map((property, index): Expression => {
    const { type } = property;
    if (type.kind === "ComplexType") throw new Error(`${property.name} is no property of a key.`);
    return {
      kind: "comparison",
      operator: "eq",
      left: { kind: "property", source: { kind: "it", type: entityType }, property, type },
      right: { kind: "parameter", index, type },
      operandType: type,
      type: boolean,
    };
  });
  const [single] = terms;
  if (terms.length === 1 && single !== undefined) return keeper({ expression: single });
  return keeper({ expression: { kind: "logical", operator: "and", operands: terms, type: boolean } });
}
