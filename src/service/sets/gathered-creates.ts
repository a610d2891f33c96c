import { keptPer } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { CreateHandler } from "../../definition/handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { isAsyncFunction } from "../../definition/model/set-values.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import type { CreatesTogether } from "../../engine/entities/reader.ts";
import type { OpenTransaction } from "./transaction-part.ts";

/** A promise whose functions settle it. */
class Signal<T> {
  readonly promise: Promise<T>;
  settle!: (value: T) => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // Nobody may wait for it when it fails.
    this.promise.catch(() => undefined);
  }
}

/** Ends operations that wait for a write that does not take place. */
class NotTogether extends Error {
  constructor() {
    super("The entities of a change set cannot be created together.");
  }
}

/** Sets whose functions use the open transaction before the write: they are to see the rows of earlier operations. */
const readersOf = keptPer((_set: EntitySetDefinition): { areKnown: boolean } => ({ areKnown: false }));

/** Whether a function of the application runs after the create of an entity, which may be nested. */
const callsAfter = keptPer(({ entitySets }: ServiceDefinition) =>
  [...entitySets.values()].some(({ hooks }) => hooks?.after.create !== undefined),
);

/**
 * Returns whether the creates of consecutive operations may be written together: a table adds the rows, and no function of the
 * application may see, between them, that the earlier ones are missing.
 */
export function mayGather(set: EntitySetDefinition, service: ServiceDefinition): boolean {
  const { handlers, hooks, setValues, leavesRows, settings } = set;
  if (handlers.create?.many === undefined || leavesRows === undefined || readersOf(set).areKnown) return false;
  const isAsync = setValues?.isAsync.create === true || isAsyncFunction(hooks?.before.create);
  if (isAsync || hooks?.after.create !== undefined) return false;
  return !(settings.allowDeepInsert && callsAfter(service));
}

/** An operation in execution. */
interface Running<T> {
  readonly result: Promise<T>;
  /** Lets the operation continue after the write, in its turn. */
  readonly turn: Signal<undefined>;
}

/**
 * Consecutive operations that each create an entity of one set. Each runs up to its create; one call of the handler then adds all
 * entities, and the operations end one after another.
 */
export class GatheredCreates<T> implements CreatesTogether {
  readonly #set: EntitySetDefinition;
  readonly #whole: OpenTransaction;
  readonly #entities: object[] = [];
  readonly #running: Array<Running<T>> = [];
  readonly #start = new Signal<undefined>();
  #reached = new Signal<boolean>();
  #turn = new Signal<undefined>();
  #written: Promise<readonly unknown[]> | undefined;
  /** Whether later creates of the set leave the saved entities as they are. */
  leavesRows = false;

  constructor(set: EntitySetDefinition, whole: OpenTransaction) {
    this.#set = set;
    this.#whole = whole;
  }

  /** Receives the entity of the operation that has begun last. */
  add(many: NonNullable<CreateHandler<Context>["many"]>, entity: object, context: Context): Promise<unknown> {
    const position = this.#entities.push(entity) - 1;
    const turn = this.#turn;
    const write = async (): Promise<readonly unknown[]> => {
      const saved = answeredValue(await many(this.#entities, context));
      this.leavesRows = (await this.#set.leavesRows?.(context)) === true;
      return saved;
    };
    // The statements belong to the first operation.
    if (this.#written === undefined) {
      this.#written = this.#start.promise.then(write);
      // Nobody waits for it if an operation fails before.
      this.#written.catch(() => undefined);
    }
    this.#reached.settle(true);
    return turn.promise.then(async () => (await this.#written)?.[position]);
  }

  /**
   * Begins an operation, and waits until it has given its entity to `add`.
   * @throws the error of the operation; NotTogether if it ends before, or used the transaction in which entities of others are still missing
   */
  async begin(execute: () => Promise<T>): Promise<void> {
    const used = this.#whole.uses;
    this.#reached = new Signal<boolean>();
    this.#turn = new Signal<undefined>();
    const ended = (): void => this.#reached.settle(false);
    const result = execute();
    this.#running.push({ result, turn: this.#turn });
    result.then(ended, ended);
    if (!(await this.#reached.promise)) {
      await result;
      throw new NotTogether();
    }
    const isUsed = this.#running.length > 1 && this.#whole.uses !== used;
    if (!isUsed) return;
    readersOf(this.#set).areKnown = true;
    throw new NotTogether();
  }

  /** Adds the entities. @returns functions that end the operations, to be called one after another */
  async write(): Promise<ReadonlyArray<() => Promise<T>>> {
    this.#start.settle(undefined);
    await this.#written;
    return this.#running.map(({ result, turn }) => () => {
      turn.settle(undefined);
      return result;
    });
  }

  /** Runs work with the operations. After an error, it ends all of them, so that none writes later. */
  async enclose<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      this.#start.fail(new NotTogether());
      for (const { turn } of this.#running) turn.fail(new NotTogether());
      await Promise.allSettled(this.#running.map(({ result }) => result));
      throw error;
    }
  }
}
