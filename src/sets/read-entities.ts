import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import { canonicalEntity } from "../execution/canonical-entity.ts";
import type { CollectionResult } from "../execution/collection-result.ts";
import type { Reader } from "../execution/reader.ts";
import { rowReader } from "../execution/row-to-entity.ts";
import { runCollection } from "../execution/run-collection.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { asEntity } from "../memory/entity.ts";
import { planCollection, type ReadForm } from "../plan/plan-collection.ts";
import { declaredProperties } from "../plan/properties-to-read.ts";
import type { BoundQuery } from "../query/clauses.ts";
import type { Row } from "../query/row-shape.ts";

/** A query of a handler. */
export interface EntityRead {
  readonly set: EntitySetDefinition;
  readonly form: ReadForm;
  readonly query: BoundQuery;
  /** The name of the call, for errors. */
  readonly call: string;
}

/**
 * Reads all entities of a query. `maxTop` of the set does not apply.
 * @throws the error that the handler returned or threw; Error for a handler that returned only one page
 */
export async function readEntities(read: EntityRead, reader: Reader): Promise<readonly object[]> {
  const { set, form, query } = read;
  const { capabilities, entitySet } = set;
  // Only the total shows whether `applyQuery` returned all entities.
  const asked = form === "apply-query" ? { ...query, count: true } : query;
  const plan = planCollection(
    form,
    asked,
    { ...capabilities, maxTop: null },
    { maxPageSize: undefined, selected: declaredProperties(entitySet.entityType) },
  );
  const result = await runCollection(plan, set, reader, null);
  if (form === "apply-query") checkWhole(read, result);
  return result.entities.map((entity) => toReadEntity(entitySet.entityType, objectOf(entity, result, entitySet)));
}

function checkWhole({ query, call, set }: EntityRead, { entities, count, nextLink }: CollectionResult): void {
  if (query.top !== undefined) return;
  const read = query.skip + entities.length;
  if (nextLink === undefined && (count === undefined || count <= read || entities.length === 0)) return;
  throw new Error(
    `${call}: applyQuery of ${set.entitySet.name} returned only one page of the entities. Pass \`top\`, and \`skip\` for further pages.`,
  );
}

function objectOf(
  entity: unknown,
  { rowShape }: CollectionResult,
  { entityType }: EntitySetDefinition["entitySet"],
): object {
  if (rowShape === undefined) return asEntity(entity, entityType);
  return rowReader(rowShape)(entity as Row);
}

/**
 * Converts an entity of a handler to canonical values, without missing members. Only an ignored property that is not nullable
 * stays missing where the handler omits it: no value may stand for it.
 */
export function toReadEntity(entityType: EntityType, entity: object): object {
  const { properties, ignoredProperties } = entityType;
  const canonical = canonicalEntity(entityType, entity);
  const known = ignoredProperties.filter(
    (property) => property.nullable || property.isCollection || fieldOf(canonical, property.field) !== undefined,
  );
  const nulls = Object.fromEntries(known.map(({ field }) => [field, null]));
  return { ...nulls, ...canonical, ...filled([...properties, ...known], canonical) };
}

/** Replaces null by an empty collection, or an empty complex value if the property is not nullable. */
function filled(properties: readonly StructuralProperty[], owner: object): object {
  return Object.fromEntries(
    properties.flatMap((property): Array<readonly [string, unknown]> => {
      const { field, type, isCollection, nullable } = property;
      // `canonicalEntity` returned an array, or an object for a complex value.
      const value: object | null = fieldOf(owner, field) ?? null;
      if (isCollection) return [[field, value ?? []]];
      if (type.kind !== "ComplexType") return [];
      if (value === null) return nullable ? [] : [[field, emptyOf(type)]];
      return [[field, { ...value, ...filled(type.properties, value) }]];
    }),
  );
}

function emptyOf({ properties }: ComplexType): object {
  const empty = Object.fromEntries(properties.map(({ field }) => [field, null]));
  return { ...empty, ...filled(properties, empty) };
}
