import { keptPer, keptPerPair } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, EntityType, NavigationJoin } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { allOf } from "../../language/query/all-of.ts";
import type { FilterClause, QueryShape, SelectedProperty } from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { RelatedShape } from "../../language/query/source.ts";
import { findNavigationHandlers, type HandlerWay, handlerWay, type TargetWay } from "./plan-related.ts";
import { totalOrder } from "./total-order.ts";

/**
 * Returns the way of the routes of a navigation: its handler, otherwise the table of the target set.
 * @param name wire name of the navigation property
 * @returns an empty list without a route
 * @see docs/reference/navigation.md
 */
export function routeWays(
  definition: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): ReadonlyArray<HandlerWay | TargetWay> {
  const way =
    handlerWay(findNavigationHandlers(definition, entitySet, name), "each") ?? tableWay(definition, entitySet, name);
  return way === null ? [] : [way];
}

/** Returns null unless both sets are tables, the join is declared, and the parents can be read by key. */
function tableWay(
  { entitySets }: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): TargetWay | null {
  const { queryable, getByKey } = entitySets.get(entitySet.name)?.handlers ?? {};
  const join = entitySet.navigationJoins.get(name);
  const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  if (queryable?.source?.relational === undefined || getByKey === undefined || join === undefined) return null;
  if (target?.handlers.queryable?.source?.relational === undefined) return null;
  return Object.freeze({ kind: "target", join, target: target.entitySet });
}

/**
 * Returns whether `GET /Set(key)/Nav` has a route: the navigation property has a handler, or connects two tables. The same
 * holds for reading references.
 * @see docs/reference/navigation.md
 */
export function hasNavigationRoute(
  definition: Pick<ServiceDefinition, "entitySets">,
  entitySet: EntitySet,
  name: string,
): boolean {
  return routeWays(definition, entitySet, name).length > 0;
}

/** The parts of a query that the shape of a related read repeats. */
type RelatedClauses = Pick<QueryShape, "entityType" | "filter" | "orderBy" | "roundingMode">;

/** Returns the shape of a read that applies a query to the related entities. @param selected the properties that the response needs */
export function relatedShape(
  shape: RelatedClauses,
  join: NavigationJoin,
  selected: readonly SelectedProperty[],
): RelatedShape {
  return shapesOf(shape, join)(selected);
}

/**
 * Returns the shape of a read of one related entity.
 * @param isKeyed whether the values of the query are its key, in the order of the key
 * @param selected the properties that the response needs
 */
export function relatedEntityShape(
  { join, target: { entityType } }: TargetWay,
  isKeyed: boolean,
  selected: readonly SelectedProperty[],
): RelatedShape {
  return relatedShape(isKeyed ? oneByKey(entityType) : oneOf(entityType), join, selected);
}

const oneOf = keptPer((entityType: EntityType) => clausesOfOne(entityType, null));
const oneByKey = keptPer((entityType: EntityType) => clausesOfOne(entityType, keyFilter(entityType)));

function clausesOfOne(entityType: EntityType, filter: FilterClause | null): RelatedClauses {
  return { entityType, filter, orderBy: [], roundingMode: "spec-compliant" };
}

const shapesOf = keptPerPair(({ entityType, filter, orderBy, roundingMode }: RelatedClauses, join: NavigationJoin) => {
  const total = totalOrder(orderBy, entityType);
  return keptPer((selected: readonly SelectedProperty[]): RelatedShape =>
    Object.freeze({ join, entityType, filter, orderBy: total, selected, joined: [], roundingMode }),
  );
});

/** Compares each key property with the parameter at its position. */
function keyFilter(entityType: EntityType): FilterClause {
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  const terms = entityType.key.map((property, index): Expression => {
    const { type } = property;
    if (type.kind === "ComplexType") throw new Error(`${property.name} is not a key property.`);
    return {
      kind: "comparison",
      operator: "eq",
      left: { kind: "property", source: { kind: "it", type: entityType }, property, type },
      right: { kind: "parameter", index, type },
      operandType: type,
      type: boolean,
    };
  });
  return required(allOf(terms), `${entityType.name} has no key.`);
}
