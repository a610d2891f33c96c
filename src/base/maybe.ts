import { nextTurn } from "./host.ts";

/** A value, or a promise of it. */
export type Maybe<T> = T | PromiseLike<T>;

/** Returns whether a value is a promise or any other thenable, functions included. */
export function isPromiseLike<T>(value: Maybe<T>): value is PromiseLike<T> {
  const canHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
  return canHaveThen && "then" in value && typeof value.then === "function";
}

/**
 * Calls `next` with a value: synchronously unless the value is a promise, so that synchronous handlers need no promise. A
 * thenable that is not a promise becomes one, because its `then` need not return anything.
 */
export function chain<T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> {
  if (value instanceof Promise) return value.then(next);
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Returns the result of a function, or the result of `onError` for the error that it throws or that its promise rejects with. */
export function recover<T, R>(run: () => Maybe<T>, onError: (error: unknown) => R): Maybe<T | R> {
  try {
    const value = run();
    return isPromiseLike(value) ? Promise.resolve(value).catch(onError) : value;
  } catch (error) {
    return onError(error);
  }
}

/** Returns a value that may never be awaited. Its rejection does not end the process. */
export function unawaited<T>(value: Maybe<T>): Maybe<T> {
  if (isPromiseLike(value)) Promise.resolve(value).catch(ignore);
  return value;
}

function ignore(): void {
  // An await of the value still throws the error.
}

/**
 * Runs a function and returns its result, or the error that it throws if that is of one class. Other errors pass through.
 * @param errorClass the errors that the caller expects and explains in its own words
 */
export function attempt<T, E extends Error>(run: () => T, errorClass: abstract new (...args: never[]) => E): T | E {
  try {
    return run();
  } catch (error) {
    if (error instanceof errorClass) return error;
    throw error;
  }
}

/** Milliseconds after which long work pauses for other requests. */
const TURN = 10;

/** The time of one piece of long work. */
export class Turn {
  readonly #spend: ((milliseconds: number) => void) | undefined;
  #begun = performance.now();
  #pause: Promise<void> | undefined;

  /** @param spend counts the time of work after its first pause, and throws if it may not continue */
  constructor(spend?: (milliseconds: number) => void) {
    this.#spend = spend;
  }

  /** Does the work of one turn. */
  work<T>(next: () => T): T {
    this.#begun = performance.now();
    const result = next();
    this.#spend?.(performance.now() - this.#begun);
    return result;
  }

  /** Whether other requests should get a turn. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= TURN;
  }

  /** Lets other requests run. Concurrent work of one turn shares the pause: each with its own would have a whole turn, too. */
  next(): Promise<void> {
    this.#pause ??= nextTurn().then(() => {
      this.#begun = performance.now();
      this.#pause = undefined;
    });
    return this.#pause;
  }
}

/** Long work: it yields wherever it pauses, which it does when its turn is over. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Decides whether steps pause. */
export type Pace = Pick<Turn, "isOver">;

const ENDLESS: Pace = Object.freeze({ isOver: false });

/** Does work without a pause. @param work gets a pace that never requests one */
export function atOnce<T>(work: (pace: Pace) => Steps<T>): T {
  const steps = work(ENDLESS);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does work in as many turns as it needs: a promise if it pauses. */
export function inTurns<T>(work: (pace: Pace) => Steps<T>, turn: Turn = new Turn()): Maybe<T> {
  const steps = work(turn);
  const step = steps.next();
  return step.done === true ? step.value : continueInTurns(steps, turn);
}

async function continueInTurns<T>(steps: Steps<T>, turn: Turn): Promise<T> {
  for (;;) {
    await turn.next();
    const step = turn.work(() => steps.next());
    if (step.done === true) return step.value;
  }
}

/** The number of items whose work is too short to pause for. */
const FEW = 16;

/** Continues work on a number of items: at once, or in the next turn if this one is over. */
export function inTurn<T>(turn: Turn, items: number, next: () => Maybe<T>): Maybe<T> {
  return items > FEW && turn.isOver ? turn.next().then(next) : next();
}
