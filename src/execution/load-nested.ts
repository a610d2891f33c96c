import { chain, type Maybe } from "../base/maybe.ts";
import { isODataError } from "../errors/odata-error.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import { mentionsOf } from "../query/mentions.ts";
import { collectEntities, isIterable } from "./collect-entities.ts";
import { mapEach } from "./concurrency.ts";
import { loadRelations } from "./load-relations.ts";
import type { ExpandRun } from "./relate.ts";

/**
 * Loads what the nested options of an expansion lead to, for all parents at once: what one parent is related to cannot
 * be filtered and ordered before.
 * @param answers what the handler of the expansion answered, or had loaded, for each parent
 * @returns the answers; lists that come one after another are arrays
 * @throws ODataError that an answer is, and as for loadRelations; TypeError for an answer of another form
 */
export function loadNested(step: ExpandStep, answers: readonly unknown[], run: ExpandRun): Maybe<readonly unknown[]> {
  if (mentionsOf(step.expansion) === null) return answers;
  const collected = mapEach(
    answers,
    (answer) => collect(step, answer),
    () => run.context.signal,
  );
  return chain(collected, (lists) => {
    const entities = lists.flatMap(entitiesIn);
    return chain(loadRelations(step.expansion, entities, run.loads()), () => lists);
  });
}

function collect({ expansion, place }: ExpandStep, answer: unknown): Maybe<unknown> {
  if (isODataError(answer)) throw answer;
  if (!expansion.navigationProperty.isCollection || answer === null || answer === undefined) return answer;
  if (isIterable(answer)) return [...answer];
  return collectEntities(answer, `The handler of ${place}`);
}

/** What is no entity is refused where it is related. */
function entitiesIn(answer: unknown): readonly object[] {
  if (isEntity(answer)) return [answer];
  const list: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return list.filter(isEntity);
}

function isEntity(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
