import type { AnyKysely, SynchronousReader } from "../connection/synchronous-reader.ts";

/**
 * How a kind of database treats NULL in the columns of properties that are not nullable. Views, queries and expressions may
 * have it, and no catalogue tells.
 */
export interface UnexpectedNulls {
  /** Whether it comes last in an order that does not place it. */
  readonly areLast: (descending: boolean) => boolean;
  /**
   * Returns the test whether a column of a table has none, as far as that is known. Other columns are tested for NULL, which
   * costs their index in some databases.
   */
  readonly provenColumns: (
    table: string,
    db: AnyKysely,
    reader: SynchronousReader | null,
  ) => (column: string) => boolean;
}
