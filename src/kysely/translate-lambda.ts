import { sql } from "kysely";
import { assertNever } from "../errors/assert-never.ts";
import type { Expression, LambdaExpression } from "../query/expression.ts";
import { bindSlot } from "./parameter-slot.ts";
import { itemScope, type PathScope } from "./path-scope.ts";
import type { Sql } from "./sql-form.ts";
import { findCollection, jsonPath } from "./translate-property.ts";

/** Translates the predicate of a lambda operator, which knows its item; null may stand for false. */
export type TranslatePredicate = (predicate: Expression, scope: PathScope) => Sql;

/**
 * Translates `any` and `all` over a collection that is stored as JSON. Never null: an item whose predicate is null counts
 * as one whose predicate is false, and a collection that is null has no items.
 * @see OData URL Conventions 4.0, sections 5.1.1.5.1 and 5.1.1.5.2
 */
export function translateLambda(expression: LambdaExpression, scope: PathScope, translate: TranslatePredicate): Sql {
  const { operator, collection, depth, predicate } = expression;
  if (collection.kind === "navigation") throw new Error("Navigation has no form in SQL.");
  const { document, path } = findCollection(collection, scope);
  const alias = `item${depth}`;
  const at = path.length === 0 ? sql`` : sql`, ${jsonPath(path)}`;
  // Of a JSON null there is one row, without a key.
  const each = sql`select 1 from json_each(${document}${at}) as ${sql.id(alias)} where ${sql.id(alias, "key")} is not null`;
  // Within another operator the items are counted, for SQLite would go on for as long as it takes. The item is named, for
  // a condition without it would be asked once for all of them.
  const items =
    depth === 0 ? each : sql`${each} and odata_spend_item(${bindSlot(({ id }) => id)}, ${sql.id(alias, "id")})`;
  if (predicate === null) return sql`exists (${items})`;
  const condition = translate(predicate, itemScope(scope, { collection: collection.property, document, alias }));
  switch (operator) {
    case "any":
      return sql`exists (${items} and (${condition}))`;
    case "all":
      return sql`not exists (${items} and (${condition}) is not true)`;
    default:
      return assertNever(operator);
  }
}
