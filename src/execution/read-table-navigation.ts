import { chain, type Maybe } from "../base/maybe.ts";
import { keptPer } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import { keyValues } from "../edm/key-values.ts";
import type { NavigationJoin } from "../edm/model.ts";
import { parentProperties } from "../plan/plan-related.ts";
import { relatedEntityShape, relatedShape, type TableNavigation } from "../plan/table-navigation.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { Page, QueryableSource, RelationalSource } from "../query/source.ts";
import { type JoinKey, joinKeyReader } from "./parent-keys.ts";
import { type FoundEntity, readByKey } from "./read-by-key.ts";
import { readJoined } from "./read-joined.ts";
import type { NavigationSource, RelatedSearch } from "./read-navigation.ts";
import { timeoutOf, type Reader } from "./reader.ts";
import { resolveSources } from "./resolve-sources.ts";
import { searchedSource } from "./search-related.ts";

/** An existing parent, and how its related entities are found. */
export interface JoinedParent {
  /** The key of the related entities; null: the parent has none. */
  readonly joinKey: JoinKey | null;
  /** The source of the related entities that the request sees. */
  readonly relational: RelationalSource;
}

/** A request for one related entity. */
export interface RelatedEntityRequest {
  /** The key of the wanted entity, in the application's form; undefined: any. */
  readonly key: unknown;
  /** The properties that the response needs. */
  readonly selected: readonly SelectedProperty[];
}

/**
 * Reads the join key of a parent; null when the parent does not exist.
 * @param key the key of the parent in the application's form
 * @param loaded the parent where a rule has loaded it whole; else null
 * @throws ODataError that a handler returned or threw; TypeError for a target set that no database stores
 * @see docs/reference/navigation.md
 */
export function readParent(
  { entitySet }: NavigationSource,
  { join, target }: TableNavigation,
  key: unknown,
  loaded: object | null,
  reader: Reader,
): Maybe<JoinedParent | null> {
  const parent =
    loaded === null
      ? readByKey(entitySet, key, reader, () => joinSelection(join))
      : { entity: loaded, rowShape: undefined };
  return chain(parent, (found): Maybe<JoinedParent | null> => {
    if (found === null) return null;
    const joinKey = joinKeyReader(join, entitySet.entityType, found.rowShape)(found.entity);
    return chain(resolveSources([target], reader), (sources) => {
      const relational = sources.get(target)?.relational;
      if (relational !== undefined) return { joinKey, relational };
      throw new TypeError(`The source of ${target.name} does not read along navigations.`);
    });
  });
}

/** Returns the related entities of one parent as a source, so that the database executes the whole query. */
export function relatedSource({ join }: TableNavigation, { joinKey, relational }: JoinedParent): QueryableSource {
  return {
    kind: "EntitySource",
    // Expressions may follow navigations of the related entities, as in a query on their own set.
    relational,
    read: (query) => {
      if (joinKey === null) return { entities: [], count: 0 };
      const { values, skip, top, count, sources, timeout } = query;
      const shape = relatedShape(query.shape, join, query.selected);
      const page = readJoined(
        relational,
        { shape, values, keys: [joinKey.values], skip, top, count, sources, timeout },
        query,
      );
      return chain(page, ({ related, counts, rowShape }): Page => {
        const [rows = []] = related;
        const count = counts?.[0];
        // Without rows, the layout may have no columns.
        return rows.length === 0 ? { entities: [], count } : { entities: rows, rowShape, count };
      });
    },
  };
}

/** Reads one related entity of a parent; null when none has the key. */
export function readRelatedRow(
  table: TableNavigation,
  { joinKey, relational }: JoinedParent,
  { key, selected }: RelatedEntityRequest,
  context: Context,
): Maybe<FoundEntity | null> {
  if (joinKey === null) return null;
  const values = key === undefined ? [] : keyValues(table.target.entityType.key, key);
  const shape = relatedEntityShape(table, key !== undefined, selected);
  const page = readJoined(
    relational,
    { shape, values, keys: [joinKey.values], top: 1, timeout: timeoutOf(context) },
    context,
  );
  return chain(page, ({ related, rowShape }) => {
    const entity = related[0]?.[0];
    return entity === undefined ? null : { entity, rowShape };
  });
}

/**
 * Returns the related entities that match a search in their own set, where both are rows of one database.
 * @throws ODataError that the search handler returned or threw; `UnsupportedQueryOption` for results from outside that
 *   database
 */
export function searchRelatedTable(
  table: TableNavigation,
  parent: JoinedParent,
  { search, clause }: RelatedSearch,
  reader: Reader,
): Maybe<QueryableSource> {
  const { name } = table.target;
  if (search === undefined) throw new Error(`${name} cannot be searched.`);
  const refusal = { option: "$search", where: "here", what: `the search of ${name}` };
  return chain(searchedSource({ search, clause }, table.target, refusal, reader), (found) =>
    relatedSource(table, { ...parent, relational: found.relational ?? parent.relational }),
  );
}

/** The properties of a join: the same list each time, so that a source compiles one statement for it. */
const joinSelection = keptPer((join: NavigationJoin) =>
  Object.freeze(parentProperties(join).map((property): SelectedProperty => ({ property }))),
);
