import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import { withinTime } from "../../base/within-time.ts";
import type { Isolation } from "../../definition/context.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import type { CreatesTogether } from "../../engine/entities/reader.ts";
import type { CommitUnit } from "./commit-unit.ts";

/** The purpose of a transaction: one write with its hooks, or any number of changes. */
export type TransactionUse = "write" | "changes";

/** The parts of the errors of a transaction that takes too long. */
const LATE: Readonly<Record<TransactionUse, { readonly what: string; readonly end: string; readonly work: string }>> = {
  write: { what: "The write", end: "is rolled back. Try again later.", work: "the write with its hooks" },
  changes: {
    what: "The changes",
    end: "are rolled back. Send fewer changes at once, or try again later.",
    work: "the work of ctx.inTransaction",
  },
};

/**
 * Makes the error of a transaction whose functions have not settled in time. Its cause, for the log, names the function that was
 * running, and the usual reason.
 * @param timeout in milliseconds
 * @param running the hook, write or operation that has not settled; undefined for the work of the transaction itself
 * @see docs/reference/limits.md
 */
export function lateTransaction(timeout: number, use: TransactionUse, running: string | undefined): ODataError {
  const { what, end, work } = LATE[use];
  const cause = new Error(
    `The transaction took longer than ${String(timeout)} ms and is rolled back: ${running ?? work} has not finished. A function that uses its own \`db\` instead of \`ctx.transaction\`, or another \`ctx\` than the one it receives, waits for the transaction itself. Otherwise, pass a longer \`timeout\` to ctx.inTransaction, or raise \`transactionTimeout\`.`,
  );
  const message = `${what} took longer than ${String(timeout / 1000)} seconds and ${end}`;
  return protocolError("ServiceUnavailable", message, { cause, headers: { "Retry-After": "1" } });
}

/** The time of a transaction with all its attempts. */
export class TransactionTime {
  readonly #timeout: number | null;
  #begun: number | undefined;

  /** @param timeout in milliseconds; null for no limit */
  constructor(timeout: number | null) {
    this.#timeout = timeout;
  }

  /** Runs the work of an attempt in the time that earlier ones have left. @param late makes the error of a timeout */
  async limit<T>(work: () => Promise<T>, late: (timeout: number) => ODataError): Promise<T> {
    const timeout = this.#timeout;
    if (timeout === null) return work();
    this.#begun ??= performance.now();
    const left = Math.max(1, timeout - (performance.now() - this.#begun));
    return withinTime(work(), left, () => late(timeout));
  }
}

/** The isolations of transactions, from the weakest on. */
export const ISOLATIONS: readonly Isolation[] = ["read committed", "repeatable read", "serializable"];

/** An open transaction of `ctx.inTransaction`. */
export class OpenTransaction {
  readonly database: TransactionalDatabase;
  readonly #transaction: unknown;
  readonly #isolation: Isolation;
  #isOpen = true;
  #uses = 0;
  #lost: { readonly error: unknown } | null = null;
  /** The functions that are running, the innermost last. */
  readonly #running: Array<{ readonly name: string }> = [];

  constructor(database: TransactionalDatabase, transaction: unknown, isolation: Isolation = "read committed") {
    this.database = database;
    this.#transaction = transaction;
    this.#isolation = isolation;
  }

  /** @throws Error if a part of the transaction needs a stronger isolation */
  checkIsolation(wanted: Isolation | undefined): void {
    if (wanted === undefined || ISOLATIONS.indexOf(wanted) <= ISOLATIONS.indexOf(this.#isolation)) return;
    throw new Error(
      `ctx.inTransaction asks for "${wanted}" within a transaction that is "${this.#isolation}". Pass \`isolation\` to the outermost transaction, or lock the rows that the work reads: get(key, { forUpdate: true }).`,
    );
  }

  /** @throws Error after the end of the transaction */
  get transaction(): unknown {
    this.checkOpen();
    this.#uses += 1;
    return this.#transaction;
  }

  /** How many times something has got the transaction so far. */
  get uses(): number {
    return this.#uses;
  }

  /** @throws Error after the end of the transaction */
  checkOpen(): void {
    if (this.#isOpen) return;
    throw new Error(
      "The transaction has ended. Use its context only within its work. The work of ctx.afterCommit receives its own context.",
    );
  }

  /** The name of the innermost function that is running; undefined without one. */
  get running(): string | undefined {
    return this.#running.at(-1)?.name;
  }

  /** Runs a function of the application, whose name the error of a timeout needs. */
  async naming<T>(name: string, run: () => Maybe<T>): Promise<T> {
    const entry = { name };
    this.#running.push(entry);
    try {
      return await run();
    } finally {
      this.#running.splice(this.#running.indexOf(entry), 1);
    }
  }

  end(): void {
    this.#isOpen = false;
  }

  /** Remembers an error after which the database has rolled back the whole transaction. */
  note(error: unknown): void {
    if (this.#lost === null && this.database.isLost(error)) this.#lost = { error };
  }

  /** @throws the error after which the database has rolled back the whole transaction */
  checkKept(): void {
    if (this.#lost !== null) throw this.#lost.error;
  }
}

/**
 * The calls that one handler, or the work of `ctx.inTransaction`, makes within a transaction. They run one after another,
 * because savepoints of concurrent calls would undo each other.
 */
export class TransactionPart {
  readonly whole: OpenTransaction;
  /** The work that follows the commit. */
  readonly unit: CommitUnit;
  /** Whether a failure of this part undoes others with it. */
  readonly isGathered: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(whole: OpenTransaction, unit: CommitUnit, isGathered: boolean = false) {
    this.whole = whole;
    this.unit = unit;
    this.isGathered = isGathered;
  }

  /**
   * Runs a call after all earlier calls.
   * @throws Error after the end of the transaction; the error after which the database has rolled it back
   */
  inTurn<T>(call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const run = async (): Promise<T> => {
      try {
        this.whole.checkOpen();
        this.whole.checkKept();
        return await call();
      } catch (error) {
        this.whole.note(error);
        throw error;
      } finally {
        this.#running -= 1;
      }
    };
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Runs the work that makes the calls of this part.
   * @throws Error if the work ends before its calls, which would then not be part of the transaction
   */
  async enclose<T>(work: () => PromiseLike<T> | T): Promise<T> {
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.#settle();
      throw error;
    }
    const left = this.#running;
    if (left === 0) {
      this.whole.checkKept();
      return result;
    }
    await this.#settle();
    throw new Error(
      `${String(left)} calls of ctx.sets or ctx.inTransaction were still running when their work returned. Await every call.`,
    );
  }

  /** Waits for all calls, including the calls that they make. */
  async #settle(): Promise<void> {
    while (this.#running > 0) await this.#last;
  }
}

/** The state that the operations of a batch share. */
export interface BatchScope {
  /** Its part of the transaction of the change set; null outside of a transaction. */
  readonly transactionPart: TransactionPart | null;
  /** The instant of the operation, or of its change set, in milliseconds since 1970. */
  readonly instant: number;
  /** The number of entities in the responses of the batch so far: one limit applies to all of them. */
  readonly counted: { total: number; bytes: number };
  /** The number of entities that bodies of the batch have named besides their own: one limit applies to all of them. */
  readonly named: { total: number };
  /**
   * Returns the URL that a reference such as `$1` in a body names; any other text as it is.
   * @throws ODataError for a reference to an operation that failed or does not exist
   */
  readonly dereference: (text: string) => string;
  /** Writes the entity that the operation creates together with those of others; absent: the operation writes alone. */
  readonly together?: CreatesTogether | undefined;
}
