import { chain, inTurns, type Maybe } from "../../base/maybe.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import type { RelativesStep, TopLevelsStep } from "../../language/query/hierarchy-clauses.ts";
import type { StepRun } from "../memory/apply-steps.ts";
import { hierarchyRows, plantTree, type Tree } from "../memory/hierarchy-steps.ts";
import { visitRows } from "../memory/visit-rows.ts";
import { type Application, applyTo } from "./read-source.ts";
import { clausesOfStep } from "./run-step.ts";
import { withFields } from "./with-computed.ts";

/** Returns the tree of all visible rows of a set. */
export type TreeReader = (step: RelativesStep | TopLevelsStep, run: StepRun) => Maybe<Tree>;

/** Returns a function that makes the tree of some rows once. */
export function treeReader(rows: Iterable<unknown>, { turn }: Application): TreeReader {
  let tree: Maybe<Tree> | null = null;
  return (step, run) => (tree ??= inTurns((pace) => plantTree(rows, step, run, pace), turn));
}

/**
 * Applies a step of a hierarchy to rows, which get their places in it.
 * @throws as for runStep
 * @see docs/guides/trees.md
 */
export function runHierarchy(
  rows: Iterable<unknown>,
  step: RelativesStep | TopLevelsStep,
  treeOf: TreeReader,
  roundingMode: RoundingMode,
  application: Application,
): Maybe<readonly object[]> {
  const { evaluation, turn } = application;
  const { inputType: entityType, places } = step;
  const run: StepRun = { roundingMode, evaluation, maxGroups: null };
  const all = { shape: { entityType, roundingMode }, filter: null, orderBy: [], skip: 0, top: undefined, count: false };
  const fields = places.map(({ property }) => property.field);
  return chain(treeOf(step, run), (tree) =>
    chain(applyTo(rows, all, application), ({ entities }) =>
      chain(application.load(clausesOfStep(step), entities, entityType, "$apply"), () =>
        inTurns(function* place(pace) {
          const copies: object[] = [];
          const placed = yield* hierarchyRows(entities, step, tree, run, pace);
          const copy = (each: unknown): boolean => {
            const { row, places: found } = each as (typeof placed)[number];
            const values = Object.fromEntries(places.map(({ place: name, property }) => [property.field, found[name]]));
            return copies.push(withFields(row, entityType, values, fields)) > 0;
          };
          yield* visitRows(placed, copy, pace, evaluation);
          return copies;
        }, turn),
      ),
    ),
  );
}
