import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import { planCount, type ReadForm } from "../plan/plan-collection.ts";
import type { BoundQuery } from "../query/clauses.ts";
import { runCollection } from "./run-collection.ts";

/**
 * Counts the entities that a query selects. A queryable source counts without handing over rows; a set that applies
 * the query itself is asked for its total, else its items are counted.
 * @throws ODataError that a handler returned or threw
 * @see specification, Collection read, `$count` and rule 5
 */
export function runCount(
  form: ReadForm,
  query: BoundQuery,
  handlers: EntitySetHandlers<Context>,
  context: Context,
): Maybe<number | bigint> {
  return chain(
    runCollection(planCount(form, query), handlers, context, null),
    (result) => result.count ?? result.entities.length,
  );
}
