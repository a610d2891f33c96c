import { Turn } from "../base/maybe.ts";
import type { RuleContext } from "../definition/context.ts";
import type { TransactionalDatabase } from "../definition/sets/transactional-database.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { CommitUnit } from "../sets/commit-unit.ts";
import { lateTransaction, OpenTransaction, TransactionPart, TransactionTime } from "../sets/transaction-part.ts";
import type { BatchOperation, PlannedOperation } from "./batch-request.ts";
import { chunksOf, type OperationResponse } from "./write-multipart.ts";

/** How a change set executes its operations. */
export interface ChangeSetRun {
  readonly operations: readonly BatchOperation[];
  /** Executes one operation. @throws any error of the operation */
  readonly execute: (operation: BatchOperation, part: TransactionPart | null) => Promise<ODataResponse>;
  /** Forgets the operations that an earlier attempt executed. */
  readonly restart: () => void;
  readonly context: RuleContext;
  /** The milliseconds that its transaction may take, which may hold locks that others wait for; null for no limit. */
  readonly timeout: number | null;
}

/** The error of a change set, and the operation that failed; null for the end of the transaction. */
export class ChangeSetFailure extends Error {
  readonly operation: BatchOperation | null;
  /** The responses of earlier operations that are not undone. */
  readonly executed: readonly OperationResponse[];

  constructor(operation: BatchOperation | null, cause: unknown, executed: readonly OperationResponse[] = []) {
    super("An operation of a change set failed.", { cause });
    this.operation = operation;
    this.executed = executed;
  }
}

/**
 * Executes operations as one transaction. After a conflict with another transaction they are executed again, unless a
 * handler of the application has run.
 * @throws ChangeSetFailure after all changes are undone
 * @see OData Protocol 4.0, section 11.7.1
 */
export async function runAtomically(
  { operations, execute, restart, context, timeout }: ChangeSetRun,
  { database, isRepeatable }: AtomicPlan,
): Promise<readonly OperationResponse[]> {
  let current: BatchOperation | null = null;
  let unit = new CommitUnit();
  const time = new TransactionTime(timeout);
  const work = async (transaction: unknown): Promise<readonly OperationResponse[]> => {
    restart();
    unit = new CommitUnit();
    const whole = new OpenTransaction(database, transaction);
    const responses: OperationResponse[] = [];
    const parts: TransactionPart[] = [];
    const turn = new Turn();
    const executeAll = async (): Promise<readonly OperationResponse[]> => {
      for (const operation of operations) {
        current = operation;
        // After the timeout, nothing more is executed.
        void whole.transaction;
        const part = new TransactionPart(whole, unit);
        const response = await part.enclose(() => execute(operation, part));
        responses.push({ id: operation.id, response: await completed(response, turn) });
        parts.push(part);
        if (turn.isOver) await turn.next();
      }
      // The end of a transaction belongs to no operation.
      current = null;
      const defers = await database.defers(context);
      if (defers) await database.settle(transaction);
      // Each operation may have changed entities that an earlier response contains.
      for (const [index, { id, response }] of (defers ? [...responses] : responses.slice(0, -1)).entries()) {
        const { again } = response;
        const part = parts[index];
        if (again === undefined || part === undefined) continue;
        current = operations[index] ?? null;
        const made = await completed(await part.enclose(again), turn);
        responses[index] = { id, response: asLeft(response, made) };
        if (turn.isOver) await turn.next();
      }
      current = null;
      return responses;
    };
    try {
      const late = (after: number): ODataError =>
        lateTransaction(after, "changes", whole.running ?? nameOf(current ?? operations.at(-1)));
      return await time.limit(executeAll, late);
    } finally {
      whole.end();
    }
  };
  try {
    const responses = await database.transact(work, context, { isRepeatable, timeout });
    unit.commit();
    return responses;
  } catch (error) {
    throw new ChangeSetFailure(current, error);
  }
}

/** Returns a response with the entity, and its ETag, as the change set leaves them. */
function asLeft(response: ODataResponse, { headers: { ETag: etag }, body }: ODataResponse): ODataResponse {
  return { ...response, body, headers: { ...response.headers, ...(etag !== undefined && { ETag: etag }) } };
}

/** Returns the name of an operation for the log: without the query, because filters contain the data of users. */
function nameOf(operation: BatchOperation | undefined): string {
  return operation === undefined ? "the change set" : `${operation.method} ${operation.url.replace(/\?.*$/su, "")}`;
}

/**
 * Executes operations one after another, without a transaction, up to the first that fails.
 * @throws ChangeSetFailure with the operation that failed; the earlier ones remain executed
 */
export async function runInSequence({ operations, execute }: ChangeSetRun): Promise<readonly OperationResponse[]> {
  const responses: OperationResponse[] = [];
  const turn = new Turn();
  for (const operation of operations) {
    try {
      const response = await execute(operation, null);
      responses.push({ id: operation.id, response: await completed(response, turn) });
      if (turn.isOver) await turn.next();
    } catch (error) {
      throw new ChangeSetFailure(operation, error, responses);
    }
  }
  return responses;
}

/** Reads the body of a response to its end, while its transaction is open. Pauses for other requests. */
async function completed(response: ODataResponse, turn: Turn): Promise<ODataResponse> {
  const { body } = response;
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return response;
  const chunks: Array<string | Uint8Array> = [];
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    if (turn.isOver) await turn.next();
  }
  return { ...response, body: chunks };
}

/** How the operations of a change set become one. */
export interface AtomicPlan {
  /** The database of their transaction. */
  readonly database: TransactionalDatabase;
  /** Whether no handler of the application runs, so that the transaction may be repeated after a conflict. */
  readonly isRepeatable: boolean;
}

/**
 * Decides whether the operations of a change set can succeed or fail together: tables of one database, and handlers of the
 * application that use its transaction.
 * @param planned the operations of the change set
 * @param only the only database of the service, for change sets without a table
 * @throws ODataError `NotImplemented` that names the set that cannot take part
 * @see OData Protocol 4.0, section 11.7.1; docs/reference/batch.md
 */
export function planChangeSet(
  planned: readonly PlannedOperation[],
  only: TransactionalDatabase | null,
): AtomicPlan | null {
  const writes = planned.flatMap((each) => each.writes);
  const joined = new Map<object, JoinedDatabase>();
  for (const { name, database, by } of writes) {
    if (by === "handler") throw cannotJoin(name);
    if (database !== undefined && !joined.has(database.instance)) joined.set(database.instance, { name, database });
  }
  const [home, other] = joined.values();
  if (home !== undefined && other !== undefined) throw severalDatabases(home.name, other.name);
  const [first] = writes;
  if (first === undefined) return null;
  const database = home?.database ?? only;
  if (database === null) throw withoutDatabase(first.name);
  return { database, isRepeatable: writes.every(({ by }) => by === "table") };
}

/** A database, and a set of it. */
interface JoinedDatabase {
  readonly name: string;
  readonly database: TransactionalDatabase;
}

function cannotJoin(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: the handlers of ${name} do not take part in transactions. Send the operation outside of a change set.`,
  );
}

function severalDatabases(name: string, other: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: ${name} and ${other} are in different databases. Send one change set for each database.`,
  );
}

function withoutDatabase(name: string): ODataError {
  return protocolError(
    "NotImplemented",
    `The change set cannot be executed as one: it contains no set of a database whose transaction ${name} can use. Send the operations outside of a change set.`,
  );
}
