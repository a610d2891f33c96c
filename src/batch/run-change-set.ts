import { Turn } from "../base/turn.ts";
import { withinTime } from "../base/within-time.ts";
import type { RuleContext } from "../definition/context.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { OpenTransaction, TransactionPart } from "../sets/transaction-part.ts";
import type { BatchOperation } from "./batch-request.ts";
import type { AtomicPlan } from "./plan-change-set.ts";
import { chunksOf, type OperationResponse } from "./write-multipart.ts";

/** How a change set executes its operations. */
export interface ChangeSetRun {
  readonly operations: readonly BatchOperation[];
  /** Executes one operation. @throws any error of the operation */
  readonly execute: (operation: BatchOperation, part: TransactionPart | null) => Promise<ODataResponse>;
  /** Forgets the operations that an earlier attempt executed. */
  readonly restart: () => void;
  readonly context: RuleContext;
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

/** The longest time of a change set, in milliseconds: its transaction may hold locks that others wait for. */
const TIMEOUT = 30_000;

/**
 * Executes operations as one transaction. After a conflict with another transaction they are executed again, unless a
 * handler of the application has run.
 * @throws ChangeSetFailure after all changes are undone
 * @see OData Protocol 4.0, section 11.7.1
 */
export async function runAtomically(
  { operations, execute, restart, context }: ChangeSetRun,
  { database, isRepeatable }: AtomicPlan,
): Promise<readonly OperationResponse[]> {
  let current: BatchOperation | null = null;
  const work = async (transaction: unknown): Promise<readonly OperationResponse[]> => {
    restart();
    const whole = new OpenTransaction(database, transaction);
    const responses: OperationResponse[] = [];
    const turn = new Turn();
    const executeAll = async (): Promise<readonly OperationResponse[]> => {
      for (const operation of operations) {
        current = operation;
        // After the timeout, nothing more is executed.
        void whole.transaction;
        const part = new TransactionPart(whole);
        const response = await part.enclose(() => execute(operation, part));
        responses.push({ id: operation.id, response: await completed(response, turn) });
        if (turn.isOver) await turn.next();
      }
      current = null;
      return responses;
    };
    try {
      return await withinTime(executeAll(), TIMEOUT, tooLong);
    } finally {
      whole.end();
    }
  };
  try {
    return await database.transact(work, context, { isRepeatable });
  } catch (error) {
    throw new ChangeSetFailure(current, error);
  }
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

function tooLong(timeout: number): ODataError {
  return protocolError(
    "ServiceUnavailable",
    `The change set took longer than ${String(timeout / 1000)} seconds and is rolled back. Send fewer operations at once.`,
  );
}
