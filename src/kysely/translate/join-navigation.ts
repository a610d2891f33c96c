import { sql } from "kysely";
import type { EntitySet, JoinPair, NavigationJoin, NavigationProperty, LinkColumn, LinkJoin } from "../../edm/model.ts";
import type { RootExpression } from "../../query/expression.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import { toComparable, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import type { PathScope } from "./path-scope.ts";
import { columnOperand, addRelation, Relation, type StatementScope } from "./relation.ts";
import { equalsConstant } from "./translate-comparison.ts";

/** A navigation as a statement needs it: what joins its target, and where that is. */
export interface Navigation {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  readonly target: EntitySet | null;
}

/** How the entities of a navigation are found. @throws Error where nothing says it, which is asked for before */
export function joinOf({ navigationProperty, entitySet }: Navigation): NavigationJoin {
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join === undefined) throw new Error(`${navigationProperty.name} has no join.`);
  return join;
}

/** The set that a navigation leads to. @throws Error where there is none, which is asked for before */
export function targetOf({ navigationProperty, target }: Navigation): EntitySet {
  if (target === null) throw new Error(`${navigationProperty.name} has no target set.`);
  return target;
}

/** The pairs of a single-valued navigation. */
export function pairsOf(navigation: Navigation): readonly JoinPair[] {
  const join = joinOf(navigation);
  if (join.kind === "direct") return join.pairs;
  throw new Error(`${navigation.navigationProperty.name} leads through a table of links to more than one entity.`);
}

/** The relation that a single-valued navigation leads to: joined once, however often it is named. */
export function joinNavigation(source: Relation, navigation: Navigation, statement: StatementScope): Relation {
  const known = source.joined.get(navigation.navigationProperty);
  if (known !== undefined) return known;
  const related = joinRelated(source, navigation, statement, () => []);
  source.joined.set(navigation.navigationProperty, related);
  return related;
}

/**
 * Joins what a single-valued navigation leads to, if there is something.
 * @param conditions what the related entity must meet beside
 */
export function joinRelated(
  source: Relation,
  navigation: Navigation,
  statement: StatementScope,
  conditions: (related: Relation) => readonly Sql[],
): Relation {
  const { level } = source;
  const rows = statement.rowsOf(targetOf(navigation));
  const alias = statement.nextAlias();
  const related = addRelation(rows, level, alias);
  const pairs = pairsOf(navigation);
  const tests = [
    ...pairs.map((pair) => equalColumns(pair, source, related)),
    ...isFirst(related, pairs, statement),
    ...conditions(related),
  ];
  level.join(sql` left join ${related.from} on ${sql.join(tests, sql` and `)}`);
  return new Relation({ alias, rows, level, isOptional: true, isQualified: true });
}

/** The relation of the entity that `$root` leads to. */
export function joinRoot(root: RootExpression, { level, statement }: PathScope): Relation {
  const known = level.roots.get(root);
  if (known !== undefined) return known;
  const rows = statement.rowsOf(root.entitySet);
  const alias = statement.nextAlias();
  const related = addRelation(rows, level, alias);
  const tests = root.entitySet.entityType.key.map((property, index) => {
    const part = root.key[index];
    if (part === undefined) throw new Error(`The key of ${root.entitySet.name} lacks ${property.name}.`);
    const constant = part.kind === "parameter" ? part : ({ kind: "fixed", value: part.value } as const);
    return equalsConstant(columnOperand(property, related), constant, "filter");
  });
  level.join(sql` left join ${related.from} on ${sql.join(tests, sql` and `)}`);
  const found = new Relation({ alias, rows, level, isOptional: true, isQualified: true });
  level.roots.set(root, found);
  return found;
}

/** Whether the values of a pair are equal; null, or false, where one is null. */
export function equalColumns(pair: JoinPair, source: Relation, related: Relation): Sql {
  return equal(columnOperand(pair.related, related), columnOperand(pair.property, source));
}

/** Whether two operands of one type are equal; null, or false, where one is null. */
export function equal(left: RowOperand, right: RowOperand): Sql {
  const [first, second] = alike(left, right);
  return sql`${first} = ${second}`;
}

/** Whether operands are not null, as far as they may be. */
export function notNull(operands: readonly RowOperand[]): readonly Sql[] {
  return operands.flatMap(({ nulls, sql: value }) => (nulls === "never" ? [] : [sql`${value} is not null`]));
}

