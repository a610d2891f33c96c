import { BoundedCache, keptPer } from "../../base/memo.ts";
import type { EntityFilter, EntityQuery } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { adviseName, describe } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntitySet, EntityType, ComplexType, StructuralProperty } from "../../edm/model.ts";
import { canonicalEntity, rowReader } from "../../engine/entities/canonical-entity.ts";
import type { CollectionResult } from "../../engine/entities/handler-answer.ts";
import type { Reader } from "../../engine/entities/reader.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { asEntity } from "../../engine/memory/evaluation.ts";
import { defineMissing } from "../../engine/memory/missing-value.ts";
import { planCollection, type ReadForm } from "../../engine/plan/plan-collection.ts";
import { declaredProperties } from "../../engine/plan/properties-to-read.ts";
import { runCollection } from "../../engine/reads/run-collection.ts";
import type {
  BoundQuery,
  FilterClause,
  OrderByItem,
  QueryShape,
  SelectExpandClause,
} from "../../language/query/clauses.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { ReachedSet } from "./entity-sets.ts";

/** The query of a handler for a set of any type. */
export type AnyQuery = EntityQuery<EntityTypeDeclaration, unknown>;

/** The call that a query belongs to, and its options. */
interface QueryUse {
  readonly call: string;
  readonly options: ReadonlyArray<keyof AnyQuery>;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** The options of `query`. */
export const QUERY_OPTIONS: ReadonlyArray<keyof AnyQuery> = ["filter", "orderBy", "top", "skip"];
/** The options of `count`. */
export const COUNT_OPTIONS: ReadonlyArray<keyof EntityFilter<EntityTypeDeclaration, unknown>> = ["filter"];

/**
 * Binds a query of a handler.
 * @returns null if no entity can match the filter
 * @throws TypeError for an unknown option or a wrong value; any error of the filter
 */
export function bindQuery(set: ReachedSet, query: AnyQuery, use: QueryUse): BoundQuery | null {
  checkOptions(query, use);
  const { filter, orderBy, top, skip = 0 } = query;
  for (const [name, value] of Object.entries({ top, skip })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new TypeError(`\`${name}\` of ${use.call} is ${describe(value)}. Pass an integer of 0 or more.`);
  }
  const condition = filter === undefined ? "all" : conditionOf(set, filter, use);
  if (condition === "none") return null;
  const varying = condition === "all" ? null : condition;
  const shape = shapeOf(set, varying?.filter ?? null, termsOf(orderBy, use));
  const values = varying?.values ?? NOTHING;
  return { shape, values, search: null, top, skip, skipToken: undefined, count: false };
}

function checkOptions(query: AnyQuery, { call, options }: QueryUse): void {
  if (typeof query !== "object" || query === null) throw new TypeError(`${call} takes an object of options.`);
  for (const name of Object.keys(query)) {
    if ((options as readonly string[]).includes(name)) continue;
    throw new TypeError(`${call} has no option \`${name}\`. ${adviseName(name, options)}`);
  }
}

function conditionOf(
  { conditions }: ReachedSet,
  filter: NonNullable<AnyQuery["filter"]>,
  { call }: QueryUse,
): ReturnType<ReachedSet["conditions"]["of"]> {
  if (typeof filter === "function") return conditions.of(filter as (row: unknown) => unknown);
  throw new TypeError(
    `\`filter\` of ${call} is ${describe(filter)}. Pass a function of the row, such as (row) => row.status.eq("open").`,
  );
}

/** A term of an order. */
interface Term {
  readonly field: string;
  readonly descending: boolean;
}

function termsOf(orderBy: unknown, { call }: QueryUse): readonly Term[] {
  if (orderBy === undefined) return NOTHING;
  const terms: readonly unknown[] = Array.isArray(orderBy) ? orderBy : [orderBy];
  return terms.map((term) => {
    if (typeof term !== "string") {
      throw new TypeError(
        `\`orderBy\` of ${call} contains ${describe(term)}. Name properties, such as "placedAt desc".`,
      );
    }
    const descending = term.endsWith(" desc");
    return { field: descending ? term.slice(0, -" desc".length) : term, descending };
  });
}

/** The number of orders whose shapes are cached for one filter. */
const ORDERS_KEPT = 20;

/** The shapes of a filter by order: executors compile each shape once. */
const shapesOf = keptPer((_owner: FilterClause | ReachedSet) => new BoundedCache<string, QueryShape>(ORDERS_KEPT));

function shapeOf(set: ReachedSet, filter: FilterClause | null, terms: readonly Term[]): QueryShape {
  const { entitySet, capabilities } = set.set;
  const { entityType, name } = entitySet;
  const order = terms.map(({ field, descending }) => `${JSON.stringify(field)}${descending ? "-" : "+"}`).join("");
  return shapesOf(filter ?? set).getOrMake(order, () => {
    const shape: QueryShape = {
      key: `ctx.sets(${name})${order}`,
      entitySet,
      entityType,
      filter,
      orderBy: Object.freeze(terms.map((term) => orderItem(term, entitySet))),
      selectExpand: wholeOf(entityType),
      parameters: NOTHING,
      roundingMode: capabilities.roundingMode,
    };
    return Object.freeze(shape);
  });
}

function orderItem({ field, descending }: Term, { entityType, uncomparable }: EntitySet): OrderByItem {
  const properties = [...entityType.properties, ...entityType.ignoredProperties];
  const property = properties.find((each) => each.field === field);
  if (property === undefined) {
    const fields = properties.map((each) => each.field);
    const advice = adviseName(field, fields);
    throw new TypeError(`\`orderBy\` names \`${field}\`, but ${entityType.name} has no such property. ${advice}`);
  }
  const { type } = property;
  if (type.kind === "ComplexType" || property.isCollection || uncomparable?.has(field) === true) {
    throw new TypeError(
      `\`orderBy\` names \`${field}\` of ${entityType.name}, which has no order. Name a property with a single value.`,
    );
  }
  const source = { kind: "it", type: entityType } as const;
  return { expression: { kind: "property", source, property, type }, descending };
}

function wholeOf({ properties }: EntityType): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze({ selected, isSelection: false, contextSelect: NOTHING, expanded: NOTHING });
}

/** A query of a handler. */
interface EntityRead {
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
    { selected: declaredProperties(entitySet.entityType) },
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
 * Converts an entity of a handler to canonical values, without missing members. To read an ignored value that the handler omitted
 * is an error, unless it may be null: no value may replace it.
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

/** Whether canonical values of a type miss no member: each property has one primitive value. */
const isWhole = keptPer(
  ({ properties, ignoredProperties }: EntityType | ComplexType) =>
    ignoredProperties.length === 0 &&
    properties.every(({ type, isCollection }) => type.kind !== "ComplexType" && !isCollection),
);

/** @param owner canonical values, with a member for each property */
function completed(type: EntityType | ComplexType, owner: object, place: Place): object {
  return isWhole(type) ? owner : withMissing(type, owner, place);
}

function withMissing({ properties, ignoredProperties }: EntityType | ComplexType, owner: object, place: Place): object {
  const isMissing = ({ field, nullable, isCollection }: StructuralProperty): boolean =>
    !nullable && !isCollection && !Object.hasOwn(owner, field);
  const known =
    ignoredProperties.length === 0
      ? properties
      : [...properties, ...ignoredProperties.filter((property) => !isMissing(property))];
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
  const complete = (item: unknown): unknown => {
    if (item !== null) return completed(type, item as object, below);
    return isCollection ? null : withMissing(type, {}, below);
  };
  return Array.isArray(value) ? value.map(complete) : complete(value);
}
