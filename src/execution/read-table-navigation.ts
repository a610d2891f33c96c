import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntityType, NavigationJoin } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { parentProperties } from "../plan/plan-related.ts";
import { relatedEntityShape, relatedShape, type TableNavigation } from "../plan/table-navigation.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { Page, QueryableSource, RelatedQuery, RelationalSource, SourceQuery } from "../query/source.ts";
import { type JoinKey, joinKeyReader } from "./join-key.ts";
import { type FoundEntity, readByKey } from "./read-by-key.ts";
import type { NavigationSource } from "./read-navigation.ts";
import { resolveSource } from "./resolve-sources.ts";

/** A parent that exists, and how its related entities are found. */
export interface JoinedParent {
  /** By what they are found; null: nothing is related to it. */
  readonly joinKey: JoinKey | null;
  /** Where they are, as far as the request sees them. */
  readonly relational: RelationalSource;
}

/** One related entity that is wanted. */
export interface RelatedEntityRequest {
  /** The key that it must have, in the application's form; undefined: whichever there is. */
  readonly key: unknown;
  /** The properties that the answer needs. */
  readonly selected: readonly SelectedProperty[];
}

/**
 * Reads of a parent by what its related entities are found; null when there is no such parent.
 * @param key the key of the parent in the application's form
 * @throws ODataError that a handler returned or threw; TypeError for a target set that is read from no database
 * @see specification, Navigation routes, rules 1 and 2
 */
export function readParent(
  { entitySet, getByKey, navigationProperty }: NavigationSource,
  { join, target, queryable }: TableNavigation,
  key: unknown,
  context: Context,
): Maybe<JoinedParent | null> {
  const { entityType } = entitySet;
  if (getByKey === undefined) throw new Error(`The parents of ${navigationProperty.name} cannot be read.`);
  const parent = readByKey(getByKey, key, context, () => joinSelection(join));
  return chain(parent, (found): Maybe<JoinedParent | null> => {
    if (found === null) return null;
    const joinKey = joinKeyReader(join, entityType, found.rowShape)(found.entity);
    return chain(resolveSource(target, queryable, context), ({ relational }) => {
      if (relational !== undefined) return { joinKey, relational };
      throw new TypeError(`The source of ${target.name} does not read along navigations.`);
    });
  });
}

/** The related entities of one parent, as a source of their own: all that a query asks for is done where they are. */
export function relatedSource({ join }: TableNavigation, { joinKey, relational }: JoinedParent): QueryableSource {
  return {
    kind: "EntitySource",
    // Expressions may lead on from the related entities, as from those of their own set.
    relational,
    read: (query) => {
      if (joinKey === null) return { entities: [], count: 0 };
      const page = relational.readRelated({
        ...commonOf(joinKey, query),
        shape: relatedShape(query.shape, join, query.selected),
        skip: query.skip,
        top: query.top,
        count: query.count,
        sources: query.sources,
        transaction: query.transaction,
        get signal() {
          return query.signal;
        },
      });
      return chain(page, ({ related, counts, rowShape }): Page => {
        const [rows = []] = related;
        const count = counts?.[0];
        // The layout of no rows need not have any columns.
        return rows.length === 0 ? { entities: [], count } : { entities: rows, rowShape, count };
      });
    },
  };
}

/** One related entity of a parent; null when there is none, or none with the key. */
export function readRelatedRow(
  table: TableNavigation,
  { joinKey, relational }: JoinedParent,
  { key, selected }: RelatedEntityRequest,
  context: Context,
): Maybe<FoundEntity | null> {
  if (joinKey === null) return null;
  const values = key === undefined ? [] : keyValues(table.target.entityType, key);
  const page = relational.readRelated({
    ...commonOf(joinKey, { values }),
    shape: relatedEntityShape(table, key !== undefined, selected),
    skip: 0,
    top: 1,
    count: false,
    transaction: context.transaction,
    get signal() {
      return context.signal;
    },
  });
  return chain(page, ({ related, rowShape }) => {
    const entity = related[0]?.[0];
    return entity === undefined ? null : { entity, rowShape };
  });
}

function commonOf(
  joinKey: JoinKey,
  { values }: Pick<SourceQuery, "values">,
): Pick<RelatedQuery, "keys" | "values" | "maxRows"> {
  return { keys: [joinKey.values], values, maxRows: undefined };
}

const selections = new WeakMap<NavigationJoin, readonly SelectedProperty[]>();

/** The same list for a join each time, so that a source compiles one statement for it. */
function joinSelection(join: NavigationJoin): readonly SelectedProperty[] {
  let selected = selections.get(join);
  if (selected === undefined) {
    selected = Object.freeze(parentProperties(join).map((property) => ({ property })));
    selections.set(join, selected);
  }
  return selected;
}

/** The values of a bound key, in the order of the type's key. */
function keyValues({ key: properties, name }: EntityType, key: unknown): readonly PrimitiveValue[] {
  return properties.map(({ field }) => {
    const value: unknown = properties.length === 1 ? key : fieldOf(Object(key) as object, field);
    if (isPrimitive(value)) return value;
    throw new Error(`A key of ${name} lacks its ${field}.`);
  });
}

function isPrimitive(value: unknown): value is PrimitiveValue {
  if (value instanceof Uint8Array) return true;
  return ["boolean", "number", "bigint", "string"].includes(typeof value);
}
