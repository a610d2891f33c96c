import type { StructuralProperty } from "../../edm/model.ts";
import type { Row } from "../../query/row-shape.ts";
import type { SourceQuery } from "../../query/source.ts";
import type { CompileTarget, RowStatement } from "./compile-statement.ts";

/**
 * The most rows of a page, with those that it skips, whose cells each machine sends. About 3,600 rows from all machines cost
 * as much as reading the keys first, which is 112 of each of 32 shards. A page of 100 rows and the next one is below.
 */
const MOST_SENT_WHOLE = 128;

/** The table of a page. */
interface KeyedTarget extends Pick<CompileTarget, "from" | "profile"> {
  readonly key: readonly StructuralProperty[];
}

/**
 * Returns whether to read the keys of a page before their rows. This reads the source twice, so it is a table whose filter,
 * order and row rules follow no navigation: otherwise both reads would gather the related entities.
 * @see docs/decisions/0050-keys-before-rows.md
 */
export function isKeysFirst(query: SourceQuery, { from, profile, key }: KeyedTarget): boolean {
  const { top, skip, selected, joined = [], sources } = query;
  if (profile.capabilities.excludedRows !== "sent" || top === undefined || top + skip <= MOST_SENT_WHOLE) return false;
  if (from.table === undefined || from.needsFence === true || joined.length > 0) return false;
  if (sources !== undefined && sources.size > 0) return false;
  return selected.some(({ property }) => !key.some(({ field }) => field === property.field));
}

/**
 * Returns whether rows of a page may be missing, because they were changed or deleted after their keys were read. No row tells
 * the number of keys if all are missing.
 */
export function mayMiss(rows: readonly Row[], { width }: RowStatement): boolean {
  return Number(rows[0]?.[width - 1]) !== rows.length;
}
