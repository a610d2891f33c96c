import type { Pace } from "../../../src/base/maybe.ts";
import { applyClauses, applySteps } from "../../../src/engine/memory/apply-query.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import type { EntityPage } from "../../../src/language/query/source.ts";
import { bind, type Options, toSourceQuery } from "./model.ts";

/**
 * Runs a query that pauses where the pace wants it.
 * @param before runs during each pause
 * @returns the page, and the number of pauses
 */
export function inPauses(
  rows: Iterable<unknown>,
  options: Options,
  pace: Pace,
  before: () => void = () => undefined,
): [EntityPage, number] {
  const query = toSourceQuery(bind(options));
  const steps = applySteps(rows, query, new Evaluation(query.values), pace);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return [step.value, pauses];
    before();
  }
}

/** Runs a query without a pause. */
export function inOneTurn(rows: Iterable<unknown>, options: Options): EntityPage {
  const query = toSourceQuery(bind(options));
  return applyClauses(rows, query, new Evaluation(query.values));
}
