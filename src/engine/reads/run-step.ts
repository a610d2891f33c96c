import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, inTurns, isPromiseLike, type Maybe, type Pace, type Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type {
  ApplyBranch,
  ApplyStep,
  ConcatStep,
  JoinStep,
  OrderByItem,
  RoundingMode,
  TotalsStep,
} from "../../language/query/clauses.ts";
import {
  isOfHierarchy,
  type ReachStep,
  type RelativesStep,
  type TopLevelsStep,
} from "../../language/query/hierarchy-clauses.ts";
import type { QueryClauses } from "../../language/query/mentions.ts";
import { type Reader, serviceOf } from "../entities/reader.ts";
import { groupRows, limitRows, totalRows, type StepRun } from "../memory/apply-steps.ts";
import { asEntity, relatedOf, relatedTable } from "../memory/evaluation.ts";
import { visitRows } from "../memory/visit-rows.ts";
import { type Application, applyTo } from "./read-source.ts";
import { withFields } from "./with-computed.ts";

/** The fewest rows that steps may keep and visit in memory, whatever the limit of a response: later steps may merge them. */
const LEAST_ROW_LIMIT = 1_000_000;

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** Returns the expressions of a step as a query. */
export const clausesOfStep: (step: ApplyStep) => QueryClauses = keptPer((step) => {
  const { inputType: entityType } = step;
  const branch: ApplyBranch = { steps: [step], entityType, isTransformed: false, computed: [], orderBy: NO_ORDER };
  return { filter: null, orderBy: NO_ORDER, apply: { branches: [branch], entityType } };
});

function rowLimit({ context }: Reader): number | null {
  const limit = serviceOf(context).limits.maxResponseEntities;
  return limit === null ? null : Math.max(limit, LEAST_ROW_LIMIT);
}

/**
 * Counts the rows that the steps of one pipeline visit. The first pass is free, like the pass of `$filter`: it visits the
 * rows of the set.
 * @returns a function to call before each pass, which returns its rows. It throws ODataError `InvalidQueryOption` above the
 *   limit; rows that are not an array throw it while they are visited
 * @see docs/reference/limits.md
 */
export function passBudget(reader: Reader, setName: string): (rows: Iterable<unknown>) => Iterable<unknown> {
  const limit = rowLimit(reader);
  let visited: number | null = null;
  const spend = (count: number): void => {
    visited = (visited ?? 0) + count;
    if (limit !== null && visited > limit) throw tooManyVisits(limit, setName);
  };
  return (rows) => {
    if (visited === null) {
      visited = 0;
      return rows;
    }
    if (!Array.isArray(rows)) return spending(rows, spend);
    const all: readonly unknown[] = rows;
    spend(all.length);
    return all;
  };
}

function* spending(rows: Iterable<unknown>, spend: (count: number) => void): Iterable<unknown> {
  for (const row of rows) {
    spend(1);
    yield row;
  }
}

function tooManyVisits(limit: number, setName: string): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The steps of $apply behind the first one would visit more than ${String(limit)} rows of ${setName} in memory: begin with a filter that matches fewer entities, or write fewer steps.`,
    { target: "$apply" },
  );
}

/**
 * Applies one step of `$apply` to rows. The entities that its expressions lead to are loaded first.
 * @throws ODataError `InvalidQueryOption` for too many groups; as for loadRelations
 * @see docs/reference/apply.md
 */
export function runStep(
  rows: Iterable<unknown>,
  step: Exclude<ApplyStep, ConcatStep | RelativesStep | TopLevelsStep | ReachStep>,
  roundingMode: RoundingMode,
  application: Application,
): Maybe<Iterable<unknown>> {
  if (step.kind === "join") return joinRows(rows, step, roundingMode, application);
  const { evaluation, reader, turn } = application;
  const { inputType: entityType } = step;
  const all = {
    shape: { entityType, roundingMode },
    filter: null,
    orderBy: NO_ORDER,
    skip: 0,
    top: undefined,
    count: false,
  };
  if (step.kind === "filter") {
    return chain(applyTo(rows, { ...all, filter: step.filter }, application, "$apply"), ({ entities }) => entities);
  }
  const run: StepRun = { roundingMode, evaluation, maxGroups: rowLimit(reader) };
  return chain(applyTo(rows, all, application), ({ entities }) =>
    chain(application.load(clausesOfStep(step), entities, entityType, "$apply"), () =>
      inTurns<Iterable<unknown>>((pace) => {
        if (step.kind === "group") return groupRows(entities, step, run, pace);
        return step.kind === "totals" ? withTotals(entities, step, run, pace) : limitRows(entities, step, run, pace);
      }, turn),
    ),
  );
}

const clausesOfJoin: (step: JoinStep) => QueryClauses = keptPer(({ path }) => {
  const orderBy = [{ expression: path, descending: false }];
  return { filter: null, orderBy };
});

/** Repeats each row for each of its related entities. */
function joinRows(
  rows: Iterable<unknown>,
  step: JoinStep,
  roundingMode: RoundingMode,
  application: Application,
): Maybe<readonly object[]> {
  const { inputType, path, joined, steps, isOuter } = step;
  const { reader, evaluation } = application;
  const limit = rowLimit(reader);
  const given = [...rows];
  const made: object[] = [];
  const table = relatedTable(evaluation.relations, { entitySet: path.entitySet, navigationProperty: joined });
  application.joined.add(joined.field);
  const add = (row: object, related: Iterable<unknown>): void => {
    const all = [...related];
    for (const each of all.length === 0 && isOuter ? [null] : all) {
      const entity = each === null ? null : asEntity(each, joined.entityType);
      const copy = withFields(row, inputType, { [joined.field]: entity }, [joined.field]);
      table.set(copy, entity);
      made.push(copy);
    }
    if (limit !== null && made.length > limit) throw tooManyVisits(limit, path.entitySet.name);
  };
  const joinFrom = (start: number): Maybe<readonly object[]> => {
    for (let index = start; index < given.length; index += 1) {
      const row = asEntity(given[index], inputType);
      const found = relatedOf(evaluation.relations, path, row) ?? [];
      const list: Maybe<Iterable<unknown>> = Array.isArray(found) ? found : [found];
      const related = steps.reduce<Maybe<Iterable<unknown>>>((before, each) => {
        if (each.kind === "concat" || each.kind === "reach" || isOfHierarchy(each)) {
          throw new Error("A join has no such steps.");
        }
        return chain(before, (input) => runStep(input, each, roundingMode, application));
      }, list);
      if (isPromiseLike(related)) {
        return related.then((all) => {
          add(row, all);
          return joinFrom(index + 1);
        });
      }
      add(row, related);
    }
    return made;
  };
  return chain(application.load(clausesOfJoin(step), given, inputType, "$apply"), () => joinFrom(0));
}

/** Returns copies of rows with the totals of their groups. */
function* withTotals(rows: readonly unknown[], step: TotalsStep, run: StepRun, pace: Pace): Steps<readonly object[]> {
  const fields = step.aggregates.map(({ property }) => property.field);
  const totals = yield* totalRows(rows, step, run, pace);
  const copies: object[] = [];
  const copy = (row: unknown): boolean => {
    const entity = asEntity(row, step.inputType);
    return copies.push(withFields(entity, step.inputType, totals[copies.length] ?? {}, fields)) > 0;
  };
  yield* visitRows(rows, copy, pace, run.evaluation);
  return copies;
}
