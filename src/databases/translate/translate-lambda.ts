import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import type { EntitySet, NavigationJoin } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { Expression, LambdaExpression, NavigationExpression } from "../../language/query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { ConditionMode, RowOperand } from "../statement/sql-operand.ts";
import { bareTests } from "./bare-tests.ts";
import { notTrue } from "./constant-condition.ts";
import { findCollection, findRelation, isEntityPresent } from "./find-path.ts";
import { joinedRows } from "./gathered-relation.ts";
import {
  endOfList,
  listed,
  notNull,
  tuple,
  equal,
  joinOf,
  linkAlive,
  linkEnds,
  linkTable,
  linkTest,
  targetOf,
} from "./join-navigation.ts";
import type { PathScope, ItemScope } from "./path-scope.ts";
import { areLinkedLocal, areLinksLocal, bareLinkTests } from "./placed-links.ts";
import { leadsTo } from "./related-rows.ts";
import { whereClause, type StatementState, addRelation, Level, pairOperand, Relation, joinOuter } from "./relation.ts";
import { dependsOnItemsAlone } from "./shared-navigation.ts";
import { isInJoinedList } from "./translate-semi-join.ts";

/** Translates the predicate of a lambda operator in the scope of its item; may be null instead of false. */
type TranslatePredicate = (predicate: Expression, scope: PathScope) => Sql;

/**
 * Translates `any` and `all` over related entities, or over a collection that is stored as JSON or as an array. Never null:
 * a predicate that is null counts as false, and a collection that is null has no items.
 * @see OData URL Conventions 4.0, sections 5.1.1.5.1 and 5.1.1.5.2
 */
export function translateLambda(
  expression: LambdaExpression,
  mode: ConditionMode,
  scope: PathScope,
  translate: TranslatePredicate,
): Sql {
  const { operator, collection, depth, predicate } = expression;
  if (collection.kind === "navigation") return translateRelatedLambda(expression, collection, mode, scope, translate);
  const { session, values } = scope.statement.profile;
  const { documents } = values;
  const { alive } = session;
  const { document, path, array } = findCollection(collection, scope);
  const alias = `item${depth}`;
  const { from, where } =
    array === undefined
      ? documents.items(document, path, alias)
      : { from: array.syntax.items(document, alias), where: null };
  // Items of nested operators are counted, because a database would set no limit.
  const spend = depth === 0 ? null : documents.spendItem(sql.id(alias, "id"));
  const item = itemScope(scope, { collection: collection.property, document, alias, array });
  const wanted = predicate === null ? null : wantedItem(operator, predicate, item, translate);
  const tests = [alive?.ofItems(alias) ?? null, where, spend, wanted].filter((test) => test !== null);
  const items = sql`select 1 from ${from}${whereClause(tests)}`;
  return operator === "all" ? sql`not exists (${items})` : sql`exists (${items})`;
}

function wantedItem(
  operator: LambdaExpression["operator"],
  predicate: Expression,
  scope: PathScope,
  translate: TranslatePredicate,
): Sql {
  const condition = translate(predicate, scope);
  return operator === "any" ? sql`(${condition})` : notTrue(condition, predicate, scope);
}

/** Translates a condition within a scope; may be null instead of false. */
type TranslateCondition = (condition: Expression, scope: PathScope) => Sql;

/**
 * Translates `any` and `all` over related entities; never null. A predicate that is null counts as false.
 * @throws ODataError `UnsupportedQueryOption` for a predicate that the database cannot evaluate
 * @see OData URL Conventions 4.0, sections 5.1.1.5.1 and 5.1.1.5.2
 */
