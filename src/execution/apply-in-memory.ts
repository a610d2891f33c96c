import { chain, type Maybe } from "../base/maybe.ts";
import { once } from "../base/once.ts";
import type { Context } from "../definition/context.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { asEntity } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import type { MemoryQuery } from "../memory/memory-query.ts";
import { type MentionsPlan, planMentions } from "../plan/plan-mentions.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";
import type { QueryClauses } from "../query/mentions.ts";
import type { EntityPage, SourceQuery } from "../query/source.ts";
import { loadRelations } from "./load-relations.ts";
import { startLoads, withOption } from "./load-run.ts";

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/**
 * Applies a query to entities in memory, whatever its expressions lead to: what they do is loaded first.
 * @param rows the application's objects
 * @throws ODataError and TypeError as for loadRelations and applyQuery
 * @see OData Protocol 4.0, section 11.2.1 (order of evaluation)
 */
export function applyInMemory(
  rows: Iterable<unknown>,
  query: MemoryQuery & Pick<SourceQuery, "values">,
  context: Context,
): Maybe<EntityPage> {
  const plan = planMentions(query);
  const evaluation = new Evaluation(query.values);
  return plan === null ? applyClauses(rows, query, evaluation) : applyPlan(plan, rows, { query, evaluation, context });
}

/** What is applied, and by what. */
interface Application {
  readonly query: MemoryQuery;
  readonly evaluation: Evaluation;
  readonly context: Context;
}

function applyPlan(
  plan: MentionsPlan,
  rows: Iterable<unknown>,
  { query, evaluation, context }: Application,
): Maybe<EntityPage> {
  const { shape, orderBy, skip, top, count } = query;
  const keep = (entities: Iterable<unknown>, filter: FilterClause | null): readonly unknown[] => {
    const clauses = { shape, filter, orderBy: NO_ORDER, skip: 0, top: undefined, count: false };
    return applyClauses(entities, clauses, evaluation).entities;
  };
  const loads = once(() => startLoads(evaluation, context, "$filter"));
  const load = (clauses: QueryClauses | null, entities: readonly unknown[], option: string): Maybe<undefined> => {
    if (clauses === null || entities.length === 0) return undefined;
    const objects = entities.map((entity) => asEntity(entity, shape.entityType));
    return loadRelations(clauses, objects, withOption(loads(), option));
  };
  const own = keep(rows, plan.ownFilter);
  const kept = chain(load(plan.filter, own, "$filter"), () =>
    plan.filter === null ? own : keep(own, plan.filter.filter),
  );
  return chain(kept, (entities) =>
    // Where no row is asked for, but their number, their order does not matter.
    chain(top === 0 ? undefined : load(plan.orderBy, entities, "$orderby"), () =>
      applyClauses(entities, { shape, filter: null, orderBy, skip, top, count }, evaluation),
    ),
  );
}
