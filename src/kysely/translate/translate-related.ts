import { sql } from "kysely";
import { keeper } from "../../base/memo.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { RowShape } from "../../query/row-shape.ts";
import type { RelatedShape } from "../../query/source.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { toComparable, toEquatable, type FormedSql, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { RowOperand, Translator } from "../statement/sql-operand.ts";
import { joinedRows } from "./gathered-relation.ts";
import { linkColumn, linkTable, linkTest } from "./join-navigation.ts";
import { isLinked } from "./link-lists.ts";
import { linkOrder } from "./link-order.ts";
import { relationScope } from "./path-scope.ts";
import {
  columnOperand,
  addRelation,
  Level,
  whereClause,
  type Relation,
  type Rows,
  type StatementScope,
} from "./relation.ts";
import { addCell, cellName, selectColumns, type Cells } from "./select-columns.ts";
import { selectJoined } from "./select-joined.ts";
import { makeTranslator } from "./translate-expression.ts";
import { translateOrder, orderClause, SKIP, TOP, type RowQuery } from "./translate-query.ts";

/** The limits of a related read. */
export interface RelatedLimits {
  readonly hasTop: boolean;
  readonly hasSkip: boolean;
  readonly hasMaxRows: boolean;
}

/** The aliases of the key list, of the rows that are read for a key, and of their row numbers. */
const KEYS = "keys";
const FOUND = "found";
const ROW_NUMBER = "n";
const NUMBER_BESIDE_COLUMNS = "odata_number";

const MAX_ROWS: Sql = bindSlot(({ maxRows }) => BigInt(maxRows));

/** The related entities within a statement, and their conditions on the key list. */
interface RelatedRows {
  readonly related: Relation;
  /** Parts of `from`: the key list; the related entities with their links; both together. Call them last. */
  readonly keys: Sql;
  readonly from: () => Sql;
  readonly withKeys: () => Sql;
  /** The conditions between the key list and the other relations. */
  readonly tie: readonly Sql[];
  /** The alias of the link table. */
  readonly link: string;
  readonly translator: Translator;
}

/**
 * Translates the query of the entities that are related to a list of keys. The first cell of a row is the position of its
 * key. Rows are sorted by the position of their key, then by the requested order. If the database supports it, no more
 * rows per key are read than are returned.
 */
export function translateRelated(
  rows: Rows,
  statement: StatementScope,
  shape: RelatedShape,
  limits: RelatedLimits,
): RowQuery {
  if (!limits.hasTop && !limits.hasSkip) return allOfEach(rows, statement, shape, limits);
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
export function translateRelatedCounts(rows: Rows, statement: StatementScope, shape: RelatedShape): Sql {
  const found = relatedRows(rows, statement, shape);
  const conditions = filterOf(shape, found);
  const cells: Cells = [];
  addCell(cells, ORDINAL);
  addCell(cells, sql`count(*)`);
  return sql`select ${sql.join(cells)} from ${found.related.level.from(found.withKeys())}${whereClause(conditions)} group by ${ORDINAL}`;
}

const ORDINAL: Sql = sql`${sql.id(KEYS, "ordinal")}`;

function allOfEach(rows: Rows, statement: StatementScope, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape);
  const { cells, rowShape } = selectRelated(statement, shape, found.related);
  const conditions = filterOf(shape, found);
  const order = orderClause([ORDINAL, ...orderOf(statement, shape, found)]);
  const from = found.related.level.from(found.withKeys());
  const query = sql`select ${sql.join(cells)} from ${from}${whereClause(conditions)}${order}${maxRows(statement, limits)}`;
  return { query, rowShape, width: cells.length };
}

/**
 * Finds the keys of the related entities by a subquery with a limit for each key of the list. The list comes first: databases
 * without lateral joins follow the order of a cross join.
 */
