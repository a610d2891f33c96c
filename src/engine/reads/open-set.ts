import { chain, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetHandlers, EntityStream } from "../../definition/handlers.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { RelationalSource } from "../../language/query/source.ts";
import { collectEntities, answeredValue } from "../entities/handler-answer.ts";
import { type Reader, definitionOf } from "../entities/reader.ts";
import { conditionFor, ServiceContext } from "../rules/row-access.ts";
import type { LoadRun } from "./load-run.ts";
import { resolveSource } from "./resolve-sources.ts";

/** The entities of a set, as a source or as a list. */
type OpenSet =
  | { readonly relational: RelationalSource }
  | { readonly relational?: undefined; readonly entities: Iterable<unknown> };

type GetAll = NonNullable<EntitySetHandlers<Context>["getAll"]>;

/** The forms that the reader of a set can use. */
export interface SetForms {
  readonly relational: boolean;
  /** `kept`: a list that the run reads again; `once`: a list that is read once; null: no list. */
  readonly list: "kept" | "once" | null;
}

/**
 * Opens a set in the first usable form: its `queryable` handler returns a source of a database or a list, its `getAll`
 * handler returns a list.
 * @returns null where the set has none of the forms
 * @throws ODataError that a handler returned or threw; TypeError for an invalid handler result
 */
export function openSet(entitySet: EntitySet, forms: SetForms, run: LoadRun): Maybe<OpenSet | null> {
  const { queryable, getAll } = definitionOf(entitySet, run.context).handlers;
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
 * Returns the entities of a `getAll` handler that the reader sees.
 * @throws ODataError that the handler returned or threw; the error of the row rule
 */
export function readAll(entitySet: EntitySet, getAll: GetAll, reader: Reader): Maybe<Iterable<unknown>> {
  return chain(readStream(entitySet, getAll, reader), (entities) => keepAll(entitySet, entities, reader));
}

/** Returns the entities of a `getAll` handler, hidden ones included, as it returned them. @throws as for readAll */
export function readStream(entitySet: EntitySet, getAll: GetAll, reader: Reader): Maybe<EntityStream> {
  // If the rule throws, the handler must not be called.
  if (conditionFor(entitySet, reader) === "none") return [];
  return chain(getAll(ServiceContext.ofSet(entitySet, reader.context)), (answer) => answeredValue(answer));
}

/** Collects the entities of a `getAll` handler that the reader sees. @throws the error of the row rule; as for `collectEntities` */
export function keepAll(entitySet: EntitySet, entities: EntityStream, reader: Reader): Maybe<Iterable<unknown>> {
  const { context, gate } = reader;
  const all = collectEntities(entities, "The getAll handler", reader);
  return gate === null ? all : chain(all, (each) => gate.keep(entitySet, each, context));
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
