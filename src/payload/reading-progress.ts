import type { Maybe } from "../base/maybe.ts";
import { Paused, Turn } from "../base/turn.ts";
import type { JsonValue } from "../json/json-value.ts";

/** The number of items whose reading is too short to pause for. */
const FEW = 16;

/** Reads one item of a collection. */
type ItemReader<Item> = (item: JsonValue, index: number) => Item;

/**
 * The items of long collections that have been read from one body. The readers of values cannot yield: where other requests
 * should get a turn, `readItems` throws `Paused`, and the repetition takes the items before the pause from here.
 */
export class ReadingProgress {
  readonly #turn = new Turn();
  readonly #kept = new Map<readonly JsonValue[], unknown[]>();
  #begun = 0;
  /** Whether the reader of the body can continue after a pause. */
  #mayPause = false;
  /** Milliseconds until the repetition reached new items; null before. */
  #repeated: number | null = null;

  /** Reads all items of a collection. @throws Paused where the turn of `inTurns` is over */
  readItems<Item>(items: readonly JsonValue[], read: ItemReader<Item>): Item[] {
    if (items.length <= FEW) return items.map(read);
    const made = (this.#kept.get(items) ?? []) as Item[];
    this.#kept.set(items, made);
    for (let index = made.length; index < items.length; index += 1) {
      made.push(read(items[index] ?? null, index));
      if (index % FEW === 0) this.#pauseIfOver();
    }
    return made;
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

  /** New work takes as long as the repetition at least. Otherwise a long repetition would never come to an end. */
  #pauseIfOver(): void {
    if (!this.#mayPause) return;
    if (this.#repeated === null) this.#repeated = performance.now() - this.#begun;
    else if (this.#turn.isOver && performance.now() - this.#begun >= 2 * this.#repeated) throw new Paused();
  }
}
