import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import { canonicalEntity } from "../execution/canonical-entity.ts";
import type { Reader } from "../execution/reader.ts";
import { rowReader } from "../execution/row-to-entity.ts";
import { runCollection, type CollectionResult } from "../execution/run-collection.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { asEntity, isEntity } from "../memory/entity.ts";
import { planCollection, type ReadForm } from "../plan/plan-collection.ts";
import type { BoundQuery } from "../query/clauses.ts";
import type { Row } from "../query/row-shape.ts";

/** A query of a handler, and what answers it. */
export interface EntityRead {
  readonly set: EntitySetDefinition;
  readonly form: ReadForm;
  readonly query: BoundQuery;
  /** For errors. */
  readonly call: string;
}

/**
 * Reads all entities of a query: no setting of the set caps it.
 * @throws what the handler returned or threw; Error for a handler that returned but one page of what was asked for
 */
export async function readEntities(read: EntityRead, reader: Reader): Promise<readonly object[]> {
  const { set, form, query } = read;
  const { capabilities, entitySet } = set;
  // Only its own total tells whether a handler that applies the query itself has returned all.
  const asked = form === "profile-applied" ? { ...query, count: true } : query;
  const plan = planCollection(
    form,
    asked,
    { ...capabilities, maxTop: null },
    { maxPageSize: undefined, selected: query.shape.selectExpand.selected },
  );
  const result = await runCollection(plan, set, reader, null);
  if (form === "profile-applied") checkWhole(read, result);
  return result.entities.map((entity) => toReadEntity(entitySet.entityType, objectOf(entity, result, entitySet)));
}

function checkWhole({ query, call, set }: EntityRead, { entities, count, nextLink }: CollectionResult): void {
  if (query.top !== undefined) return;
  const read = query.skip + entities.length;
  if (nextLink === undefined && (count === undefined || count <= read || entities.length === 0)) return;
  throw new Error(
    `${call}: applyQuery of ${set.entitySet.name} returned one page of the entities. Give \`top\`, and \`skip\` for further pages.`,
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

/** Brings an entity of a handler to the form in which other handlers get it: canonical values, and no holes. */
export function toReadEntity(entityType: EntityType, entity: object): object {
  const canonical = canonicalEntity(entityType, entity);
  return { ...canonical, ...filled(entityType.properties, canonical) };
}

/** A collection is never null, nor is a complex value that may not be. */
function filled(properties: readonly StructuralProperty[], owner: object): object {
  return Object.fromEntries(
    properties.flatMap((property): Array<readonly [string, unknown]> => {
      const { field, type, isCollection, nullable } = property;
      const value = fieldOf(owner, field) ?? null;
      if (isCollection) return [[field, value ?? []]];
      if (type.kind !== "ComplexType") return [];
      if (value === null) return nullable ? [] : [[field, emptyOf(type)]];
      return isEntity(value) ? [[field, { ...value, ...filled(type.properties, value) }]] : [];
    }),
  );
}

function emptyOf({ properties }: ComplexType): object {
  const empty = Object.fromEntries(properties.map(({ field }) => [field, null]));
  return { ...empty, ...filled(properties, empty) };
}
