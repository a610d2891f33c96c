import { keptPerPair } from "../base/memo.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import {
  compileEntityWriter,
  type EntityRoutes,
  type EntityWriter,
  type WriterTarget,
} from "../payload/write-entity.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import { planJson, planNamedJson } from "../plan/plan-json.ts";
import { selectsKey, type SelectExpandClause } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import type { JsonMembers } from "../query/source.ts";

/** The set of entities, or their type if no set is declared for them. */
export type EntityOrigin = EntitySet | EntityType;

/**
 * By format, at most 36. Entities that are objects have no layout, so their origin is the key instead. Writers live as
 * long as the clause, so the bounded cache of shapes limits them too.
 */
const writersOf = keptPerPair(
  (_clause: SelectExpandClause, _layout: RowShape | EntityOrigin) => new Map<string, EntityWriter>(),
);

/**
 * Returns the writer of entities for a clause and a format, made on first use.
 * @param service the service of the origin
 * @param origin the set or type of the entities: without a set they have neither URLs nor ETags
 * @param rowShape the layout of the entities when they are rows
 */
export function entityWriterFor(
  { routes }: { readonly routes: EntityRoutes },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): EntityWriter {
  const ofClause = writersOf(clause, rowShape ?? origin);
  const { metadata, ieee754Compatible, isUnnamed = false, saved } = format;
  const key = `${metadata}${ieee754Compatible ? "+" : ""}${isUnnamed ? "?" : ""}${saved ?? ""}`;
  let writer = ofClause.get(key);
  if (writer === undefined) {
    writer = compileEntityWriter(
      toTarget(routes, origin),
      clause,
      { metadata, ieee754Compatible, isUnnamed, saved },
      rowShape,
    );
    ofClause.set(key, writer);
  }
  return writer;
}

/**
 * Returns the members of entities that are written with nothing but values, and the ids of entities without expansions, at all
 * levels of the expansions; undefined if there is other control information.
 */
export function jsonMembers(
  { routes }: { readonly routes: EntityRoutes },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  expand: ExpandPlan | null,
  { metadata, ieee754Compatible }: PayloadFormat,
): JsonMembers | undefined {
  if (metadata === "full" || ieee754Compatible) return undefined;
  const hasControl = metadata !== "none";
  if (hasControl && origin.kind === "EntitySet") {
    if (origin.etag.length > 0) return undefined;
    if (routes.isReadByKey(origin) && !selectsKey(clause, origin.entityType)) {
      return expand === null ? (planNamedJson(clause, origin.entityType) ?? undefined) : undefined;
    }
  }
  return planJson(clause, expand, hasControl) ?? undefined;
}

function toTarget(routes: EntityRoutes, origin: EntityOrigin): WriterTarget {
  return origin.kind === "EntitySet"
    ? { entitySet: origin, entityType: origin.entityType, routes }
    : { entitySet: null, entityType: origin, routes };
}
