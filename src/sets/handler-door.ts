import { withinTime } from "../base/within-time.ts";
import type { Context, TransactionOptions } from "../definition/context.ts";
import { adviseName, describe } from "../definition/option-table.ts";
import type { AccessOptions, DeclaredEntitySet, EntitySetAccess } from "../definition/sets/entity-set-access.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { isODataError, type ODataError } from "../errors/odata-error.ts";
import { CallContext, type CallPlace, type CallSettings } from "./call-context.ts";
import type { EntitySets } from "./entity-sets.ts";
import { SetAccess, type SetCall, type SetCaller } from "./set-access.ts";
import { OpenTransaction, TransactionPart } from "./transaction-part.ts";

/** Most calls within one another: a handler that calls its own set without an end fails before memory does. */
const MAX_DEPTH = 32;

/** An error that the work of a transaction returned: it ends the transaction, and is then returned again. */
class ReturnedError extends Error {
  readonly returned: ODataError;

  constructor(returned: ODataError) {
    super(returned.message);
    this.returned = returned;
  }
}

/** What handlers open sets and transactions by: `ctx.sets` and `ctx.inTransaction` of one context. */
export class HandlerDoor implements SetCaller {
  readonly #registry: EntitySets;
  readonly #place: CallPlace;
  /** Whether a transaction, or a part of one, is open that was opened here. */
  #isOutside = false;

  constructor(registry: EntitySets, place: CallPlace) {
    this.#registry = registry;
    this.#place = place;
  }

  readonly sets: Context["sets"] = <E extends EntityTypeDeclaration, N>(
    set: DeclaredEntitySet<E, N>,
    options: AccessOptions = {},
  ): EntitySetAccess<E, N> => {
    const found = this.#registry.find(set, "ctx.sets");
    // The access works on entities of every type; the declaration tells which one this is.
    return new SetAccess(this, found, readTrusted(options)) as unknown as EntitySetAccess<E, N>;
  };

  readonly inTransaction: Context["inTransaction"] = async (work, options = {}) => {
    if (typeof work !== "function") throw new TypeError("ctx.inTransaction takes a function: give it the work.");
    try {
      const { part } = this.#place;
      const read = readTransactionOptions(options);
      return await (part === null ? this.#open(work, read) : this.#join(part, work, read));
    } catch (error) {
      // The error was thrown to roll back; it is what the work returned.
      if (error instanceof ReturnedError) return error.returned as Awaited<ReturnType<typeof work>>;
      throw error;
    }
  };

  /**
   * Runs a call: within the open transaction, where there is one, in its turn and as a part of it.
   * @throws Error below too many calls, or beside a transaction that was opened here
   */
  async call<T>(set: string, call: SetCall<T>): Promise<T> {
    const { part, depth } = this.#place;
    this.#checkInside(`ctx.sets(${set})`);
    if (depth >= MAX_DEPTH) {
      throw new Error(
        `Calls of ctx.sets stand within one another ${String(MAX_DEPTH)} times, the last one to ${set}: a handler calls its own set.`,
      );
    }
    if (part === null) return call.run(this.#below(null, call));
    return part.inTurn(() => {
      const below = new TransactionPart(part.whole);
      const run = (): Promise<T> => below.enclose(() => call.run(this.#below(below, call)));
      const { database, transaction } = part.whole;
      return call.isWrite ? database.attempt(transaction, depth, run) : run();
    });
  }

  /** The database that the open transaction is of; null: none is open. */
  get transactionInstance(): object | null {
    return this.#place.part?.whole.database.instance ?? null;
  }

  #open<T>(work: (context: Context) => PromiseLike<T> | T, { over, timeout }: ReadTransactionOptions): Promise<T> {
    this.#checkInside("ctx.inTransaction");
    const database = this.#registry.databaseOf(over);
    this.#isOutside = true;
    const running = database.transact(
      async (transaction) => {
        const whole = new OpenTransaction(database, transaction);
        try {
          return await withinTime(this.#run(new TransactionPart(whole), work), timeout, lateWork);
        } finally {
          whole.end();
        }
      },
      new CallContext(this.#place, { service: this.#registry.definition, door: this }),
    );
    return running.finally(() => {
      this.#isOutside = false;
    });
  }

  #join<T>(
    part: TransactionPart,
    work: (context: Context) => PromiseLike<T> | T,
    { over }: ReadTransactionOptions,
  ): Promise<T> {
    const { database } = part.whole;
    this.#checkInside("ctx.inTransaction");
    if (over !== undefined && this.#registry.databaseOf(over).instance !== database.instance) {
      throw new Error("ctx.inTransaction is called within a transaction of another database: end that one before.");
    }
    return part.inTurn(async () => {
      // A call on this context would wait for the end of the work, which waits for the call.
      this.#isOutside = true;
      try {
        return await database.attempt(part.whole.transaction, this.#place.depth, () =>
          this.#run(new TransactionPart(part.whole), work),
        );
      } finally {
        this.#isOutside = false;
      }
    });
  }

  async #run<T>(part: TransactionPart, work: (context: Context) => PromiseLike<T> | T): Promise<T> {
    const result = await part.enclose(() => work(this.#below(part)));
    if (isODataError(result)) throw new ReturnedError(result);
    return result;
  }

  #below(part: TransactionPart | null, call?: Pick<CallSettings, "expected" | "seesAllRows">): Context {
    const place: CallPlace = { facts: this.#place.facts, depth: this.#place.depth + 1, part };
    const door = new HandlerDoor(this.#registry, place);
    return new CallContext(place, { ...call, service: this.#registry.definition, door });
  }

  #checkInside(call: string): void {
    if (!this.#isOutside) return;
    throw new Error(
      `${call} was called on the context outside of an open transaction: use the context that ctx.inTransaction gives to its work.`,
    );
  }
}

function readTrusted(options: AccessOptions): boolean {
  const { trusted = false, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`ctx.sets has no option \`${unknown}\`: it takes \`trusted\`.`);
  if (typeof trusted !== "boolean") throw new TypeError("`trusted` of ctx.sets is neither true nor false.");
  return trusted;
}

/** Milliseconds that the work of a transaction may take when nothing else is said. */
const DEFAULT_TIMEOUT = 30_000;
const NAMES: ReadonlyArray<keyof TransactionOptions> = ["over", "timeout"];

/** The options of `ctx.inTransaction`, with their defaults. */
export interface ReadTransactionOptions {
  readonly over: TransactionOptions["over"];
  /** Null: none. */
  readonly timeout: number | null;
}

/** Reads the options of `ctx.inTransaction`. @throws TypeError for an option that there is not, or a wrong value */
export function readTransactionOptions(options: TransactionOptions): ReadTransactionOptions {
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw new TypeError(`ctx.inTransaction has no option \`${name}\`. ${adviseName(name, NAMES)}`);
  }
  const { over, timeout = DEFAULT_TIMEOUT } = options;
  if (timeout !== null && !(Number.isSafeInteger(timeout) && timeout > 0)) {
    throw new TypeError(
      `\`timeout\` of ctx.inTransaction is ${describe(timeout)}: give whole milliseconds, or null for no limit.`,
    );
  }
  return { over, timeout };
}

/** Makes the error of work in a transaction that took too long: a handler may wait for the connection of its own transaction. */
export function lateWork(timeout: number): Error {
  return new Error(
    `The work of ctx.inTransaction took longer than ${String(timeout)} ms, and is rolled back. A handler that uses its own \`db\` instead of \`ctx.transaction\` waits for the transaction itself; otherwise give a longer \`timeout\`.`,
  );
}
