/** Milliseconds after which long work pauses for other requests. */
const TURN = 10;

/** The time of one piece of long work. */
export class Turn {
  readonly #begun = performance.now();

  /** Whether other requests should get a turn. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= TURN;
  }
}
