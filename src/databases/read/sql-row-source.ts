import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, recover, type Maybe } from "../../base/maybe.ts";
import type { EntitySource } from "../../definition/handlers.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import type { FilterClause, OrderByItem, QueryShape } from "../../language/query/clauses.ts";
import type { Expression, PathSource } from "../../language/query/expression.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import { NO_ROW } from "../../language/query/no-row.ts";
import type { Row, RowShape } from "../../language/query/row-shape.ts";
import type {
  JoinValues,
  Page,
  QueryableSource,
  RelationalSource,
  RowRestriction,
  SourceQuery,
  SourcesBySet,
  JoinedNavigation,
  RelatedPage,
  RelatedQuery,
} from "../../language/query/source.ts";
import { storedIn } from "../../language/query/virtual-values.ts";
import { childrenOf, isPath, stepsOf } from "../../language/query/walk-expression.ts";
import { isUnsupported } from "../kinds/database-fault.ts";
import type { PlacedRows } from "../placement/placement.ts";
import { NOT_JOINABLE, REFUSED_IN_QUERY } from "../placement/refusals.ts";
import { toExecution, readSlots, type Execution } from "../statement/parameter-slot.ts";
import { isJoinedLocally } from "../translate/join-navigation.ts";
import type { Rows } from "../translate/relation.ts";
import { endsEarly, fewerRows, refusableBytes } from "./fewer-rows.ts";
import { inOneState } from "./hold-snapshot.ts";
import { pasteRelated } from "./paste-page.ts";
import { readRow } from "./read-entity.ts";
import { baseOf, readableRows, readPage, statementOf } from "./read-page.ts";
import { findReader, RowSource } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";
import { pastable } from "./traced-read.ts";

class SqlRowSource<E extends EntityTypeDeclaration> extends RowSource<E> {
  declare readonly reader: SqlReader;
}

/** Makes the source over a reader. */
export function sourceOf<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): EntitySource<E> {
  const { key: keyProperties } = declaredEntityType(type);
  const { name, capabilities } = reader.profile;
  const explained = <T>(read: () => Maybe<T>, query: RefusableQuery): Maybe<T> =>
    capabilities.joins
      ? read()
      : recover(read, (error) => {
          throw explainUnsupported(error, query, name);
        });
  const { hidesAll = false, rows } = reader;
  const prepare = (query: SourceQuery): Maybe<undefined> => reader.statements.prepare(query, reader.rows);
  const source = new SqlRowSource(type, reader, {
    read: (query) =>
      // An aggregate of no rows is a row.
      hidesAll && query.shape.apply === undefined
        ? explained(() => emptyPage(reader, query), query)
        : explained(() => chain(prepare(query), () => rows.upToDate(() => readPage(reader, query))), query),
    relational: Object.freeze<RelationalSource>({
      joinsExpansions: capabilities.joins || joinsLocally,
      joins: (other) => findReader(other)?.rows === reader.rows,
      applies: (shape, sources) => applies(reader, shape, sources),
      inOneState: (queries, read) => (hidesAll ? read(null) : inOneState(reader, queries, read)),
      relatedTo: (join, key) => sourceOf(type, relatedReader(reader, join, key)),
      readRow: (key, selected, joins, scope) =>
        hidesAll
          ? null
          : explained(() => readRow(reader, keyProperties, { key, selected, joins, ...scope }), joins ?? {}),
      readRelated: (query) => explained(() => rows.upToDate(() => readFittingRelated(reader, query)), query.shape),
    }),
    restrict: (restriction) => sourceOf(type, narrowedReader(reader, restriction)),
  });
  return Object.freeze(source);
}

/** Whether one statement evaluates `$apply` and the computed values of a shape: see `RelationalSource`. */
function applies(reader: SqlReader, shape: QueryShape, sources: SourcesBySet): boolean {
  const mentioned = mentionsOf(shape)?.entitySets ?? [];
  const areJoined = mentioned.every((entitySet) => {
    const source = sources.get(entitySet);
    return source !== undefined && findReader(source)?.rows === reader.rows;
  });
  if (!areJoined) return false;
  const { filter, orderBy, selectExpand } = shape;
  const limits = { skip: 0, top: 1, count: false, signal: undefined };
  return reader.statements.applies({
    shape,
    values: [],
    filter,
    orderBy,
    selected: storedIn(selectExpand),
    sources,
    ...limits,
  });
}

/** Whether each machine joins an expansion. */
function joinsLocally(join: NavigationJoin, parents: QueryableSource, target: QueryableSource): boolean {
  const [from, to] = [placedRows(parents), placedRows(target)];
  return from !== undefined && to !== undefined && isJoinedLocally(join, from, to);
}

function placedRows(source: QueryableSource): (PlacedRows & { readonly rows: Rows }) | undefined {
  const rows = findReader(source)?.statements.rowsFor(null);
  return rows === undefined ? undefined : { rows, placement: rows.placement };
}

/** Returns the reader of a source; undefined for a source without a database. */
export function sqlReaderOf(source: QueryableSource): SqlReader | undefined {
  return source instanceof SqlRowSource ? source.reader : undefined;
}

