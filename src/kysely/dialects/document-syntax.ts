import type { StructuralProperty } from "../../edm/model.ts";
import type { FormedSql, Sql } from "../statement/sql-form.ts";

/** The items of a JSON array as rows. */
export interface DocumentItems {
  /** What stands behind `from`. */
  readonly from: Sql;
  /** What must hold for a row to be an item; null when each is one. */
  readonly where: Sql | null;
}

/**
 * How one kind of database looks into JSON. A document is a piece of SQL: a column, or an item of an array; a path leads
 * to a value within it, by the keys of the application. What is absent is null, and so is the null of JSON.
 */
export interface DocumentSyntax {
  /**
   * A single value at the end of a path, of the type of the path's last property.
   * @param owner the property that is stored as the text, for messages
   * @throws ODataError `UnsupportedQueryOption` for a type that cannot be compared there
   */
  readonly member: (document: Sql, path: readonly StructuralProperty[], owner: string) => FormedSql;
  /** The item of an array that `items` calls `alias`, of the type of the collection's items. @throws as `member` */
  readonly item: (document: Sql, alias: string, collection: StructuralProperty) => FormedSql;
  /** That item as a document in its turn. */
  readonly itemDocument: (alias: string) => Sql;
  /** Whether there is nothing but null at the end of a path. */
  readonly isNull: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The number of items of an array; null when there is none. */
  readonly length: (document: Sql, path: readonly StructuralProperty[]) => Sql;
  /** The items of an array; none when there is no array. */
  readonly items: (document: Sql, path: readonly StructuralProperty[], alias: string) => DocumentItems;
  /** A condition, always true, that fails the statement when nested lambda operators look at too many items; null: none. */
  readonly spendItem: (item: Sql) => Sql | null;
}
