import { sql } from "kysely";
import type { StructuralProperty } from "../edm/model.ts";
import type { Sql } from "./sql-form.ts";
import type { PlansByField } from "./table-columns.ts";

/** The name of the rows within a statement: that of the current instance in OData. */
export const ROWS_ALIAS = "it";

/** What paths of properties begin with: the columns of the entity, or the items of the lambda operators around them. */
export interface PathScope {
  readonly plans: PlansByField;
  /** Refers to a column of the entity. */
  readonly column: (name: string) => Sql;
  /** By the depth of their operator. */
  readonly items: readonly ItemScope[];
}

/** The item that a lambda operator looks at. */
export interface ItemScope {
  /** The collection that it is an item of. */
  readonly collection: StructuralProperty;
  /** The JSON text that holds the collection. */
  readonly document: Sql;
  /** The name of the items, as `json_each` gives them. */
  readonly alias: string;
}

/** The scope of a whole statement. */
export function rowScope(plans: PlansByField): PathScope {
  return Object.freeze({ plans, column: columnRef, items: [] });
}

/** The scope within one more lambda operator: `json_each` has columns of its own, so those of the entity are qualified. */
export function itemScope(scope: PathScope, item: ItemScope): PathScope {
  return Object.freeze({ ...scope, column: qualifiedRef, items: [...scope.items, item] });
}

/** The reference to a column. */
export function columnRef(name: string): Sql {
  return sql`${sql.id(name)}`;
}

function qualifiedRef(name: string): Sql {
  return sql`${sql.id(ROWS_ALIAS, name)}`;
}
