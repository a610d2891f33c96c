import { sql } from "kysely";
import type { NavigationJoin, LinkJoin } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import type { RelatedShape } from "../../language/query/source.ts";
import type { Database } from "../forms/database.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { type Sql, toComparable, toEquatable, type FormedSql, type SqlForm } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { unfoldOf } from "./constant-condition.ts";
import { joinedRows } from "./gathered-relation.ts";
import { linkAlive, linkColumn, linkTable, linkTest, endOfList, linkEnds, listed, tuple } from "./join-navigation.ts";
import { relationScope, type PathScope } from "./path-scope.ts";
import { areLinkedLocal, bareLinkTests } from "./placed-links.ts";
import {
  addRelation,
  compared,
  Level,
  pairOperand,
  whereClause,
  type Relation,
  type Rows,
  type StatementState,
} from "./relation.ts";
import { equalsConstant } from "./translate-comparison.ts";

/** The related entities within a statement, and the keys of their parents. */
export interface RelatedRows {
  readonly related: Relation;
  readonly keys: BoundKeys;
  /** The `from` of the related entities with their links, without and with the list of keys, if there is one. Call them last. */
  readonly from: () => Sql;
  readonly withKeys: () => Sql;
  /** The first conditions of the statement: see `Alive`. */
  readonly alive: readonly Sql[];
  /** The alias of the link table. */
  readonly link: string;
  readonly scope: PathScope;
  readonly roundingMode: RoundingMode;
}

/**
 * Adds the entities that are related to a list of keys.
 * @param hasOneKey whether the statement is only executed with one key
 */
export function relatedRows(
  rows: Rows,
  statement: StatementState,
  shape: RelatedShape,
  hasOneKey: boolean,
): RelatedRows {
  const { join: ties, roundingMode } = shape;
  const { profile } = statement;
  const [alias, link] = [statement.nextAlias(), statement.nextAlias()];
  const level = new Level();
  const plain = addRelation(rows, level, alias);
  const keys = bindKeys(parentSide(ties, plain, link, profile), statement, hasOneKey);
  // The list comes first, since a database may overestimate few keys against many related entities.
  const join = profile.capabilities.topPerParent === "correlated" ? sql`cross join` : sql`inner join`;
  const withList = (from: Sql): Sql =>
    keys.list === null ? from : sql`${keys.list.from} ${join} ${from} on ${sql.join(keys.list.tie, sql` and `)}`;
  const made = (
    related: Relation,
  ): Pick<RelatedRows, "related" | "keys" | "link" | "alive" | "scope" | "roundingMode"> => {
    const alive = [...(ties.kind === "link" ? linkAlive(ties, link, statement) : []), ...related.alive(statement)];
    return { related, keys, link, alive, scope: relationScope(related, statement), roundingMode };
  };
  if (ties.kind === "direct") {
    return { ...made(plain), from: () => plain.from, withKeys: () => withList(plain.from) };
  }
  const links = linkTable(ties, link);
  const linked = withList(links);
  const where = (row: Relation): readonly Sql[] => [
    isLinked({ join: ties, link, profile }, row, sql`${linked}${whereClause(keys.conditions)}`),
  ];
  const isGathered = !profile.capabilities.joins && !areLinkedLocal(ties, plain, profile);
  const { related } = joinedRows({ rows, level, statement, alias, isGathered, where });
  const tests = [...bareLinkTests(ties, ties.to, link, related, profile), linkTest(ties, link, related, profile)];
  const toRelated = (): Sql => sql` ${join} ${related.from} on ${sql.join(tests, sql` and `)}`;
  return { ...made(related), from: () => sql`${links}${toRelated()}`, withKeys: () => sql`${linked}${toRelated()}` };
}

/** Tests whether a row is related to the parent whose join values are the single key of the execution. */
export function isRelated(join: NavigationJoin, { it, statement }: PathScope): Sql {
  const { profile } = statement;
  const link = statement.nextAlias();
  const tests = equalKey(parentSide(join, it, link, profile), statement);
  if (join.kind === "direct") return sql.join(tests, sql` and `);
  const conditions = whereClause([...linkAlive(join, link, statement), ...tests]);
  return isLinked({ join, link, profile }, it, sql`${linkTable(join, link)}${conditions}`);
}

/** Compares columns with the values of the single key of the execution. */
function equalKey(columns: readonly RowOperand[], statement: StatementState): readonly Sql[] {
  const unfold = unfoldOf(statement);
  return columns.map((column, index) => equalsConstant(column, { kind: "key", index }, "filter", unfold));
}

/** Returns the columns that contain the join values of the parents. */
function parentSide(join: NavigationJoin, related: Relation, link: string, profile: Database): readonly RowOperand[] {
  return join.kind === "direct"
    ? join.pairs.map((pair) => pairOperand(pair, "related", related))
    : join.from.map((column) => compared(linkColumn(column, link, profile), related.rows.comparisonOf(column)));
}

/** The keys of the parents within a statement that reads their related entities. */
interface BoundKeys {
  /** The list of keys, and the conditions that join it to the other relations; null if conditions alone suffice. */
  readonly list: KeyList | null;
  /** The conditions that a row belongs to one of the keys, in addition to the list. */
  readonly conditions: readonly Sql[];
  /** The position of the key that a row belongs to: the first cell. */
  readonly ordinal: Sql;
  /** The expressions that sort and group rows by that position; null if there is one key only. */
  readonly sorted: Sql | null;
  /** The expressions that are equal for the rows of one key. */
  readonly partition: readonly Sql[];
}

