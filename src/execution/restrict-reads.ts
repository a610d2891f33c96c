import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type {
  EntitySetHandlers,
  EntityStream,
  GetByKeyHandler,
  QueryableHandler,
} from "../definition/sets/handlers.ts";
import { isODataError } from "../errors/odata-error.ts";
import type { KeyedRow, QueryableSource } from "../query/source.ts";
import { collectEntities } from "./collect-entities.ts";
import { isSource, orThrow } from "./handler-answer.ts";
import { resolveSource } from "./resolve-sources.ts";
import { type GuardedSet, restrictQueryable, restrictSource, wrapping } from "./restrict-source.ts";
import { conditionOf } from "./row-restriction.ts";
import { rowReader, wholeEntity } from "./row-to-entity.ts";
import { isVisible, visibleEntities } from "./visible-entities.ts";

/** The handlers that read a set, but for `applyQuery`. */
type ReadHandlers = Pick<EntitySetHandlers<Context>, "queryable" | "getAll" | "getByKey" | "search">;

/**
 * The handlers that read a set, without the rows that the user of a request does not see: a hidden entity is not there.
 * @param set with a row rule
 */
export function restrictReads(set: GuardedSet): ReadHandlers {
  const { queryable, getAll, getByKey, search } = set.handlers;
  return {
    ...(queryable === undefined ? {} : { queryable: restrictQueryable(set, queryable) }),
    ...(getAll === undefined ? {} : { getAll: restrictGetAll(set, getAll) }),
    ...(getByKey === undefined ? {} : { getByKey: restrictGetByKey(set, getByKey) }),
    ...(search === undefined ? {} : { search: restrictSearch(set, search) }),
  };
}

function restrictGetAll(set: GuardedSet, getAll: NonNullable<ReadHandlers["getAll"]>): ReadHandlers["getAll"] {
  const restricted = (context: Context): Maybe<EntityStream> => {
    const condition = conditionOf(set, context);
    if (condition === "none") return [];
    return chain(getAll(context), (answer) =>
      condition === "all" ? orThrow(answer) : seenOf(set, orThrow(answer), "The getAll handler", context),
    );
  };
  return Object.assign(restricted, wrapping(getAll, undefined));
}

function restrictSearch(set: GuardedSet, search: NonNullable<ReadHandlers["search"]>): ReadHandlers["search"] {
  const restricted: NonNullable<ReadHandlers["search"]> = (clause, context) => {
    // A rule that throws keeps the handler from being called.
    const condition = conditionOf(set, context);
    return chain(search(clause, context), (answer): Maybe<QueryableSource | EntityStream> => {
      const found = orThrow(answer);
      if (condition === "all") return found;
      return isSource(found) ? restrictSource(set, found, context) : seenOf(set, found, "The search handler", context);
    });
  };
  return Object.assign(restricted, wrapping(search, undefined));
}

function seenOf(
  { entitySet }: GuardedSet,
  entities: EntityStream,
  handler: string,
  context: Context,
): Maybe<Iterable<unknown>> {
  return chain(collectEntities(entities, handler), (rows) => visibleEntities(entitySet, rows, context));
}

function restrictGetByKey(set: GuardedSet, getByKey: GetByKeyHandler<Context>): GetByKeyHandler<Context> {
  const { readRow, source } = getByKey;
  return readRow === undefined
    ? Object.assign(looksAtEntity(set, getByKey), wrapping(getByKey, source))
    : Object.assign(looksAtRow(set, getByKey, readRow), wrapping(getByKey, source));
}

/** The entity is loaded, and looked at. */
function looksAtEntity(set: GuardedSet, getByKey: GetByKeyHandler<Context>): GetByKeyHandler<Context> {
  return (key, context) => {
    const condition = conditionOf(set, context);
    if (condition === "none") return null;
    return chain(getByKey(key, context), (answer) => {
      const entity = orThrow(answer);
      if (condition === "all" || entity === null || entity === undefined) return entity;
      return chain(isVisible(set.entitySet, entity, context), (isSeen) => (isSeen ? entity : null));
    });
  };
}

/** The row is looked for among those that are seen. */
function looksAtRow(
  set: GuardedSet,
  getByKey: GetByKeyHandler<Context>,
  readRow: NonNullable<GetByKeyHandler<Context>["readRow"]>,
): GetByKeyHandler<Context> {
  const { entitySet } = set;
  const readSeen: NonNullable<GetByKeyHandler<Context>["readRow"]> = (key, selected, context, joins) => {
    if (conditionOf(set, context) === "all") return readRow(key, selected, context, joins);
    return chain(seenRows(set, getByKey, context), ({ relational }): Maybe<KeyedRow | null> => {
      if (relational === undefined) throw new TypeError(`The source of ${entitySet.name} reads no rows by their keys.`);
      return relational.readRow(key, selected, joins, context.transaction);
    });
  };
  const getSeen: GetByKeyHandler<Context> = (key, context) => {
    if (conditionOf(set, context) === "all") return getByKey(key, context);
    return chain(readSeen(key, wholeEntity(entitySet), context), (found) => {
      if (found === null || isODataError(found)) return found;
      return rowReader(found.rowShape)(found.row);
    });
  };
  return Object.assign(getSeen, { readRow: readSeen });
}

/** The rows among which one is read by its key: those of the handler itself, or those that `queryable` shows. */
function seenRows(set: GuardedSet, { source }: GetByKeyHandler<Context>, context: Context): Maybe<QueryableSource> {
  if (source !== undefined) return restrictSource(set, source, context);
  const queryable: QueryableHandler<Context> | undefined = set.handlers.queryable;
  if (queryable === undefined) throw new TypeError(`${set.entitySet.name} has no rows to read one of by its key.`);
  return chain(resolveSource(set.entitySet, queryable, context), (rows) => restrictSource(set, rows, context));
}
