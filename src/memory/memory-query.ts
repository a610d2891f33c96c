import type { QueryShape } from "../query/clauses.ts";
import type { SourceQuery } from "../query/source.ts";

/** What of a query rows in memory need: a query on a set is one, and so is that of an expansion. */
export interface MemoryQuery extends Pick<SourceQuery, "filter" | "orderBy" | "skip" | "top" | "count"> {
  readonly shape: Pick<QueryShape, "entityType" | "roundingMode">;
}