/** Returns the page of a source without visible rows. @throws as `statementOf`: the rules for queries do not depend on rows */
function emptyPage(reader: SqlReader, query: SourceQuery): Page {
  const { count } = query;
  statementOf(reader, query);
  return { entities: [], ...(count && { count: 0 }) };
}

/** The condition of visible rows; without `sources` it uses no related rows. */
type Narrowing = Pick<RowRestriction, "filter" | "values" | "hidesAll"> & Partial<Pick<RowRestriction, "sources">>;

/**
 * Makes a reader of only the rows that meet a condition. Its statements are compiled once per filter, for all values.
 * @throws Error if the condition navigates to rows of another database
 */
export function narrowedReader(reader: SqlReader, { filter, values, sources, hidesAll }: Narrowing): SqlReader {
  checkJoinable(reader, sources);
  const condition = toExecution({ values, base: baseOf(reader, sources) });
  const narrowed = { ...reader, statements: reader.statements.narrowed(filter, sources), parameters: [condition] };
  return Object.freeze(hidesAll === true ? { ...narrowed, hidesAll } : narrowed);
}

/** Makes a reader of only the rows that are related to one parent. @param key as for `RelationalSource.relatedTo` */
function relatedReader(reader: SqlReader, join: NavigationJoin, key: JoinValues | null): SqlReader {
  if (key === null) return narrowedReader(reader, { filter: NO_ROW, values: [], hidesAll: true });
  const execution = toExecution({ values: [], keys: [key], base: baseOf(reader, undefined) });
  return Object.freeze({ ...reader, statements: reader.statements.relatedTo(join), parameters: [execution] });
}

/** @throws Error if a condition navigates to rows that cannot be in the same statement as those of the reader */
export function checkJoinable({ rows }: SqlReader, sources: RowRestriction["sources"] | undefined): void {
  if (sources === undefined) return;
  for (const [{ name }, source] of sources) {
    if (findReader(source)?.rows === rows) continue;
    throw new Error(`A row rule navigates to ${name}, ${NOT_JOINABLE}`);
  }
}

/** The parts of a query that a database on several machines may refuse. */
interface RefusableQuery {
  readonly shape?: Pick<QueryShape, "apply"> | undefined;
  readonly filter?: FilterClause | null | undefined;
  readonly orderBy?: readonly OrderByItem[] | undefined;
  readonly joined?: readonly JoinedNavigation[] | undefined;
}

/**
 * Converts the error of a statement that the database does not support, as one on several machines may, to a fault of the query
 * options. Returns any other error unchanged, and this one for a query without anything that a database could refuse: then
 * the declaration is at fault.
 */
function explainUnsupported(error: unknown, query: RefusableQuery, database: string): unknown {
  if (!isUnsupported(error)) return error;
  const faults = faultsOf(query);
  if (faults.length === 0) return error;
  const message = `${database} cannot evaluate ${faults.join(" or ")} ${REFUSED_IN_QUERY}`;
  return protocolError("UnsupportedQueryOption", message, { cause: error });
}

function faultsOf({ shape, filter, orderBy = [], joined = [] }: RefusableQuery): readonly string[] {
  const inFilter = filter === null || filter === undefined ? null : constructOf([filter.expression]);
  const inOrder = constructOf(orderBy.map(({ expression }) => expression));
  const [expanded] = joined;
  return [
    ...(shape?.apply === undefined ? [] : ["a step of $apply"]),
    ...(inFilter === null ? [] : [`'${inFilter}' in $filter`]),
    ...(inOrder === null ? [] : [`'${inOrder}' in $orderby`]),
    ...(expanded === undefined ? [] : [`'${expanded.expansion.navigationProperty.name}' in $expand`]),
  ];
}

/** Returns the first part of some expressions that relates entities; otherwise the first function or operator; or null. */
function constructOf(expressions: readonly Expression[]): string | null {
  const all = expressions.flatMap(withParts);
  for (const expression of all) {
    const name = relationIn(expression);
    if (name !== null) return name;
  }
  for (const expression of all) {
    if (expression.kind === "call") return expression.name;
    if (expression.kind === "arithmetic") return expression.operator;
  }
  return null;
}

function withParts(expression: Expression): readonly Expression[] {
  return [expression, ...childrenOf(expression).flatMap(withParts)];
}

function relationIn(expression: Expression): string | null {
  if (expression.kind === "lambda") return `${pathOf(expression.collection)}/${expression.operator}`;
  if (expression.kind === "count") return `${pathOf(expression.collection)}/$count`;
  if (!isPath(expression)) return null;
  const { start, steps } = stepsOf(expression);
  const isRelated = start.kind === "root" || steps.some(({ kind }) => kind === "navigation");
  return isRelated ? pathOf(expression) : null;
}

function pathOf(path: PathSource): string {
  const { start, steps } = stepsOf(path);
  const names = steps.map((step) => (step.kind === "property" ? step.property.name : step.navigationProperty.name));
  return [...(start.kind === "root" ? [`$root/${start.entitySet.name}`] : []), ...names].join("/");
}

