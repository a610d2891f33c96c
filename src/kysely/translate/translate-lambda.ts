import { sql } from "kysely";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { protocolError } from "../../errors/odata-error.ts";
import type { Expression, LambdaExpression, NavigationExpression } from "../../query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { findCollection, findRelation, isEntityPresent } from "./find-path.ts";
import { alike, equal, joinOf, linkTest, notNull, targetOf, tuple, linkColumn, linkTable } from "./join-navigation.ts";
import { itemScope, type PathScope } from "./path-scope.ts";
import { columnOperand, addRelation, Level, whereClause, type Relation } from "./relation.ts";
import { dependsOnItemsAlone } from "./shared-navigation.ts";

/** Translates the predicate of a lambda operator in the scope of its item; may be null instead of false. */
export type TranslatePredicate = (predicate: Expression, scope: PathScope) => Sql;

/**
 * Translates `any` and `all` over related entities, or over a collection that is stored as JSON or as an array. Never null:
 * a predicate that is null counts as false, and a collection that is null has no items.
 * @see OData URL Conventions 4.0, sections 5.1.1.5.1 and 5.1.1.5.2
 */
export function translateLambda(expression: LambdaExpression, scope: PathScope, translate: TranslatePredicate): Sql {
  const { operator, collection, depth, predicate } = expression;
  if (collection.kind === "navigation") return translateRelatedLambda(expression, collection, scope, translate);
  const { documents } = scope.statement.profile;
  const { document, path, array } = findCollection(collection, scope);
  const alias = `item${depth}`;
  const { from, where } =
    array === undefined
      ? documents.items(document, path, alias)
      : { from: array.syntax.items(document, alias), where: null };
  // Items of nested operators are counted, because a database would set no limit.
  const spend = depth === 0 ? null : documents.spendItem(sql.id(alias, "id"));
  const item = itemScope(scope, { collection: collection.property, document, alias, array });
  const condition = predicate === null ? null : translate(predicate, item);
  const wanted = condition === null ? null : wantedItem(operator, condition);
  const tests = [where, spend, wanted].filter((test) => test !== null);
  const items = sql`select 1 from ${from}${whereClause(tests)}`;
  return operator === "all" ? sql`not exists (${items})` : sql`exists (${items})`;
}

function wantedItem(operator: LambdaExpression["operator"], condition: Sql): Sql {
  return operator === "any" ? sql`(${condition})` : sql`(${condition}) is not true`;
}

/** Translates a condition within a scope; may be null instead of false. */
type TranslateCondition = (condition: Expression, scope: PathScope) => Sql;

/** The related entities of a collection-valued navigation, for a subquery. */
interface RelatedItems {
  /** The entities that the navigation starts from. */
  readonly source: Relation;
  readonly related: Relation;
  /** The start of the `from` clause. */
  readonly from: Sql;
  /** Columns of the subquery, each with the column of the source that must be equal. */
  readonly pairs: ReadonlyArray<readonly [inner: RowOperand, outer: RowOperand]>;
}

/**
 * Translates `any` and `all` over related entities; never null. A predicate that is null counts as false.
 * @throws ODataError `UnsupportedQueryOption` for a predicate that the database cannot evaluate
 * @see OData URL Conventions 4.0, sections 5.1.1.5.1 and 5.1.1.5.2
 */
export function translateRelatedLambda(
  { operator, predicate, depth }: LambdaExpression,
  navigation: NavigationExpression,
  scope: PathScope,
  translate: TranslateCondition,
): Sql {
  const items = relatedItems(navigation, scope);
  const isAll = operator === "all";
  const condition = predicate === null ? null : translate(predicate, itemScope(scope, items.related));
  const wanted = condition === null ? [] : [wantedItem(operator, condition)];
  if (scope.statement.profile.capabilities.correlatedSubqueries) {
    const tests = [...equalities(items), ...spent(items, depth, scope), ...wanted];
    const found = sql`exists (${select(sql`1`, items, tests)})`;
    return isAll ? sql`not ${found}` : found;
  }
  if (predicate !== null && !dependsOnItemsAlone(predicate, depth)) throw tooEntangled(navigation, operator);
  const found = amongPairs(items, wanted);
  return isAll ? sql`not (${found})` : found;
}

