import { nextTurn } from "../base/host.ts";
import type { Maybe } from "../base/maybe.ts";
import { applyClauses } from "../memory/apply-query.ts";
import type { Evaluation } from "../memory/evaluation.ts";
import type { MemoryQuery } from "../memory/order-rows.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";

/** Milliseconds after which other requests get a turn. */
const TURN = 10;

/** The first number of rows between two readings of the clock. It doubles while that many rows take less than a millisecond. */
const FIRST_SLICE = 16;

const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** A filter in one evaluation. */
interface Filtering {
  readonly filter: FilterClause;
  readonly shape: MemoryQuery["shape"];
  readonly evaluation: Evaluation;
}

/**
 * Returns the rows of a list that match a filter. A long evaluation pauses for other requests every 10 milliseconds, and
 * then sees the rows that the list had at its first pause.
 * @param most the number of matches after which the rest does not matter
 * @throws as for applyQuery
 */
export function filterInTurns(
  rows: Iterable<unknown>,
  { filter, shape, evaluation }: Filtering,
  most?: number,
): Maybe<readonly unknown[]> {
  const clauses: MemoryQuery = { shape, filter, orderBy: NO_ORDER, skip: 0, top: most, count: false };
  if (!Array.isArray(rows) || rows.length <= FIRST_SLICE) return applyClauses(rows, clauses, evaluation).entities;
  const run = new FilterRun({ ...clauses, top: undefined }, evaluation, most ?? Number.POSITIVE_INFINITY);
  const next = run.keepTurn(rows, 0);
  return next >= rows.length ? run.kept : run.keepRest(rows.slice(next));
}

class FilterRun {
  readonly #clauses: MemoryQuery;
  readonly #evaluation: Evaluation;
  readonly #most: number;
  readonly kept: unknown[] = [];
  #slice = FIRST_SLICE;

  constructor(clauses: MemoryQuery, evaluation: Evaluation, most: number) {
    this.#clauses = clauses;
    this.#evaluation = evaluation;
    this.#most = most;
  }

  /** Filters rows until the turn is over. Returns the position of the first row that was not read. */
  keepTurn(rows: readonly unknown[], start: number): number {
    const begun = performance.now();
    let before = begun;
    let next = start;
    while (next < rows.length && before - begun < TURN) {
      const { entities } = applyClauses(rows.slice(next, next + this.#slice), this.#clauses, this.#evaluation);
      for (const entity of entities) this.kept.push(entity);
      next = this.kept.length >= this.#most ? rows.length : next + this.#slice;
      const now = performance.now();
      if (now - before < 1) this.#slice *= 2;
      before = now;
    }
    return next;
  }

  /** Filters rows in as many turns as they need. */
  async keepRest(rows: readonly unknown[]): Promise<readonly unknown[]> {
    let next = 0;
    while (next < rows.length) {
      await nextTurn();
      next = this.keepTurn(rows, next);
    }
    return this.kept;
  }
}
