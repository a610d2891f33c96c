import { chain, type Maybe, inTurns, Turn } from "../../base/maybe.ts";
import { once } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { QueryableHandler } from "../../definition/handlers.ts";
import type { EntityType } from "../../edm/model.ts";
import type { FilterClause, OrderByItem } from "../../language/query/clauses.ts";
import { mentionsOf, type QueryClauses } from "../../language/query/mentions.ts";
import type { EntityPage, Page, QueryableSource, SourceQuery } from "../../language/query/source.ts";
import { answeredValue, openedSource } from "../entities/handler-answer.ts";
import { gateOf, type Reader } from "../entities/reader.ts";
import { applySteps } from "../memory/apply-query.ts";
import { asEntity, Evaluation } from "../memory/evaluation.ts";
import type { MemoryQuery } from "../memory/order-rows.ts";
import { type CollectionPlan, planMentions } from "../plan/plan-collection.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { refuseUnjoined } from "./choose-joins.ts";
import { loadRelations } from "./load-relations.ts";
import { startLoads, type LoadRun } from "./load-run.ts";
import { resolveSource, resolveSources } from "./resolve-sources.ts";

/**
 * Opens the source of a planned read. The query may also use the same set along a navigation: the handler is still
 * called only once.
 */
export function openSource(
  { form, query, expand }: CollectionPlan,
  queryable: QueryableHandler<Context>,
  reader: Reader,
): Maybe<QueryableSource> {
  const { entitySet } = query.shape;
  if (
    form === "queryable" &&
    (gateOf(entitySet, reader) !== null || expand !== null || mentionsOf(query.shape) !== null)
  ) {
    return resolveSource(entitySet, queryable, reader);
  }
  const context = ServiceContext.ofSet(entitySet, reader.context);
  return chain(queryable(context), (source) => openedSource(answeredValue(source), context));
}

/**
 * Reads a page from a source. A database evaluates the expressions itself where it can join the sets that they use;
 * expressions over a list are evaluated in memory.
 * @throws ODataError `UnsupportedQueryOption`, naming the navigation, where neither is possible
 */
export function readFrom(source: QueryableSource, query: SourceQuery, reader: Reader): Maybe<Page> {
  const isPlain = planMentions(query) === null;
  // Work on a long list takes turns with other requests.
  if (source.entities !== undefined) return applyInMemory(source.entities(), query, reader);
  if (isPlain) return source.read(query);
  return chain(withMentioned(source, query, reader), (mentioned) => source.read(mentioned));
}

/**
 * Returns a query with the sources of the sets that its expressions mention.
 * @throws as for readFrom
 */
export function withMentioned(source: QueryableSource, query: SourceQuery, reader: Reader): Maybe<SourceQuery> {
  if (planMentions(query) === null) return query;
  const mentions = mentionsOf(query.shape);
  if (mentions === null) throw new Error("A clause mentions what its shape does not.");
  return chain(resolveSources(mentions.entitySets, reader), (mentioned) => {
    const option = query.shape.filter === null ? "$orderby" : "$filter";
    refuseUnjoined({ mentions, relational: source.relational, sources: mentioned }, option, query.shape.entitySet.name);
    return { ...query, sources: new Map([...(query.sources ?? []), ...mentioned]) };
  });
}

/**
 * Applies a query to entities in memory. The entities that its expressions lead to are loaded first.
 * @param rows the application's objects
 * @throws ODataError and TypeError as for loadRelations and applyQuery
 * @see OData Protocol 4.0, section 11.2.1 (order of evaluation)
 */
export function applyInMemory(
  rows: Iterable<unknown>,
  query: MemoryQuery & Pick<SourceQuery, "values" | "state">,
  reader: Reader,
): Maybe<EntityPage> {
  return applyTo(rows, query, new Application(new Evaluation(query.values, query.state), reader));
}

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** The state that all clauses of one query share while they are applied in memory. */
export class Application {
  readonly evaluation: Evaluation;
  readonly reader: Reader;
  readonly turn: Turn;
  /** The fields of the rows in which joins have put related entities. */
  readonly joined: Set<string> = new Set();
  readonly #loads: () => LoadRun;

  constructor(evaluation: Evaluation, reader: Reader) {
    const { turn = new Turn() } = reader;
    this.evaluation = evaluation;
    this.reader = reader;
    this.turn = turn;
    this.#loads = once(() => startLoads(evaluation, { ...reader, turn }, "$filter"));
  }

  /**
   * Loads the entities that expressions lead to.
   * @param clauses null: without such expressions
   * @param option the option that contains them, for errors
   */
  load(
    clauses: QueryClauses | null,
    entities: readonly unknown[],
    entityType: EntityType,
    option: string,
  ): Maybe<undefined> {
    if (clauses === null || entities.length === 0 || mentionsOf(clauses) === null) return undefined;
    const objects = entities.map((entity) => asEntity(entity, entityType));
    return loadRelations(clauses, objects, { ...this.#loads(), option });
  }
}

/** Applies a query like `applyInMemory`, in an evaluation that others share. @param option the option of all clauses, for errors */
export function applyTo(
  rows: Iterable<unknown>,
  query: MemoryQuery,
  application: Application,
  option?: string,
): Maybe<EntityPage> {
  const plan = planMentions(query);
  const { evaluation, turn } = application;
  if (plan === null) return inTurns((pace) => applySteps(rows, query, evaluation, pace), turn);
  const { shape, orderBy, after, skip, top, count } = query;
  const { entityType } = shape;
  const all = { shape, orderBy: NO_ORDER, skip: 0, top: undefined, count: false };
  const keep = (entities: Iterable<unknown>, filter: FilterClause | null): Maybe<readonly unknown[]> => {
    const page = inTurns((pace) => applySteps(entities, { ...all, filter }, evaluation, pace), turn);
    return chain(page, (kept) => kept.entities);
  };
  const kept = chain(keep(rows, plan.ownFilter), (own) =>
    chain(application.load(plan.filter, own, entityType, option ?? "$filter"), () =>
      plan.filter === null ? own : keep(own, plan.filter.filter),
    ),
  );
  return chain(kept, (entities) =>
    // The order does not matter if only the count is requested.
    chain(top === 0 ? undefined : application.load(plan.orderBy, entities, entityType, option ?? "$orderby"), () =>
      inTurns(
        (pace) => applySteps(entities, { shape, filter: null, orderBy, after, skip, top, count }, evaluation, pace),
        turn,
      ),
    ),
  );
}
