import type { TransactionalDatabase } from "../definition/sets/transactional-database.ts";

/** A transaction that `ctx.inTransaction` has open. */
export class OpenTransaction {
  readonly database: TransactionalDatabase;
  readonly #transaction: unknown;
  #isOpen = true;
  #lost: { readonly error: unknown } | null = null;

  constructor(database: TransactionalDatabase, transaction: unknown) {
    this.database = database;
    this.#transaction = transaction;
  }

  /** @throws Error once the transaction has ended: what uses it then would be no part of it */
  get transaction(): unknown {
    if (this.#isOpen) return this.#transaction;
    throw new Error("The transaction has ended: use a context of ctx.inTransaction within its work alone.");
  }

  end(): void {
    this.#isOpen = false;
  }

  /** Notes an error, after which the database may have taken back the whole transaction. */
  note(error: unknown): void {
    if (this.#lost === null && this.database.isLost(error)) this.#lost = { error };
  }

  /** @throws the error after which nothing of the transaction is left */
  checkKept(): void {
    if (this.#lost !== null) throw this.#lost.error;
  }
}

/**
 * The calls that one handler, or the work of `ctx.inTransaction`, makes within a transaction. They run one after another,
 * because savepoints of calls that overlap would undo each other.
 */
export class TransactionPart {
  readonly whole: OpenTransaction;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(whole: OpenTransaction) {
    this.whole = whole;
  }

  /**
   * Runs a call after those before it.
   * @throws Error once the transaction has ended; the error after which nothing of it is left
   */
  inTurn<T>(call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const run = async (): Promise<T> => {
      try {
        void this.whole.transaction;
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
   * @throws Error when the work ends before its calls do: they would not be part of the transaction
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
      `${String(left)} calls of ctx.sets or ctx.inTransaction had not ended when the work around them returned: await every call.`,
    );
  }

  /** Waits for all calls, those that they give rise to included. */
  async #settle(): Promise<void> {
    while (this.#running > 0) await this.#last;
  }
}
