import { ERROR_CODES } from "../../base/errors/error-codes.ts";
import { isODataError } from "../../base/errors/odata-error.ts";
import { chain, recover, type Maybe } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import { type Context, callerOf, readingOf } from "../../definition/context.ts";
import type { GetByKeyHandler } from "../../definition/handlers.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { KeyedJoins, KeyedRow, QueryableSource } from "../../language/query/source.ts";
import { canonicalEntity, rowReader, toRow, wholeEntity } from "../entities/canonical-entity.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import { definitionOf, type Reader, seesEntity } from "../entities/reader.ts";
import { asEntity } from "../memory/evaluation.ts";
import type { JoinedSteps } from "../plan/join-expansions.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import { declaredProperties } from "../plan/properties-to-read.ts";
import { conditionFor, ServiceContext } from "../rules/row-access.ts";
import { chooseJoins } from "./choose-joins.ts";
import { resolveSource, restrictSource } from "./resolve-sources.ts";

/** One entity, as an object or as a row. */
export interface FoundEntity {
  readonly entity: unknown;
  readonly rowShape: RowShape | undefined;
  /** The expansions that are joined to the row; absent: none. */
  readonly joined?: JoinedSteps | undefined;
}

/** The expansions of an entity that is read by its key. */
interface KeyedExpansions {
  /** Null without expansions. */
  readonly plan: ExpandPlan | null;
  /** The values of the parameters of the query. */
  readonly values: readonly PrimitiveValue[];
}

type GetByKey = GetByKeyHandler<Context>;

/**
 * Reads one entity of a set by its key; null when the reader sees none.
 * @param selected returns the properties that the response needs; called only if the handler can select properties
 * @throws ODataError that the handler returned or threw; Error for a set that cannot be read by key
 * @see docs/reference/handlers.md
 */
export function readByKey(
  entitySet: EntitySet,
  key: unknown,
  reader: Reader,
  selected: () => readonly SelectedProperty[],
): Maybe<FoundEntity | null> {
  const getByKey = handlerOf(entitySet, reader);
  if (getByKey.readRow !== undefined) return readRowByKey(entitySet, getByKey, key, reader, { selected });
  return chain(getEntity(entitySet, key, reader), (entity) =>
    entity === null ? null : { entity, rowShape: undefined },
  );
}

/**
 * Reads one entity by its key like `readByKey`, along with the expansions that one statement can join.
 * @throws as for readByKey; ODataError that the `queryable` handler of a joined set returned or threw
 * @see docs/reference/expand.md
 */
export function readExpandedByKey(
  entitySet: EntitySet,
  key: unknown,
  reader: Reader,
  selected: () => readonly SelectedProperty[],
  { plan, values }: KeyedExpansions,
): Maybe<FoundEntity | null> {
  const getByKey = handlerOf(entitySet, reader);
  const { readRow, source, sourceIn } = getByKey;
  if (plan === null || readRow === undefined || (source ?? sourceIn) === undefined) {
    return readByKey(entitySet, key, reader, selected);
  }
  const opened = source ?? sourceIn?.(ServiceContext.ofSet(entitySet, reader.context));
  const chosen = chain(opened, (from) => chooseJoins(plan, required(from, `${entitySet.name} has no source.`), reader));
  return chain(chosen, ({ joined, sources }) => {
    if (joined.navigations.length === 0) return readByKey(entitySet, key, reader, selected);
    const joins = { joined: joined.navigations, values, sources };
    return chain(readRowByKey(entitySet, getByKey, key, reader, { selected, joins }), (found) =>
      found === null ? null : { ...found, joined },
    );
  });
}

/**
 * Reads one entity by its key, whole and as the application's object.
 * @returns null where the reader sees none
 * @throws as for readByKey
 */
