import { type Pace, Paused, TURN } from "../base/turn.ts";

/** An expression as a closure. */
type Evaluate<State, Value> = (entity: object, evaluation: State) => Value;

/** The use of a lambda operator for one row, or for one item of the operator around it. */
export interface LambdaUse {
  /** Identifies the operator in its expression. */
  readonly operator: object;
  /** The items when the operator began: the application may change its list during a pause. */
  readonly items: readonly unknown[];
  /** The index of the item that is being evaluated. */
  at: number;
  /** Null until it is known. */
  verdict: boolean | null;
  /** The uses of nested operators for this item, in the order of evaluation. */
  nested: LambdaUse[];
}

/** The number of items between two readings of the clock. */
const SLICE = 64;

/**
 * The results of the lambda operators of an expression for one row. An evaluation that should pause throws `Paused`.
 * Its repetition takes the verdicts of ended operators from here, and continues the others at their item.
 */
export class LambdaProgress {
  readonly #pace: Pace;
  /** Most rows need no pause, so nothing is kept before the first one. */
  #isKept = false;
  #root: LambdaUse[] = [];
  /** The uses of the level that is being evaluated, and the index of the next one. */
  #uses: LambdaUse[] = this.#root;
  #next = 0;
  #items = 0;
  #begun = 0;
  /** Milliseconds until the repetition reached new work. */
  #repeated: number | null = null;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Evaluates an expression for a row. @throws Paused where it should pause: evaluate the same row next */
  run<State extends { progress: LambdaProgress | null }, Value>(
    evaluate: Evaluate<State, Value>,
    entity: object,
    evaluation: State,
  ): Value {
    this.#uses = this.#root;
    this.#next = 0;
    this.#repeated = null;
    if (this.#isKept) this.#begun = performance.now();
    evaluation.progress = this;
    try {
      const value = evaluate(entity, evaluation);
      if (this.#root.length > 0) this.#root = [];
      return value;
    } finally {
      evaluation.progress = null;
    }
  }

  /** Returns the use of an operator that the evaluation has now reached; null if it is new. */
  known(operator: object): LambdaUse | null {
    if (!this.#isKept) return null;
    const use = this.#uses[this.#next];
    if (use === undefined) return null;
    if (use.operator === operator) {
      this.#next += 1;
      return use;
    }
    // The application has changed the entity, so that another operator is evaluated.
    this.#uses.length = this.#next;
    return null;
  }

  /** Keeps a new use of an operator; null before the first pause. */
  begin(operator: object, items: readonly unknown[]): LambdaUse | null {
    if (!this.#isKept) return null;
    const use: LambdaUse = { operator, items: items.slice(), at: 0, verdict: null, nested: [] };
    this.#uses.push(use);
    this.#next += 1;
    return use;
  }

  /** Evaluates the predicate of an operator for its present item. */
  within<State, Value>(use: LambdaUse, test: Evaluate<State, Value>, entity: object, evaluation: State): Value {
    const uses = this.#uses;
    const next = this.#next;
    this.#uses = use.nested;
    this.#next = 0;
    try {
      const value = test(entity, evaluation);
      use.at += 1;
      if (use.nested.length > 0) use.nested = [];
      return value;
    } finally {
      this.#uses = uses;
      this.#next = next;
    }
  }

  /** Counts evaluated items. @throws Paused if the turn is over */
  count(items: number): void {
    this.#items += items;
    if (this.#items < SLICE) return;
    this.#items = 0;
    if (!this.#isKept) {
      if (!this.#pace.isOver) return;
      this.#isKept = true;
      throw new Paused();
    }
    const time = performance.now() - this.#begun;
    // New work takes as long as the repetition, or a turn, so a repetition never dominates for long.
    if (this.#repeated === null) this.#repeated = time;
    else if (this.#pace.isOver && time >= this.#repeated + Math.min(this.#repeated, TURN)) throw new Paused();
  }
}
