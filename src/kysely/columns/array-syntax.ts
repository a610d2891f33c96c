import type { StructuralProperty } from "../../edm/model.ts";
import type { Sql } from "../statement/sql-form.ts";

/** How one kind of database stores a collection of primitive values in an array of its own. */
export interface ArraySyntax {
  /** The items of a column behind `from`, as rows of `value`. */
  readonly items: (column: Sql, alias: string) => Sql;
  /** The item of a row of `items`. */
  readonly item: (alias: string) => Sql;
  /** The number of items; null where the column is null. */
  readonly length: (column: Sql) => Sql;
  /** The selected cell: a JSON array of texts and nulls. @param toSelected selects one item */
  readonly toSelected: (column: Sql, toSelected: (item: Sql) => Sql) => Sql;
  /** Writes the cells of the items, each null or as the format of the item encodes it. */
  readonly write: (
    cells: ReadonlyArray<string | number | bigint | boolean | null>,
    item: StructuralProperty,
  ) => unknown;
  /** Wraps the place of a written array. */
  readonly place: (cell: Sql, item: StructuralProperty) => Sql;
  /** Makes of a column what equals a written array, unless the database has rounded an item. */
  readonly compared: (column: Sql, item: StructuralProperty) => Sql;
}