const NO_ROWS: readonly Row[] = Object.freeze([]);

/** Reads the entities that are related to parents; to a single one, as many as the database does not refuse. */
function readFittingRelated(reader: SqlReader, query: RelatedQuery): Maybe<RelatedPage> {
  return chain(readRelatedPage(reader, query), (page): Maybe<RelatedPage> => {
    const { related, isCut } = page;
    const top = query.keys.length > 1 ? undefined : fewerRows(query, isCut === true && related[0]?.length === 0);
    if (top === undefined) return page;
    return chain(readFittingRelated(reader, { ...query, top, count: false }), (some) => ({
      ...some,
      counts: page.counts,
      isCut: endsEarly(query.bytes, some.isCut, some.related[0]?.length ?? 0, top),
    }));
  });
}

/**
 * Reads the entities that are related to many parents with one statement. A second statement reads their counts, if they
 * are requested and the rows do not imply them.
 * @throws ODataError for a query that cannot be expressed in SQL; errors of the database
 */
function readRelatedPage(reader: SqlReader, query: RelatedQuery): Maybe<RelatedPage> {
  const { values, keys, skip, top, maxRows, sources } = query;
  const statement = reader.statements.related.entities(query);
  // The shape is returned even without rows: the writer of the response needs it.
  const { rowShape } = statement;
  if (keys.length === 0 || reader.hidesAll === true) return none(query, rowShape);
  const bytes = refusableBytes(query);
  const execution = toExecution({ values, keys, top, skip, maxRows, bytes, base: baseOf(reader, sources) });
  if (top === 0) {
    if (!query.count) return none(query, rowShape);
    return chain(readCounts(reader, query, execution), (counts) => ({ ...none(query, rowShape), counts }));
  }
  const run = reader.rows.within(query.transaction);
  const parameters = readSlots(statement.slots, execution);
  const traced = pastable(statement, pasteRelated(reader, query, execution, "entities"));
  if (query.count && run.local === null) {
    const counts = reader.statements.related.counts(query);
    const reads = [
      { statement: traced, parameters },
      {
        statement: pastable(counts, pasteRelated(reader, query, execution, "counts")),
        parameters: readSlots(counts.slots, execution),
      },
    ];
    return run.each(reads, query).then(([found = [], counted = []]) => {
      return {
        rowShape,
        related: groupByKey(readableRows(found, rowShape), keys.length),
        counts: toCounts(counted, query),
        isCut: query.bytes?.isOver,
      };
    });
  }
  return chain(run.all(traced, parameters, query), (found): Maybe<RelatedPage> => {
    const related = groupByKey(readableRows(found, rowShape), keys.length);
    const isCut = query.bytes?.isOver;
    const page = { rowShape, related, isCut };
    if (!query.count) return page;
    const known =
      (isCut === true ? undefined : knownCounts(query, related, found.length)) ?? readCounts(reader, query, execution);
    return chain(known, (counts) => ({ ...page, counts }));
  });
}

function none({ keys, count }: RelatedQuery, rowShape: RowShape): RelatedPage {
  const related = keys.map(() => NO_ROWS);
  return { rowShape, related, ...(count && { counts: keys.map(() => 0) }) };
}

/** Groups rows by key: they are sorted by key and start with the position of their key. */
function groupByKey(rows: readonly Row[], length: number): readonly (readonly Row[])[] {
  const related: (readonly Row[])[] = [];
  let start = 0;
  for (let ordinal = 0; ordinal < length; ordinal += 1) {
    let end = start;
    while (end < rows.length && Number(rows[end]?.[0]) === ordinal) end += 1;
    related.push(end === start ? NO_ROWS : rows.slice(start, end));
    start = end;
  }
  if (start < rows.length) throw new Error("The database returned related rows out of the order of their keys.");
  return related;
}

/** Returns the counts that the rows imply: with fewer rows than requested for every key, there are no more. */
function knownCounts(
  { top, skip, maxRows }: RelatedQuery,
  related: readonly (readonly Row[])[],
  found: number,
): readonly number[] | undefined {
  if (maxRows !== undefined && found >= maxRows) return undefined;
  const isKnown = ({ length }: readonly Row[]): boolean =>
    (top === undefined || length < top) && (length > 0 || skip === 0);
  return related.every(isKnown) ? related.map(({ length }) => (length === 0 ? 0 : skip + length)) : undefined;
}

function readCounts(reader: SqlReader, query: RelatedQuery, execution: Execution): Maybe<readonly number[]> {
  const statement = reader.statements.related.counts(query);
  const run = reader.rows.within(query.transaction);
  const traced = pastable(statement, pasteRelated(reader, query, execution, "counts"));
  const rows = run.all(traced, readSlots(statement.slots, execution), query);
  return chain(rows, (found) => toCounts(found, query));
}

/** Returns the count of each key: keys without related entities have no row. */
function toCounts(rows: readonly Row[], { keys }: RelatedQuery): readonly number[] {
  const counts = keys.map(() => 0);
  for (const [ordinal, count] of rows) counts[Number(ordinal)] = Number(count);
  return counts;
}
