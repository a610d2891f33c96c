import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import { shownItem } from "../../definition/model/canonical-value.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import { describeValue, InvalidValueError } from "../../edm/value-codec.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import type { ExpandedEntity, Related } from "../../language/query/expanded-entity.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import { hasNulls, showing, storedBehind, withNulls } from "../../language/query/shown-entity.ts";
import { showsVirtual, virtualIn } from "../../language/query/virtual-values.ts";
import { canonicalEntity, rowReader, toRow } from "../entities/canonical-entity.ts";
import { startAll } from "../entities/concurrency.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { asEntity } from "../memory/evaluation.ts";
import { givenFieldOf } from "../memory/missing-value.ts";
import { declaredEntries } from "./with-computed.ts";

/** Entities of a response: objects or rows, each in an `ExpandedEntity` if the clause has expansions. */
interface ShownEntities {
  readonly entities: readonly unknown[];
  readonly rowShape: RowShape | undefined;
}

/** One entity of a level, with its layout. */
interface ShownEntity {
  readonly value: unknown;
  readonly rowShape: RowShape | undefined;
}

/**
 * Gives entities, and those of their expansions, the values of the virtual properties that a clause selects. Each level calls
 * `read` of a property once.
 * @returns copies that show the values, and whose ETags follow from the stored ones; the same object without such properties
 * @throws ODataError that `read` returned or threw; Error for a wrong number of values, and for a value of a wrong type
 * @see docs/guides/virtual-properties.md
 */
export function showEntities(
  page: ShownEntities,
  clause: SelectExpandClause,
  entityType: EntityType,
  reader: Reader,
): Maybe<ShownEntities> {
  if (!showsVirtual(clause)) return page;
  const { rowShape } = page;
  const level = page.entities.map((value) => ({ value, rowShape }));
  return chain(showLevel(level, clause, entityType, reader), (entities) => ({
    entities,
    rowShape: virtualIn(clause).length > 0 ? undefined : rowShape,
  }));
}

function showLevel(
  level: readonly ShownEntity[],
  clause: SelectExpandClause,
  entityType: EntityType,
  reader: Reader,
): Maybe<readonly unknown[]> {
  const { expanded } = clause;
  if (expanded.length === 0) return showOwn(level, clause, entityType, reader);
  const parents = level.map(({ value }) => value as ExpandedEntity);
  const inner = level.map(({ rowShape }, index) => ({ value: parents[index]?.entity, rowShape }));
  const steps = expanded.map((expansion, position) => () => {
    const related = parents.map((parent) => parent.related[position] ?? null);
    const { form, selectExpand, navigationProperty } = expansion;
    if (form !== "entities" || !showsVirtual(selectExpand)) return related;
    return showRelated(related, selectExpand, navigationProperty.entityType, reader);
  });
  return chain(showOwn(inner, clause, entityType, reader), (entities) =>
    chain(startAll<readonly Related[]>(steps), (lists) =>
      entities.map((entity, index): ExpandedEntity => {
        return { entity, related: lists.map((list) => list[index] ?? null) };
      }),
    ),
  );
}

/** Shows the related entities of all parents of a level at once. Parents may share their related entities. */
function showRelated(
  related: readonly Related[],
  clause: SelectExpandClause,
  entityType: EntityType,
  reader: Reader,
): Maybe<readonly Related[]> {
  const distinct = [...new Set(related)].filter((each) => each !== null);
  const lists = distinct.map((each) => {
    const values = each.kind === "collection" ? each.entities : [each.entity].filter((entity) => entity !== null);
    return values.map((value) => ({ value, rowShape: each.rowShape }));
  });
  const isOwn = virtualIn(clause).length > 0;
  return chain(showLevel(lists.flat(), clause, entityType, reader), (all) => {
    let start = 0;
    const shown = new Map<Related, Related>();
    for (const [index, each] of distinct.entries()) {
      const entities = all.slice(start, (start += lists[index]?.length ?? 0));
      const rowShape = isOwn ? undefined : each.rowShape;
      const made: Related =
        each.kind === "collection"
          ? { ...each, entities, rowShape }
          : { ...each, entity: entities[0] ?? null, rowShape };
      shown.set(each, made);
    }
    return related.map((each) => shown.get(each) ?? null);
  });
}

