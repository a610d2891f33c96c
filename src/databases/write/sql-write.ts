import type { Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetHandlers } from "../../definition/handlers.ts";
import type { EntitySetDeclaration } from "../../definition/sets/entity-set.ts";
import { ALONE } from "../../definition/sets/judge-references.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { isUnsupported } from "../kinds/database-fault.ts";
import { setMember } from "../read/read-entity.ts";
import { keptProperties, mergedProperties, type RowValues } from "./changed-columns.ts";
import {
  type ExpectedRow,
  hasExpected,
  isComparedExactly,
  isStructured,
  isToldByDatabase,
  toCondition,
  toExpected,
} from "./expected-values.ts";
import {
  checkReferredRows,
  currentReferring,
  lockedReferring,
  statedIn,
  type StatedRow,
  statesReferences,
} from "./guarded-references.ts";
import { insertMany, insertOne } from "./insert-many.ts";
import { checkComputed } from "./new-row.ts";
import { placeOf, type Restrictions } from "./placed-rows.ts";
import type { AnyWriteContext } from "./relation-write.ts";
import { checkOneRow, placeBeyondKey, isAmbiguous, mayShareKeys } from "./shared-keys.ts";
import { inStatement, inTransaction, runText, type SqlSession, withSavepoint } from "./sql-session.ts";
import { type DeclaredTable, type SqlTable, writtenSet, mayHideRows } from "./sql-table.ts";
import type { Values } from "./stored-columns.ts";
import { type TableWriter, type WriteTask, writerOf } from "./table-writer.ts";
import { checkGivenBack, doubtfulProperties } from "./unreadable-cells.ts";
import {
  checkVisible,
  isVisible,
  NO_RULES,
  restrictionsOf,
  rulesBeyondKey,
  seesNone,
  type SetRow,
} from "./visible-rows.ts";
import type { Expected, RowUse } from "./write-statements.ts";

/** The handlers that write one table. All of them enforce row rules in the transaction of the write. */
type WriteHandlers = Required<Pick<EntitySetHandlers<Context>, "create" | "replace" | "patch" | "delete">>;

/**
 * Makes the handlers that create, replace, patch and delete the rows of a table. Each write is one transaction and returns
 * the row as stored. The values of the client's ETag are part of the statement that writes, so exactly one of two writers
 * with the same ETag succeeds. Hidden rows count as missing, and a write whose result the user would not see is rejected.
 * @see OData Protocol 4.0, sections 11.4.2 to 11.4.5 and 11.4.1.1
 */
export function writeHandlers(table: SqlTable): WriteHandlers {
  const writer = writerOf(table);
  const { rowVersion } = table;
  const changeable = table.written.filter(
    (property) => !property.isKey && !property.immutable && property !== rowVersion,
  );
  const change =
    (isMerged: boolean) =>
    async (key: unknown, entity: unknown, context: AnyWriteContext): Promise<Values | null> => {
      const given = entity as Values;
      checkComputed(table, given);
      const values = {};
      for (const { field } of changeable) {
        if (Object.hasOwn(given, field) && given[field] !== undefined) setMember(values, field, given[field]);
      }
      const wanted = writer.keyValues(key);
      return changeRow(writer, wanted, { values, isMerged }, context, await guardOf(table, wanted, values, context));
    };
  const remove = async (key: unknown, context: AnyWriteContext): Promise<boolean> => {
    const wanted = writer.keyValues(key);
    return deleteRow(writer, wanted, context, await guardOf(table, wanted, {}, context));
  };
  const create = (entity: unknown, context: Context): Promise<Values> => insertOne(table, entity as Values, context);
  const many = (entities: readonly unknown[], context: Context): Promise<readonly Values[]> =>
    insertMany(table, entities as readonly Values[], context);
  return { create: Object.assign(create, { many }), replace: change(false), patch: change(true), delete: remove };
}

/** The functions that read single rows in the open transaction. */
type RowReads = Required<Pick<EntitySetDeclaration, "lock" | "reread" | "settle" | "leavesRows">>;

/** Runs the triggers and checks that wait for the end of a transaction. */
const SETTLE = "set constraints all immediate";