function translateRelatedLambda(
  { operator, predicate, depth }: LambdaExpression,
  navigation: NavigationExpression,
  mode: ConditionMode,
  scope: PathScope,
  translate: TranslateCondition,
): Sql {
  const items = relatedItems(navigation, scope);
  const isAll = operator === "all";
  const inner = itemScope(scope, items.related);
  const wanted = predicate === null ? [] : [wantedItem(operator, predicate, inner, translate)];
  const isListable = predicate === null || dependsOnItemsAlone(predicate, depth);
  // A list of related entities that are on other machines cannot refer to the row.
  const isLocal = items.isLocal && (isListable || items.linkedTo === null);
  if (isListable && !isLocal && readsAllAtOnce(items, scope.statement)) {
    // Without joins of tables, a negated list is slow.
    const isNegated = !scope.statement.profile.capabilities.joins && (isAll || mode === "exact");
    const found = isNegated ? inJoinedList(items, wanted, scope.statement) : amongPairs(items, wanted, scope.statement);
    return isAll ? sql`not (${found})` : found;
  }
  if (!isLocal && !scope.statement.profile.capabilities.correlatedSubqueries) {
    throw tooEntangled(navigation, operator);
  }
  const tests = [...itemTests(items), ...spent(items, depth, scope)];
  const found = sql`exists (${selectItems(sql`1`, items, tests, wanted)})`;
  return isAll ? sql`not ${found}` : found;
}

/** Counts the entities of nested operators, because a database would set no limit. */
function spent({ pairs }: RelatedItems, depth: number, { statement }: PathScope): readonly Sql[] {
  const item = pairs[0]?.[0].sql;
  const spend = depth === 0 || item === undefined ? null : statement.profile.values.documents.spendItem(item);
  return spend === null ? [] : [spend];
}

/** Translates the condition without a correlated subquery: membership of the source in a list of values. */
function amongPairs(items: RelatedItems, wanted: readonly Sql[], { profile }: StatementState): Sql {
  const pairs = items.pairs.map(([inner, outer]) => listed(inner, outer));
  const known = notNull(items.pairs.map(([inner]) => inner));
  // PostgreSQL searches a list that it expects to be long once per row. Many related entities have few sources.
  const distinct = profile.capabilities.correlatedSubqueries ? sql`distinct ` : sql``;
  const list = selectItems(sql`${distinct}${sql.join(pairs.map(([inner]) => inner))}`, items, known, wanted);
  const found = sql`${tuple(pairs.map(([, outer]) => outer))} in (${list}${endOfList(profile)})`;
  const present = notNull(items.pairs.map(([, outer]) => outer));
  return present.length === 0 ? found : sql`(${sql.join([found, ...present], sql` and `)})`;
}

function inJoinedList(items: RelatedItems, wanted: readonly Sql[], statement: StatementState): Sql {
  const known = notNull(items.pairs.map(([inner]) => inner));
  const select = (columns: Sql): Sql => selectItems(sql`distinct ${columns}`, items, known, wanted);
  const pairs = items.pairs.map(([inner, outer]) => listed(inner, outer));
  return isInJoinedList({ pairs, select }, items.source.level, statement);
}

function tooEntangled({ navigationProperty }: NavigationExpression, operator: string): Error {
  const message = `The database of this set cannot evaluate '${operator}' over ${navigationProperty.name} with a predicate that refers to anything but the related entities.`;
  return protocolError("UnsupportedQueryOption", message);
}

/** The related entities of a collection-valued navigation, for a subquery. */
interface RelatedItems {
  /** The entities that the navigation starts from. */
  readonly source: Relation;
  readonly related: Relation;
  /** The alias of the link table; null without one. */
  readonly link: string | null;
  /** Returns the start of the `from` clause, after all other parts of the subquery are translated. */
  readonly from: () => Sql;
  /** The first conditions of the subquery: see `Alive`. */
  readonly alive: readonly Sql[];
  /** Set if the links and the related entities must not be joined: the condition that links have one of these entities. */
  readonly linkedTo: ((wanted: readonly Sql[]) => Sql) | null;
  /** Columns of the subquery, each with the column of the source that must be equal. */
  readonly pairs: ReadonlyArray<readonly [inner: RowOperand, outer: RowOperand]>;
  /**
   * Whether several rows of the statement may have the same related entities. A correlated subquery reads them again for
   * each of these rows, so its cost is the product of rows and related entities.
   */
  readonly isShared: boolean;
  /** Whether each of several machines has the related entities of its rows. */
  readonly isPlaced: boolean;
  /** Whether it finds them there by a subquery at this place. */
  readonly isLocal: boolean;
  /** Further tests that a related entity belongs to the source, by which the database finds its machine. */
  readonly bare: readonly Sql[];
}

