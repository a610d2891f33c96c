import { driverFields } from "../../base/errors/driver-fields.ts";
import { isODataError, type ODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import { LONGEST_TIME } from "../../base/within-time.ts";
import type {
  AccessTo,
  Context,
  TransactionContext,
  TransactionOptions,
  AccessOptions,
  DeclaredEntitySet,
  Isolation,
} from "../../definition/context.ts";
import { logError } from "../../definition/model/request-fields.ts";
import { adviseName, describe } from "../../definition/option-table.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import type { AtomicCall } from "../../engine/rules/row-access.ts";
import { type AtomicDoor, CallContext, type CallPlace, type RequestFacts, type WriteFacts } from "./call-context.ts";
import { CommitUnit } from "./commit-unit.ts";
import type { EntitySets } from "./entity-sets.ts";
import { SetAccess, type SetCall, type SetCaller } from "./set-access.ts";
import {
  ISOLATIONS,
  lateTransaction,
  OpenTransaction,
  TransactionPart,
  TransactionTime,
  type TransactionUse,
} from "./transaction-part.ts";

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
export class HandlerDoor implements SetCaller, AtomicDoor {
  readonly #registry: EntitySets;
  readonly #place: CallPlace;
  /** Whether `inTransaction` of this context is running: its work must use the inner context. */
  #isOutside = false;

  constructor(registry: EntitySets, place: CallPlace) {
    this.#registry = registry;
    this.#place = place;
  }

  readonly sets: Context["sets"] = <D extends DeclaredEntitySet, T extends boolean>(
    set: D,
    options: AccessOptions<T> = {},
  ): AccessTo<D, T> => {
    const found = this.#registry.find(set, "ctx.sets");
    // The access works on entities of every type; the declaration determines the type.
    return new SetAccess(this, found, readAccessOptions(options)) as unknown as AccessTo<D, T>;
  };

  readonly inTransaction: Context["inTransaction"] = async <T>(
    work: (context: TransactionContext) => Maybe<T>,
    options: TransactionOptions = {},
  ): Promise<T> => {
    if (typeof work !== "function") throw new TypeError("ctx.inTransaction takes a function: pass the work to run.");
    try {
      const { part } = this.#place;
      const { over, timeout, isolation } = readTransactionOptions(
        options,
        this.#registry.definition.limits.transactionTimeout,
      );
      this.#checkInside("ctx.inTransaction");
      const run = (inner: TransactionPart): Promise<T> => this.#run(inner, work);
      if (part === null) {
        return await this.#open({ database: this.#registry.databaseOf(over), timeout, isolation, use: "changes" }, run);
      }
      part.whole.checkIsolation(isolation);
      const { database } = part.whole;
      if (over !== undefined && this.#registry.databaseOf(over).instance !== database.instance) {
        throw new Error(
          "ctx.inTransaction is called within a transaction of another database. End that transaction first.",
        );
      }
      return await this.#join(part, run);
    } catch (error) {
      if (error instanceof ReturnedError) return error.returned as T;
      throw error;
    }
  };

  /** Implements `ServiceContext.atomically`. */
  async runAtomically<T>(call: AtomicCall, facts: WriteFacts, work: (inner: Context) => Promise<T>): Promise<T> {
    this.#checkInside("A write with rules or hooks");
    const { part, hasTurn = false } = this.#place;
    const { turns, definition } = this.#registry;
    const { turn } = call;
    // Two writes that each wait for the turn of the other would never end, so a write within a turn takes no other one.
    if (turn === undefined || part !== null || hasTurn) return this.#atomically(call, facts, work, hasTurn);
    const { transactionTimeout: timeout } = definition.limits;
    const late = (after: number): ODataError => lateTransaction(after, "write", "an earlier write of the same entity");
    return turns.run(turn, { timeout, late }, () => this.#atomically(call, facts, work, true));
  }

  async #atomically<T>(
    { database, isRepeatable, returnsIgnored, supplied, isFurther }: AtomicCall,
    facts: WriteFacts,
    work: (inner: Context) => Promise<T>,
    hasTurn: boolean,
  ): Promise<T> {
    const { part, unit } = this.#place;
    const { seesAllRows, skipsHooks } = facts;
    const expected = isFurther === true ? undefined : facts.expected;
    const returned = returnsIgnored ?? facts.returnsIgnored;
    const inside: WriteFacts = { expected, seesAllRows, skipsHooks, supplied, returnsIgnored: returned };
    const run = (inner: TransactionPart): Promise<T> =>
      inner.enclose(() => work(this.#below(inner, inner.unit, inside, hasTurn)));
    if (part !== null) return this.#join(part, run);
    const { transactionTimeout: timeout } = this.#registry.definition.limits;
    if (database !== null) return this.#open({ database, timeout, isRepeatable, use: "write" }, run);
    const own = new CommitUnit();
    const result = await work(this.#below(null, own, inside, hasTurn));
    own.joinTo(unit);
    return result;
  }

  readonly afterCommit: Context["afterCommit"] = (work) => {
    if (typeof work !== "function") throw new TypeError("ctx.afterCommit takes a function: pass the work to run.");
    this.#checkInside("ctx.afterCommit");
    const { part, unit } = this.#place;
    // Throws after the end of the transaction.
    part?.whole.checkOpen();
    unit.add({ running: this.#registry.work, run: () => this.#runLater(work) });
  };

  /** Runs work after a commit, with a context that belongs to no transaction. */
  async #runLater(work: Parameters<Context["afterCommit"]>[0]): Promise<void> {
    const { facts, access, depth } = this.#place;
    const { definition } = this.#registry;
    const unit = new CommitUnit();
    const place: CallPlace = {
      facts: laterFacts(facts),
      depth: depth + 1,
      part: null,
      unit,
      access: access.below(),
    };
    const door = new HandlerDoor(this.#registry, place);
    try {
      answeredValue(await work(new CallContext(place, { service: definition, door })));
      unit.commit();
    } catch (err) {
      logError(definition, facts, "Work of ctx.afterCommit failed.", { ...driverFields(err), err });
    }
  }

  /**
   * Runs a call. Within an open transaction, calls are parts of the transaction and run one after another.
   * @throws Error for calls nested too deeply, and for a call on the context outside of an open transaction
   */
  async call<T>(set: string, call: SetCall<T>): Promise<T> {
    const { depth } = this.#place;
    this.#checkInside(`ctx.sets(${set})`);
    if (depth >= MAX_DEPTH) {
      throw new Error(
        `Calls of ctx.sets are nested ${String(MAX_DEPTH)} levels deep, the last one to ${set}: a handler or hook calls its own set.`,
      );
    }
    try {
      return await this.#call(call);
    } catch (error) {
      this.#place.access.noteFailure(error);
      throw error;
    }
  }

  async #call<T>(call: SetCall<T>): Promise<T> {
    const { part, depth } = this.#place;
    const unit = new CommitUnit();
    if (part === null) {
      const result = await call.run(this.#below(null, unit, factsOf(call)));
      unit.commit();
      return result;
    }
    return part.inTurn(async () => {
      const below = new TransactionPart(part.whole, unit);
      const run = (): Promise<T> => below.enclose(() => call.run(this.#below(below, unit, factsOf(call))));
      const { database, transaction } = part.whole;
      const result = await (call.isWrite ? database.attempt(transaction, depth, run) : run());
      unit.joinTo(part.unit);
      return result;
    });
  }

  /** The database of the open transaction; null without a transaction. */
  get transactionInstance(): object | null {
    return this.#place.part?.whole.database.instance ?? null;
  }

  /** Runs work in a new transaction. */
  #open<T>(
    { database, timeout, use, isRepeatable = true, isolation }: NewTransaction,
    run: (part: TransactionPart) => Promise<T>,
  ): Promise<T> {
    this.#isOutside = true;
    let unit = new CommitUnit();
    const time = new TransactionTime(timeout);
    const running = database.transact(
      async (transaction) => {
        // Work that runs again registers its work again.
        unit = new CommitUnit();
        const whole = new OpenTransaction(database, transaction, isolation);
        try {
          const late = (after: number): ODataError => lateTransaction(after, use, whole.running);
          return await time.limit(() => run(new TransactionPart(whole, unit)), late);
        } finally {
          whole.end();
        }
      },
      new CallContext(this.#place, { service: this.#registry.definition, door: this }),
      { isRepeatable, isolation, timeout },
    );
    return running
      .then((result) => {
        unit.commit();
        return result;
      })
      .finally(() => {
        this.#isOutside = false;
      });
  }

  /** Runs work as a part of the open transaction. */
  #join<T>(part: TransactionPart, run: (part: TransactionPart) => Promise<T>): Promise<T> {
    const { database } = part.whole;
    return part.inTurn(async () => {
      // A call on this context would wait for the work, and the work for the call.
      this.#isOutside = true;
      const unit = new CommitUnit();
      try {
        const work = (): Promise<T> => run(new TransactionPart(part.whole, unit));
        const result = await (part.isGathered
          ? work()
          : database.attempt(part.whole.transaction, this.#place.depth, work));
        unit.joinTo(part.unit);
        return result;
      } finally {
        this.#isOutside = false;
      }
    });
  }

  async #run<T>(part: TransactionPart, work: (context: TransactionContext) => Maybe<T>): Promise<T> {
    const result = await part.enclose(() => work(this.#below(part, part.unit) as TransactionContext));
    if (isODataError(result)) throw new ReturnedError(result);
    return result;
  }

  #below(
    part: TransactionPart | null,
    unit: CommitUnit,
    call?: WriteFacts,
    hasTurn: boolean | undefined = this.#place.hasTurn,
  ): Context {
    const { facts, depth, access } = this.#place;
    const place: CallPlace = { facts, depth: depth + 1, part, unit, access: access.below(), hasTurn };
    const door = new HandlerDoor(this.#registry, place);
    return new CallContext(place, { ...call, service: this.#registry.definition, door });
  }

  #checkInside(call: string): void {
    if (!this.#isOutside) return;
    throw new Error(
      `${call} was called on the context outside of an open transaction. Use the context that ctx.inTransaction passes to its work.`,
    );
  }
}

/** Returns the facts about a request for work that follows its response: the end of the connection does not abort it. */
function laterFacts({ user, request, host, reading, instant, client }: RequestFacts): RequestFacts {
  const { signal } = new AbortController();
  return { user, request, host, reading, instant, client, signal, isAborted: false };
}

function factsOf({ expected, seesAllRows, skipsHooks, isWrite }: SetCall<unknown>): WriteFacts {
  return { expected, seesAllRows, skipsHooks, returnsIgnored: isWrite };
}

/** Reads the options of `ctx.sets`. @throws TypeError for an unknown option, or a wrong value */
function readAccessOptions(options: AccessOptions): Required<AccessOptions> {
  const { trusted = false, hooks = true, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(`ctx.sets has no option \`${unknown}\`. Its options are \`trusted\` and \`hooks\`.`);
  }
  if (typeof trusted !== "boolean") throw new TypeError("`trusted` of ctx.sets must be true or false.");
  if (typeof hooks !== "boolean") throw new TypeError("`hooks` of ctx.sets must be true or false.");
  return { trusted, hooks };
}

/** A transaction to open. */
interface NewTransaction {
  readonly database: TransactionalDatabase;
  /** In milliseconds; null for no limit. */
  readonly timeout: number | null;
  readonly isRepeatable?: boolean;
  readonly isolation?: Isolation | undefined;
  readonly use: TransactionUse;
}

const NAMES: ReadonlyArray<keyof TransactionOptions> = ["over", "timeout", "isolation"];

/** The options of `ctx.inTransaction`, with their defaults. */
interface ReadTransactionOptions {
  readonly over: TransactionOptions["over"];
  /** In milliseconds; null for no limit. */
  readonly timeout: number | null;
  readonly isolation: Isolation | undefined;
}

/**
 * Reads the options of `ctx.inTransaction`.
 * @param byDefault the timeout of a transaction without one
 * @throws TypeError for an unknown option, or a wrong value
 */
function readTransactionOptions(options: TransactionOptions, byDefault: number | null): ReadTransactionOptions {
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw new TypeError(`ctx.inTransaction has no option \`${name}\`. ${adviseName(name, NAMES)}`);
  }
  const { over, timeout = byDefault, isolation } = options;
  if (isolation !== undefined && !ISOLATIONS.includes(isolation)) {
    const levels = ISOLATIONS.map((each) => `"${each}"`).join(", ");
    throw new TypeError(`\`isolation\` of ctx.inTransaction is ${describe(isolation)}. Pass one of ${levels}.`);
  }
  if (timeout !== null && !(Number.isSafeInteger(timeout) && timeout > 0 && timeout <= LONGEST_TIME)) {
    throw new TypeError(
      `\`timeout\` of ctx.inTransaction is ${describe(timeout)}. Pass whole milliseconds up to ${String(LONGEST_TIME)}, or null for no limit.`,
    );
  }
  return { over, timeout, isolation };
}
