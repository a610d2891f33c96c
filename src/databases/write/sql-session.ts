import { CompiledQuery, type QueryResult } from "kysely";
import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { nextTurn } from "../../base/host.ts";
import { keptPerForeign } from "../../base/memo.ts";
import { type Context, type RuleContext, readingOf } from "../../definition/context.ts";
import type { Reading } from "../../language/query/reading.ts";
import type { Row } from "../../language/query/row-shape.ts";
import {
  isOfDatabase,
  openTransaction,
  type AnyKysely,
  patiently,
  type SynchronousWriter,
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
  /**
   * Runs a command.
   * @param read reads the result. An error undoes the command, unless the command is its own transaction on a server
   * @param toFault converts an error of the database
   */
  run<T>(command: WriteCommand, read: (result: WriteResult) => T, toFault?: (error: unknown) => unknown): Promise<T>;
}

/** Runs a command without values. */
export function runText(session: SqlSession, text: string): Promise<unknown> {
  return session.run({ sql: text, parameters: [], width: 0 }, ({ rows }) => rows);
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
  return noteWrite(table.reader, context, () => retry(attempt, () => repetitionOf({ table, context })));
}

/**
 * Runs one command that returns the rows it wrote, in the open transaction of the application, otherwise durably on its own
 * or with other writes. It runs at once if the database is in this process and its connection is free; otherwise it waits
 * its turn.
 * @throws as `inTransaction`
 */
export function inStatement<T>(
  table: SqlTable,
  context: Context,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const write: Write = { table, context };
  const joined = transactionOf(table, context);
  if (joined !== null) return once(write, () => work(sessionOf(joined)));
  const session = statementSession(table.db, context);
  const attempt = (): Promise<T> => {
    throwIfGone(context);
    return work(session);
  };
  const repetition = (): Repetition => {
    return { ...repetitionOf(write), toFailure: (error) => toFailure(toldAsStored(error), write) };
  };
  return noteWrite(table.reader, context, () => retry(attempt, repetition));
}

/** A row was written, but cannot be read. */
export class UnreadableRowError extends Error {
  /** Whether the row was not stored, either. */
  readonly isUndone: boolean;

  constructor(cause: unknown, isUndone: boolean = false) {
    super("The written row cannot be read.", { cause });
    this.isUndone = isUndone;
  }
}

/** Returns the error; for an unreadable row that the statement has stored, an error for the client. */
function toldAsStored(error: unknown): unknown {
  if (!(error instanceof UnreadableRowError) || error.isUndone) return error;
  const message =
    "The service has stored the entity, but failed to read it afterwards: do not repeat the request. The failure has been logged.";
  return protocolError("InternalServerError", message, { cause: error.cause });
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
async function once<T>(write: Write, work: () => Promise<T>): Promise<T> {
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
    run: async ({ sql, parameters, width }, read, toFault = asItIs) => {
      count += 1;
      if (count % COMMANDS_PER_TURN === 0) await nextTurn();
      const execute = (): Promise<QueryResult<unknown>> => plain.executeQuery(CompiledQuery.raw(sql, [...parameters]));
      const running = beginStatement({ sql }, parameters);
      let result: QueryResult<unknown>;
      try {
        result = await (patience === undefined ? execute() : patiently(db, patience, execute));
      } catch (error) {
        running?.fail(error);
        throw toFault(error);
      }
      running?.end(writtenRows(result));
      return read({ rows: toRows(result.rows, width), insertId: result.insertId });
    },
  };
}

/** Returns a session whose commands are their own transactions. After a failure, its commands do not share them with others. */
function statementSession(db: AnyKysely, context: Context): SqlSession {
  let alone: SqlSession | undefined;
  return {
    run: async (command, read, toFault = asItIs) => {
      const writer = alone === undefined ? synchronousWriterOf(db) : null;
      if (writer?.mayWrite === true) {
        try {
          return await writeAtOnce(writer, command, read, toFault);
        } catch (error) {
          alone = sessionOf(db, patienceOf(context));
          if (!(error instanceof UndoneWriteError)) throw error;
        }
      }
      return (alone ??= sessionOf(db, patienceOf(context))).run(command, read, toFault);
    },
  };
}

/** Runs a command and reads its result in one synchronous write. */
function writeAtOnce<T>(
  writer: SynchronousWriter,
  { sql, parameters }: WriteCommand,
  read: (result: WriteResult) => T,
  toFault: (error: unknown) => unknown,
): T | PromiseLike<T> {
  return writer.write((run) => {
    const running = beginStatement({ sql }, parameters);
    let rows: WriteResult["rows"];
    try {
      rows = run(sql, parameters);
    } catch (error) {
      running?.fail(error);
      throw toFault(error);
    }
    running?.end(rows.length);
    try {
      return read({ rows, insertId: undefined });
    } catch (error) {
      throw error instanceof UnreadableRowError ? new UnreadableRowError(error.cause, true) : error;
    }
  });
}

function asItIs(error: unknown): unknown {
  return error;
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
export function noteWrite<T>(
  { rows: { positioned } }: Pick<SqlReader, "rows">,
  context: RuleContext | undefined,
  write: () => Promise<T>,
): Promise<T> {
  if (positioned === null) return write();
  // The types show a part of the context.
  const reading = readingOf(context as Context | undefined);
  return reading === undefined || reading === null ? write() : notePosition(positioned, reading, write);
}

async function notePosition<T>(
  positioned: NonNullable<SqlReader["rows"]["positioned"]>,
  reading: Reading,
  write: () => Promise<T>,
): Promise<T> {
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