/** Finds the related entities of a collection-valued navigation, and joins the navigations to their source. */
function relatedItems(navigation: NavigationExpression, scope: PathScope): RelatedItems {
  const { statement } = scope;
  const source = findRelation(navigation.source, scope);
  const join = joinOf(navigation);
  const properties =
    join.kind === "direct" ? join.pairs.map(({ property }) => property) : join.from.map(({ property }) => property);
  const isShared = source !== scope.each || !source.isIdentifiedBy(properties);
  const items = joinItems(join, targetOf(navigation), source.qualified(), statement);
  const { joins } = statement.profile.capabilities;
  const { isPlaced, bare } = joins ? ELSEWHERE : placeItems(join, source, items, statement);
  const isLocal = isPlaced && scope.isCondition;
  return { source, ...items, isShared, isPlaced, isLocal, bare: isLocal ? bare : [] };
}

const ELSEWHERE = Object.freeze({ isPlaced: false, bare: Object.freeze([]) });

function placeItems(
  join: NavigationJoin,
  source: Relation,
  { plain, link }: Pick<JoinedItems, "plain" | "link">,
  { profile }: StatementState,
): Pick<RelatedItems, "isPlaced" | "bare"> {
  if (join.kind === "direct") {
    const isPlaced = source.placement.joins(join.pairs, source.rows, plain);
    return isPlaced ? { isPlaced, bare: bareTests(join.pairs, source.qualified(), plain) } : ELSEWHERE;
  }
  if (link === null || !areLinksLocal(join, source, plain, profile)) return ELSEWHERE;
  return { isPlaced: true, bare: bareLinkTests(join, join.from, link, source.qualified(), profile) };
}

interface JoinedItems extends Pick<RelatedItems, "related" | "from" | "pairs" | "link" | "alive" | "linkedTo"> {
  /** The related entities as their table has them, even if the statement gathers them. */
  readonly plain: Relation;
}

/**
 * Adds the entities of a target set that are related to a row of a statement.
 * @param outer the relation of that row, with qualified columns
 */
export function joinItems(
  join: NavigationJoin,
  target: EntitySet,
  outer: Relation,
  statement: StatementState,
): JoinedItems {
  const { profile } = statement;
  const rows = statement.rowsOf(target);
  const plain = addRelation(rows, new Level(), statement.nextAlias());
  if (join.kind === "direct") {
    const pairs = join.pairs.map(
      (pair) => [pairOperand(pair, "related", plain), pairOperand(pair, "property", outer)] as const,
    );
    const alive = plain.alive(statement);
    return { related: plain, plain, from: () => plain.from, pairs, link: null, alive, linkedTo: null };
  }
  const link = statement.nextAlias();
  const pairs = join.from.map((column) => linkEnds(column, link, outer, profile));
  const links = linkTable(join, link);
  const isJoined = profile.capabilities.joins || areLinkedLocal(join, plain, profile);
  // Links that are not joined can be counted only if each belongs to one entity.
  if (!isJoined && plain.isIdentifiedBy(join.to.map(({ property }) => property))) {
    const linkedTo = (wanted: readonly Sql[]): Sql => leadsTo({ join, link, profile }, plain, wanted);
    return { related: plain, plain, from: () => links, pairs, link, alive: [], linkedTo };
  }
  const { related } = joinedRows({ rows, level: plain.level, statement, alias: plain.alias, isGathered: !isJoined });
  const tests = [...bareLinkTests(join, join.to, link, related, profile), linkTest(join, link, related, profile)];
  const from = (): Sql => sql`${links} inner join ${related.from} on ${sql.join(tests, sql` and `)}`;
  const alive = [...linkAlive(join, link, statement), ...related.alive(statement)];
  return { related, plain, from, pairs, link, alive, linkedTo: null };
}

/** Returns the tests that a related entity belongs to the source. */
export function itemTests({
  pairs,
  bare = [],
}: Pick<RelatedItems, "pairs"> & Partial<Pick<RelatedItems, "bare">>): readonly Sql[] {
  return [...bare, ...pairs.map(([inner, outer]) => equal(inner, outer))];
}

