import { sql } from "kysely";
import { assertNever } from "../../base/assert-never.ts";
import type { Expression, LambdaExpression } from "../../query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import { findCollection } from "./find-path.ts";
import { itemScope, type PathScope } from "./path-scope.ts";
import { translateRelatedLambda } from "./translate-related-items.ts";

/** Translates the predicate of a lambda operator, which knows its item; null may stand for false. */
export type TranslatePredicate = (predicate: Expression, scope: PathScope) => Sql;

/**
 * Translates `any` and `all` over related entities, or over a collection that is stored as JSON or as an array. Never null: an item
 * whose predicate is null counts as one whose predicate is false, and a collection that is null has no items.
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
  // Within another operator the items are counted, for a database would go on for as long as it takes.
  const spend = depth === 0 ? null : documents.spendItem(sql.id(alias, "id"));
  const item = itemScope(scope, { collection: collection.property, document, alias, array });
  const condition = predicate === null ? null : translate(predicate, item);
  const wanted = condition === null ? null : wantedItem(operator, condition);
  const tests = [where, spend, wanted].filter((test) => test !== null);
  const items = sql`select 1 from ${from}${tests.length === 0 ? sql`` : sql` where ${sql.join(tests, sql` and `)}`}`;
  return operator === "all" ? sql`not exists (${items})` : sql`exists (${items})`;
}

function wantedItem(operator: LambdaExpression["operator"], condition: Sql): Sql {
  switch (operator) {
    case "any":
      return sql`(${condition})`;
    case "all":
      return sql`(${condition}) is not true`;
    default:
      return assertNever(operator);
  }
}