/** Two operands of one type in forms whose cells are equal where the values are. */
export function alike(left: RowOperand, right: RowOperand): readonly [left: Sql, right: Sql] {
  const { form } = left;
  const isSame = form === right.form && form.sortable === undefined && form.exact !== null;
  return isSame ? [left.sql, right.sql] : [toComparable(left).sql, toComparable(right).sql];
}

/**
 * Where not the key of the related entity is compared, several may be alike: that with the first key is the one. No
 * condition where the key tells.
 */
export function isFirst(related: Relation, pairs: readonly JoinPair[], statement: StatementScope): readonly Sql[] {
  const { key } = related.rows;
  const compared = new Set(pairs.map((pair) => pair.related.field));
  if (key.every(({ field }) => compared.has(field))) return [];
  const other = addRelation(related.rows, related.level, statement.nextAlias());
  const tests = pairs.map(({ related: property }) => equalColumns({ property, related: property }, related, other));
  if (!statement.profile.capabilities.correlatedSubqueries) return [isAmongFirst(related, other, pairs, statement)];
  const before = key.map((property, index) => {
    const equal = key.slice(0, index).map((part) => equalColumns({ property: part, related: part }, related, other));
    const [left, right] = alike(columnOperand(property, other), columnOperand(property, related));
    return sql`(${sql.join([...equal, sql`${left} < ${right}`], sql` and `)})`;
  });
  const isBefore = sql`(${sql.join(before, sql` or `)})`;
  return [sql`not exists (select 1 from ${other.from} where ${sql.join([...tests, isBefore], sql` and `)})`];
}

/** As a list of the first ones of all: what does not refer to the rows around it. */
function isAmongFirst(related: Relation, other: Relation, pairs: readonly JoinPair[], statement: StatementScope): Sql {
  const values = pairs.map(({ related: property }) => toComparable(columnOperand(property, other)).sql);
  const order = related.rows.key.map((property) => toComparable(columnOperand(property, other)).sql);
  const number = sql`row_number() over (partition by ${sql.join(values)} order by ${sql.join(order)})`;
  const names = related.rows.key.map((_property, index) => sql.id(`k${String(index)}`));
  const keys = sql.join(other.keyColumns().map((column, index) => sql`${column} as ${names[index]}`));
  const numbered = sql`(select ${keys}, ${number} as ${sql.id("n")} from ${other.from}) as ${sql.id(statement.nextAlias())}`;
  return sql`${tuple(related.keyColumns())} in (select ${sql.join(names)} from ${numbered} where ${sql.id("n")} = 1)`;
}

/** One value, or several that are compared together. */
export function tuple(values: readonly Sql[]): Sql {
  return values.length === 1 ? sql.join(values) : sql`(${sql.join(values)})`;
}

/** A table of links behind `from`. */
export function linkTable({ table }: LinkJoin, alias: string): Sql {
  return sql`${sql.table(table)} as ${sql.id(alias)}`;
}

/** The condition that joins the related entities to the table of links. */
export function linkTest({ to }: LinkJoin, link: string, related: Relation, profile: DialectProfile): Sql {
  const tests = to.map((column) => {
    const operand = columnOperand(column.property, related);
    return equal(operand, linkColumn(column, link, profile, operand.form));
  });
  return sql.join(tests, sql` and `);
}

/**
 * A column of a table of links as an operand.
 * @param like the form of the column that has the values of the property, where it is known
 */
export function linkColumn(column: LinkColumn, alias: string, profile: DialectProfile, like?: SqlForm): RowOperand {
  const { form } = linkFormat(column, profile, like);
  return { kind: "row", sql: sql`${sql.id(alias, column.column)}`, form, nulls: "column" };
}

/**
 * Returns the format of a column of a table of links: Guids in any letter case where the column of the property holds
 * them so, else the default of the type.
 */
export function linkFormat(column: LinkColumn, profile: DialectProfile, like: SqlForm | undefined): ColumnFormat {
  const { property } = column;
  const { columnFormat } = profile.values;
  const format = isAnyCase(column, profile, like) ? columnFormat(property, "text") : columnFormat(property, undefined);
  if (format === null) throw new Error(`${property.name} is no single value.`);
  return format;
}

/** Whether a column of a table of links holds Guids in any letter case. */
export function isAnyCase({ property, ...column }: LinkColumn, { values }: DialectProfile, like?: SqlForm): boolean {
  if (property.type.name !== "Edm.Guid") return false;
  return column.isAnyCase === true || (like !== undefined && values.columnFormat(property, "text")?.form === like);
}
