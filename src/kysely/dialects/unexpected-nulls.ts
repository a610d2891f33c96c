import type { CatalogueQuery } from "../../introspect/catalogue-steps.ts";

/**
 * How a kind of database treats NULL in the columns of properties that are not nullable. Views, queries and expressions may
 * have it.
 */
export interface UnexpectedNulls {
  /** Whether it comes last in an order that does not place it. */
  readonly areLast: (descending: boolean) => boolean;
  /**
   * Returns the query that lists the columns of a table that are `not null`, by the keys of their names. Only other columns are
   * tested for NULL, because the test costs the index of a column. Null if it costs nothing: then all columns are tested.
   * @param table its quoted name
   */
  readonly listNotNull: ((table: string) => CatalogueQuery) | null;
}