function byKeys(rows: Rows, statement: StatementScope, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const inner = relatedRows(rows, statement, shape);
  const conditions = [...inner.tie, ...filterOf(shape, inner)];
  const innerOrder = orderClause(innerOrderOf(statement, shape, inner));
  const innerFrom = inner.related.level.from(inner.from());
  const tail = sql` from ${innerFrom}${whereClause(conditions)}${innerOrder}${limitOf(statement, limits)}`;
  const outer = relatedRows(rows, statement, shape);
  const { related } = outer;
  const { cells, rowShape } = selectRelated(statement, shape, related);
  const [innerKeys, keys] = [inner.related.keyColumns(), related.keyColumns()];
  const [key] = keys;
  if (keys.length === 1 && key !== undefined) {
    const found = sql`${outer.keys} cross join ${related.from} on ${key} in (select ${sql.join(innerKeys)}${tail})`;
    const order = orderClause([ORDINAL, ...orderOf(statement, shape, outer)]);
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
  const each = sql`${outer.keys} cross join json_each(${list}) as ${sql.id(FOUND)}`;
  const from = related.level.from(sql`${each} cross join ${related.from} on ${sql.join(tests, sql` and `)}`);
  const order = orderClause([ORDINAL, sql`${sql.id(FOUND, "key")}`]);
  const query = sql`select ${sql.join(cells)} from ${from}${order}${maxRows(statement, limits)}`;
  return { query, rowShape, width: cells.length };
}

/** Whether key values survive JSON, in which the list of composite keys is written. */
function isKeyInJson({ key }: Rows): boolean {
  return key.length === 1 || key.every(({ type }) => type.kind === "EnumType" || !NOT_IN_JSON.has(type.name));
}

const NOT_IN_JSON: ReadonlySet<string> = new Set(["Edm.Binary", "Edm.Single", "Edm.Double", "Edm.Decimal"]);

/** Joins a lateral subquery with a limit to each key. */
function byLateral(rows: Rows, statement: StatementScope, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  if (shape.joined.length > 0) return joinedToLateral(rows, statement, shape, limits);
  const found = relatedRows(rows, statement, shape);
  const { cells, rowShape } = selectRelated(statement, shape, found.related);
  const conditions = [...found.tie, ...filterOf(shape, found)];
  const order = orderClause(orderOf(statement, shape, found));
  const numbered = sql`${sql.join(cells)}, row_number() over (${order}) as ${sql.id(ROW_NUMBER)}`;
  const from = found.related.level.from(found.from());
  const first = sql`select ${numbered} from ${from}${whereClause(conditions)}${order}${limitOf(statement, limits)}`;
  const source = sql`${found.keys} cross join lateral (${first}) as ${sql.id(FOUND)}`;
  return { query: ofFound(source, sql``, cells.length, statement, limits), rowShape, width: cells.length };
}

/**
 * The same with single-valued expansions, which are joined to all found rows at once: within the subquery, the database
 * would plan the join for one key, and might read a whole table for each.
 */
function joinedToLateral(rows: Rows, statement: StatementScope, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape);
  const conditions = [...found.tie, ...filterOf(shape, found)];
  const order = orderClause(orderOf(statement, shape, found));
  const number = sql.id(NUMBER_BESIDE_COLUMNS);
  const all = sql`${sql.id(found.related.alias)}.*, row_number() over (${order}) as ${number}`;
  const from = found.related.level.from(found.from());
  const first = sql`select ${all} from ${from}${whereClause(conditions)}${order}${limitOf(statement, limits)}`;
  const related = addRelation(rows, new Level(), FOUND);
  const { cells, rowShape } = selectRelated(statement, shape, related);
  const source = related.level.from(sql`${found.keys} cross join lateral (${first}) as ${sql.id(FOUND)}`);
  const sorted = orderClause([ORDINAL, sql`${sql.id(FOUND)}.${number}`]);
  const query = sql`select ${sql.join(cells)} from ${source}${sorted}${maxRows(statement, limits)}`;
  return { query, rowShape, width: cells.length };
}

/** Reads all rows of each key and filters them by row number. */
function byRowNumber(rows: Rows, statement: StatementScope, shape: RelatedShape, limits: RelatedLimits): RowQuery {
  const found = relatedRows(rows, statement, shape);
  const { cells, rowShape } = selectRelated(statement, shape, found.related);
  const conditions = filterOf(shape, found);
  const order = orderClause(orderOf(statement, shape, found));
  const number = sql`row_number() over (partition by ${ORDINAL}${order}) as ${sql.id(ROW_NUMBER)}`;
  const all = sql`select ${sql.join(cells)}, ${number} from ${found.related.level.from(found.withKeys())}${whereClause(conditions)}`;
  const source = sql`(${all}) as ${sql.id(FOUND)}`;
  const rowNumber = sql.id(FOUND, ROW_NUMBER);
  const last = bindSlot(({ top, skip }) => BigInt(top + skip));
  const tests = [
    ...(limits.hasSkip ? [sql`${rowNumber} > ${SKIP}`] : []),
    ...(limits.hasTop ? [sql`${rowNumber} <= ${last}`] : []),
  ];
  return { query: ofFound(source, whereClause(tests), cells.length, statement, limits), rowShape, width: cells.length };
}

/** Selects the cells of a derived table, sorted by key and row number. */
function ofFound(source: Sql, where: Sql, width: number, statement: StatementScope, limits: RelatedLimits): Sql {
  const names = Array.from({ length: width }, (_none, index) => cellName(index));
  const cells = sql.join(names.map((name) => sql`${sql.id(FOUND, name)}`));
  const order = orderClause([sql`${sql.id(FOUND, cellName(0))}`, sql`${sql.id(FOUND, ROW_NUMBER)}`]);
  return sql`select ${cells} from ${source}${where}${order}${maxRows(statement, limits)}`;
}

