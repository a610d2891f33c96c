import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import { canonicalEntity } from "../execution/canonical-entity.ts";
import type { CollectionResult } from "../execution/collection-result.ts";
import type { Reader } from "../execution/reader.ts";
import { rowReader } from "../execution/row-to-entity.ts";
import { runCollection } from "../execution/run-collection.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { asEntity } from "../memory/entity.ts";
import { defineMissing } from "../memory/missing-value.ts";
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
  return result.entities.map((entity) => toReadEntity(entitySet, objectOf(entity, result, entitySet)));
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
 * Converts an entity of a handler to canonical values, without missing members. To read an ignored value that the handler
 * omitted is an error, unless it may be null: no value may stand for it.
 */
export function toReadEntity({ name, entityType }: EntitySet, entity: object): object {
  return completed(entityType, canonicalEntity(entityType, entity), { set: name, path: "" });
}

/** The place of a value in the entities of a set, for errors. */
interface Place {
  readonly set: string;
  /** The keys of the enclosing complex properties, each with a dot. */
  readonly path: string;
}

function completed({ properties, ignoredProperties }: EntityType | ComplexType, owner: object, place: Place): object {
  const isMissing = ({ field, nullable, isCollection }: StructuralProperty): boolean =>
    !nullable && !isCollection && !Object.hasOwn(owner, field);
  const known = [...properties, ...ignoredProperties.filter((property) => !isMissing(property))];
  const members = known.map((property) => [property.field, completeMember(property, owner, place)] as const);
  const whole: object = Object.fromEntries(members);
  for (const { field } of ignoredProperties.filter(isMissing)) {
    const what = `The handlers of ${place.set} return no \`${place.path}${field}\`, which is read.`;
    defineMissing(whole, field, `${what} Return it, or declare it with \`.nullable()\`.`);
  }
  return whole;
}

/** Replaces null by an empty collection, or an empty complex value if the property is not nullable. */
function completeMember(property: StructuralProperty, owner: object, { set, path }: Place): unknown {
  const { field, type, isCollection, nullable } = property;
  const value: unknown = Object.hasOwn(owner, field) ? (fieldOf(owner, field) ?? null) : null;
  if (isCollection && value === null) return [];
  if (type.kind !== "ComplexType" || (value === null && nullable)) return value;
  const below: Place = { set, path: `${path}${field}.` };
  // `canonicalEntity` returned an array, or an object for a complex value.
  const complete = (item: unknown): unknown =>
    item === null && isCollection ? null : completed(type, item === null ? {} : (item as object), below);
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
