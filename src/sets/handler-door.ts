import { withinTime } from "../base/within-time.ts";
import type {
  Context,
  TransactionOptions,
  AccessOptions,
  DeclaredEntitySet,
  EntitySetAccess,
  ServerSetKeys,
} from "../definition/context.ts";
import { adviseName, describe } from "../definition/option-table.ts";
import type { NewEntityIn, ServerSetOf } from "../definition/types/server-set.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { isODataError, type ODataError } from "../errors/odata-error.ts";
import { CallContext, type CallPlace } from "./call-context.ts";
import type { EntitySets } from "./entity-sets.ts";
import { SetAccess, type SetCall, type SetCaller } from "./set-access.ts";
import { OpenTransaction, TransactionPart } from "./transaction-part.ts";

/** The maximum depth of nested calls, which ends the recursion of a handler that calls its own set. */
const MAX_DEPTH = 32;

/** Rolls back a transaction whose work returned an error; the error is then the result of `inTransaction`. */
class ReturnedError extends Error {
  readonly returned: ODataError;

  constructor(returned: ODataError) {
    super(returned.message);
    this.returned = returned;
  }
}

/** Implements `ctx.sets` and `ctx.inTransaction` of one context. */
export class HandlerDoor implements SetCaller {
  readonly #registry: EntitySets;
  readonly #place: CallPlace;
  /** Whether `inTransaction` of this context is running: its work must use the inner context. */
  #isOutside = false;

  constructor(registry: EntitySets, place: CallPlace) {
    this.#registry = registry;
    this.#place = place;
  }

  readonly sets: Context["sets"] = <E extends EntityTypeDeclaration, N, S extends string>(
    set: DeclaredEntitySet<E, N> & ServerSetKeys<S>,
    options: AccessOptions = {},
  ): EntitySetAccess<E, N, NewEntityIn<E, S>, ServerSetOf<E, S>> => {
    const found = this.#registry.find(set, "ctx.sets");
    // The access works on entities of every type; the declaration determines the type.
    return new SetAccess(this, found, readTrusted(options)) as unknown as EntitySetAccess<
      E,
      N,
      NewEntityIn<E, S>,
      ServerSetOf<E, S>
    >;
  };

  readonly inTransaction: Context["inTransaction"] = async (work, options = {}) => {
    if (typeof work !== "function") throw new TypeError("ctx.inTransaction takes a function: pass the work to run.");
    try {
      const { part } = this.#place;
      const read = readTransactionOptions(options);
      return await (part === null ? this.#open(work, read) : this.#join(part, work, read));
    } catch (error) {
      if (error instanceof ReturnedError) return error.returned as Awaited<ReturnType<typeof work>>;
      throw error;
    }
  };

  /**
   * Runs a call. Within an open transaction, calls are parts of the transaction and run one after another.
   * @throws Error for calls nested too deeply, and for a call on the context outside of an open transaction
   */
  async call<T>(set: string, call: SetCall<T>): Promise<T> {
    const { part, depth } = this.#place;
    this.#checkInside(`ctx.sets(${set})`);
    if (depth >= MAX_DEPTH) {
      throw new Error(
        `Calls of ctx.sets are nested ${String(MAX_DEPTH)} levels deep, the last one to ${set}: a handler calls its own set.`,
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

  /** The database of the open transaction; null without a transaction. */
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
      throw new Error(
        "ctx.inTransaction is called within a transaction of another database. End that transaction first.",
      );
    }
    return part.inTurn(async () => {
      // A call on this context would wait for the work, and the work for the call.
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

  #below(part: TransactionPart | null, call?: Pick<SetCall<unknown>, "expected" | "seesAllRows" | "isWrite">): Context {
    const { facts, depth, access } = this.#place;
    const place: CallPlace = { facts, depth: depth + 1, part, access: access.below() };
    const door = new HandlerDoor(this.#registry, place);
    const returnsIgnored = call?.isWrite === true;
    return new CallContext(place, { ...call, returnsIgnored, service: this.#registry.definition, door });
  }

  #checkInside(call: string): void {
    if (!this.#isOutside) return;
    throw new Error(
      `${call} was called on the context outside of an open transaction. Use the context that ctx.inTransaction passes to its work.`,
    );
  }
}

function readTrusted(options: AccessOptions): boolean {
  const { trusted = false, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`ctx.sets has no option \`${unknown}\`. Its option is \`trusted\`.`);
  if (typeof trusted !== "boolean") throw new TypeError("`trusted` of ctx.sets must be true or false.");
  return trusted;
}

/** The default timeout of the work of a transaction, in milliseconds. */
const DEFAULT_TIMEOUT = 30_000;
const NAMES: ReadonlyArray<keyof TransactionOptions> = ["over", "timeout"];

/** The options of `ctx.inTransaction`, with their defaults. */
interface ReadTransactionOptions {
  readonly over: TransactionOptions["over"];
  /** In milliseconds; null for no limit. */
  readonly timeout: number | null;
}

/** Reads the options of `ctx.inTransaction`. @throws TypeError for an unknown option, or a wrong value */
function readTransactionOptions(options: TransactionOptions): ReadTransactionOptions {
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw new TypeError(`ctx.inTransaction has no option \`${name}\`. ${adviseName(name, NAMES)}`);
  }
  const { over, timeout = DEFAULT_TIMEOUT } = options;
  if (timeout !== null && !(Number.isSafeInteger(timeout) && timeout > 0)) {
    throw new TypeError(
      `\`timeout\` of ctx.inTransaction is ${describe(timeout)}. Pass whole milliseconds, or null for no limit.`,
    );
  }
  return { over, timeout };
}

/** Makes the error for a transaction whose work exceeds its timeout. */
function lateWork(timeout: number): Error {
  return new Error(
    `The work of ctx.inTransaction took longer than ${String(timeout)} ms and is rolled back. A handler that uses its own \`db\` instead of \`ctx.transaction\` waits for the transaction itself. Otherwise, pass a longer \`timeout\`.`,
  );
}
