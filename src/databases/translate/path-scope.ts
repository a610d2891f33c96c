import type { StructuralProperty } from "../../edm/model.ts";
import type { ArrayPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Level, Relation, StatementState } from "./relation.ts";

/** The alias of the rows within a statement, like `$it` in OData. */
export const ROWS_ALIAS = "it";

/** The possible starts of a path: the entity, or the items of enclosing lambda operators. */
export interface PathScope {
  readonly statement: StatementState;
  /** The innermost `from`. */
  readonly level: Level;
  /** The entity that the whole expression is evaluated for. */
  readonly it: Relation;
  /** The rows that the innermost `from` reads once each; null if it reads a row several times. */
  readonly each: ItemScope | null;
  /**
   * Whether the expression is part of a `where`: elsewhere, several machines may refuse subqueries that refer to the
   * row.
   */
  readonly isCondition: boolean;
  /** By the depth of their operator. */
  readonly items: readonly ItemScope[];
}

/** The current item of a lambda operator: an entity, or a value within JSON text. */
export type ItemScope = Relation | DocumentItem;

/** An item of a collection that is stored as JSON, or as an array. */
interface DocumentItem {
  /** The collection of the item. */
  readonly collection: StructuralProperty;
  /** The JSON text that contains the collection. */
  readonly document: Sql;
  /** The alias of the items. */
  readonly alias: string;
  /** Present if the items are in an array of the database. */
  readonly array?: ArrayPlan | undefined;
}

/** Makes the scope of a condition over the rows of one relation. */
export function relationScope(it: Relation, statement: StatementState): PathScope {
  return Object.freeze({ statement, level: it.level, it, each: it, isCondition: true, items: [] });
}

/** Makes the scope of other expressions over the same rows. */
export function outsideConditions(scope: PathScope): PathScope {
  return Object.freeze({ ...scope, isCondition: false });
}
