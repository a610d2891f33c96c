import { CompiledQuery, type QueryResult } from "kysely";
import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { nextTurn } from "../../base/host.ts";
import { chain, isPromiseLike, type Maybe, recover } from "../../base/maybe.ts";
import { keptPerForeign } from "../../base/memo.ts";
import { type Context, type RuleContext, readingOf } from "../../definition/context.ts";
import type { Row } from "../../language/query/row-shape.ts";
import {
  isOfDatabase,
  openTransaction,
  type AnyKysely,
  patiently,
  type RunRows,
  synchronousWriterOf,
  UndoneWriteError,
  type WritePatience,
} from "../connection/synchronous-reader.ts";
import { isConnectionLost } from "../kinds/connection-lost.ts";
import { later, ofTable } from "../kinds/database-fault.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import { beginStatement } from "../statement/parameter-slot.ts";
import { toRows } from "../translate/select-columns.ts";
import { isContention, type Repetition, retry } from "./repeated-attempts.ts";
import { type SqlTable, transactionTimeoutOf } from "./sql-table.ts";
import { toWriteFault } from "./write-faults.ts";

/** A statement that writes, with its values. */
export interface WriteCommand {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The number of cells in each returned row; 0 if it returns none. */
  readonly width: number;
}

/** The result of a command. */
export interface WriteResult {
  readonly rows: readonly Row[];
  /** The generated key, if the database returns it. */
  readonly insertId: bigint | undefined;
}

/** Runs the commands of one write, in a transaction or individually. */
export interface SqlSession {
  run(command: WriteCommand): Maybe<WriteResult>;
}

/** The number of commands of a transaction after which it yields to other work: SQLite itself never yields. */
const COMMANDS_PER_TURN = 100;

/**
 * Runs commands in one transaction: the open transaction of the application, otherwise a new one, which is retried after a
 * conflict with other transactions until `transactionTimeout`.
 * @param work may run several times, so it must have no effects outside the session
 * @param isUndone whether a failure also undoes the work in a transaction of the application, which may continue
 * @throws the errors of the work, after its changes are undone; ODataError `ServiceUnavailable` after the last attempt
 * @see docs/reference/writing.md
 */
export function inTransaction<T>(
  table: SqlTable,
  context: Context,
  work: (session: SqlSession) => Promise<T>,
  isUndone: boolean = false,
): Promise<T> {
  const joined = transactionOf(table, context);
  if (joined !== null) {
    const session = sessionOf(joined);
    const run = async (sql: string): Promise<unknown> => withoutPlugins(joined).executeQuery(CompiledQuery.raw(sql));
    return once({ table, context }, () =>
      isUndone ? withSavepoint("odatakit_write", run, () => work(session)) : work(session),
    );
  }
  const patience = patienceOf(context);
  const attempt = (): Promise<T> => {
    throwIfGone(context);
    const execute = (): Promise<T> =>
      table.db.transaction().execute((transaction) => {
        throwIfGone(context);
        return work(sessionOf(transaction));
      });
    return patiently(table.db, patience, execute);
  };
  return noteWrite(table.reader, context, () => retry(attempt, repetitionOf({ table, context })));
}

/**
 * Runs one command that returns the rows it wrote, in the open transaction of the application, otherwise durably on its own
 * or with other writes. It runs at once if the database is in this process and its connection is free; otherwise it waits
 * its turn.
 * @throws as `inTransaction`
 */
export function inStatement<T>(table: SqlTable, context: Context, work: (session: SqlSession) => Maybe<T>): Maybe<T> {
  const write: Write = { table, context };
  const joined = transactionOf(table, context);
  if (joined !== null) return once(write, () => work(sessionOf(joined)));
  if (table.reader.rows.positioned === null) return inOwnStatement(write, work);
  return noteWrite(table.reader, context, async () => inOwnStatement(write, work));
}

function inOwnStatement<T>(write: Write, work: (session: SqlSession) => Maybe<T>): Maybe<T> {
  const { table, context } = write;
  let patience: WritePatience | undefined;
  const attempt = (): Maybe<T> => {
    throwIfGone(context);
    return recover(() => work(sessionOf(table.db, (patience ??= patienceOf(context)))), toldAsStored);
  };
  const onFailure = (error: unknown): Promise<T> => {
    if (error instanceof UndoneWriteError) return retry(attempt, repetitionOf(write));
    if (isContention(error)) return retry(attempt, { ...repetitionOf(write), failed: 1 });
    throw toFailure(error, write);
  };
  const writer = synchronousWriterOf(table.db);
  try {
    if (writer?.mayWrite !== true) return retry(attempt, repetitionOf(write));
    throwIfGone(context);
    const written = chain(
      writer.write((run) => work(sessionAtOnce(run))),
      (result) => result,
    );
    return isPromiseLike(written) ? written.then(undefined, onFailure) : written;
  } catch (error) {
    return onFailure(error);
  }
}

/** A row was written, but cannot be read. */
export class UnreadableRowError extends Error {
  constructor(cause: unknown) {
    super("The written row cannot be read.", { cause });
  }
}