/** Counts the entities of nested operators, because a database would set no limit. */
function spent({ pairs }: RelatedItems, depth: number, { statement }: PathScope): readonly Sql[] {
  const item = pairs[0]?.[0].sql;
  const spend = depth === 0 || item === undefined ? null : statement.profile.documents.spendItem(item);
  return spend === null ? [] : [spend];
}

/** Translates the number of related entities; null if the source entity is missing. */
export function countRelated(navigation: NavigationExpression, scope: PathScope): RowOperand {
  const items = relatedItems(navigation, scope);
  const { profile } = scope.statement;
  const { source } = items;
  const count = profile.capabilities.correlatedSubqueries
    ? sql`(${select(sql`count(*)`, items, equalities(items))})`
    : profile.syntax.ifNull(joinCounts(items, scope), sql`0`);
  const form = profile.values.canonicalForm(PRIMITIVE_TYPES["Edm.Int64"]);
  if (!source.isOptional) return { kind: "row", sql: count, form, nulls: "never" };
  const value = profile.syntax.choose(isEntityPresent(source), count, sql`null`);
  return { kind: "row", sql: value, form, nulls: "computed" };
}

function relatedItems(navigation: NavigationExpression, scope: PathScope): RelatedItems {
  const { statement } = scope;
  const source = findRelation(navigation.source, scope);
  const outer = source.qualified();
  const related = addRelation(statement.rowsOf(targetOf(navigation)), new Level(), statement.nextAlias());
  const join = joinOf(navigation);
  if (join.kind === "direct") {
    const pairs = join.pairs.map(
      (pair) => [columnOperand(pair.related, related), columnOperand(pair.property, outer)] as const,
    );
    return { source, related, from: related.from, pairs };
  }
  const link = statement.nextAlias();
  const pairs = join.from.map((column) => {
    const operand = columnOperand(column.property, outer);
    return [linkColumn(column, link, statement.profile, operand.form), operand] as const;
  });
  const test = linkTest(join, link, related, statement.profile);
  const from = sql`${linkTable(join, link)} inner join ${related.from} on ${test}`;
  return { source, related, from, pairs };
}

function equalities({ pairs }: RelatedItems): readonly Sql[] {
  return pairs.map(([inner, outer]) => equal(inner, outer));
}

function select(what: Sql, { from, related }: RelatedItems, conditions: readonly Sql[]): Sql {
  return sql`select ${what} from ${related.level.from(from)}${whereClause(conditions)}`;
}

/** Translates the condition without a correlated subquery: membership of the source in a list of values. */
function amongPairs(items: RelatedItems, wanted: readonly Sql[]): Sql {
  const pairs = items.pairs.map(([inner, outer]) => alike(inner, outer));
  const known = notNull(items.pairs.map(([inner]) => inner));
  const list = select(sql.join(pairs.map(([inner]) => inner)), items, [...known, ...wanted]);
  const found = sql`${tuple(pairs.map(([, outer]) => outer))} in (${list})`;
  const present = notNull(items.pairs.map(([, outer]) => outer));
  return present.length === 0 ? found : sql`(${sql.join([found, ...present], sql` and `)})`;
}

/** Joins the counts of all entities at once, without a correlated subquery. */
function joinCounts(items: RelatedItems, { statement }: PathScope): Sql {
  const alias = statement.nextAlias();
  const pairs = items.pairs.map(([inner, outer]) => alike(inner, outer));
  const names = pairs.map((_pair, index) => `k${String(index)}`);
  const values = sql.join(pairs.map(([inner], index) => sql`${inner} as ${sql.id(names[index] ?? "")}`));
  const grouped = select(sql`${values}, count(*) as ${sql.id("n")}`, items, []);
  const group = sql.join(pairs.map(([inner]) => inner));
  const tests = pairs.map(([, outer], index) => sql`${sql.id(alias, names[index] ?? "")} = ${outer}`);
  const on = sql.join(tests, sql` and `);
  items.source.level.join(sql` left join (${grouped} group by ${group}) as ${sql.id(alias)} on ${on}`);
  return sql`${sql.id(alias, "n")}`;
}

function tooEntangled({ navigationProperty }: NavigationExpression, operator: string): Error {
  const message = `The database of this set cannot evaluate '${operator}' over ${navigationProperty.name} with a predicate that refers to anything but the related entities.`;
  return protocolError("UnsupportedQueryOption", message);
}
