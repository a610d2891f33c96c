/** The forms of statements that a database supports. One on several machines supports few. */
export interface DialectCapabilities {
  /** The first rows of each parent: by `key in (select … limit n)`, by `cross join lateral (… limit n)`, by `row_number()`. */
  readonly topPerParent: "correlated" | "lateral" | "window";
  /** Whether a subquery may refer to the outer row (`exists`, counts). Otherwise: `key in (select …)`. */
  readonly correlatedSubqueries: boolean;
  /** Whether `key in (select …)` may read the whole list even for few keys, unlike `exists`. */
  readonly listsWhole: boolean;
  /** Whether `key in (select …)` searches a long list once per row, unlike `exists`, unless it becomes a join. */
  readonly searchesLists: boolean;
  /**
   * How the database handles cells of rows that a limit or an offset excludes: it skips them; it computes them; each machine
   * computes them and sends them to the machine that merges the rows.
   */
  readonly excludedRows: "skipped" | "computed" | "sent";
  /** Whether one statement returns a page and its total. */
  readonly countsWithPage: boolean;
  /** Whether to join single-valued navigations in expansions and orders. Otherwise each is read by key. */
  readonly joins: boolean;
  /**
   * Whether conditions list the keys of parents whose related entities are read: a database on several machines then reads only on
   * the machines that have them.
   */
  readonly bindsKeys: boolean;
  /** Whether `returning` may call functions that depend on the session, and contain subqueries. */
  readonly returnsAnything: boolean;
  /** Whether a write may read other rows in a subquery. Otherwise they are read before. */
  readonly readsInWrites: boolean;
  /** Whether rows can be locked by any condition. Otherwise they are locked by their keys. */
  readonly locksByCondition: boolean;
}