/** @throws the error; for an unreadable row, an error for the client: the statement has stored the row */
function toldAsStored(error: unknown): never {
  if (!(error instanceof UnreadableRowError)) throw error;
  const message =
    "The service has stored the entity, but failed to read it afterwards: do not repeat the request. The failure has been logged.";
  throw protocolError("InternalServerError", message, { cause: error.cause });
}

/** The table and the context of a write. */
interface Write {
  readonly table: SqlTable;
  readonly context: Context;
}

/** A write is repeated for as long as a transaction may take. */
function repetitionOf(write: Write): Repetition {
  const { context } = write;
  return { context, timeout: transactionTimeoutOf(context), toFailure: (error) => toFailure(error, write) };
}

/** Throws if the client has disconnected. The context of an application may have no signal. */
export function throwIfGone(context: (Partial<RuleContext> & { readonly isAborted?: boolean }) | undefined): void {
  if (context?.isAborted !== false) context?.signal?.throwIfAborted();
}

/** A request waits for a lock from now on. The context of an application may have no signal. */
export function patienceOf(context: Partial<RuleContext> | undefined): WritePatience {
  return { since: performance.now(), signal: () => context?.signal };
}

/** Runs the work without repeating it: a transaction of the application may contain earlier statements. */
async function once<T>(write: Write, work: () => Maybe<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error, write);
  }
}

/**
 * Runs work within a transaction and undoes it if it fails.
 * @param run runs one command
 * @param ended is called after a failure if the database has rolled back the whole transaction: later commands would be outside
 */
export async function withSavepoint<T>(
  name: string,
  run: (command: string) => Promise<unknown>,
  work: () => Promise<T>,
  ended?: () => void,
): Promise<T> {
  await run(`savepoint ${name}`);
  try {
    const result = await work();
    await run(`release savepoint ${name}`);
    return result;
  } catch (error) {
    // A database that rolled back the whole transaction has no savepoint any more. The first error is the reason.
    await run(`rollback to savepoint ${name}`).catch(() => ended?.());
    throw error;
  }
}

/** Converts an error after the last attempt. */
function toFailure(error: unknown, { table, context }: Write): unknown {
  if (isODataError(error)) return error;
  if (error instanceof UnreadableRowError) return error.cause;
  if (isContention(error)) return later(ofTable(error, table.name));
  // Deferred constraints fail at the end of the transaction.
  return toWriteFault(error, { context, table, place: "" });
}

/** As for reads: the commands already contain the names that plugins map. */
const withoutPlugins = keptPerForeign((db: AnyKysely): AnyKysely => db.withoutPlugins());

/** @param patience how long a command waits for a lock outside a transaction */
function sessionOf(db: AnyKysely, patience?: WritePatience): SqlSession {
  const plain = withoutPlugins(db);
  let count = 0;
  return {
    run: async ({ sql, parameters, width }) => {
      count += 1;
      if (count % COMMANDS_PER_TURN === 0) await nextTurn();
      const execute = (): Promise<QueryResult<unknown>> => plain.executeQuery(CompiledQuery.raw(sql, [...parameters]));
      const running = beginStatement({ sql }, parameters);
      try {
        const result = await (patience === undefined ? execute() : patiently(db, patience, execute));
        running?.end(writtenRows(result));
        return { rows: toRows(result.rows, width), insertId: result.insertId };
      } catch (error) {
        running?.fail(error);
        throw error;
      }
    },
  };
}

function sessionAtOnce(run: RunRows): SqlSession {
  return {
    run: ({ sql, parameters }) => {
      const running = beginStatement({ sql }, parameters);
      try {
        const rows = run(sql, parameters);
        running?.end(rows.length);
        return { rows, insertId: undefined };
      } catch (error) {
        running?.fail(error);
        throw error;
      }
    },
  };
}

/** Returns the number of rows that a statement returned or wrote. */
function writtenRows({ rows, numAffectedRows = 0n }: QueryResult<unknown>): number {
  return Math.max(rows.length, Number(numAffectedRows));
}

/**
 * Returns the open transaction of the request.
 * @throws Error for a transaction of another database, which would not undo the write
 */
function transactionOf(table: SqlTable, context: Context | undefined): AnyKysely | null {
  const open = openTransaction(context?.transaction);
  if (open === null || isOfDatabase(open, table.db)) return open;
  throw (
    table.declared.tenants?.refusal(open, table) ??
    new Error(
      `The open transaction does not belong to the database of the table ${table.name}: write to this table outside it.`,
    )
  );
}

/**
 * Runs a write of a database that tells its position: the request reads the primary from then on, and its response reports the
 * position after the write. A write that fails is undone, except that a lost connection leaves it uncertain.
 */
export async function noteWrite<T>(
  { rows }: Pick<SqlReader, "rows">,
  context: RuleContext | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const { positioned } = rows;
  // The types show a part of the context.
  const reading = readingOf(context as Context | undefined);
  if (positioned === null || reading === undefined || reading === null) return write();
  reading.pin();
  try {
    const result = await write();
    reading.noteWrite(positioned);
    return result;
  } catch (error) {
    if (isConnectionLost(error)) reading.noteWrite(positioned);
    throw error;
  }
}
