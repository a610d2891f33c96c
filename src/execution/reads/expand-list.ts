import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { applyClauses } from "../../memory/apply-query.ts";
import type { ExpandStep } from "../../plan/plan-expand.ts";
import type { ListWay } from "../../plan/plan-related.ts";
import { totalOrder } from "../../plan/total-order.ts";
import type { Related } from "../../query/expanded-entity.ts";
import { definitionOf } from "../entities/reader.ts";
import { eachGroup } from "./ask-by-key.ts";
import { openSet } from "./open-set.ts";
import { joinList } from "./read-joined.ts";
import type { AnswerReading, ReadTarget } from "./read-related.ts";
import { type ExpandRun, relating } from "./relate.ts";

/**
 * Opens the target set of an expansion as a list. One pass over it finds the related entities of all parents of a level;
 * the nested options are applied as to the results of handlers.
 * @returns null where the target set is no list
 * @throws ODataError that a handler returned or threw; TypeError for an item that is not an entity
 * @see docs/reference/expand.md
 */
export function openExpandedList(
  step: ExpandStep,
  { join, target }: ListWay,
  run: ExpandRun,
): Maybe<ReadTarget<Related> | null> {
  return chain(openSet(target, { relational: false, list: "kept" }, run.loads()), (rows) => {
    if (rows === null || rows.relational !== undefined) return null;
    // A source has the order of the key, a handler an order of its own. Of several single entities the first by key counts.
    const isSource = definitionOf(target, run.context).handlers.queryable !== undefined;
    const { isCollection } = step.expansion.navigationProperty;
    const ordered = isSource || !isCollection ? inKeyOrder(step) : step;
    const { turn } = run;
    return (groups) =>
      chain(joinList(step.expansion, join, groups, rows.entities, { count: () => undefined, turn }), (lists) =>
        chain(relating(ordered, run), (answers) => {
          const related = isCollection ? lists : lists.map((list) => firstOf(list, ordered, run));
          const take = (all: readonly unknown[]): ReturnType<typeof takeAll> => takeAll(all, groups, answers, run);
          return chain(answers.prepare === null ? related : answers.prepare(related), (prepared) =>
            chain(take(prepared), (found) => ({ found })),
          );
        }),
      );
  });
}

function takeAll(
  related: readonly unknown[],
  groups: ReadonlyArray<{ readonly weight: number }>,
  { take }: AnswerReading<Related>,
  run: ExpandRun,
): Maybe<readonly Related[]> {
  return eachGroup([...groups.entries()], ([index, { weight }]) => take(related[index], weight), run);
}

/** The step, with the order of the key in place of the order of the list. */
const inKeyOrder: (step: ExpandStep) => ExpandStep = keptPer((step) => {
  const { orderBy, navigationProperty } = step.expansion;
  return Object.freeze({ ...step, orderBy: totalOrder(orderBy, navigationProperty.entityType) });
});

/** Returns the related entity of a parent: the first of several in the order of the step; null without any. */
function firstOf(list: readonly object[], { expansion, orderBy }: ExpandStep, run: ExpandRun): object | null {
  const [first = null] = list;
  if (list.length < 2) return first;
  const { navigationProperty, roundingMode } = expansion;
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  const query = { shape, filter: null, orderBy, skip: 0, top: 1, count: false };
  const [lowest] = applyClauses(list, query, run.evaluation).entities;
  return (lowest as object | undefined) ?? first;
}
