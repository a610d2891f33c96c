import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { RelatedShape } from "../../language/query/source.ts";
import { holdsBytes, planOf, type PlansByField } from "../columns/table-columns.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { linkOrder } from "./link-order.ts";
import { outsideConditions } from "./path-scope.ts";
import { relatedRows, type RelatedRows } from "./related-rows.ts";
import { addRelation, Level, whereClause, type Relation, type Rows, type StatementState } from "./relation.ts";
import { addCell, cellName, guarded, selectColumns, type Cells, selectJoined } from "./select-columns.ts";
import { makeTranslator } from "./translate-expression.ts";
import { translateOrder, orderClause, SKIP, TOP, type RowQuery } from "./translate-query.ts";

/** The limits of a related read. */
interface RelatedLimits {
  readonly hasTop: boolean;
  readonly hasSkip: boolean;
  readonly hasMaxRows: boolean;
  /** Whether the entities of one parent are read, for a database that needs to know. */
  readonly hasOneKey: boolean;
}

/** The aliases of the rows that are read for a key, and of their row numbers. */
const FOUND = "found";
const ROW_NUMBER = "n";
const NUMBER_BESIDE_COLUMNS = "odata_number";

const MAX_ROWS: Sql = bindSlot(({ maxRows }) => BigInt(maxRows));
const TOP_OR_MAX_ROWS: Sql = bindSlot(({ top, maxRows }) => BigInt(Math.min(top, maxRows)));

/**
 * Translates the query of the entities that are related to a list of keys. The first cell of a row is the position of its
 * key. Rows are sorted by the position of their key, then by the requested order. If the database supports it, no more
 * rows per key are read than are returned.
 */
export function translateRelated(
  rows: Rows,
  statement: StatementState,
  shape: RelatedShape,
  limits: RelatedLimits,
): RowQuery {
  const isPlain = limits.hasOneKey && statement.profile.capabilities.bindsKeys;
  if (isPlain || (!limits.hasTop && !limits.hasSkip)) return allOfEach(rows, statement, shape, limits);
  switch (statement.profile.capabilities.topPerParent) {
    case "correlated":
      return isKeyInJson(rows) ? byKeys(rows, statement, shape, limits) : byRowNumber(rows, statement, shape, limits);
    case "lateral":
      return byLateral(rows, statement, shape, limits);
    case "window":
      return byRowNumber(rows, statement, shape, limits);
  }
}

/** Translates the query that counts the related entities per key. Keys without related entities have no row. */
export function translateRelatedCounts(
  rows: Rows,
  statement: StatementState,
  shape: RelatedShape,
  limits: Pick<RelatedLimits, "hasOneKey">,
): Sql {
  const found = relatedRows(rows, statement, shape, limits.hasOneKey);
  const conditions = [...found.alive, ...found.keys.conditions, ...filterOf(statement, shape, found)];
  const cells: Cells = [];
  addCell(cells, found.keys.ordinal);
  addCell(cells, sql`count(*)`);
  const { sorted } = found.keys;
  const group = sorted === null ? sql`` : sql` group by ${sorted}`;
  return sql`select ${sql.join(cells)} from ${found.related.level.from(found.withKeys())}${whereClause(conditions)}${group}`;
}

/** Reads all rows of each key, or a page of the rows of one key. */
function allOfEach(rows: Rows, statement: StatementState, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape, limits.hasOneKey);
  const { keys, related } = found;
  const { cells, rowShape } = selectRelated(statement, shape, found, related);
  const conditions = [...found.alive, ...keys.conditions, ...filterOf(statement, shape, found)];
  const order = orderClause([...(keys.sorted === null ? [] : [keys.sorted]), ...orderOf(statement, shape, found)]);
  const from = related.level.from(found.withKeys());
  const limit = keys.sorted === null ? pageOfOne(statement, limits) : maxRows(statement, limits);
  const selected = sql.join(guarded(cells, statement.profile));
  const query = sql`select ${selected} from ${from}${whereClause(conditions)}${order}${limit}`;
  return { query, rowShape, width: cells.length };
}

function pageOfOne({ profile }: StatementState, { hasTop, hasSkip, hasMaxRows }: RelatedLimits): Sql {
  const top = hasMaxRows ? TOP_OR_MAX_ROWS : TOP;
  const all = hasMaxRows ? MAX_ROWS : null;
  return profile.syntax.limit(hasTop ? top : all, hasSkip ? SKIP : null);
}

/**
 * Finds the keys of the related entities by a subquery with a limit for each key of the list. The list comes first: databases
 * without lateral joins follow the order of a cross join.
 */