/** A list of keys as a table. */
interface KeyList {
  readonly from: Sql;
  readonly tie: readonly Sql[];
}

/** The alias of the key list. */
const KEYS = "keys";

const ORDINAL: Sql = sql`${sql.id(KEYS, "ordinal")}`;

/**
 * Binds the keys of the parents as a table that a statement joins. A database on several machines queries only those with rows of
 * these keys, if the conditions say so: one key is compared, and of several the values of each column are listed.
 * @param columns the columns with the join values of the parents
 * @param hasOneKey whether the statement is only executed with one key
 */
function bindKeys(columns: readonly RowOperand[], statement: StatementState, hasOneKey: boolean): BoundKeys {
  const { profile } = statement;
  if (!profile.capabilities.bindsKeys) return inList(columns, profile, []);
  if (hasOneKey) {
    const conditions = equalKey(columns, statement);
    return { list: null, conditions, ordinal: sql`0`, sorted: null, partition: [] };
  }
  const { keyArrays } = profile.syntax;
  if (keyArrays === undefined) return inList(columns, profile, []);
  const listed = columns.map((column, index) => listColumn(column, index, keyArrays));
  const conditions = listed.flatMap((column) => column?.conditions ?? []);
  const [only] = listed;
  if (listed.length > 1 || only === null || only === undefined) return inList(columns, profile, conditions);
  // The first cell, by its position.
  return { list: null, conditions, ordinal: only.ordinal, sorted: sql`1`, partition: [only.cells] };
}

function inList(
  columns: readonly RowOperand[],
  { syntax }: StatementState["profile"],
  conditions: readonly Sql[],
): BoundKeys {
  const cells = columns.map(inKeyForm);
  const forms = cells.map(({ form }) => form);
  const list = bindSlot(({ keys }) => syntax.writeKeys(keys.map((key) => encodeKey(key, forms))));
  const from = sql`${syntax.keyTable(list, forms)} as ${sql.id(KEYS)}`;
  const tie = cells.map((operand, index) => sql`${operand.sql} = ${sql.id(KEYS, `k${String(index)}`)}`);
  return { list: { from, tie }, conditions, ordinal: ORDINAL, sorted: ORDINAL, partition: [ORDINAL] };
}

interface ListedColumn {
  readonly conditions: readonly Sql[];
  readonly ordinal: Sql;
  readonly cells: Sql;
}

/** Tests a column against an array of its values; null if the database has no array of such cells. */
function listColumn(
  column: RowOperand,
  index: number,
  { contains, positionOf, write }: NonNullable<StatementState["profile"]["syntax"]["keyArrays"]>,
): ListedColumn | null {
  const bind = ({ toArray, exact, floor }: SqlForm): Sql | null => {
    const encode = exact ?? floor;
    const list = bindSlot(({ keys }) => write(keys.map((key) => encode(valueOf(key, index)))));
    return toArray?.(list) ?? null;
  };
  const cells = inKeyForm(column);
  const [list, positions] = [bind(cells.form), bind(cells.form)];
  if (list === null || positions === null) return null;
  const bare = column.form.indexed === undefined ? null : bind(column.form.indexed);
  const conditions = [...(bare === null ? [] : [contains(bare, column.sql)]), contains(list, cells.sql)];
  const gathered = column.form.gathered?.(column.sql) ?? cells.sql;
  return { conditions, ordinal: positionOf(positions, cells.sql), cells: gathered };
}

/** Converts a column to the form in which it is compared with key values: its own form if a value has only one cell. */
function inKeyForm(operand: RowOperand): FormedSql {
  const equatable = toEquatable(operand);
  return equatable.form.exact === null ? toComparable(operand) : equatable;
}

function encodeKey(key: readonly PrimitiveValue[], forms: readonly SqlForm[]): readonly unknown[] {
  return forms.map(({ exact, floor }, index) => (exact ?? floor)(valueOf(key, index)));
}

function valueOf(key: readonly PrimitiveValue[], index: number): PrimitiveValue {
  const value = key[index];
  if (value === undefined) throw new Error("A key lacks a value.");
  return value;
}

/** The links of a navigation, and its related entities, which a statement must not join. */
interface UnjoinedLinks {
  readonly join: LinkJoin;
  /** The alias of the link table. */
  readonly link: string;
  readonly profile: Database;
}

/** Tests whether a link leads to a related entity that meets some conditions. */
export function leadsTo(links: UnjoinedLinks, related: Relation, wanted: readonly Sql[]): Sql {
  const pairs = columnsOf(links, related).map(([own, linked]) => listed(own, linked));
  return sql`${tuple(pairs.map(([, linked]) => linked))} in (select ${sql.join(pairs.map(([own]) => own))} from ${related.level.from(related.from)}${whereClause(wanted)}${endOfList(links.profile)})`;
}

/** Tests whether a link leads to a related entity. @param from the links */
function isLinked(links: UnjoinedLinks, related: Relation, from: Sql): Sql {
  const pairs = columnsOf(links, related).map(([own, linked]) => listed(linked, own));
  return sql`${tuple(pairs.map(([, own]) => own))} in (select ${sql.join(pairs.map(([linked]) => linked))} from ${from}${endOfList(links.profile)})`;
}

function columnsOf(
  { join, link, profile }: UnjoinedLinks,
  related: Relation,
): ReadonlyArray<readonly [own: RowOperand, linked: RowOperand]> {
  return join.to.map((column) => {
    const [linked, own] = linkEnds(column, link, related, profile);
    return [own, linked];
  });
}
