import { setImmediate as macrotask, setTimeout as sleep } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import type { Maybe } from "../../base/maybe.ts";
import { keptPerForeign } from "../../base/memo.ts";
import type { Context, RuleContext } from "../../definition/context.ts";
import { isODataError } from "../../errors/odata-error.ts";
import type { Row } from "../../query/row-shape.ts";
import { isOfDatabase, openTransaction } from "../connection/kysely-instance.ts";
import { type AnyKysely, synchronousWriterOf } from "../connection/synchronous-reader.ts";
import { ofTable, tooBusy, databaseFault } from "../dialects/database-fault.ts";
import { toRows } from "../translate/select-columns.ts";
import type { SqlTable } from "./sql-table.ts";
import { toWriteFault } from "./write-faults.ts";

/** The text of a statement that writes, with its values. */
export interface WriteCommand {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Cells of each row that it answers; none for 0. */
  readonly width: number;
}

/** What a command did. */
export interface WriteResult {
  readonly rows: readonly Row[];
  /** The key that the database made, where it tells. */
  readonly insertId: bigint | undefined;
}

/** Where the commands of one write run: in a transaction, or each by itself. */
export interface SqlSession {
  run(command: WriteCommand): Maybe<WriteResult>;
}

/** Commands of one transaction after which other work of the process gets its turn: SQLite answers without giving it one. */
const COMMANDS_PER_TURN = 100;

/**
 * Runs commands as one transaction: that of the application, where it has one under way, else one of the framework, which
 * is repeated when others were in the way.
 * @param work may run several times: it has no effect outside of the session
 * @param isUndone whether a failure leaves nothing in the transaction of the application either, which may go on
 * @throws whatever the work throws, when nothing of it is left in the database; ODataError `ServiceUnavailable` after
 * three tries
 * @see decisions, Smaller points (retries)
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
    const run = async (sql: string): Promise<unknown> => session.run({ sql, parameters: [], width: 0 });
    return once({ table, context }, () =>
      isUndone ? withSavepoint("odatakit_write", run, () => work(session)) : work(session),
    );
  }
  const attempt = (): Promise<T> => {
    throwIfGone(context);
    return table.db.transaction().execute((transaction) => {
      throwIfGone(context);
      return work(sessionOf(transaction));
    });
  };
  return retry(guarded(table, attempt), (error) => toFailure(error, { table, context }));
}

/**
 * Runs one command that answers the rows it wrote, which is a transaction by itself; in that of the application where it
 * has one under way. At once where the database is in this process and nobody has its connection; else it waits its turn.
 * @throws as `inTransaction`
 */
export function inStatement<T>(table: SqlTable, context: Context, work: (session: SqlSession) => Maybe<T>): Maybe<T> {
  const write: Write = { table, context };
  const joined = transactionOf(table, context);
  if (joined !== null) return once(write, () => work(sessionOf(joined)));
  const attempt = (): Maybe<T> => {
    throwIfGone(context);
    return work(sessionOf(table.db));
  };
  const toFault = (error: unknown): unknown => toFailure(error, write);
  try {
    const session = sessionAtOnce(table.db);
    if (session === null) return retry(guarded(table, attempt), toFault);
    throwIfGone(context);
    return work(session);
  } catch (error) {
    if (isContention(error)) return retry(guarded(table, attempt), toFault, 1);
    throw toFault(error);
  }
}

/** Which table a write is about, and for whom. */
interface Write {
  readonly table: SqlTable;
  readonly context: Context;
}

/** A client that has gone has nothing begun for it. An application may call with a context that has no signal. */
export function throwIfGone(context: (Partial<RuleContext> & { readonly isAborted?: boolean }) | undefined): void {
  if (context?.isAborted !== false) context?.signal?.throwIfAborted();
}

/** In a transaction of the application nothing is repeated: what it did before is not known here. */
async function once<T>(write: Write, work: () => Maybe<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error, write);
  }
}

/** Runs work within a transaction, and takes back what it did when it fails. @param run runs one command */
export async function withSavepoint<T>(
  name: string,
  run: (command: string) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  await run(`savepoint ${name}`);
  try {
    const result = await work();
    await run(`release savepoint ${name}`);
    return result;
  } catch (error) {
    // A database that rolled back the whole transaction has no savepoint any more. The first error is the reason.
    await run(`rollback to savepoint ${name}`).catch(() => undefined);
    throw error;
  }
}

/** What is left of an error when nothing is tried any more. */
function toFailure(error: unknown, { table, context }: Write): unknown {
  if (isODataError(error)) return error;
  if (isContention(error)) return tooBusy(ofTable(error, table.name));
  // What is checked when the transaction ends is told by that.
  return toWriteFault(error, { context, table, place: "", isDelete: false });
}

/** Waits before an attempt until the connections of the database are guarded. */
function guarded<T>({ reader }: SqlTable, attempt: () => Maybe<T>): () => Promise<T> {
  return async () => {
    const guarding = reader.rows.guard();
    if (guarding !== undefined) await guarding;
    return attempt();
  };
}

/** As with reads: the part of a plugin, the names, is in the text of the commands already. */
const withoutPlugins = keptPerForeign((db: AnyKysely): AnyKysely => db.withoutPlugins());

function sessionOf(db: AnyKysely): SqlSession {
  const plain = withoutPlugins(db);
  let count = 0;
  return {
    run: async ({ sql, parameters, width }) => {
      count += 1;
      if (count % COMMANDS_PER_TURN === 0) await macrotask();
      const result = await plain.executeQuery(CompiledQuery.raw(sql, [...parameters]));
      return { rows: toRows(result.rows, width), insertId: result.insertId };
    },
  };
}

/** What runs commands at once; null where that cannot be, or somebody else has the connection at this instant. */
function sessionAtOnce(db: AnyKysely): SqlSession | null {
  const writer = synchronousWriterOf(db);
  if (writer === null || !writer.mayWrite) return null;
  return { run: ({ sql, parameters }) => ({ rows: writer.writeRows(sql, parameters), insertId: undefined }) };
}

/**
 * Returns the transaction that the request has under way.
 * @throws Error for a transaction of another database, which would not be the one that is rolled back
 */
function transactionOf(table: SqlTable, context: Context | undefined): AnyKysely | null {
  const open = openTransaction(context?.transaction);
  if (open === null || isOfDatabase(open, table.db)) return open;
  throw new Error(
    `The open transaction is of another database than the table ${table.name}: write this table outside of it.`,
  );
}

/** Tries of what the framework may repeat. */
const MAX_TRIES = 3;
/** Milliseconds before the second try, give or take half of them; each further one waits twice as long. */
const FIRST_DELAY = 20;

/** Whether another transaction was in the way: the same again may succeed. */
export function isContention(error: unknown): boolean {
  return !isODataError(error) && databaseFault(error)?.kind === "contention";
}

/**
 * Repeats an attempt while other transactions are in the way, three tries in all.
 * @param toFailure makes what is thrown of the last error
 * @param failed how many tries have failed already
 */
export async function retry<T>(
  attempt: () => Maybe<T>,
  toFailure: (error: unknown) => unknown,
  failed: number = 0,
): Promise<T> {
  for (let tries = failed; ;) {
    if (tries > 0) await sleep(FIRST_DELAY * 2 ** (tries - 1) * (0.5 + Math.random()));
    try {
      return await attempt();
    } catch (error) {
      tries += 1;
      if (!isContention(error) || tries === MAX_TRIES) throw toFailure(error);
    }
  }
}
