import type { Maybe } from "../base/maybe.ts";
import { type Pace, Paused, type Steps, Turn, TURN } from "../base/turn.ts";
import { type JsonObject, type JsonValue, namesOf } from "../json/json-value.ts";

/** The number of items whose reading is too short to pause for. */
const FEW = 16;

/** The number of names above which their list is kept. */
const MANY = 1000;

/** Reads one item of a collection. */
type ItemReader<Item> = (item: JsonValue, index: number) => Item;

/** Returns the result of steps, or throws their error, as often as it is called. */
type Outcome<T> = () => T;

/** Long work on one part of a body. */
interface Work {
  readonly steps: Steps<unknown>;
  outcome: Outcome<unknown> | null;
}

/**
 * The results of long work on one body: the items of its collections, and of other parts. The readers of values cannot yield:
 * where other requests should get a turn, they throw `Paused`, and the repetition takes the results before the pause from here.
 */
export class ReadingProgress {
  readonly #turn = new Turn();
  readonly #kept = new Map<readonly JsonValue[], unknown[]>();
  readonly #work = new Map<unknown, Map<unknown, Work>>();
  readonly #names = new Map<JsonObject, readonly string[]>();
  readonly #pace: Pace;
  #begun = 0;
  /** Whether the reader of the body can continue after a pause. */
  #mayPause = false;
  /** Milliseconds until the repetition reached new items; null before. */
  #repeated: number | null = null;

  constructor() {
    const isOver = (): boolean => this.#isOver();
    this.#pace = {
      get isOver() {
        return isOver();
      },
    };
  }

  /** Reads all items of a collection. @throws Paused where the turn of `inTurns` is over */
  readItems<Item>(items: readonly JsonValue[], read: ItemReader<Item>): Item[] {
    if (items.length <= FEW) return items.map(read);
    const made = (this.#kept.get(items) ?? []) as Item[];
    this.#kept.set(items, made);
    for (let index = made.length; index < items.length; index += 1) {
      made.push(read(items[index] ?? null, index));
      if (index % FEW === 0 && this.#isOver()) throw new Paused();
    }
    return made;
  }

  /** Returns the names of an object. The list of many names takes long, so it is made once. */
  namesOf(object: JsonObject): readonly string[] {
    const kept = this.#names.get(object);
    if (kept !== undefined) return kept;
    const names = namesOf(object);
    if (names.length > MANY) this.#names.set(object, names);
    return names;
  }

  /**
   * Does long work on a part of the body.
   * @param task identifies the work, and `part` its object or path: the same each time the body is read
   * @throws Paused where the turn of `inTurns` is over
   */
  doSteps<T>(task: unknown, part: unknown, begin: (pace: Pace) => Steps<T>): T {
    const parts = this.#work.get(task) ?? new Map<unknown, Work>();
    this.#work.set(task, parts);
    const work = parts.get(part) ?? { steps: begin(this.#pace), outcome: null };
    parts.set(part, work);
    // The task determines the type of the result.
    return (work.outcome ??= outcomeOf(work.steps))() as T;
  }

  /** Ends work on a part of the body if it has begun. @returns whether it has begun @throws Paused like `doSteps` */
  continues(task: unknown, part: unknown): boolean {
    const work = this.#work.get(task)?.get(part);
    if (work === undefined) return false;
    (work.outcome ??= outcomeOf(work.steps))();
    return true;
  }

  /**
   * Reads a body, in as many turns as its collections need.
   * @param read reads the body with `readItems`, the same items each time
   * @returns a promise if the reading pauses
   */
  inTurns<T>(read: () => T): Maybe<T> {
    try {
      return this.#attempt(read);
    } catch (error) {
      if (error instanceof Paused) return this.#continue(read);
      throw error;
    }
  }

  async #continue<T>(read: () => T): Promise<T> {
    for (;;) {
      await this.#turn.next();
      try {
        return this.#attempt(read);
      } catch (error) {
        if (!(error instanceof Paused)) throw error;
      }
    }
  }

  #attempt<T>(read: () => T): T {
    this.#begun = performance.now();
    this.#repeated = null;
    this.#mayPause = true;
    try {
      return read();
    } finally {
      this.#mayPause = false;
    }
  }

  /** New work takes as long as the repetition, or a turn, so a repetition never dominates for long. */
  #isOver(): boolean {
    if (!this.#mayPause) return false;
    if (this.#repeated === null) {
      this.#repeated = performance.now() - this.#begun;
      return false;
    }
    return this.#turn.isOver && performance.now() - this.#begun >= this.#repeated + Math.min(this.#repeated, TURN);
  }
}

/** Does steps to their end. @throws Paused where they yield */
function outcomeOf<T>(steps: Steps<T>): Outcome<T> {
  let step: IteratorResult<undefined, T>;
  try {
    step = steps.next();
  } catch (error) {
    return () => {
      throw error;
    };
  }
  if (step.done !== true) throw new Paused();
  const { value } = step;
  return () => value;
}
