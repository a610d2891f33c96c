import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type {
  DirectJoin,
  EntitySet,
  JoinPair,
  NavigationJoin,
  NavigationProperty,
  LinkColumn,
  LinkJoin,
} from "../../edm/model.ts";
import { linkStorage } from "../columns/check-link-storage.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import type { Database } from "../forms/database.ts";
import type { PlacedRows } from "../placement/placement.ts";
import { toComparable, toGathered, type Sql, type SqlForm } from "../statement/sql-form.ts";
import { type RowOperand, sqlTableName } from "../statement/sql-operand.ts";
import { bareTests } from "./bare-tests.ts";
import { joinedRows } from "./gathered-relation.ts";
import {
  columnOperand,
  addRelation,
  compared,
  joinOuter,
  pairOperand,
  type Relation,
  type Rows,
  type StatementState,
  whereClause,
} from "./relation.ts";

/** A navigation with its target set. */
interface Navigation {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  readonly target: EntitySet | null;
}

/** Returns the join of a navigation. @throws Error if it has none, which callers have ruled out */
export function joinOf({ navigationProperty, entitySet }: Navigation): NavigationJoin {
  return required(entitySet.navigationJoins.get(navigationProperty.name), `${navigationProperty.name} has no join.`);
}

/** Returns the target set of a navigation. @throws Error if it has none, which callers have ruled out */
export function targetOf({ navigationProperty, target }: Navigation): EntitySet {
  return required(target, `${navigationProperty.name} has no target set.`);
}

/** Returns the join pairs of a single-valued navigation. */
export function pairsOf(navigation: Navigation): readonly JoinPair[] {
  return asDirect(joinOf(navigation), navigation.navigationProperty).pairs;
}

/** Returns a join that must not use a link table. @throws Error if it does, which callers have ruled out */
export function asDirect(join: NavigationJoin, { name }: Pick<NavigationProperty, "name">): DirectJoin {
  if (join.kind === "direct") return join;
  throw new Error(`${name} uses a link table.`);
}

/** Returns the relation of a single-valued navigation. It is joined once, however often a statement mentions it. */
export function joinNavigation(source: Relation, navigation: Navigation, statement: StatementState): Relation {
  const known = source.joined.get(navigation.navigationProperty);
  if (known !== undefined) return known;
  const related = joinRelated(source, navigation, statement, () => []);
  source.joined.set(navigation.navigationProperty, related);
  return related;
}

/**
 * Joins the related entity of a single-valued navigation, if it exists.
 * @param conditions makes further conditions on the related entity
 */
export function joinRelated(
  source: Relation,
  navigation: Navigation,
  statement: StatementState,
  conditions: (related: Relation) => readonly Sql[],
): Relation {
  const { level } = source;
  const rows = statement.rowsOf(targetOf(navigation));
  const pairs = pairsOf(navigation);
  const isLocal = isJoinedLocally(joinOf(navigation), source, { rows, placement: rows.placement });
  const isGathered = !statement.profile.capabilities.joins && !isLocal;
  const first = (related: Relation): readonly Sql[] => isFirst(related, pairs, statement);
  const { related, optional } = joinedRows({ rows, level, statement, isGathered, where: first });
  const tests = [
    ...related.alive(statement),
    ...bareTests(pairs, source, related),
    ...pairs.map((pair) => equalColumns(pair, source, related)),
    ...(isGathered ? [] : first(related)),
    ...conditions(related),
  ];
  joinOuter(level, statement, () => sql`${related.from} on ${sql.join(tests, sql` and `)}`);
  return optional();
}

/**
 * Whether each machine has the one related row of each of its rows, so that a statement joins both there. A join that may find
 * several would need a subquery in its condition.
 */
export function isJoinedLocally(
  join: NavigationJoin,
  source: PlacedRows,
  target: PlacedRows & { readonly rows: Pick<Rows, "key"> },
): boolean {
  if (join.kind === "link" || !source.placement.joins(join.pairs, source.rows, target)) return false;
  const fields = new Set(join.pairs.map(({ related }) => related.field));
  return target.rows.key.every(({ field }) => fields.has(field));
}

/** Returns the test that the values of a join pair are equal; null or false if one is null. */
export function equalColumns(pair: JoinPair, source: Relation, related: Relation): Sql {
  return equal(pairOperand(pair, "related", related), pairOperand(pair, "property", source));
}

/** Returns the test that two operands of one type are equal; null or false if one is null. */
export function equal(left: RowOperand, right: RowOperand): Sql {
  const [first, second] = alike(left, right);
  return sql`${first} = ${second}`;
}

/** Returns the tests that nullable operands are not null. */
export function notNull(operands: readonly RowOperand[]): readonly Sql[] {
  return operands.flatMap(({ nulls, sql: value }) => (nulls === "never" ? [] : [sql`${value} is not null`]));
}

/** Converts two operands of one type to forms whose cells are equal if the values are. */
function alike(left: RowOperand, right: RowOperand): readonly [left: Sql, right: Sql] {
  const { form } = left;
  const isSame = form === right.form && form.sortable === undefined && form.exact !== null;
  return isSame ? [left.sql, right.sql] : [toComparable(left).sql, toComparable(right).sql];
}

/** Converts two operands as `alike` does, the first for a list of values. */
export function listed(inner: RowOperand, outer: RowOperand): readonly [inner: Sql, outer: Sql] {
  const [first, second] = alike(inner, outer);
  return [inner.form.gathered?.(inner.sql) ?? first, second];
}

/**
 * Returns the condition that picks the related entity with the lowest key, since a join that does not use the key may match
 * several entities. Returns no condition if the join uses the key.
 */
