import { bytesOfValue } from "../../base/byte-count.ts";
import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, inTurns, type Maybe, type Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { RoundingMode, SelectExpandClause } from "../../language/query/clauses.ts";
import { computedIn } from "../../language/query/mentions.ts";
import { rowReader, toRow } from "../entities/canonical-entity.ts";
import type { Reader } from "../entities/reader.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { asEntity, Evaluation } from "../memory/evaluation.ts";
import { compileShown } from "../memory/shown-values.ts";
import { type Clause, visitRows } from "../memory/visit-rows.ts";
import type { FoundEntity } from "./read-by-key.ts";
import { Application } from "./read-source.ts";

/** The rows of a query that get computed values. */
interface ComputedRows {
  readonly selectExpand: SelectExpandClause;
  readonly entityType: EntityType;
  readonly roundingMode: RoundingMode;
}

/** A computed value, with the field in which writers find it. */
interface ComputedField {
  readonly property: StructuralProperty;
  readonly clause: Clause;
}

const fieldsOf = keptPer(({ selected }: SelectExpandClause): readonly ComputedField[] =>
  selected.flatMap(({ property, computed }) =>
    computed === undefined ? [] : { property, clause: { expression: computed } },
  ),
);

/**
 * Adds the computed values of a clause to entities, or to rows that a step of `$apply` made.
 * @param entities the application's objects, which are not changed
 * @param option the option that contains the expressions, for errors
 * @returns copies with the declared members and the computed ones, up to the first entity that does not fit into the bytes of the
 *   response; the same list if nothing is computed
 * @throws ODataError and TypeError as for loadRelations
 */
export function withFittingComputed(
  entities: readonly unknown[],
  { selectExpand, entityType, roundingMode }: ComputedRows,
  application: Application,
  option: string,
): Maybe<readonly unknown[]> {
  const clauses = computedIn(selectExpand);
  if (clauses === null || entities.length === 0) return entities;
  const { evaluation, turn } = application;
  const computed = fieldsOf(selectExpand).map(
    ({ property, clause }) => [property.field, compileShown(property, compiledFor(clause, roundingMode))] as const,
  );
  const fields = [...fieldsOfType(entityType), ...application.joined];
  return chain(application.load(clauses, entities, entityType, option), () =>
    inTurns(function* add(pace): Steps<readonly unknown[]> {
      const copies: object[] = [];
      const copy = (item: unknown): boolean => {
        const entity = asEntity(item, entityType);
        const values = computed.map(([field, evaluate]) => [field, evaluate(entity, evaluation)] as const);
        const size = values.reduce((sum, [, value]) => sum + bytesOfValue(value), 0);
        if (application.reader.bytes?.take(size) === false) return false;
        copies.push(Object.fromEntries([...declaredEntries(entity, fields), ...values]));
        return true;
      };
      yield* visitRows(entities, copy, pace, evaluation);
      return copies;
    }, turn),
  );
}

/** As `withFittingComputed`, for all entities. @throws ODataError `InvalidQueryOption` also if they do not fit */
export function withComputed(...given: Parameters<typeof withFittingComputed>): Maybe<readonly unknown[]> {
  return chain(withFittingComputed(...given), (all) => {
    if (all.length < given[0].length) throw tooManyBytes("A response with these computed values");
    return all;
  });
}

/** Returns the fields of the values that a clause computes. */
export function computedFields(clause: SelectExpandClause): readonly string[] {
  return fieldsOf(clause).map(({ property }) => property.field);
}

/** Returns a copy of an entity with some fields of another object. */
export function withFields(entity: object, type: EntityType, other: object, fields: readonly string[]): object {
  const added = fields.map((field) => [field, declaredFieldOf(other, field)] as const);
  return Object.fromEntries([...Object.entries(entity), ...declaredEntries(entity, fieldsOfType(type)), ...added]);
}

const fieldsOfType = keptPer((entityType: EntityType): readonly string[] => {
  const { properties, ignoredProperties, navigationProperties } = entityType;
  return [...properties, ...ignoredProperties, ...navigationProperties].map(({ field }) => field);
});

/** Returns the fields that an object has, with their values. Handlers may omit members, and a missing one is not null. */
export function declaredEntries(entity: object, fields: readonly string[]): ReadonlyArray<readonly [string, unknown]> {
  return fields
    .map((field) => [field, declaredFieldOf(entity, field)] as const)
    .filter(([, value]) => value !== undefined);
}

/**
 * Adds the computed values to one entity, which becomes an object.
 * @param values of the parameters
 * @returns the same value if nothing is computed
 * @throws as for withComputed
 */
export function computeEntity(
  found: FoundEntity,
  rows: ComputedRows,
  values: readonly PrimitiveValue[],
  reader: Reader,
): Maybe<FoundEntity> {
  if (computedIn(rows.selectExpand) === null) return found;
  const { entity, rowShape } = found;
  const object = rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity));
  const application = new Application(new Evaluation(values), reader);
  return chain(withComputed([object], rows, application, "$compute"), ([copy]) => ({
    entity: copy,
    rowShape: undefined,
  }));
}
