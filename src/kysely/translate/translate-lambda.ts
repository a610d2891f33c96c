import { sql } from "kysely";
import { protocolError } from "../../errors/odata-error.ts";
import type { Expression, LambdaExpression, NavigationExpression } from "../../query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { ConditionMode } from "../statement/sql-operand.ts";
import { notTrue } from "./constant-condition.ts";
import { findCollection } from "./find-path.ts";
import { endOfList, listed, notNull, tuple } from "./join-navigation.ts";
import { itemScope, type PathScope } from "./path-scope.ts";
import { itemTests, readsAllAtOnce, relatedItems, selectItems, type RelatedItems } from "./related-items.ts";
import { whereClause, type StatementState } from "./relation.ts";
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
  const { documents, alive } = scope.statement.profile;
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
  const spend = depth === 0 || item === undefined ? null : statement.profile.documents.spendItem(item);
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
