import { keptPer } from "../base/memo.ts";
import type { EntityType } from "../edm/model.ts";
import type { Evaluation } from "./evaluation.ts";
import type { MemoryQuery } from "./memory-query.ts";
import { areInOrder } from "./order-rows.ts";

/** By array. */
const verdictsOf = keptPer((_entityType: EntityType) => new WeakMap<readonly unknown[], boolean>());

/**
 * Whether rows are known to stand in the order that is asked for, so that reading may end with the page. That can only
 * be known of a frozen array, and only by the key, which never changes: it is looked at once, and remembered.
 */
export function isKnownOrder(
  rows: Iterable<unknown>,
  query: MemoryQuery,
  evaluation: Evaluation,
): rows is readonly unknown[] {
  if (!Array.isArray(rows) || !Object.isFrozen(rows) || !isKeyOrder(query)) return false;
  const verdicts = verdictsOf(query.shape.entityType);
  const known = verdicts.get(rows);
  if (known !== undefined) return known;
  const verdict = areInOrder(rows, query, evaluation);
  verdicts.set(rows, verdict);
  return verdict;
}

/** The order of the key, ascending: what is asked for without `$orderby`. */
function isKeyOrder({ orderBy, shape }: MemoryQuery): boolean {
  const { key } = shape.entityType;
  return (
    orderBy.length === key.length &&
    orderBy.every(({ expression, descending }, index) => {
      if (descending || expression.kind !== "property" || expression.source.kind !== "it") return false;
      return expression.property === key[index];
    })
  );
}
