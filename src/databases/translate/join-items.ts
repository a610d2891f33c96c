import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import type { Aggregate } from "../../language/query/clauses.ts";
import { areOwned, type EachExpression, isEach } from "../../language/query/each-item.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { findRelation } from "./find-path.ts";
import { joinedRows } from "./gathered-relation.ts";
import { asDirect, equalColumns, joinOf, targetOf } from "./join-navigation.ts";
import type { PathScope } from "./path-scope.ts";
import { joinOuter, Relation } from "./relation.ts";
import type { ItemContext } from "./translate-group.ts";

/** The names of the table and column that repeat each row: once for itself, and once for each collection. */
const PARTS = "odata_parts";
const PART = "part";

/** The items of the aggregates of one step. */
export interface JoinedItems {
  readonly joinItems: (expression: EachExpression) => ItemContext;
  /** The condition of the rows that are not repeated; null: none is. */
  readonly isRow: Sql | null;
}

/**
 * Joins the items of all operands to the rows of a step. With several collections, a row is repeated for each of them, so that
 * no item is counted twice.
 * @param translatorOf makes the translator of expressions within a scope
 * @throws ODataError `UnsupportedQueryOption` where items would have to be found once for several rows, or on other machines
 */
export function joinItemsOf(
  aggregates: readonly Aggregate[],
  scope: PathScope,
  translatorOf: (scope: PathScope) => Translator,
): JoinedItems {
  const { profile } = scope.statement;
  const paths = [...new Set(aggregates.map(({ expression }) => (isEach(expression) ? pathOf(expression) : "")))];
  const conditionOf = (path: string): readonly Sql[] =>
    paths.length === 1 ? [] : [sql`${sql.id(PARTS, PART)} = ${sql.lit(paths.indexOf(path))}`];
  if (paths.length > 1) {
    const parts = paths.map((_path, index) => sql`select ${sql.lit(index)} as ${sql.id(PART)}`);
    scope.level.join(() => sql` cross join (${sql.join(parts, sql` union all `)}) as ${sql.id(PARTS)}`);
  }
  const known = new Map<string, PathScope>();
  const joinItems = (expression: EachExpression): ItemContext => {
    if (!areOwned(expression) || !profile.capabilities.joins) {
      throw protocolError("UnsupportedQueryOption", "The database cannot aggregate along this path.");
    }
    const path = pathOf(expression);
    const inner = known.get(path) ?? joinEach(expression, scope, conditionOf(path));
    known.set(path, inner);
    const item = inner.items.at(-1);
    if (!(item instanceof Relation)) throw new Error(`${path} leads to no entity.`);
    return { profile, scope: inner, translator: translatorOf(inner), isItem: item.isPresent() };
  };
  return { joinItems, isRow: paths.includes("") ? (conditionOf("")[0] ?? null) : null };
}

/** Joins the items of nested collections. @returns the scope of the innermost items */
function joinEach({ collection, predicate }: EachExpression, scope: PathScope, first: readonly Sql[]): PathScope {
  const { statement, level } = scope;
  const source = findRelation(collection.source, scope);
  const { pairs } = asDirect(joinOf(collection), collection.navigationProperty);
  const { related, optional } = joinedRows({ rows: statement.rowsOf(targetOf(collection)), level, statement });
  const tests = [
    ...first,
    ...related.alive(statement),
    ...pairs.map((pair) => equalColumns(pair, source.qualified(), related)),
  ];
  joinOuter(level, statement, () => sql`${related.from} on ${sql.join(tests, sql` and `)}`);
  const inner = { ...scope, items: [...scope.items, optional()] };
  return isEach(predicate) ? joinEach(predicate, inner, []) : inner;
}

function pathOf({ collection, predicate }: EachExpression): string {
  const { name } = collection.navigationProperty;
  return isEach(predicate) ? `${name}/${pathOf(predicate)}` : name;
}
