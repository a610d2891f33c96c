import { nextTurn } from "./host.ts";
import type { Maybe } from "./maybe.ts";

/** Milliseconds after which long work pauses for other requests. */
export const TURN = 10;

/** The time of one piece of long work. */
export class Turn {
  #begun = performance.now();

  /** Whether other requests should get a turn. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= TURN;
  }

  /** Lets other requests run. */
  async next(): Promise<void> {
    await nextTurn();
    this.#begun = performance.now();
  }
}

/** Long work: it yields wherever it pauses, which it does when its turn is over. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Tells steps whether to pause. */
export type Pace = Pick<Turn, "isOver">;

const ENDLESS: Pace = Object.freeze({ isOver: false });

/** Does work without a pause. @param work gets a pace that never asks for one */
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
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The number of items whose work is too short to pause for. */
const FEW = 16;

/** Continues work on a number of items: at once, or in the next turn if this one is over. */
export function inTurn<T>(turn: Turn, items: number, next: () => Maybe<T>): Maybe<T> {
  return items > FEW && turn.isOver ? turn.next().then(next) : next();
}
