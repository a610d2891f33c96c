import { protocolError, tooManyBytes, type ODataError } from "../../base/errors/odata-error.ts";
import { chain, inTurns, type Maybe, type Steps, type Turn } from "../../base/maybe.ts";
import type { FilterClause, QueryShape } from "../../language/query/clauses.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import type { Page, QueryableSource, SourcesBySet } from "../../language/query/source.ts";
import { rowReader, toRow, wholeEntity } from "../entities/canonical-entity.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { visitRows } from "../memory/visit-rows.ts";
import { firstFilters, inputShape } from "../plan/apply-shapes.ts";
import { findUnjoined } from "../plan/join-expansions.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import { wholePage } from "../plan/plan-paging.ts";
import { clausesOf } from "../plan/row-rules.ts";
import { totalOrderOf } from "../plan/total-order.ts";
import { toSourceQuery } from "./page-query.ts";
import { type Application, readFrom } from "./read-source.ts";
import { resolveSources } from "./resolve-sources.ts";

/** Entities to which the steps after the first ones remain to be applied. */
export interface Input {
  readonly rows: readonly unknown[];
  /** The number of conditions that the rows meet already. */
  readonly first: number;
}

/** The nodes that the steps of a hierarchy need, and the sources of the sets that their conditions mention. */
export interface ReachedNodes {
  readonly shape: QueryShape;
  readonly sources: SourcesBySet;
}

/**
 * Reads the entities of a source that does not evaluate `$apply`.
 * @param reached those that are read; null: all that meet the first conditions
 * @throws ODataError `InvalidQueryOption` for more entities than `maxIterableEntities`; as for readFrom
 * @see docs/reference/limits.md
 */
export function readInput(
  source: QueryableSource,
  plan: CollectionPlan,
  { reader, evaluation, turn }: Application,
  reached: ReachedNodes | null = null,
): Maybe<Input> {
  const { apply, entitySet } = plan.query.shape;
  const limit = serviceOf(reader.context).limits.maxIterableEntities;
  return chain(joinedFilters(source, apply === undefined ? [] : firstFilters(apply), reader), (filters) => {
    const shape = reached?.shape ?? inputShape(plan.query.shape, filters);
    const top = limit === null ? undefined : limit + 1;
    const page = wholePage(top);
    const read: CollectionPlan = {
      ...plan,
      query: { ...plan.query, shape, count: false },
      skip: 0,
      keyset: null,
      page,
      orderBy: totalOrderOf(shape),
      expand: null,
    };
    const selected = wholeEntity(entitySet);
    const bytes = reader.bytes?.part();
    const made = { isRow: true, selected, state: evaluation, ...(reached && { sources: reached.sources }) };
    const query = toSourceQuery(read, { ...reader, bytes }, made);
    return chain(reached === null ? readFrom(source, query, reader) : source.read(query), (found) => {
      if (found.isCut === true) throw tooManyBytes("What $apply reads");
      if (limit !== null && found.entities.length > limit) throw tooManyInput(limit);
      return chain(objectsOf(found, turn), (rows) => ({ rows, first: filters.length }));
    });
  });
}

/** Returns the first conditions that the source can evaluate. */
function joinedFilters(
  { relational }: QueryableSource,
  filters: readonly FilterClause[],
  reader: Reader,
): Maybe<readonly FilterClause[]> {
  const mentioned = filters.map((filter) => mentionsOf(clausesOf(filter)));
  const sets = [...new Set(mentioned.flatMap((mentions) => mentions?.entitySets ?? []))];
  return chain(resolveSources(sets, reader), (sources) => {
    const end = mentioned.findIndex(
      (mentions) => mentions !== null && findUnjoined({ mentions, relational, sources }) !== null,
    );
    return end < 0 ? filters : filters.slice(0, end);
  });
}

function tooManyInput(limit: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `$apply would have to read more than ${String(limit)} entities: begin it with a filter that matches fewer entities.`,
    { target: "$apply" },
  );
}

/** Returns the entities of a page as the application's objects. */
export function objectsOf(
  { entities, rowShape }: Pick<Page, "entities" | "rowShape">,
  turn: Turn,
): Maybe<readonly unknown[]> {
  if (rowShape === undefined) return entities;
  const read = rowReader(rowShape);
  return inTurns(function* convert(pace): Steps<readonly unknown[]> {
    const objects: object[] = [];
    yield* visitRows(entities, (row) => objects.push(read(toRow(row))) > 0, pace);
    return objects;
  }, turn);
}