function byKeys(rows: Rows, statement: StatementState, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const inner = relatedRows(rows, statement, shape, limits.hasOneKey);
  const conditions = [...inner.alive, ...tieOf(inner), ...filterOf(statement, shape, inner)];
  const innerOrder = orderClause(innerOrderOf(statement, shape, inner));
  const innerFrom = inner.related.level.from(inner.from());
  const tail = sql` from ${innerFrom}${whereClause(conditions)}${innerOrder}${limitOf(statement, limits)}`;
  const outer = relatedRows(rows, statement, shape, limits.hasOneKey);
  const { related } = outer;
  const { cells, rowShape } = selectRelated(statement, shape, outer, related);
  const [innerKeys, keys] = [inner.related.keyColumns(), related.keyColumns()];
  const [key] = keys;
  if (keys.length === 1 && key !== undefined) {
    const found = sql`${listOf(outer)} cross join ${related.from} on ${key} in (select ${sql.join(innerKeys)}${tail})`;
    const order = orderClause([outer.keys.ordinal, ...orderOf(statement, shape, outer)]);
    const from = related.level.from(found);
    const query = sql`select ${sql.join(cells)} from ${from}${order}${maxRows(statement, limits)}`;
    return { query, rowShape, width: cells.length };
  }
  // A list of row values would be searched once for each related entity of a key.
  const names = innerKeys.map((_column, index) => sql.id(`k${String(index)}`));
  const first = sql`select ${sql.join(innerKeys.map((column, index) => sql`${column} as ${names[index]}`))}${tail}`;
  const list = sql`(select json_group_array(json_array(${sql.join(names)})) from (${first}))`;
  const tests = keys.map((column, index) => {
    return sql`${column} = json_extract(${sql.id(FOUND, "value")}, ${sql.lit(`$[${String(index)}]`)})`;
  });
  const each = sql`${listOf(outer)} cross join json_each(${list}) as ${sql.id(FOUND)}`;
  const from = related.level.from(sql`${each} cross join ${related.from} on ${sql.join(tests, sql` and `)}`);
  const order = orderClause([outer.keys.ordinal, sql`${sql.id(FOUND, "key")}`]);
  const query = sql`select ${sql.join(cells)} from ${from}${order}${maxRows(statement, limits)}`;
  return { query, rowShape, width: cells.length };
}

/** Whether key values survive JSON, in which the list of composite keys is written. */
function isKeyInJson({ key, plans }: Rows): boolean {
  return key.length === 1 || key.every((property) => isInJson(property, plans));
}

function isInJson(property: StructuralProperty, plans: PlansByField): boolean {
  const plan = planOf(property, plans);
  return plan.kind === "scalar" && !holdsBytes(plan) && !NOT_IN_JSON.has(property.type.name);
}

const NOT_IN_JSON: ReadonlySet<string> = new Set(["Edm.Single", "Edm.Double", "Edm.Decimal"]);

/** Joins a lateral subquery with a limit to each key. */
function byLateral(rows: Rows, statement: StatementState, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  if (shape.joined.length > 0) return joinedToLateral(rows, statement, shape, limits);
  const found = relatedRows(rows, statement, shape, limits.hasOneKey);
  const { cells, rowShape } = selectRelated(statement, shape, found, found.related);
  const conditions = [...tieOf(found), ...filterOf(statement, shape, found)];
  const order = orderClause(orderOf(statement, shape, found));
  const numbered = sql`${sql.join(cells)}, row_number() over (${order}) as ${sql.id(ROW_NUMBER)}`;
  const from = found.related.level.from(found.from());
  const first = sql`select ${numbered} from ${from}${whereClause(conditions)}${order}${limitOf(statement, limits)}`;
  const source = sql`${listOf(found)} cross join lateral (${first}) as ${sql.id(FOUND)}`;
  return { query: ofFound(source, sql``, cells, statement, limits), rowShape, width: cells.length };
}

/**
 * The same with single-valued expansions, which are joined to all found rows at once: within the subquery, the database
 * would plan the join for one key, and might read a whole table for each.
 */
function joinedToLateral(rows: Rows, statement: StatementState, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape, limits.hasOneKey);
  const conditions = [...tieOf(found), ...filterOf(statement, shape, found)];
  const order = orderClause(orderOf(statement, shape, found));
  const number = sql.id(NUMBER_BESIDE_COLUMNS);
  const all = sql`${sql.id(found.related.alias)}.*, row_number() over (${order}) as ${number}`;
  const from = found.related.level.from(found.from());
  const first = sql`select ${all} from ${from}${whereClause(conditions)}${order}${limitOf(statement, limits)}`;
  const related = addRelation(rows, new Level(), FOUND);
  const { cells, rowShape } = selectRelated(statement, shape, found, related);
  const source = related.level.from(sql`${listOf(found)} cross join lateral (${first}) as ${sql.id(FOUND)}`);
  const sorted = orderClause([found.keys.ordinal, sql`${sql.id(FOUND)}.${number}`]);
  const selected = sql.join(guarded(cells, statement.profile));
  const query = sql`select ${selected} from ${source}${sorted}${maxRows(statement, limits)}`;
  return { query, rowShape, width: cells.length };
}

