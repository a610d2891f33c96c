import { chain, inTurns, type Maybe } from "../../base/maybe.ts";
import { keeper, keptPer } from "../../base/memo.ts";
import { groupRows, limitRows, type StepRun } from "../../memory/apply-steps.ts";
import type { ApplyBranch, ApplyStep, OrderByItem, RoundingMode } from "../../query/clauses.ts";
import type { QueryClauses } from "../../query/mentions.ts";
import { serviceOf } from "../entities/reader.ts";
import { type Application, applyTo } from "./read-source.ts";

/** The fewest groups that each step may make in memory, whatever the limit of a response: later steps may merge them. */
const LEAST_GROUP_LIMIT = 1_000_000;

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** Returns the expressions of a step as a query. */
const clausesOfStep: (step: ApplyStep) => QueryClauses = keptPer((step) => {
  const { inputType: entityType } = step;
  const branch: ApplyBranch = { steps: [step], entityType, isTransformed: false, computed: [], orderBy: NO_ORDER };
  return keeper<QueryClauses>({ filter: null, orderBy: NO_ORDER, apply: { branches: [branch], entityType } });
});

/**
 * Applies one step of `$apply` to rows. The entities that its expressions lead to are loaded first.
 * @throws ODataError `InvalidQueryOption` for too many groups; as for loadRelations
 * @see docs/reference/apply.md
 */
export function runStep(
  rows: Iterable<unknown>,
  step: ApplyStep,
  roundingMode: RoundingMode,
  application: Application,
): Maybe<Iterable<unknown>> {
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
  const limit = serviceOf(reader.context).limits.maxResponseEntities;
  const maxGroups = limit === null ? null : Math.max(limit, LEAST_GROUP_LIMIT);
  const run: StepRun = { roundingMode, evaluation, maxGroups };
  return chain(applyTo(rows, all, application), ({ entities }) =>
    chain(application.load(clausesOfStep(step), entities, entityType, "$apply"), () =>
      inTurns<Iterable<unknown>>(
        (pace) => (step.kind === "group" ? groupRows(entities, step, run, pace) : limitRows(entities, step, run, pace)),
        turn,
      ),
    ),
  );
}
