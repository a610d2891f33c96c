import type { StructuralProperty } from "../../edm/model.ts";
import type { ArrayPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import { Level, Relation, type Rows, type StatementScope } from "./relation.ts";

/** The name of the rows within a statement: that of the current instance in OData. */
export const ROWS_ALIAS = "it";

/** What paths of properties begin with: the entity, or the items of the lambda operators around them. */
export interface PathScope {
  readonly statement: StatementScope;
  /** The innermost `from`. */
  readonly level: Level;
  /** The entity that the whole expression is evaluated for. */
  readonly it: Relation;
  /** By the depth of their operator. */
  readonly items: readonly ItemScope[];
}

/** The item that a lambda operator looks at: an entity, or what a JSON text holds. */
export type ItemScope = Relation | DocumentItem;

/** An item of a collection that is stored as JSON, or as an array. */
export interface DocumentItem {
  /** The collection that it is an item of. */
  readonly collection: StructuralProperty;
  /** The JSON text that holds the collection. */
  readonly document: Sql;
  /** The name of the items. */
  readonly alias: string;
  /** Where the items are those of an array of the database. */
  readonly array?: ArrayPlan | undefined;
}

/** The scope of a whole statement over rows. */
export function rowScope(rows: Rows, statement: StatementScope, alias: string = ROWS_ALIAS): PathScope {
  const level = new Level();
  const isQualified = statement.isRelational;
  const it = new Relation({ alias, rows, level, isOptional: false, isQualified });
  return relationScope(it, statement);
}

/** The scope of what is asked of the rows of one relation. */
export function relationScope(it: Relation, statement: StatementScope): PathScope {
  return Object.freeze({ statement, level: it.level, it, items: [] });
}

/** The scope within one more lambda operator: items of JSON have columns of their own, so those of the entity are qualified. */
export function itemScope(scope: PathScope, item: ItemScope): PathScope {
  const level = item instanceof Relation ? item.level : scope.level;
  return Object.freeze({ ...scope, level, it: scope.it.qualified(), items: [...scope.items, item] });
}
