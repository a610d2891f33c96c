import type { PrimitiveValue } from "../edm/value-codec.ts";
import { tooManyItems } from "../query/item-budget.ts";

/** Most items that such lambda operators of one execution look at: about a second of work. */
const MAX_ITEMS = 20_000_000;

/** By the array of parameter values, one per execution. */
const spent = new WeakMap<readonly PrimitiveValue[], { items: number }>();

/**
 * Counts the items that a lambda operator looks at, where it stands within another one or entities share them.
 * @param values the values of the parameters, by which the execution is known
 * @throws ODataError `InvalidQueryOption` above the most that an execution may look at
 * @see decisions, Smaller points (cost of a request)
 */
export function spendItems(values: readonly PrimitiveValue[], items: number): void {
  const known = spent.get(values);
  if (known === undefined) {
    spent.set(values, { items });
    return;
  }
  known.items += items;
  if (known.items > MAX_ITEMS) throw tooManyItems(MAX_ITEMS);
}
