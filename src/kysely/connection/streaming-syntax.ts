/** How a server reads a page in parts, in one transaction that reads a snapshot. */
export interface StreamingSyntax {
  /** Whether a transaction leaves connections for other requests. */
  readonly hasConnections: (adapter: object) => boolean;
  /** Returns the commands that begin such a transaction. @param timeout milliseconds for each statement; null: no limit */
  readonly begin: (timeout: number | null) => readonly string[];
  /** A cursor reads any order. Absent: parts are found by the key. */
  readonly cursor?: {
    readonly declare: (statement: string) => string;
    readonly fetch: (rows: number) => string;
  };
  /** Explains a statement that finds rows after a key, with the check that an index serves it. */
  readonly search?: {
    readonly explain: (statement: string) => string;
    readonly isServed: (plan: readonly (readonly unknown[])[]) => boolean;
  };
}