/** Makes the functions that lock the row of a key, and read it as writes return it. @see docs/reference/handlers.md, Hooks */
export function rowReads(declared: DeclaredTable): RowReads {
  let isLockable = false;
  const lock = async (key: unknown, context: Context, use: "locked" | "deleted"): Promise<unknown> => {
    const table = await declared.open(context);
    const writer = writerOf(table);
    const { locksRows, locksByKey } = writer.statements;
    if (!locksRows) return null;
    if (!locksByKey) return false;
    const restrictions = await rulesBeyondKey(table, context);
    if ([...restrictions.values()].some(({ hidesAll }) => hidesAll === true)) return null;
    const isPlaced = placeOf(table, context, restrictions).length > 0;
    if (!isPlaced && placeBeyondKey(table) !== null) return false;
    return inStatement(table, context, async (session) => {
      const task = taskOf(session, context, restrictions);
      const read = (): Promise<unknown> => writer.read(task, writer.keyValues(key), table.keyOnly, use);
      if (isLockable) return read();
      const row = await unlessUnsupported(session, read);
      isLockable = row !== false;
      return row;
    });
  };
  // The service passes the context of handlers.
  return {
    lock: (key, context, isDeleted) => lock(key, context as Context, isDeleted === true ? "deleted" : "locked"),
    reread: async (key, given) => {
      const context = given as Context;
      const table = await declared.open(context);
      const restrictions = await rulesBeyondKey(table, context);
      const writer = writerOf(table);
      return inStatement(table, context, (session) =>
        writer.read(taskOf(session, context, restrictions), writer.keyValues(key), table.returnedTo(context)),
      );
    },
    leavesRows: async (context) => leavesRows(await declared.open(context as Context)),
    settle: async (context) => {
      const table = await declared.open(context as Context);
      return inStatement(table, context as Context, (session) => runText(session, SETTLE));
    },
  };
}

/** Whether the schema check has read a table, and found no trigger. */
function leavesRows(table: SqlTable): boolean {
  const { db, reader } = table;
  const isChecked = reader.connected.layout.has(reader.from.quoted?.compile(db).sql ?? "");
  return isChecked && writerOf(table).statements.triggers === undefined;
}

/** The savepoint before the first lock of a table. */
const LOCKING = "odatakit_lock";