export function isFirst(related: Relation, pairs: readonly JoinPair[], statement: StatementState): readonly Sql[] {
  const isUnique = pairs.every((pair) => related.rows.comparisonOf(pair)?.isShared !== false);
  if (isUnique && related.isIdentifiedBy(pairs.map((pair) => pair.related))) return [];
  const { key } = related.rows;
  const other = addRelation(related.rows, related.level, statement.nextAlias());
  const same = pairs.map(({ related: property }) => ({ property, related: property }));
  const { correlatedSubqueries, joins } = statement.profile.capabilities;
  if (!correlatedSubqueries && (joins || !related.placement.joins(same, related.rows, other))) {
    return [isAmongFirst(related, other, pairs, statement)];
  }
  const before = key.map((property, index) => {
    const equal = key.slice(0, index).map((part) => equalColumns({ property: part, related: part }, related, other));
    const [left, right] = alike(columnOperand(property, other), columnOperand(property, related));
    return sql`(${sql.join([...equal, sql`${left} < ${right}`], sql` and `)})`;
  });
  const isBefore = sql`(${sql.join(before, sql` or `)})`;
  const equals = pairs.map((pair) => equal(pairOperand(pair, "related", other), pairOperand(pair, "related", related)));
  const tests = [...other.alive(statement), ...bareTests(same, related, other), ...equals];
  return [sql`not exists (select 1 from ${other.from} where ${sql.join([...tests, isBefore], sql` and `)})`];
}

/** The same condition without a correlated subquery: membership in a list of all first entities. */
function isAmongFirst(related: Relation, other: Relation, pairs: readonly JoinPair[], statement: StatementState): Sql {
  const values = pairs.map((pair) => toGathered(pairOperand(pair, "related", other)).sql);
  const order = related.rows.key.map((property) => toGathered(columnOperand(property, other)).sql);
  const number = sql`row_number() over (partition by ${sql.join(values)} order by ${sql.join(order)})`;
  const names = related.rows.key.map((_property, index) => sql.id(`k${String(index)}`));
  const keys = sql.join(other.keyColumns().map((column, index) => sql`${column} as ${names[index]}`));
  const numbered = sql`(select ${keys}, ${number} as ${sql.id("n")} from ${other.from}${whereClause(other.alive(statement))}) as ${sql.id(statement.nextAlias())}`;
  return sql`${tuple(related.keyColumns())} in (select ${sql.join(names)} from ${numbered} where ${sql.id("n")} = 1${endOfList(statement.profile)})`;
}

/**
 * Returns the end of a list of related rows: nothing, or an offset that makes a database on several machines read the list first.
 * It would otherwise look for the rows on the machines of the others, and fail if a navigation pairs the columns that decide on
 * the machines of both, but the rows are not together.
 */
export function endOfList({ capabilities, syntax }: Database): Sql {
  return capabilities.joins ? sql`` : (syntax.readFirst ?? sql``);
}

/** Returns a single value, or a row value of several. */
export function tuple(values: readonly Sql[]): Sql {
  return values.length === 1 ? sql.join(values) : sql`(${sql.join(values)})`;
}

/** Returns the `from` of a link table. */
export function linkTable({ table }: LinkJoin, alias: string): Sql {
  return sql`${sqlTableName(table)} as ${sql.id(alias)}`;
}

/** Returns the first condition on a link table: see `Alive`. */
export function linkAlive({ table, from, to }: LinkJoin, link: string, statement: StatementState): readonly Sql[] {
  const { alive } = statement.profile.session;
  const columns = new Set([...from, ...to].map(({ column }) => column));
  statement.notes.table({ alias: link, table: sqlTableName(table), columns });
  return alive === undefined ? [] : from.slice(0, 1).map(({ column }) => alive.ofRows(sql`${sql.id(link, column)}`));
}

/** Returns the condition that joins related entities to the link table. */
export function linkTest({ to }: LinkJoin, link: string, related: Relation, profile: Database): Sql {
  const tests = to.map((column) => {
    const [linked, own] = linkEnds(column, link, related, profile);
    return equal(own, linked);
  });
  return sql.join(tests, sql` and `);
}

/** Returns a column of a link table, and the property of its values, as they are compared. */
export function linkEnds(
  column: LinkColumn,
  link: string,
  relation: Relation,
  profile: Database,
): readonly [linked: RowOperand, own: RowOperand] {
  const own = columnOperand(column.property, relation);
  const comparison = relation.rows.comparisonOf(column);
  return [compared(linkColumn(column, link, profile, own.form), comparison), compared(own, comparison)];
}

/**
 * Returns a column of a link table as an operand.
 * @param like the form of the column of the property, if it is known
 */
export function linkColumn(column: LinkColumn, alias: string, profile: Database, like?: SqlForm): RowOperand {
  const { form } = linkFormat(column, profile, like);
  return { kind: "row", sql: sql`${sql.id(alias, column.column)}`, form, nulls: "column" };
}

/**
 * Returns the format of a column of a link table: its stated storage, otherwise Guids in any letter case if the column of the property stores them so,
 * otherwise the default of the type.
 */
export function linkFormat(column: LinkColumn, profile: Database, like: SqlForm | undefined): ColumnFormat {
  const { property } = column;
  const { columnFormat } = profile.values;
  const storage = linkStorage(column) ?? (isAnyCase(column, profile, like) ? "text" : undefined);
  return required(columnFormat(property, storage), `${property.name} is not a single value.`);
}

/** Whether a column of a link table stores Guids in any letter case. */
export function isAnyCase({ property, ...column }: LinkColumn, { values }: Database, like?: SqlForm): boolean {
  if (property.type.name !== "Edm.Guid") return false;
  if (column.storage !== undefined) return column.storage === "text";
  return column.isAnyCase === true || (like !== undefined && values.columnFormat(property, "text")?.form === like);
}