export function getEntity(entitySet: EntitySet, key: unknown, reader: Reader): Maybe<unknown> {
  const getByKey = handlerOf(entitySet, reader);
  const condition = conditionFor(entitySet, reader);
  if (condition === "none") return null;
  const context = ServiceContext.ofSet(entitySet, reader.context);
  if (condition === "all") return chain(getByKey(key, context), (answer) => answeredValue(answer) ?? null);
  if (getByKey.readRow !== undefined) {
    const wanted = { selected: () => wholeEntity(entitySet) };
    return chain(readKeyedRow(entitySet, getByKey, key, reader, wanted), (found) =>
      found === null ? null : rowReader(found.rowShape)(found.row),
    );
  }
  return chain(getByKey(key, context), (answer) => {
    const entity = answeredValue(answer);
    if (entity === null || entity === undefined) return null;
    return chain(seesEntity(entitySet, entity, reader), (isSeen) => (isSeen ? entity : null));
  });
}

/**
 * Reads one entity by its key in canonical form.
 * @param key in the application's form
 * @param selected as for readByKey; absent: every declared property, since rules and handlers receive ignored properties, too
 * @returns null where the reader sees none
 * @throws as for readByKey; TypeError for an entity that does not match its type
 * @see docs/guides/authorization.md
 */
export function findEntity(
  entitySet: EntitySet,
  key: unknown,
  reader: Reader,
  selected = (): readonly SelectedProperty[] => declaredProperties(entitySet.entityType),
): Maybe<object | null> {
  const { entityType } = entitySet;
  return chain(readByKey(entitySet, key, reader, selected), (found) => {
    if (found === null) return null;
    const { entity, rowShape } = found;
    const object = rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity));
    return canonicalEntity(entityType, asEntity(object, entityType));
  });
}

/**
 * Reads one entity by its key. A 404 that the handler returns or throws means a missing entity.
 * @returns null where the reader sees none
 * @throws any other error that the handler returned or threw
 */
export function findOrMissing(entitySet: EntitySet, key: unknown, reader: Reader): Maybe<unknown> {
  return recover(
    () => getEntity(entitySet, key, reader),
    (error) => {
      if (isODataError(error) && error.status === ERROR_CODES.NotFound) return null;
      throw error;
    },
  );
}

function handlerOf(entitySet: EntitySet, { context }: Reader): GetByKey {
  const { getByKey } = definitionOf(entitySet, context).handlers;
  if (getByKey === undefined) throw new Error(`${entitySet.name} cannot be read by key.`);
  return getByKey;
}

/** The parts of a row to read. */
interface WantedRow {
  readonly selected: () => readonly SelectedProperty[];
  readonly joins?: KeyedJoins;
}

function readRowByKey(
  entitySet: EntitySet,
  getByKey: GetByKey,
  key: unknown,
  reader: Reader,
  wanted: WantedRow,
): Maybe<FoundEntity | null> {
  return chain(readKeyedRow(entitySet, getByKey, key, reader, wanted), (found) =>
    found === null ? null : { entity: found.row, rowShape: found.rowShape },
  );
}

/** Reads a row among the rows that the reader sees. */
function readKeyedRow(
  entitySet: EntitySet,
  getByKey: GetByKey,
  key: unknown,
  reader: Reader,
  { selected, joins }: WantedRow,
): Maybe<KeyedRow | null> {
  const { context, bytes } = reader;
  if (getByKey.readRow === undefined) throw new Error(`${entitySet.name} cannot be read by key.`);
  const condition = conditionFor(entitySet, reader);
  if (condition === "none") return null;
  if (condition === "all") {
    const own = ServiceContext.ofSet(entitySet, context);
    return chain(getByKey.readRow(key, selected(), own, joins, bytes), (answer) => answeredValue(answer));
  }
  return chain(keyedSource(entitySet, getByKey, reader), ({ relational }): Maybe<KeyedRow | null> => {
    if (relational === undefined) throw new TypeError(`The source of ${entitySet.name} cannot be read by key.`);
    const scope = { transaction: context.transaction, reading: readingOf(context), caller: callerOf(context), bytes };
    return relational.readRow(key, selected(), joins, scope);
  });
}

/** Returns the source in which a row is read by its key: the handler's own, or the visible rows of `queryable`. */
export function keyedSource(entitySet: EntitySet, { source }: GetByKey, reader: Reader): Maybe<QueryableSource> {
  if (source !== undefined) return restrictSource(entitySet, source, reader);
  const { queryable } = definitionOf(entitySet, reader.context).handlers;
  if (queryable === undefined) throw new TypeError(`${entitySet.name} has no source to read rows by key.`);
  return resolveSource(entitySet, queryable, reader);
}
