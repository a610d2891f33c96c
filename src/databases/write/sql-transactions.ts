import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from "kysely";
import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import type { Context, Isolation, RuleContext } from "../../definition/context.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import { openTransaction, type AnyKysely, patiently, type WritePatience } from "../connection/synchronous-reader.ts";
import { databaseFault, later, unavailable } from "../kinds/database-fault.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import { isContention, retry } from "./repeated-attempts.ts";
import { noteWrite, patienceOf, throwIfGone, withSavepoint } from "./sql-session.ts";
import type { TenantTable } from "./tenant-table.ts";

/** The savepoint at the start of a transaction: it disappears if the database rolls back the whole transaction. */
const BEGINNING = "odatakit_beginning";

/** Makes the transactions over the sets of a table, each in the database of its request. */
export function tenantTransactions(table: TenantTable): TransactionalDatabase {
  return Object.freeze<TransactionalDatabase>({
    instance: table.home,
    tenantOf: (context) => table.tenants.at(context).id,
    transact: async (work, context, options) => {
      // The service passes the context of handlers.
      const { db, reader } = await table.open(context as Context);
      return transactionsOf(db, reader).transact(work, context, options);
    },
    defers: (context) => chain(table.open(context as Context), ({ reader }) => reader.connected.layout.isDeferred),
    ...PARTS,
  });
}

/** Makes the transactions over the sets of a Kysely instance. @param reader the reader of any of these sets */
export function transactionsOf(db: AnyKysely, reader: SqlReader): TransactionalDatabase {
  return Object.freeze<TransactionalDatabase>({
    instance: db,
    positioned: reader.rows.positioned ?? undefined,
    transact: (work, context, { isRepeatable = true, isolation: wanted = "read committed", timeout }) => {
      const patience = patienceOf(context);
      const isolation = reader.profile.writes.isolations?.[wanted];
      const attempt = (): ReturnType<typeof work> => transact({ db, isolation, patience }, work, context);
      const run = (): ReturnType<typeof work> =>
        isRepeatable ? retry(attempt, () => ({ context, timeout, toFailure })) : once(attempt);
      return noteWrite(reader, context, run);
    },
    defers: () => reader.connected.layout.isDeferred,
    ...PARTS,
  });
}

const PARTS: Pick<TransactionalDatabase, "attempt" | "isLost" | "settle"> = {
  settle: async (transaction) => {
    const open = required(openTransaction(transaction), "Only an open transaction has an end.");
    try {
      await run(open, "set constraints all immediate");
    } catch (error) {
      throw contentionBehind(error) ?? toCommitFault(error);
    }
  },
  attempt: async (transaction, name, part, ended) => {
    const open = required(openTransaction(transaction), "A part of a transaction requires an open transaction.");
    return withSavepoint(`odatakit_part_${String(name)}`, (command) => run(open, command), part, ended);
  },
  isLost: (error) => contentionBehind(error) !== null,
};

/** Runs a transaction that must not be repeated. */
async function once<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw toFailure(error);
  }
}

/** The database of a transaction, and how long its beginning waits for a lock. */
interface Transacted {
  readonly db: AnyKysely;
  /** Undefined: the only one of the database. */
  readonly isolation: Isolation | undefined;
  readonly patience: WritePatience;
}

async function transact<T>(
  { db, isolation, patience }: Transacted,
  work: (transaction: unknown) => Promise<T>,
  context: RuleContext,
): Promise<T> {
  throwIfGone(context);
  const builder = isolation === undefined ? db.transaction() : db.transaction().setIsolationLevel(isolation);
  let isDone = false;
  try {
    const inside = async (transaction: AnyKysely): Promise<T> => {
      throwIfGone(context);
      await run(transaction, `savepoint ${BEGINNING}`);
      const result = await whileOpen(transaction, work);
      await run(transaction, `release savepoint ${BEGINNING}`).catch(lost);
      isDone = true;
      return result;
    };
    return await patiently(db, patience, () => builder.execute(inside));
  } catch (error) {
    throw contentionBehind(error) ?? (isDone ? toCommitFault(error) : error);
  }
}

/**
 * Runs the work of a transaction. Kysely sends statements until the commit or rollback has succeeded: a function that did not
 * settle in time could send one after the rollback, outside of any transaction: the database would keep its effect.
 */
async function whileOpen<T>(transaction: AnyKysely, work: (open: AnyKysely) => Promise<T>): Promise<T> {
  let isOpen = true;
  const guard: KyselyPlugin = {
    transformQuery: ({ node }): RootOperationNode => {
      if (isOpen) return node;
      throw new Error("The transaction has ended. Use it only within its work.");
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  try {
    return await work(transaction.withPlugin(guard));
  } finally {
    isOpen = false;
  }
}

async function run(transaction: AnyKysely, command: string): Promise<void> {
  await transaction.withoutPlugins().executeQuery(CompiledQuery.raw(command));
}

function lost(cause: unknown): never {
  if (isContention(cause)) throw cause;
  throw new Error(
    "The database ended the transaction after an error that the callback of ctx.inTransaction caught: rethrow the error.",
    { cause },
  );
}

/** Returns the contention that caused an error: the error itself, or the cause of a 503; null for any other error. */
function contentionBehind(error: unknown): unknown {
  const cause = isODataError(error) ? error.cause : error;
  return isContention(cause) ? cause : null;
}

/** Converts an error after the last attempt. */
function toFailure(error: unknown): unknown {
  if (isODataError(error)) return error;
  if (isContention(error)) return later(error);
  return databaseFault(error)?.kind === "unavailable" ? unavailable(error) : error;
}

/** Converts an error at the end of a transaction, such as of a deferred constraint. */
function toCommitFault(error: unknown): unknown {
  const kind = isODataError(error) ? undefined : databaseFault(error)?.kind;
  if (kind === undefined || kind === "unavailable") return error;
  return protocolError("Conflict", "A rule of the database rejects the result of this transaction.", { cause: error });
}