/** Returns the result of a statement; false if the database does not support it, such as for a view that groups rows. */
async function unlessUnsupported(session: SqlSession, read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await withSavepoint(LOCKING, (text) => runText(session, text), read);
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

interface RowChange {
  readonly values: Values;
  /** Whether complex values are merged with the stored values instead of replacing them. */
  readonly isMerged: boolean;
  /** Values that the row already has, and must still have. */
  readonly unchanged?: ExpectedRow;
}

/** Changes a row. @returns null if no row has the key and the expected values */
async function changeRow(
  writer: TableWriter,
  wanted: readonly PrimitiveValue[],
  change: RowChange,
  context: AnyWriteContext,
  guard: RowGuard | null,
): Promise<Values | null> {
  if (guard !== null && seesNone(guard.restrictions, guard.row.set)) return null;
  const written = placingProperties(writer.table).filter(({ field }) => Object.hasOwn(change.values, field));
  if (written.length === 0) return changeColumns(writer, wanted, change, context, guard);
  const selected = written.map((property) => ({ property }));
  const stored = await inStatement(writer.table, context, (session) =>
    writer.read(taskOf(session, context, guard?.restrictions), wanted, selected),
  );
  if (stored === null && !mayShareKeys(writer.table)) {
    if (!isAmbiguous(writer.table)) return null;
    return inTransaction(writer.table, context, async (session) =>
      checkShared(writer, taskOf(session, context, guard?.restrictions), wanted, guard),
    );
  }
  const same = written.filter(({ field }) => stored !== null && stored[field] === change.values[field]);
  const fields = new Set(same.map(({ field }) => field));
  const values = Object.fromEntries(Object.entries(change.values).filter(([field]) => !fields.has(field)));
  const left = Object.fromEntries(same.map(({ field }) => [field, change.values[field]]));
  const unchanged = toExpected(writer.table, left);
  return changeColumns(writer, wanted, { ...change, values, unchanged }, context, guard);
}

/**
 * Returns the properties outside of the key whose columns may decide on the machine of a row: several machines refuse a statement
 * that sets such a column, even to the same value. That is one property if it is declared; otherwise each of them may be it.
 */
function placingProperties(table: SqlTable): readonly StructuralProperty[] {
  const field = table.reader.statements.placement().decidedBy;
  if (field === undefined) return [];
  const { properties, ignoredProperties } = table.entityType;
  return [...properties, ...(field === null ? [] : ignoredProperties)].filter((property) => {
    if (property.isKey || (field !== null && property.field !== field)) return false;
    return field !== null || isComparedExactly(property, table);
  });
}

function changeColumns(
  writer: TableWriter,
  wanted: readonly PrimitiveValue[],
  { values, isMerged, unchanged = [] }: RowChange,
  context: AnyWriteContext,
  guard: RowGuard | null,
): Promise<Values | null> {
  const { table, statements } = writer;
  const expected = [...unchanged, ...toExpected(table, context?.expected)];
  const condition = toCondition(expected, table);
  const needed = isMerged ? mergedProperties(table, values) : keptProperties(table, values);
  // A write of equal values counts as one, so it changes the version of the row.
  const isVersion = unchanged.length > 0 && table.rowVersion !== null;
  const isEmpty = Object.keys(values).length === 0 && !isVersion;
  const doubtful = doubtfulProperties(table, values);
  const write = (task: WriteTask, given: Omit<RowValues, "values">, stated: Expected): Promise<Values | null> =>
    isMerged
      ? writer.merge(task, wanted, { values, ...given }, stated)
      : writer.update(task, wanted, { values, ...given }, stated);
  const isOneStatement = guard === null && !isEmpty && needed.length + doubtful.length === 0;
  if (isOneStatement && statements.areEnough && isToldByDatabase(expected, table)) {
    const change = (session: SqlSession): Promise<Values | null> =>
      write(taskOf(session, context), { stored: null }, condition);
    // It fails if it reaches rows of several machines.
    return placeBeyondKey(table) === null
      ? inStatement(table, context, change)
      : inTransaction(table, context, change, true);
  }
  return inTransaction(
    table,
    context,
    async (session) => {
      const task = taskOf(session, context, guard?.restrictions);
      // Nothing is written, and a database on several machines may not be able to lock a row of an unknown machine.
      const isRead = isEmpty && unchanged.length > 0;
      const use = isMerged ? "merged" : "replaced";
      const unneeded = isRead ? "read" : "locked";
      const row = await readExpected(writer, task, wanted, { expected, needed, use, unneeded });
      if (row === null) return checkShared(writer, task, wanted, guard);
      if (guard !== null && !(await isVisible(task, guard.restrictions, guard.row))) return null;
      if (guard !== null) await checkChange(task, values, guard);
      if (isEmpty) return writer.read(task, wanted, table.returnedTo(context));
      const left = await writer.unreadable(task, wanted, doubtful);
      checkGivenBack(doubtful, values, left);
      const stored = await write(task, { stored: row, left }, statements.locksByKey ? [] : condition);
      if (guard !== null) await checkVisible(task, guard.restrictions, guard.row);
      return stored;
    },
    guard !== null || isAmbiguous(table),
  );
}

/** The row rules for a written row, and its foreign keys. */
interface RowGuard {
  readonly restrictions: Restrictions;
  readonly row: SetRow;
  readonly stated: readonly StatedRow[];
}

/** Returns the guard of a write; null if the user sees all rows of the table and the write states no guarded foreign key. */
function guardOf(
  table: SqlTable,
  key: readonly PrimitiveValue[],
  values: Values,
  context: Context,
): Maybe<RowGuard | null> {
  const set = writtenSet(context, table);
  if (set === null || !(mayHideRows(set, context) || statesReferences(set, values))) return null;
  return makeGuard({ set, table, key }, values, context);
}

async function makeGuard(row: SetRow, values: Values, context: Context): Promise<RowGuard | null> {
  const { set } = row;
  const current = currentReferring(row, context);
  const stated = (await statedIn([{ set, entity: values, ...ALONE }], context, current)).get(values) ?? [];
  const restrictions = await restrictionsOf([set, ...stated.map(({ target }) => target)], context);
  return stated.length === 0 && restrictions.size === 0 ? null : { restrictions, row, stated };
}

/** @throws ODataError `Conflict` for a foreign key to a hidden row */
function checkChange(task: WriteTask, entity: Values, { restrictions, row, stated }: RowGuard): Promise<void> {
  return checkReferredRows(task, restrictions, stated, { entity, ...lockedReferring(row, task) });
}

async function deleteRow(
  writer: TableWriter,
  wanted: readonly PrimitiveValue[],
  context: AnyWriteContext,
  guard: RowGuard | null,
): Promise<boolean> {
  if (guard !== null && seesNone(guard.restrictions, guard.row.set)) return false;
  const { table, statements } = writer;
  const expected = toExpected(table, context?.expected);
  const condition = toCondition(expected, table);
  if (guard === null && statements.areEnough && isToldByDatabase(expected, table)) {
    const remove = async (session: SqlSession): Promise<boolean> => {
      const task = taskOf(session, context);
      const isDeleted = await writer.delete(task, wanted, condition);
      if (!isDeleted) await writer.checkAbsent(task, wanted, condition);
      return isDeleted;
    };
    return placeBeyondKey(table) === null
      ? inStatement(table, context, remove)
      : inTransaction(table, context, remove, true);
  }
  return inTransaction(
    table,
    context,
    async (session) => {
      const task = taskOf(session, context, guard?.restrictions);
      if ((await readExpected(writer, task, wanted, { expected, unneeded: "deleted" })) === null) {
        await checkShared(writer, task, wanted, guard);
        return false;
      }
      if (guard !== null && !(await isVisible(task, guard.restrictions, guard.row))) return false;
      const stated = statements.locksByKey ? [] : condition;
      const isDeleted = await writer.delete(task, wanted, stated);
      if (!statements.areReturning || (isDeleted && statements.triggers !== "own")) return true;
      // A trigger or a rule that marks the row as deleted, instead of deleting it, has deleted it for a user who sees no such rows.
      if (guard !== null && !(await isVisible(task, guard.restrictions, guard.row))) return true;
      await writer.checkAbsent(task, wanted, stated);
      return isDeleted || statements.locksByKey;
    },
    isAmbiguous(table),
  );
}

/** @throws ODataError `Conflict` if several rows have the key, of which the user sees one: no write reaches them */
async function checkShared(
  writer: TableWriter,
  task: WriteTask,
  key: readonly PrimitiveValue[],
  guard: RowGuard | null,
): Promise<null> {
  const { table } = writer;
  if (!isAmbiguous(table)) return null;
  const isSeen = guard === null || (await isVisible(task, guard.restrictions, guard.row));
  if (isSeen) checkOneRow(table, await writer.count(task, key));
  return null;
}

/** The properties to read of a row before it is written. */
interface RowToWrite {
  readonly expected: ExpectedRow;
  /** The properties whose stored values determine the cells to write. */
  readonly needed?: readonly StructuralProperty[];
  readonly use?: RowUse;
  /** The purpose if no properties are needed: `"read"` locks nothing. */
  readonly unneeded?: RowUse;
}

/**
 * Reads and locks a row that is about to be written.
 * @returns null if no row has the key and the expected values
 */
async function readExpected(
  writer: TableWriter,
  task: WriteTask,
  key: readonly PrimitiveValue[],
  { expected, needed = [], use = "locked", unneeded = "locked" }: RowToWrite,
): Promise<Values | null> {
  const read = (properties: readonly StructuralProperty[], purpose: RowUse): Promise<Values | null> => {
    const names = new Set([...writer.table.entityType.key, ...properties]);
    return writer.read(
      task,
      key,
      Array.from(names, (property) => ({ property })),
      purpose,
    );
  };
  const compared = expected.map(([property]) => property);
  // Documents are read otherwise to be changed than to be compared.
  const isTwice = needed.length > 0 && compared.some(isStructured);
  if (isTwice && !hasExpected((await read(compared, unneeded)) ?? {}, expected)) return null;
  const row = await read([...(isTwice ? [] : compared), ...needed], needed.length === 0 ? unneeded : use);
  return row !== null && (isTwice || hasExpected(row, expected)) ? row : null;
}

/** Makes the task for the entity of the body itself. */
function taskOf(session: SqlSession, context: Context, restrictions: Restrictions = NO_RULES): WriteTask {
  return { session, context, place: "", restrictions };
}
