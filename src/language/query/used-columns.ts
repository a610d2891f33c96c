/** The columns that a statement uses, with their tables, all quoted. */
export interface UsedColumns {
  /** Those by which it finds, sorts or groups rows, so that an index may serve it. */
  readonly found: ReadonlyArray<readonly [table: string, column: string]>;
  /**
   * Those of conditions that no index serves, with the operation that reads each row, such as `contains`. Empty if an index may
   * serve another condition.
   */
  readonly scanned: ReadonlyArray<readonly [table: string, column: string, operation: string]>;
}
