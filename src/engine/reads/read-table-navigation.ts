import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { keyValues } from "../../edm/literal.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { JoinValues, Page, QueryableSource, RelationalSource } from "../../language/query/source.ts";
import { timeoutOf, type Reader } from "../entities/reader.ts";
import { isShaped } from "../plan/apply-shapes.ts";
import type { TargetWay } from "../plan/plan-related.ts";
import { parentProperties } from "../plan/properties-to-read.ts";
import { relatedEntityShape, relatedShape } from "../plan/table-navigation.ts";
import { type FoundEntity, readByKey } from "./read-by-key.ts";
import { type JoinedQuery, readJoined } from "./read-joined.ts";
import type { NavigationSource, RelatedSearch } from "./read-navigation.ts";
import { readRelated, type RelatedReading } from "./read-related.ts";
import { resolveSources } from "./resolve-sources.ts";
import { searchedSource } from "./search-related.ts";

/** An existing parent, and the source of its related entities. */
export interface TableParent extends FoundEntity {
  /** The related entities that the request sees, and others. */
  readonly relational: RelationalSource;
}

/** A request for one related entity. */
interface RelatedEntityRequest {
  /** The key of the wanted entity, in the application's form; undefined: any. */
  readonly key: unknown;
  /** The properties that the response needs. */
  readonly selected: readonly SelectedProperty[];
}

/**
 * Reads the join properties of a parent; null when the parent does not exist.
 * @param key the key of the parent in the application's form
 * @param loaded the parent where a rule has loaded it whole
 * @throws ODataError that a handler returned or threw; TypeError for a target set that no database stores
 * @see docs/reference/navigation.md
 */
export function readParent(
  { entitySet }: NavigationSource,
  { join, target }: TargetWay,
  key: unknown,
  loaded: FoundEntity | undefined,
  reader: Reader,
): Maybe<TableParent | null> {
  const parent = loaded ?? readByKey(entitySet, key, reader, () => joinSelection(join));
  return chain(parent, (found): Maybe<TableParent | null> => {
    if (found === null) return null;
    return chain(resolveSources([target], reader), (sources) => {
      const relational = sources.get(target)?.relational;
      if (relational !== undefined) return { ...found, relational };
      throw new TypeError(`The source of ${target.name} does not read along navigations.`);
    });
  });
}

/** Returns the related entities of one parent as a source, so that the database executes the whole query. */
export function relatedSource(
  source: NavigationSource,
  { join }: TargetWay,
  parent: TableParent,
  reader: Reader,
): QueryableSource {
  const { relational } = parent;
  const { relatedTo } = relational;
  return {
    kind: "EntitySource",
    // Expressions may follow navigations of the related entities, as in a query on their own set.
    relational,
    read: (query) => {
      if (relatedTo !== undefined && isShaped(query.shape)) {
        const own = withKey(source, parent, null, (key) => relatedTo(join, key), reader);
        return chain(own, (related) => (related ?? relatedTo(join, null)).read(query));
      }
      const { values, skip, top, count, sources, bytes } = query;
      const shape = relatedShape(query.shape, join, query.selected);
      return readRows(source, parent, { shape, values, skip, top, count, sources, bytes }, reader);
    },
  };
}

/** Reads one related entity of a parent; null when none has the key. */
export function readRelatedRow(
  source: NavigationSource,
  table: TargetWay,
  parent: TableParent,
  { key, selected }: RelatedEntityRequest,
  reader: Reader,
): Maybe<FoundEntity | null> {
  const values = key === undefined ? [] : keyValues(table.target.entityType.key, key);
  const shape = relatedEntityShape(table, key !== undefined, selected);
  return chain(readRows(source, parent, { shape, values, top: 1 }, reader), ({ entities, rowShape }) => {
    const [entity] = entities;
    return entity === undefined ? null : { entity, rowShape };
  });
}

const NO_ROWS: Page = Object.freeze({ entities: [], count: 0 });

/** Reads a page of the rows that are related to one parent. */
function readRows(
  source: NavigationSource,
  parent: TableParent,
  query: Omit<JoinedQuery, "keys">,
  reader: Reader,
): Maybe<Page> {
  const { context } = reader;
  const read = (key: JoinValues): Maybe<Page> => {
    const joined = { ...query, keys: [key], timeout: timeoutOf(context) };
    return chain(
      readJoined(parent.relational, joined, context),
      ({ related: [rows = []], counts, rowShape, isCut }) => {
        const count = counts?.[0];
        // Without rows, the layout may have no columns.
        return rows.length === 0 ? { entities: [], count, isCut } : { entities: rows, rowShape, count, isCut };
      },
    );
  };
  return withKey(source, parent, NO_ROWS, read, reader);
}

/** Calls a function with the join values of a parent. @param none the result for a parent to which nothing is related */
function withKey<T>(
  source: NavigationSource,
  { entity, rowShape }: TableParent,
  none: T,
  use: (key: JoinValues) => Maybe<T>,
  reader: Reader,
): Maybe<T> {
  const parents = { entities: [entity], rowShape, entityType: source.entitySet.entityType };
  const reading: RelatedReading<T> = {
    // One parent has one key.
    openTarget:
      () =>
      ([group]) =>
        group === undefined ? { found: [] } : chain(use(group.key.values), (found) => ({ found: [found] })),
    none,
  };
  return chain(readRelated(parents, source, reading, reader), ({ found: [one = none] }) => one);
}

/**
 * Returns the related entities that match a search in their own set, where both are rows of one database.
 * @throws ODataError that the search handler returned or threw; `UnsupportedQueryOption` for results from outside that
 *   database
 */
export function searchRelatedTable(
  source: NavigationSource,
  table: TargetWay,
  parent: TableParent,
  { search, clause }: RelatedSearch,
  reader: Reader,
): Maybe<QueryableSource> {
  const { name } = table.target;
  if (search === undefined) throw new Error(`${name} cannot be searched.`);
  const refusal = { option: "$search", where: "here", what: `the search of ${name}` };
  return chain(
    searchedSource({ search, clause }, table.target, refusal, reader),
    ({ relational = parent.relational }) => relatedSource(source, table, { ...parent, relational }, reader),
  );
}

/** The properties of a join. */
const joinSelection = keptPer((join: NavigationJoin) =>
  Object.freeze(parentProperties(join).map((property): SelectedProperty => ({ property }))),
);
