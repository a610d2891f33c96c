import type { ByteCount } from "../../base/byte-count.ts";
import { isODataError } from "../../base/errors/odata-error.ts";
import { chain } from "../../base/maybe.ts";
import { type Context, callerOf, readingOf } from "../../definition/context.ts";
import type { Answer, EntitySetHandlers, GetByKeyHandler, QueryableHandler } from "../../definition/handlers.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { KeyedJoins, KeyedRow, QueryableSource } from "../../language/query/source.ts";
import type { ColumnSearch } from "./column-search.ts";
import { readRow, timeoutOf, toEntity } from "./read-entity.ts";
import type { SqlReader } from "./sql-reader.ts";
import { sqlReaderOf, sourceOf } from "./sql-row-source.ts";
import { UNOPENED } from "./unopened-source.ts";

type KeyedHandlers = Pick<EntitySetHandlers<Context>, "getByKey" | "replace" | "patch" | "delete">;

interface NarrowedHandlers extends KeyedHandlers {
  readonly queryable: QueryableHandler<Context>;
}

type Change = (key: unknown, values: unknown, context: Context) => Answer<unknown>;

interface KeyedType {
  readonly name: string;
  readonly key: readonly StructuralProperty[];
  readonly properties: readonly StructuralProperty[];
}

/** Reads one of the rows that `queryable` shows. */
type ReadShown = (
  key: unknown,
  selected: readonly SelectedProperty[],
  context: Context,
  joins?: KeyedJoins,
  bytes?: ByteCount,
) => Answer<KeyedRow | null>;

/**
 * Restricts the handlers of a table to the rows of the application's `queryable`: other rows cannot be read, updated or
 * deleted by key either. Before a write, the row is looked up outside its transaction.
 * @param handlers the handlers of the table, which enforce row rules themselves; absent handlers stay absent
 */
export function narrowedHandlers(
  type: KeyedType,
  queryable: QueryableHandler<Context>,
  handlers: KeyedHandlers,
): NarrowedHandlers {
  const read = readerOfShown(type, queryable);
  const key = Object.freeze(type.key.map((property) => ({ property })));
  const isShown = async (wanted: unknown, context: Context): Promise<boolean> => {
    const found = await read(wanted, key, context);
    if (isODataError(found)) throw found;
    return found !== null;
  };
  const changing =
    (change: Change): Change =>
    async (wanted, values, context) =>
      (await isShown(wanted, context)) ? change(wanted, values, context) : null;
  const { getByKey, replace, patch, delete: remove } = handlers;
  return {
    // Each request has its own source, but startup decides the routes along navigations.
    queryable: Object.assign((context: Context) => queryable(context), { source: UNOPENED }),
    ...(getByKey === undefined ? {} : { getByKey: keyedHandler(type, read) }),
    ...(replace === undefined ? {} : { replace: changing(replace) }),
    ...(patch === undefined ? {} : { patch: changing(patch) }),
    ...(remove === undefined
      ? {}
      : {
          delete: async (wanted: unknown, context: Context) =>
            (await isShown(wanted, context)) ? remove(wanted, context) : false,
        }),
  };
}

function keyedHandler({ properties }: KeyedType, read: ReadShown): GetByKeyHandler<Context> {
  const whole = Object.freeze(properties.map((property) => ({ property })));
  const getByKey = async (key: unknown, context: Context): Promise<object | null> => {
    const found = await read(key, whole, context);
    if (isODataError(found)) throw found;
    return found === null ? null : toEntity(found);
  };
  return Object.assign(getByKey, { readRow: read });
}

function readerOfShown({ name, key: keyProperties }: KeyedType, queryable: QueryableHandler<Context>): ReadShown {
  return (key, selected, context, joins, bytes) =>
    chain(shownReader(queryable, context), (reader): Answer<KeyedRow | null> => {
      if (isODataError(reader)) return reader;
      const { transaction } = context;
      const place = { transaction, reading: readingOf(context), caller: callerOf(context) };
      const scope = { ...place, bytes, timeout: timeoutOf(context) };
      if (reader !== undefined) return readRow(reader, keyProperties, { key, selected, joins, ...scope });
      throw new TypeError(
        `queryable of ${name} does not return a source of a database: also supply getByKey and the handlers that write.`,
      );
    });
}

/** Returns the reader of the rows that `queryable` shows; undefined for a source without a database. */
function shownReader(queryable: QueryableHandler<Context>, context: Context): Answer<SqlReader | undefined> {
  return chain(queryable(context), (source) =>
    isODataError(source) ? source : chain(source.openIn?.(context) ?? source, sqlReaderOf),
  );
}

/**
 * Restricts the search over columns to the rows of the application's `queryable`.
 * @param searchIn makes the search in the rows of a reader
 */
export function narrowedSearch(
  { name }: Pick<KeyedType, "name">,
  queryable: QueryableHandler<Context>,
  searchIn: (reader: SqlReader) => ColumnSearch<EntityTypeDeclaration>,
): NonNullable<EntitySetHandlers<Context>["search"]> {
  return (clause, context) =>
    chain(shownReader(queryable, context), (reader): Answer<QueryableSource> => {
      if (isODataError(reader)) return reader;
      if (reader !== undefined) return searchIn(reader)(clause);
      throw new TypeError(`queryable of ${name} does not return a source of a database: make \`search\` a handler.`);
    });
}

/** Makes the handlers that read all rows of a reader. */
export function readHandlers<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): object {
  const source = sourceOf(type, reader);
  const { key: keyProperties, properties } = declaredEntityType(type);
  const whole = Object.freeze(properties.map((property) => ({ property })));
  const getByKey: GetByKeyHandler<Context> = Object.assign(
    (key: unknown, context?: Context) =>
      chain(
        readRow(reader, keyProperties, {
          key,
          selected: whole,
          transaction: context?.transaction,
          reading: readingOf(context),
          caller: callerOf(context),
          timeout: timeoutOf(context),
        }),
        (found) => (found === null ? null : toEntity(found)),
      ),
    {
      source,
      readRow: (key: unknown, selected: typeof whole, context: Context, joins?: KeyedJoins, bytes?: ByteCount) => {
        const { transaction } = context;
        const scope = { transaction, reading: readingOf(context), caller: callerOf(context), bytes };
        return readRow(reader, keyProperties, { key, selected, joins, ...scope, timeout: timeoutOf(context) });
      },
    },
  );
  return { queryable: Object.assign(() => source, { source }), getByKey };
}