function relatedRows(rows: Rows, statement: StatementScope, shape: RelatedShape): RelatedRows {
  const { join: ties, roundingMode } = shape;
  const { profile } = statement;
  const { syntax } = profile;
  const [alias, link] = [statement.nextAlias(), statement.nextAlias()];
  const level = new Level();
  const plain = addRelation(rows, level, alias);
  const parents = parentSide(ties, plain, link, profile).map(inKeyForm);
  const forms = parents.map(({ form }) => form);
  const list = bindSlot(({ keys }) => syntax.writeKeys(keys.map((key) => encodeKey(key, forms))));
  const keys = sql`${syntax.keyTable(list, forms)} as ${sql.id(KEYS)}`;
  const tie = parents.map((operand, index) => sql`${operand.sql} = ${sql.id(KEYS, `k${String(index)}`)}`);
  const tied = sql.join(tie, sql` and `);
  // The list comes first, since a database may overestimate few keys against many related entities.
  const join = profile.capabilities.topPerParent === "correlated" ? sql`cross join` : sql`inner join`;
  const made = (related: Relation): Pick<RelatedRows, "related" | "keys" | "tie" | "link" | "translator"> => {
    const translator = makeTranslator({ profile, scope: relationScope(related, statement), roundingMode });
    return { related, keys, tie, link, translator };
  };
  if (ties.kind === "direct") {
    return { ...made(plain), from: () => plain.from, withKeys: () => sql`${keys} ${join} ${plain.from} on ${tied}` };
  }
  const links = linkTable(ties, link);
  const linked = sql`${keys} ${join} ${links} on ${tied}`;
  const { related } = joinedRows({
    rows,
    level,
    statement,
    alias,
    where: (row) => [isLinked({ join: ties, link, profile }, row, linked)],
  });
  const test = linkTest(ties, link, related, profile);
  const toRelated = (): Sql => sql` ${join} ${related.from} on ${test}`;
  return { ...made(related), from: () => sql`${links}${toRelated()}`, withKeys: () => sql`${linked}${toRelated()}` };
}

/** Returns the columns that contain the join values of the parents. */
function parentSide(
  join: NavigationJoin,
  related: Relation,
  link: string,
  profile: DialectProfile,
): readonly RowOperand[] {
  return join.kind === "direct"
    ? join.pairs.map((pair) => columnOperand(pair.related, related))
    : join.from.map((column) => linkColumn(column, link, profile));
}

/** Converts a column to the form in which it is compared with key values: its own form if a value has only one cell. */
function inKeyForm(operand: RowOperand): FormedSql {
  const equatable = toEquatable(operand);
  return equatable.form.exact === null ? toComparable(operand) : equatable;
}

function encodeKey(key: readonly PrimitiveValue[], forms: readonly SqlForm[]): readonly unknown[] {
  return forms.map(({ exact, floor }, index) => {
    const value = key[index];
    if (value === undefined) throw new Error("A key lacks a value.");
    return (exact ?? floor)(value);
  });
}

interface SelectedCells {
  readonly cells: Cells;
  readonly rowShape: RowShape;
}

/** Selects the cells of a row, starting with the position of its key. */
function selectRelated(statement: StatementScope, shape: RelatedShape, related: Relation): SelectedCells {
  const cells: Cells = [];
  addCell(cells, ORDINAL);
  const columns = selectColumns(shape.selected, related, cells);
  const joined = selectJoined(shape.joined, related, statement, cells);
  return { cells, rowShape: Object.freeze(keeper({ columns, joined })) };
}

function filterOf({ filter }: RelatedShape, { translator }: RelatedRows): readonly Sql[] {
  return filter === null ? [] : [sql`(${translator.condition(filter.expression, "filter")})`];
}

function orderOf({ profile }: StatementScope, { orderBy }: RelatedShape, { translator }: RelatedRows): readonly Sql[] {
  return translateOrder(orderBy, translator, profile.syntax);
}

function innerOrderOf({ profile }: StatementScope, { join, orderBy }: RelatedShape, rows: RelatedRows): readonly Sql[] {
  return linkOrder(orderBy, { join, link: rows.link, translator: rows.translator, profile });
}

function limitOf({ profile }: StatementScope, { hasTop, hasSkip }: RelatedLimits): Sql {
  return profile.syntax.limit(hasTop ? TOP : null, hasSkip ? SKIP : null);
}

function maxRows({ profile }: StatementScope, { hasMaxRows }: RelatedLimits): Sql {
  return profile.syntax.limit(hasMaxRows ? MAX_ROWS : null, null);
}