/** Reads all rows of each key and filters them by row number. */
function byRowNumber(rows: Rows, statement: StatementState, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape, limits.hasOneKey);
  const { cells, rowShape } = selectRelated(statement, shape, found, found.related);
  const conditions = [...found.alive, ...found.keys.conditions, ...filterOf(statement, shape, found)];
  const order = orderClause(orderOf(statement, shape, found));
  const number = sql`row_number() over (partition by ${sql.join(found.keys.partition)}${order}) as ${sql.id(ROW_NUMBER)}`;
  const all = sql`select ${sql.join(cells)}, ${number} from ${found.related.level.from(found.withKeys())}${whereClause(conditions)}`;
  const source = sql`(${all}) as ${sql.id(FOUND)}`;
  const rowNumber = sql.id(FOUND, ROW_NUMBER);
  const last = bindSlot(({ top, skip }) => BigInt(top + skip));
  const tests = [
    ...(limits.hasSkip ? [sql`${rowNumber} > ${SKIP}`] : []),
    ...(limits.hasTop ? [sql`${rowNumber} <= ${last}`] : []),
  ];
  return { query: ofFound(source, whereClause(tests), cells, statement, limits), rowShape, width: cells.length };
}

/** Selects the cells of a derived table, sorted by key and row number. */
function ofFound(source: Sql, where: Sql, cells: Cells, statement: StatementState, limits: RelatedLimits): Sql {
  const selected = guarded(cells, statement.profile, (index) => sql.id(FOUND, cellName(index)));
  const order = orderClause([sql`${sql.id(FOUND, cellName(0))}`, sql`${sql.id(FOUND, ROW_NUMBER)}`]);
  return sql`select ${sql.join(selected)} from ${source}${where}${order}${maxRows(statement, limits)}`;
}

interface SelectedCells {
  readonly cells: Cells;
  readonly rowShape: RowShape;
}

/** Selects the cells of a row, starting with the position of its key. */
function selectRelated(
  statement: StatementState,
  shape: RelatedShape,
  { keys }: RelatedRows,
  related: Relation,
): SelectedCells {
  const cells: Cells = [];
  addCell(cells, keys.ordinal);
  const columns = selectColumns(shape.selected, related, cells);
  const joined = selectJoined(shape.joined, related, statement, cells);
  return { cells, rowShape: Object.freeze({ columns, joined }) };
}

function filterOf(
  { profile }: StatementState,
  { filter }: RelatedShape,
  { scope, roundingMode }: RelatedRows,
): readonly Sql[] {
  if (filter === null) return [];
  const translator = makeTranslator({ profile, scope, roundingMode });
  return [sql`(${translator.condition(filter.expression, "filter")})`];
}

function orderOf(statement: StatementState, shape: RelatedShape, found: RelatedRows): readonly Sql[] {
  const { orderBy } = shape;
  return translateOrder(orderBy, sorterOf(statement, found), statement);
}

function innerOrderOf(statement: StatementState, shape: RelatedShape, found: RelatedRows): readonly Sql[] {
  const { join, orderBy } = shape;
  const translator = sorterOf(statement, found);
  const { link, related } = found;
  return linkOrder(orderBy, { join, link, related, translator, statement });
}

function sorterOf({ profile }: StatementState, { scope, roundingMode }: RelatedRows): Translator {
  return makeTranslator({ profile, scope: outsideConditions(scope), roundingMode });
}

function limitOf({ profile }: StatementState, { hasTop, hasSkip }: RelatedLimits): Sql {
  return profile.syntax.limit(hasTop ? TOP : null, hasSkip ? SKIP : null);
}

function maxRows({ profile }: StatementState, { hasMaxRows }: RelatedLimits): Sql {
  return profile.syntax.limit(hasMaxRows ? MAX_ROWS : null, null);
}

/** Returns the list of keys, which databases on one machine always join. */
function listOf({ keys }: RelatedRows): Sql {
  return required(keys.list, "The keys are not listed.").from;
}

/** Returns the conditions between the list of keys and the other relations. */
function tieOf({ keys }: RelatedRows): readonly Sql[] {
  return required(keys.list, "The keys are not listed.").tie;
}
