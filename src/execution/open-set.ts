import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet } from "../edm/model.ts";
import type { RelationalSource } from "../query/source.ts";
import { collectEntities, answeredValue } from "./handler-answer.ts";
import type { LoadRun } from "./load-run.ts";
import { type Reader, serviceOf } from "./reader.ts";
import { resolveSource } from "./resolve-sources.ts";
import { conditionFor } from "./row-rules.ts";

/** The entities of a set, in a form that they can be read in. */
export type OpenSet =
  | { readonly relational: RelationalSource }
  | { readonly relational?: undefined; readonly entities: Iterable<unknown> };

/** The forms that are of use to whoever reads a set. */
export interface SetForms {
  readonly relational: boolean;
  /** `kept`: a list that the run reads again; `once`: a list that is read once; null: lists are of no use. */
  readonly list: "kept" | "once" | null;
}

/**
 * Opens a set in the first form that it has, of those that are of use: its `queryable` handler gives a source of a
 * database or a list, its `getAll` handler gives a list.
 * @returns null where the set has none of the forms
 * @throws ODataError that a handler returned or threw; TypeError for an answer of another form
 */
export function openSet(entitySet: EntitySet, forms: SetForms, run: LoadRun): Maybe<OpenSet | null> {
  const { queryable, getAll } = serviceOf(run.context).entitySets.get(entitySet.name)?.handlers ?? {};
  const openList = (): Maybe<OpenSet | null> => {
    if (getAll === undefined || forms.list === null) return null;
    const read = (): Maybe<Iterable<unknown>> => readAll(entitySet, getAll, run);
    return chain(forms.list === "once" ? read() : keptList(entitySet, read, run), (entities) => ({ entities }));
  };
  if (queryable === undefined) return openList();
  return chain(resolveSource(entitySet, queryable, run), ({ relational, entities }) => {
    if (relational !== undefined && forms.relational) return { relational };
    return entities === undefined || forms.list === null ? openList() : { entities: entities() };
  });
}

/**
 * Reads the entities of a `getAll` handler that the reader sees.
 * @throws ODataError that the handler returned or threw; what the row rule threw
 */
export function readAll(
  entitySet: EntitySet,
  getAll: NonNullable<EntitySetHandlers<Context>["getAll"]>,
  reader: Reader,
): Maybe<Iterable<unknown>> {
  const { context, gate } = reader;
  // A rule that throws keeps the handler from being called.
  if (conditionFor(entitySet, reader) === "none") return [];
  const entities = chain(getAll(context), (answer) => collectEntities(answeredValue(answer), "The getAll handler"));
  return gate === null ? entities : chain(entities, (all) => gate.keep(entitySet, all, context));
}

function keptList(
  entitySet: EntitySet,
  read: () => Maybe<Iterable<unknown>>,
  { lists }: LoadRun,
): Maybe<Iterable<unknown>> {
  const known = lists.get(entitySet) ?? chain(read(), (entities) => [...entities]);
  lists.set(entitySet, known);
  return known;
}