/** Shows the entities of a level without those of their expansions. */
function showOwn(
  level: readonly ShownEntity[],
  clause: SelectExpandClause,
  entityType: EntityType,
  reader: Reader,
): Maybe<readonly unknown[]> {
  const properties = virtualIn(clause);
  if (properties.length === 0 || level.length === 0) return level.map(({ value }) => value);
  const objects = level.map(({ value, rowShape }) =>
    asEntity(rowShape === undefined ? value : rowReader(rowShape)(toRow(value)), entityType),
  );
  const fields = entityType.properties.map(({ field }) => field);
  const calls = properties.map((property) => () => readValues(property, objects, entityType, reader));
  return chain(startAll(calls), (lists) =>
    objects.map((object, index) => {
      const values = properties.map(({ field }, position) => [field, lists[position]?.[index]] as const);
      const members = Object.fromEntries([...declaredEntries(object, fields), ...values]);
      const shown = showing(object, members);
      return hasNulls(object) ? withNulls(shown) : shown;
    }),
  );
}

/** Calls the function of a property, and checks its values. */
function readValues(
  property: StructuralProperty,
  objects: readonly object[],
  entityType: EntityType,
  reader: Reader,
): Maybe<readonly unknown[]> {
  const { context } = reader;
  const read = serviceOf(context).virtual.get(property);
  const name = `\`virtual.${property.field}\` of ${entityType.name}`;
  if (read === undefined) throw new Error(`${name} has no function.`);
  const given = objects.map((object) => neededValues(property, object, entityType, name));
  return chain(read(given, context), (answer) => {
    const values: unknown = answeredValue(answer);
    if (!Array.isArray(values)) throw new TypeError(`${name} did not return an array.`);
    if (values.length !== given.length) {
      const counts = `${String(values.length)} values for ${String(given.length)} entities`;
      throw new TypeError(`${name} returned ${counts}: return one for each, in their order.`);
    }
    return Array.from(values, (value: unknown) => shownValue(property, value, name));
  });
}

/** The needed properties of a type as a type of their own. */
const needsOf = keptPerPair((property: StructuralProperty, entityType: EntityType) => {
  const { needs = [] } = property.virtual ?? {};
  const isNeeded = ({ field }: StructuralProperty): boolean => needs.includes(field);
  const { properties, ignoredProperties } = entityType;
  return {
    name: entityType.name,
    properties: [...properties, ...ignoredProperties].filter(isNeeded),
    ignoredProperties: [],
  };
});

/** Returns the stored values that a function needs, in canonical form. @throws TypeError for a value that a handler did not return */
function neededValues(property: StructuralProperty, object: object, entityType: EntityType, name: string): object {
  const stored = asEntity(storedBehind(object), entityType);
  const type = needsOf(property, entityType);
  const isMissing = ({ field, nullable, isCollection }: StructuralProperty): boolean =>
    !nullable && !isCollection && givenFieldOf(stored, field) === undefined;
  const missing = type.properties.find(isMissing);
  if (missing === undefined) return canonicalEntity(type, stored);
  throw new TypeError(`${name} needs \`${missing.field}\`, which the handler of the entity did not return.`);
}

/** Checks a value, and returns it in canonical form. Writers check complex values. */
function shownValue(property: StructuralProperty, value: unknown, name: string): unknown {
  const given = value === undefined && property.nullable ? null : value;
  const { type } = property;
  if (type.kind === "ComplexType") {
    if (property.isCollection || given !== null || property.nullable) return given;
    throw new Error(`${name} returned no value of ${type.name}: null is not allowed.`);
  }
  try {
    if (!property.isCollection) return shownItem(property, given);
    if (!Array.isArray(given)) throw new InvalidValueError(`${describeValue(given)} is not an array.`);
    return given.map((item: unknown) => shownItem(property, item));
  } catch (cause) {
    if (!(cause instanceof InvalidValueError)) throw cause;
    const typeName = property.isCollection ? `Collection(${type.name})` : type.name;
    throw new Error(`${name} returned no value of ${typeName}: ${cause.message}`, { cause });
  }
}
