import type { Context } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { QueryableHandler } from "../definition/sets/handlers.ts";
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
  /** Of the target set: what it answers for a request reads along navigations. */
  readonly queryable: QueryableHandler<Context>;
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
  const related = target?.handlers.queryable;
  if (queryable?.source?.relational === undefined || getByKey === undefined || join === undefined) return null;
  if (target === undefined || related?.source?.relational === undefined) return null;
  return Object.freeze({ join, target: target.entitySet, queryable: related });
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

/** The object for each selection, so that a source compiles one statement for all requests of a shape. */
type ShapesBySelection = WeakMap<readonly SelectedProperty[], RelatedShape>;

const collections = new WeakMap<QueryShape, WeakMap<NavigationJoin, ShapesBySelection>>();
const entities = new WeakMap<NavigationJoin, ShapesBySelection>();
const keyedEntities = new WeakMap<NavigationJoin, ShapesBySelection>();

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
  let byJoin = collections.get(shape);
  if (byJoin === undefined) collections.set(shape, (byJoin = new WeakMap()));
  return findShape(byJoin, join, selected, () => shape);
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
  return findShape(isKeyed ? keyedEntities : entities, join, selected, () => ({
    entityType,
    filter: isKeyed ? keyFilter(entityType) : null,
    orderBy: [],
    roundingMode: "spec-compliant",
  }));
}

function findShape(
  byJoin: WeakMap<NavigationJoin, ShapesBySelection>,
  join: NavigationJoin,
  selected: readonly SelectedProperty[],
  query: () => Pick<QueryShape, "entityType" | "filter" | "orderBy" | "roundingMode">,
): RelatedShape {
  let bySelection = byJoin.get(join);
  if (bySelection === undefined) byJoin.set(join, (bySelection = new WeakMap()));
  let shape = bySelection.get(selected);
  if (shape === undefined) {
    const { entityType, filter, orderBy, roundingMode } = query();
    const order = totalOrder(orderBy, entityType);
    shape = Object.freeze<RelatedShape>({
      join,
      entityType,
      filter,
      orderBy: order,
      selected,
      joined: [],
      roundingMode,
    });
    bySelection.set(selected, shape);
  }
  return shape;
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
  if (terms.length === 1 && single !== undefined) return { expression: single };
  return { expression: { kind: "logical", operator: "and", operands: terms, type: boolean } };
}