/**
 * Selects from the related entities, or from their links if both must not be joined.
 * @param what the selected term, which refers to the inner sides of `pairs` only
 * @param known conditions on these
 * @param wanted conditions on the related entities
 */
export function selectItems(
  what: Sql,
  { from, related, alive, linkedTo }: Pick<RelatedItems, "from" | "related" | "alive" | "linkedTo">,
  known: readonly Sql[],
  wanted: readonly Sql[],
): Sql {
  if (linkedTo !== null) return sql`select ${what} from ${from()}${whereClause([...known, linkedTo(wanted)])}`;
  return sql`select ${what} from ${related.level.from(from())}${whereClause([...alive, ...known, ...wanted])}`;
}

/**
 * Whether a statement reads the related entities of all rows at once, grouped by row, instead of those of each row. This
 * prevents the product for shared entities, and costs one read of the related table. That is too much for a lookup of few
 * rows. Related entities of one row only are read once in either form, and an index on their foreign key then finds those
 * of the rows that other conditions leave.
 */
function readsAllAtOnce({ isShared }: RelatedItems, { profile, isLookup }: StatementState): boolean {
  return !profile.capabilities.correlatedSubqueries || (isShared && !isLookup);
}

/** Translates the number of related entities; null if the source entity is missing. */
export function countRelated(navigation: NavigationExpression, scope: PathScope): RowOperand {
  const { statement } = scope;
  const { syntax, values } = statement.profile;
  const items = relatedItems(navigation, scope);
  const { source } = items;
  // Counted again for each of the rows that share them, the related entities would cost more than a list.
  const isCountedEach = items.isLocal && !items.isShared;
  const count =
    !isCountedEach && readsAllAtOnce(items, statement)
      ? syntax.ifNull(joinedCount(navigation, items, statement), sql`0`)
      : sql`(${selectItems(sql`count(*)`, items, itemTests(items), [])})`;
  const form = values.canonicalForm(PRIMITIVE_TYPES["Edm.Int64"]);
  if (!source.isOptional) return { kind: "row", sql: count, form, nulls: "never" };
  const value = syntax.choose(isEntityPresent(source), count, sql`null`);
  return { kind: "row", sql: value, form, nulls: "computed" };
}

/** Joins the counts of all entities, grouped by entity; null for none. They are joined once, however often they are used. */
function joinedCount(
  { navigationProperty }: NavigationExpression,
  items: RelatedItems,
  statement: StatementState,
): Sql {
  const { counted, level } = items.source;
  const known = counted.get(navigationProperty);
  if (known !== undefined) return known;
  const alias = statement.nextAlias();
  const pairs = items.pairs.map(([inner, outer], index) => ({
    cells: listed(inner, outer),
    name: sql.id(`k${String(index)}`),
    joined: sql.id(alias, `k${String(index)}`),
  }));
  const values = sql.join(pairs.map(({ cells: [inner], name }) => sql`${inner} as ${name}`));
  const grouped = selectItems(sql`${values}, count(*) as ${sql.id("n")}`, items, [], []);
  // By position: an expression with bound values would differ from itself.
  const positions = sql.join(pairs.map((_pair, index) => sql.lit(index + 1)));
  statement.notes.longSorts += 1;
  const on = sql.join(
    pairs.map(({ cells: [, outer], joined }) => sql`${joined} = ${outer}`),
    sql` and `,
  );
  // Each machine counts the rows that are related to its own rows.
  const end = items.isPlaced ? sql`` : endOfList(statement.profile);
  joinOuter(level, statement, () => sql`(${grouped} group by ${positions}${end}) as ${sql.id(alias)} on ${on}`);
  const count = sql`${sql.id(alias, "n")}`;
  counted.set(navigationProperty, count);
  return count;
}

/** Makes the scope within a lambda operator: JSON items have columns too, so the columns of the entity are qualified. */
function itemScope(scope: PathScope, item: ItemScope): PathScope {
  const level = item instanceof Relation ? item.level : scope.level;
  // The predicate is part of the `where` of a subquery, if the items have one.
  const isCondition = item instanceof Relation || scope.isCondition;
  const items = [...scope.items, item];
  return Object.freeze({ ...scope, level, it: scope.it.qualified(), each: item, isCondition, items });
}
