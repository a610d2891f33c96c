import type { Context, WriteContext } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/handlers.ts";
import type { EntityTypeDeclaration } from "../definition/value-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { hasExpected, isToldByDatabase, toExpected } from "./expected-values.ts";
import { insertGraph } from "./sql-deep-insert.ts";
import { inStatement, inTransaction, type SqlSession } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import type { TableWriter, Values, WriteTask } from "./table-writer.ts";
import type { Expected } from "./write-statements.ts";
import { writerOf } from "./writer-of-table.ts";

/** What writes get as their last argument; its type of the ETag values does not matter here. */
type AnyWriteContext = Context & Partial<Pick<WriteContext<EntityTypeDeclaration>, "expected">>;

/** The handlers that write one table. */
type WriteHandlers = Required<Pick<EntitySetHandlers<Context>, "create" | "replace" | "patch" | "delete">>;

/**
 * The handlers that create, replace, change and remove the rows of a table. Each write is one transaction; the answer is
 * the row as it is stored. The values of the ETag that a client named are part of the statement that writes, so of two
 * writers with one ETag exactly one wins.
 * @see specification, Read by key, create, replace, patch, delete; Conditional requests and ETags
 */
export function writeHandlers(table: SqlTable): WriteHandlers {
  const writer = writerOf(table);
  const { properties } = table.entityType;
  const { rowVersion } = table;
  const changeable = properties.filter(
    (property) => !property.isKey && !property.computed && !property.immutable && property !== rowVersion,
  );
  const change = (key: unknown, entity: unknown, context: Context): Promise<Values | null> => {
    const given = entity as Values;
    const present = changeable.filter(({ field }) => Object.hasOwn(given, field) && given[field] !== undefined);
    const values = Object.fromEntries(present.map(({ field }) => [field, given[field]]));
    return changeRow(writer, key, values, context);
  };
  return {
    create: (entity, context) => insertGraph(table, entity as Values, context),
    replace: change,
    patch: change,
    delete: (key, context) => deleteRow(writer, key, context),
  };
}

/** Changes a row. @returns null where there is none, or none with the expected values any more */
function changeRow(
  writer: TableWriter,
  key: unknown,
  values: Values,
  context: AnyWriteContext,
): Promise<Values | null> {
  const { table, statements } = writer;
  const wanted = writer.keyValues(key);
  const expected = toExpected(table, context?.expected);
  const isEmpty = Object.keys(values).length === 0;
  if (!isEmpty && statements.areReturning && isToldByDatabase(expected, table)) {
    return inStatement(table, context, (session) => writer.update(taskOf(session, context), wanted, values, expected));
  }
  return inTransaction(table, context, async (session) => {
    const task = taskOf(session, context);
    if (!(await isAsExpected(writer, task, wanted, expected))) return null;
    return isEmpty ? writer.read(task, wanted, table.whole) : writer.update(task, wanted, values, []);
  });
}

function deleteRow(writer: TableWriter, key: unknown, context: AnyWriteContext): Promise<boolean> {
  const { table, statements } = writer;
  const wanted = writer.keyValues(key);
  const expected = toExpected(table, context?.expected);
  if (statements.areReturning && isToldByDatabase(expected, table)) {
    return inStatement(table, context, (session) => writer.delete(taskOf(session, context), wanted, expected));
  }
  return inTransaction(table, context, async (session) => {
    const task = taskOf(session, context);
    if (!(await isAsExpected(writer, task, wanted, expected))) return false;
    await writer.delete(task, wanted, []);
    return true;
  });
}

/** Whether there is a row with the expected values; nobody else writes it before the transaction ends. */
export async function isAsExpected(
  writer: TableWriter,
  task: WriteTask,
  key: readonly PrimitiveValue[],
  expected: Expected,
): Promise<boolean> {
  const names = new Set([...writer.table.entityType.key, ...expected.map(([property]) => property)]);
  const selected = Array.from(names, (property) => ({ property }));
  const row = await writer.read(task, key, selected, true);
  return row !== null && hasExpected(row, expected);
}

/** The write of the body itself. */
export function taskOf(session: SqlSession, context: Context): WriteTask {
  return { session, context, place: "" };
}
